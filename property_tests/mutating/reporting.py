"""Reporting: how many mutants were killed, by what, and which were not."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from property_tests.mutating.judging import Verdict
from property_tests.mutating.keeping import Judged
from property_tests.mutating.mutants import Mutant
from property_tests.mutating.surviving import entry_of, known_as

MOST_ENTRIES = 20  # of unlisted survivors that are written out, ready to be listed


class Score(NamedTuple):
    """How the mutants fared."""

    mutants: int
    by_properties: int
    by_cases: int  # that people wrote, before any property noticed
    by_recordings_only: int
    no_program: int  # survivors that the type checker refuses
    harmless: int  # survivors that are listed as such
    holes: int  # survivors that are listed, and are no less a hole for that
    unlisted: int
    unmet: int  # of the holes and the unlisted: no trial makes them differ where they stand
    given_up: int  # of the same: their time was over before they had stood all their trials

    @property
    def killed(self) -> int:
        """Count those that were."""
        return self.by_properties + self.by_cases + self.by_recordings_only

    @property
    def killed_share(self) -> float:
        """Give the part that was killed, of all that are programs and could do harm."""
        count = self.mutants - self.no_program - self.harmless
        return self.killed / count if count else 1.0


class Report:
    """What came of a run, added up as it comes."""

    def __init__(self) -> None:
        """Begin with nothing judged."""
        self.judged: list[Judged] = []
        self.refused: dict[Mutant, str] = {}

    def add(self, mutant: Mutant, verdict: Verdict) -> None:
        """Take in one verdict."""
        self.judged.append((mutant, verdict))

    def refuse(self, refused: Mapping[Mutant, str]) -> None:
        """Take in what the type checker refuses, of those that survived."""
        self.refused.update(refused)

    @property
    def survivors(self) -> list[Mutant]:
        """Give those that survived, and are programs."""
        return [one for one, how in self.judged if how.survived and one not in self.refused]

    @property
    def unlisted(self) -> list[Mutant]:
        """Give the survivors of which nobody has said anything."""
        return [one for one in self.survivors if known_as(one) is None]

    def score(self) -> Score:
        """Add up."""
        survivors = self.survivors
        entries = [known_as(one) for one in survivors]
        harmless = sum(one is not None and one.harmless for one in entries)
        unlisted = sum(one is None for one in entries)
        return Score(
            mutants=len(self.judged),
            by_properties=sum(bool(how.killer) and not how.by_case for _, how in self.judged),
            by_cases=sum(how.by_case for _, how in self.judged),
            by_recordings_only=sum(how.by_recordings_only for _, how in self.judged),
            no_program=len(self.refused),
            harmless=harmless,
            holes=len(survivors) - harmless - unlisted,
            unlisted=unlisted,
            unmet=self._holes({one for one, how in self.judged if not how.reached}),
            given_up=self._holes({one for one, how in self.judged if how.given_up}),
        )

    def _holes(self, among: set[Mutant]) -> int:
        known = [known_as(one) for one in self.survivors if one in among]
        return sum(entry is None or not entry.harmless for entry in known)

    def words(self) -> str:
        """Give the report for people."""
        score = self.score()
        seconds = sum(how.cpu_seconds for _, how in self.judged)
        listed = f"{score.harmless} harmless, {score.holes} holes, {score.unlisted} not listed"
        lines = [
            f"{score.mutants} mutants, {score.killed} killed: {score.killed_share:.1%}",
            f"  by sentences, laws and tables: {score.by_properties}",
            f"  first by a case that somebody wrote by hand: {score.by_cases}",
            f"  only by what honest code had done otherwise: {score.by_recordings_only}",
            f"no programs, says the type checker, and left out above: {score.no_program}",
            f"survived: {listed}",
            f"  holes, listed or not, that no trial comes by: {score.unmet}",
            f"  given up before they had stood all that comes by them: {score.given_up}",
            f"cpu seconds: {seconds:.0f}",
            "",
            *self._modules(),
        ]
        survived = [f"  {one}" for one in self.unlisted]
        lines += ["", "unlisted survivors:", *survived] if survived else []
        lines += ["", *map(entry_of, self.unlisted[:MOST_ENTRIES])]
        return "\n".join(lines)

    def _modules(self) -> list[str]:
        made, died = Counter[str](), Counter[str]()
        for mutant, how in self.judged:
            made[mutant.path] += mutant not in self.refused
            died[mutant.path] += not how.survived
        return [f"  {path}: {died[path]} of {count}" for path, count in sorted(made.items())]

    def write(self, path: Path) -> None:
        """Write all of it as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        rows: list[dict[str, Any]] = [
            {
                "mutant": str(mutant),
                **mutant._asdict(),
                **how._asdict(),
                "refused": self.refused.get(mutant, ""),
            }
            for mutant, how in self.judged
        ]
        whole = {"score": self.score()._asdict(), "mutants": rows}
        path.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
