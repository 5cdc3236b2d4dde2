"""Judging: a mutant stands one trial after the other until a law breaks."""

import resource
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from property_tests.mutating.applying import apply
from property_tests.mutating.examples import RECORDINGS
from property_tests.mutating.forking import forked
from property_tests.mutating.modules import source_of
from property_tests.mutating.mutants import Mutant
from property_tests.mutating.reaching import Reach

MEMORY_BYTES = 3 << 30
PATIENCE = 50  # times as long as without the mutant
LEAST_SECONDS = 3.0
MOST_SECONDS = 10.0  # of all trials of one mutant together, recordings apart


class TookTooLong(BaseException):
    """A trial came to no end; no `except Exception` of the product may take it for its own."""


class Verdict(NamedTuple):
    """What came of one mutant."""

    killer: str  # the trial that noticed; "" when none did
    room: str
    why: str
    reached: int  # how many trials come by it
    stood: int  # how many of them it stood
    cpu_seconds: float

    @property
    def survived(self) -> bool:
        """Say whether nothing noticed."""
        return not self.killer

    @property
    def by_recordings_only(self) -> bool:
        """Say whether no property test noticed, but a recording did."""
        return self.room == RECORDINGS


def judge_all(
    mutants: Sequence[Mutant], reach: Reach, workers: int
) -> Iterator[tuple[Mutant, Verdict]]:
    """Judge each mutant in a process of its own."""
    for mutant, verdict in forked(mutants, lambda one: _judge(one, reach), workers):
        yield mutant, verdict or Verdict("process", "process", "its process died", 0, 0, 0.0)


def _judge(mutant: Mutant, reach: Reach) -> Verdict:
    signal.signal(signal.SIGVTALRM, _too_long)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    source = source_of(mutant.path)
    apply(mutant.path, source, mutant.applied(source))
    begun = time.process_time()
    order = reach.of(mutant)
    stood = 0
    for number in order:
        trial = reach.trials[number]
        spent = time.process_time() - begun
        if spent > MOST_SECONDS and trial.room != RECORDINGS:
            continue
        why = _failure(trial.play, reach.seconds[number])
        if why:
            spent = time.process_time() - begun
            return Verdict(trial.name, trial.room, why, len(order), stood, spent)
        stood += 1
    return Verdict("", "", "", len(order), stood, time.process_time() - begun)


def _failure(play: Any, usual_seconds: float) -> str:
    try:
        with _limited(max(LEAST_SECONDS, PATIENCE * usual_seconds)):
            play()
    except TookTooLong:
        return "took too long"
    except Exception as error:  # noqa: BLE001 -- whatever a test raises is its failure
        return f"{type(error).__name__}: {error}".splitlines()[0][:200]
    return ""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _too_long(number: int, frame: Any) -> None:
    raise TookTooLong
