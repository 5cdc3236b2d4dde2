"""Reporting: how many mutants were killed, by what, and which were not."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from property_tests.mutating.judging import Verdict
from property_tests.mutating.mutants import Mutant
from property_tests.mutating.surviving import Key, Survivor, entry_of, key_of, listed

Judged = tuple[Mutant, Verdict]


class Score(NamedTuple):
    """How the mutants fared."""

    mutants: int
    killed: int
    by_recordings_only: int
    harmless: int  # survivors that are listed as such
    holes: int  # survivors that are listed, and are no less a hole for that
    unlisted: int

    @property
    def raw(self) -> float:
        """Give the part that was killed."""
        return self.killed / self.mutants if self.mutants else 1.0

    @property
    def without_harmless(self) -> float:
        """Give the part of those that do harm that was killed."""
        return self.killed / max(1, self.mutants - self.harmless)


class Report:
    """What came of a run, added up as it comes."""

    def __init__(self) -> None:
        """Begin with nothing judged."""
        self.judged: list[Judged] = []
        self.known: dict[Key, Survivor] = listed()

    def add(self, mutant: Mutant, verdict: Verdict) -> None:
        """Take in one verdict."""
        self.judged.append((mutant, verdict))

    @property
    def unlisted(self) -> list[Mutant]:
        """Give the survivors of which nobody has said anything."""
        return [one for one, how in self.judged if how.survived and key_of(one) not in self.known]

    def score(self) -> Score:
        """Add up."""
        survivors = [key_of(mutant) for mutant, how in self.judged if how.survived]
        harmless = sum(key in self.known and self.known[key].harmless for key in survivors)
        return Score(
            len(self.judged),
            len(self.judged) - len(survivors),
            sum(how.by_recordings_only for _, how in self.judged),
            harmless,
            len(survivors) - harmless - len(self.unlisted),
            len(self.unlisted),
        )

    def words(self) -> str:
        """Give the report for people."""
        score = self.score()
        seconds = sum(how.cpu_seconds for _, how in self.judged)
        harm = f"{score.without_harmless:.1%} of those that are not listed as harmless"
        listed_as = f"{score.harmless} harmless, {score.holes} listed holes"
        lines = [
            f"{score.mutants} mutants, {score.killed} killed: {score.raw:.1%}, and {harm}",
            f"killed by recordings only: {score.by_recordings_only}",
            f"survived: {listed_as}, {score.unlisted} unlisted",
            f"cpu seconds: {seconds:.0f}",
            "",
            *self._modules(),
        ]
        survived = [f"  {one}" for one, how in self.judged if how.survived]
        lines += ["", "survivors:", *survived] if survived else []
        lines += ["", *map(entry_of, self.unlisted)]
        return "\n".join(lines)

    def _modules(self) -> list[str]:
        made, died = Counter[str](), Counter[str]()
        for mutant, how in self.judged:
            made[mutant.path] += 1
            died[mutant.path] += not how.survived
        return [f"  {path}: {died[path]} of {count}" for path, count in sorted(made.items())]

    def write(self, path: Path) -> None:
        """Write all of it as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        rows: list[dict[str, Any]] = [
            {"mutant": str(mutant), **mutant._asdict(), **how._asdict()}
            for mutant, how in self.judged
        ]
        whole = {"score": self.score()._asdict(), "mutants": rows}
        path.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
