"""Reaching: which trial comes by which line, so that a mutant stands only those that may notice."""

import hashlib
import pickle
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from coverage import Coverage

from property_tests.mutating.applying import gather
from property_tests.mutating.examples import RECORDINGS, Trial
from property_tests.mutating.forking import forked
from property_tests.mutating.modules import MODULES, ROOT
from property_tests.mutating.mutants import Mutant

Line = tuple[str, int]
DEAR_TIMES = 5  # what a dear law costs, in other laws; it is not measured


class Tried(NamedTuple):
    """A trial as it goes without any mutant."""

    number: int
    cpu_seconds: float
    lines: frozenset[Line]
    failure: str


class Reach:
    """Which trials a mutant has to stand, in which order."""

    def __init__(self, trials: Sequence[Trial], tried: Iterable[Tried]) -> None:
        """Take in what each trial came by."""
        self.trials = trials
        self.seconds: dict[int, float] = {}
        self._by_line: dict[Line, set[int]] = {}
        by_example: dict[str, list[int]] = {}
        for number, trial in enumerate(trials):
            by_example.setdefault(trial.example, []).append(number)
        for one in tried:
            example = by_example[trials[one.number].example]
            self.seconds[one.number] = one.cpu_seconds
            for number in example:
                if trials[number].is_dear:
                    self.seconds[number] = DEAR_TIMES * one.cpu_seconds
            for line in one.lines:
                self._by_line.setdefault(line, set()).update(example)

    def of(self, mutant: Mutant) -> list[int]:
        """Give the trials that come by a mutant, the cheap before the dear, recordings last."""
        if mutant.lines:
            lines = ((mutant.path, line) for line in mutant.lines)
            found = set().union(*(self._by_line.get(line, ()) for line in lines))
        else:
            found = set(self.seconds)
        return sorted(found, key=self._rank)

    def _rank(self, number: int) -> tuple[bool, float, int]:
        is_last = self.trials[number].room == RECORDINGS
        return is_last, self.seconds[number], number


def measure(trials: Sequence[Trial], workers: int) -> Reach:
    """Try everything once as it is. Raises AssertionError when a trial fails without a mutant."""
    gather()
    kept = ROOT / "out" / f"reach-{_digest()}.pickle"
    if kept.exists():
        return Reach(trials, pickle.loads(kept.read_bytes()))  # noqa: S301 -- written below
    cheap = [number for number, trial in enumerate(trials) if not trial.is_dear]
    parts = [tuple(cheap[first::workers]) for first in range(workers)]
    tried: list[Tried] = []
    for _, found in forked(parts, lambda part: _try(trials, part), workers):
        assert found is not None, "a process died while nothing was mutated"
        tried += found
    failures = [f"{trials[one.number].name}: {one.failure}" for one in tried if one.failure]
    assert not failures, "\n".join(["these fail without any mutant:", *failures])
    kept.parent.mkdir(exist_ok=True)
    kept.write_bytes(pickle.dumps(sorted(tried)))
    return Reach(trials, sorted(tried))


def _digest() -> str:
    """Give what stands for all code that the trials run."""
    found = hashlib.sha256()
    for folder in ("engine", "machines", "adapters", "property_tests", "tests/recordings"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _try(trials: Sequence[Trial], numbers: Sequence[int]) -> list[Tried]:
    files = {str(ROOT / path): path for path in MODULES}
    watched = Coverage(data_file=None, include=list(files), config_file=False, messages=False)
    failures: dict[int, str] = {}
    seconds: dict[int, float] = {}
    watched.start()
    for number in numbers:
        watched.switch_context(str(number))
        begun = time.process_time()
        try:
            trials[number].play()
        except Exception as error:  # noqa: BLE001 -- whatever a test raises is its failure
            failures[number] = repr(error)[:300]
        seconds[number] = time.process_time() - begun
    watched.stop()
    reached: dict[str, set[Line]] = {}
    data = watched.get_data()
    for file, path in files.items():
        for line, contexts in data.contexts_by_lineno(file).items():
            for one in contexts:
                reached.setdefault(one, set()).add((path, line))
    return [
        Tried(
            number,
            seconds[number],
            frozenset(reached.get(str(number), ())),
            failures.get(number, ""),
        )
        for number in numbers
    ]
