"""Judging: a mutant stands one trial after the other until something breaks.

First come the trials that only tell whether it matters at all: what honest code had done must come
again. Then those of sentences, laws and tables, for as long as it is worth.
"""

import resource
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import pytest

from property_tests.mutating.applying import apply
from property_tests.mutating.forking import forked
from property_tests.mutating.modules import source_of
from property_tests.mutating.mutants import Mutant
from property_tests.mutating.reaching import Reach
from property_tests.mutating.trials import Differs

MEMORY_BYTES = 3 << 30
PATIENCE = 50  # times as long as without the mutant
LEAST_SECONDS = 2.0
MOST_AGAIN = 2.0  # of one mutant's trials that only tell whether it matters, times the patience
MOST_SECONDS = 4.0  # of all trials of one mutant together, times the patience
MOST_APART = 1.5  # of those that may say more of a mutant than that what it does is otherwise


class TookTooLong(BaseException):
    """A trial came to no end; no `except Exception` of the product may take it for its own."""


class Verdict(NamedTuple):
    """What came of one mutant."""

    killer: str  # the property that noticed; "" when none did
    why: str
    differs: str  # what had come of honest code, and did not come again; "" when all did
    reached: int  # how many trials come by it
    stood: int  # how many of them it stood
    cpu_seconds: float

    @property
    def survived(self) -> bool:
        """Say whether nothing noticed."""
        return not (self.killer or self.differs)

    @property
    def given_up(self) -> bool:
        """Say whether nothing noticed, and not all was tried: its time was over before."""
        return self.survived and self.stood < self.reached

    @property
    def by_case(self) -> bool:
        """Say whether a case that somebody wrote by hand was what noticed."""
        return self.killer.startswith("tests.")

    @property
    def by_recordings_only(self) -> bool:
        """Say whether it was noticed only by what did not come again."""
        return not self.killer and bool(self.differs)


def judge_all(
    mutants: Sequence[Mutant], reach: Reach, workers: int, *, apart: bool, patience: float = 1.0
) -> Iterator[tuple[Mutant, Verdict]]:
    """Judge each mutant in a process of its own.

    With `apart` sentences, laws and tables are tried also on what is known to do otherwise.
    """
    judge = partial(_judge, reach=reach, apart=apart, patience=patience)
    for mutant, verdict in forked(mutants, judge, workers):
        yield mutant, verdict or Verdict("process", "its process died", "", 0, 0, 0.0)


def _judge(mutant: Mutant, *, reach: Reach, apart: bool, patience: float) -> Verdict:
    signal.signal(signal.SIGVTALRM, _too_long)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    source = source_of(mutant.path)
    apply(mutant.path, source, mutant.applied(source))
    begun = time.process_time()
    order = reach.of(mutant)
    differs, stood, most_seconds = "", 0, MOST_SECONDS * patience
    for number in order:
        trial = reach.trials[number]
        spent = time.process_time() - begun
        if spent > most_seconds or (differs and not apart):
            break
        if trial.only_again and (differs or spent > MOST_AGAIN * patience):
            continue
        why, is_breach = _failure(trial.play, reach.seconds[number])
        if is_breach and not trial.only_again:
            return Verdict(trial.name, why, differs, len(order), stood, spent)
        if why and not differs:
            differs = f"{trial.name}: {why}"
            most_seconds = spent + MOST_APART
        stood += not why
    return Verdict("", "", differs, len(order), stood, time.process_time() - begun)


def _failure(play: Any, usual_seconds: float) -> tuple[str, bool]:
    """Say why a trial failed, "" when it did not, and whether something is broken by that."""
    try:
        with _limited(max(LEAST_SECONDS, PATIENCE * usual_seconds)):
            play()
    except TookTooLong:
        return "took too long", True
    except Differs as error:
        return f"{error}".splitlines()[0][:200], False
    except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 -- whatever a test raises
        return f"{type(error).__name__}: {error}".splitlines()[0][:200], True
    return "", False


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _too_long(number: int, frame: Any) -> None:
    raise TookTooLong
