"""Reaching: in which trials a mutant makes a difference where it stands: only those may notice."""

import hashlib
import pickle
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from property_tests.mutating.applying import forget, gather
from property_tests.mutating.forking import forked
from property_tests.mutating.modules import ROOT
from property_tests.mutating.mutants import Mutant, all_mutants
from property_tests.mutating.trials import Trial
from property_tests.mutating.watching import Notes, Site, Watched, watched

MOST_OF_A_TEST = 25  # trials of one property that a mutant has to stand; cheap ones are no matter
DEAR_TIMES = 5  # what a dear law costs, in other laws; it is not measured


class Tried(NamedTuple):
    """A trial as it goes without any mutant."""

    number: int
    cpu_seconds: float
    seen: bytes  # what each place answered
    failure: str


class Reach:
    """Which trials a mutant has to stand, in which order."""

    def __init__(
        self, trials: Sequence[Trial], tried: Iterable[Tried], modules: Iterable[Watched]
    ) -> None:
        """Take in what each trial came by."""
        self.trials = trials
        self.seconds: dict[int, float] = {}
        self._sites: dict[Mutant, Site] = {k: v for one in modules for k, v in one.sites.items()}
        self._by_example: list[tuple[bytes, list[int]]] = []
        by_example: dict[str, list[int]] = {}
        for number, trial in enumerate(trials):
            by_example.setdefault(trial.example, []).append(number)
        for one in tried:
            example = by_example[trials[one.number].example]
            self._by_example.append((one.seen, example))
            self.seconds[one.number] = one.cpu_seconds
            for number in example:
                if trials[number].is_dear:
                    self.seconds[number] = DEAR_TIMES * one.cpu_seconds

    def of(self, mutant: Mutant) -> list[int]:
        """Give the trials in which a mutant makes a difference, those that only compare first.

        Of the others each test gets as much time as any other, its cheapest trials first.
        """
        found = self._found(mutant)
        spent: defaultdict[str, float] = defaultdict(float)
        taken = Counter[str]()
        ranks: dict[int, tuple[bool, float]] = {}
        for number in sorted(found, key=lambda one: (self.seconds[one], one)):
            trial = self.trials[number]
            test = trial.test or trial.room
            spent[test] += self.seconds[number]
            taken[test] += 1
            if trial.only_again or taken[test] <= MOST_OF_A_TEST:
                ranks[number] = not trial.only_again, spent[test]
        return sorted(ranks, key=lambda one: (ranks[one], one))

    def _found(self, mutant: Mutant) -> set[int]:
        site = self._sites.get(mutant)
        if site is None:
            return set(self.seconds)
        return {
            number
            for seen, example in self._by_example
            if any(seen[place] & site.answers for place in site.numbers)
            for number in example
        }


def measure(trials: Sequence[Trial], workers: int) -> Reach:
    """Try everything once as it is. Raises AssertionError when a trial fails without a mutant."""
    gather()
    modules = watched(all_mutants(wide=True))
    kept = ROOT / "out" / f"reach-{_digest()}.pickle"
    if kept.exists():
        return Reach(trials, pickle.loads(kept.read_bytes()), modules)  # noqa: S301 -- below
    cheap = [number for number, trial in enumerate(trials) if not trial.is_dear]
    parts = [tuple(cheap[first::workers]) for first in range(workers)]
    tried: list[Tried] = []
    for _, found in forked(parts, lambda part: _try(trials, part, modules), workers):
        assert found is not None, "a process died while nothing was mutated"
        tried += found
    failures = [f"{trials[one.number].name}: {one.failure}" for one in tried if one.failure]
    assert not failures, "\n".join(["these fail without any mutant:", *failures])
    kept.parent.mkdir(exist_ok=True)
    kept.write_bytes(pickle.dumps(sorted(tried)))
    return Reach(trials, sorted(tried), modules)


_TRIED_BY = {
    "again", "applying", "changes", "examples", "focusing", "hand_written", "reaching",
    "reading_off", "tables", "watching",
}  # fmt: skip


def _digest() -> str:
    """Give what stands for all code that the trials run."""
    found = hashlib.sha256()
    for folder in ("engine", "machines", "adapters", "property_tests", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.parent.name != "mutating" or path.stem in _TRIED_BY:
                found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _try(
    trials: Sequence[Trial], numbers: Sequence[int], modules: Sequence[Watched]
) -> list[Tried]:
    notes = Notes(modules)
    found: list[Tried] = []
    for number in numbers:
        forget()
        notes.take()
        begun, failure = time.process_time(), ""
        try:
            trials[number].play()
        except Exception as error:  # noqa: BLE001 -- whatever a test raises is its failure
            failure = repr(error)[:300]
        found.append(Tried(number, time.process_time() - begun, notes.take(), failure))
    return found
