"""Keeping: what came of the mutants of each module, so that a whole run can be made in parts.

A module's results hold for its text: once it changes they are forgotten.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from property_tests.mutating.judging import Verdict
from property_tests.mutating.modules import ROOT, source_of
from property_tests.mutating.mutants import Mutant

FOLDER = ROOT / "out" / "mutants"

Judged = tuple[Mutant, Verdict]


class Kept:
    """The verdicts of earlier runs, by mutant."""

    def __init__(self) -> None:
        """Read none yet."""
        self._modules: dict[str, dict[str, Any]] = {}

    def verdict(self, mutant: Mutant) -> Verdict | None:
        """Give what came of a mutant, if it was judged."""
        found = self._module(mutant.path).get(_key(mutant))
        return Verdict(**found) if found else None

    def keep(self, mutant: Mutant, verdict: Verdict) -> None:
        """Keep what came of a mutant."""
        self._module(mutant.path)[_key(mutant)] = verdict._asdict()

    def write(self) -> None:
        """Write all of it."""
        FOLDER.mkdir(parents=True, exist_ok=True)
        for path, verdicts in self._modules.items():
            whole = {"digest": _digest(path), "verdicts": verdicts}
            (FOLDER / _file(path)).write_text(json.dumps(whole, indent=1) + "\n", "utf-8")

    def of(self, mutants: list[Mutant]) -> Iterator[Judged]:
        """Give those that were judged."""
        for mutant in mutants:
            verdict = self.verdict(mutant)
            if verdict is not None:
                yield mutant, verdict

    def _module(self, path: str) -> dict[str, Any]:
        if path not in self._modules:
            file = FOLDER / _file(path)
            kept: dict[str, Any] = {}
            if file.exists():
                whole = json.loads(file.read_text("utf-8"))
                kept = whole["verdicts"] if whole["digest"] == _digest(path) else {}
            self._modules[path] = kept
        return self._modules[path]


def _file(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".") + ".json"


def _digest(path: str) -> str:
    return hashlib.sha256(source_of(path).encode()).hexdigest()[:16]


def _key(mutant: Mutant) -> str:
    return f"{mutant.start} {mutant.end} {mutant.new}"
