"""Timelines: a log laid out for the eye, a lane for each object and each part of one.

Everything in a lane is in the order of the log and is only ever added to, so that what was told up
to a position stays told: a later reading adds to an earlier one.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from engine.events import Subject

GONE, LEFT = "Gone", "Left"  # phases of what is deleted, and of what is no part any more


class Tone(StrEnum):
    """How a phase bears on people, whatever it is called."""

    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    DEGRADED = "degraded"
    FAILED = "failed"
    UNKNOWN = "unknown"
    OVER = "over"  # deleted, or no part any more


class Row(NamedTuple):
    """A row of the log, in words."""

    position: int
    at: int  # UTC nanoseconds
    cluster: str
    subject: str
    type: str
    words: str
    cause: int | None


class Span(NamedTuple):
    """What a lane is from a position on, up to the next span."""

    position: int
    state: str  # of its machine; "" when it has none
    phase: str
    reason: str
    tone: Tone


class Said(NamedTuple):
    """What `warmlog explain` says of a lane from a position on."""

    position: int
    summary: str
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    waits_for: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    see: int | None = None  # the lane that it waits for in the first place
    turn: bool = (
        False  # it waits for its turn, as the lane that it is a part of says at each moment
    )


class Turn(NamedTuple):
    """What those parts of a lane wait for that wait for their turn, from a position on."""

    position: int
    words: str


class Cause(NamedTuple):
    """A row that led a lane to where it is."""

    noted: int  # the row at which it was known to be one
    position: int
    moved: str  # the state that it led to, if to another one
    words: str


class Dropped(NamedTuple):
    """A trigger that a machine did not take, and why."""

    position: int
    words: str


class Place(NamedTuple):
    """Which object, or which part of it, a lane is of."""

    cluster: str
    subject: Subject
    part: str = ""  # a node of a ModelWarmup, an InferenceCluster of a ModelCache
    machine: str = ""  # the name of its machine


@dataclass(slots=True)
class Lane:
    """One object, or one part of an object."""

    number: int
    parent: int | None
    place: Place
    spans: list[Span] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)

    def become(self, span: Span) -> bool:
        """Note what it is now; say whether that is something else."""
        if self.spans and self.spans[-1][1:] == span[1:]:
            return False
        self.spans.append(span)
        return True

    def say(self, said: Said) -> None:
        """Note what is said of it now, if that is something else."""
        if not self.said or self.said[-1][1:] != said[1:]:
            self.said.append(said)

    def take_turns(self, turn: Turn) -> None:
        """Note what its parts wait for that wait for their turn, if that is something else."""
        if not self.turns or self.turns[-1].words != turn.words:
            self.turns.append(turn)
