"""Continuations: a recording, a position, and what is otherwise from there on; to be played again.

One is written as a line, `RECORDING POSITION PERTURBATION ONE TWO`, and drawn from a seed.
"""

from random import Random
from typing import NamedTuple, Self

from machines.domain import WARMLOG
from property_tests.continuing.judging import begun, broken, decided_wrongly
from property_tests.continuing.perturbing import PERTURBATIONS
from property_tests.continuing.recordings import Recording
from property_tests.continuing.telling import Run

_MOST = 1 << 16  # of the numbers that say where and how much
_NAMES = tuple(PERTURBATIONS)


class Continuation(NamedTuple):
    """One way in which a recorded log may go on."""

    recording: str
    position: int
    perturbation: str
    one: int = 0
    two: int = 0

    def __str__(self) -> str:
        """Give the line that plays it again."""
        return " ".join(map(str, self))

    @classmethod
    def parse(cls, line: str) -> Self:
        """Read such a line."""
        name, position, perturbation, one, two = line.split()
        return cls(name, int(position), perturbation, int(one), int(two))


def drawn(random: Random, recording: Recording) -> Continuation:
    """Draw a continuation of a recording."""
    position = random.choice(recording.positions)
    numbers = random.randrange(_MOST), random.randrange(_MOST)
    return Continuation(recording.name, position, random.choice(_NAMES), *numbers)


def play(recording: Recording, continuation: Continuation, *, judged: bool = False) -> Run:
    """Let a recording go on as a continuation says; each decision is `judged`, or none."""
    position = continuation.position
    run = Run(recording, position, WARMLOG.copy(recording.states[position]))
    run.judge = decided_wrongly if judged else None
    perturb = PERTURBATIONS[continuation.perturbation]
    facts = recording.facts(position)
    run.tell_on(perturb(recording, facts, continuation.one, continuation.two))
    run.rest()
    return run


def judge(recording: Recording, continuation: Continuation, *, judged: bool = False) -> list[str]:
    """Play a continuation, and say which laws its end breaks, or its decisions if `judged`."""
    before = begun(recording.states[continuation.position])
    run = play(recording, continuation, judged=judged)
    return [*run.broken, *broken(run.state, before)]
