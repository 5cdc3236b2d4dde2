"""The loop's pure half: fold applies events, decide yields decisions, step is both.

`fold` never decides and `decide` never changes the state: its decisions become events and are
folded like any other. A domain says what the events mean; nothing here knows.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from engine.events import Draft, Event, Subject

State = TypeVar("State")


class Projection(NamedTuple):
    """The status of one object, as the state has it."""

    cluster: str
    subject: Subject
    status: dict[str, Any]


class Domain(Protocol[State]):
    """What the engine asks of the domain. All of it is pure.

    The state belongs to whoever folds: `fold` may change it in place and gives it back. Who needs
    the old one too makes a `copy` first.
    """

    def initial(self, log_id: str) -> State:
        """Give the state of an empty log."""
        ...

    def fold(self, state: State, event: Event) -> State:
        """Apply one event, fact or decision."""
        ...

    def decide(self, state: State) -> Sequence[Draft]:
        """Give the decisions that the state calls for; none when it waits or is at rest."""
        ...

    def rest(self, state: State) -> None:
        """Note that everything so far has been decided upon. Must not change what is decided."""
        ...

    def is_decision(self, type_name: str) -> bool:
        """Say whether rows of this type are decisions (all others are facts)."""
        ...

    def project(self, state: State) -> Iterable[Projection]:
        """Give the status of every object that has one."""
        ...

    def copy(self, state: State) -> State:
        """Give a state that can be folded on without touching this one."""
        ...

    def dump(self, state: State) -> str:
        """Give the state as JSON text, for a snapshot."""
        ...

    def load(self, text: str) -> State:
        """Read what `dump` gave."""
        ...


class Cursor(NamedTuple):
    """Where a writer stands: the last row, the last fact, the term, and the last `at`."""

    position: int
    last_fact: int
    epoch: int
    at: int


class Step(NamedTuple):
    """What a step made: the rows to append, and where the writer stands once they are."""

    events: tuple[Event, ...]
    cursor: Cursor


def step(
    domain: Domain[State], state: State, cursor: Cursor, facts: Iterable[Draft], clock: int
) -> tuple[State, Step]:
    """Fold `facts`, decide, fold the decisions; everything is stamped max(clock, last at).

    The decisions carry as `seen` the last fact folded before them, which puts the border of this
    batch into the log. The caller appends the rows before it acts on any of them.
    """
    at = max(clock, cursor.at)
    rows: list[Event] = []
    position = cursor.position
    for draft in facts:
        position += 1
        rows.append(draft.placed(position, cursor.epoch, at))
        state = domain.fold(state, rows[-1])
    last_fact = position if rows else cursor.last_fact
    decided = domain.decide(state)
    domain.rest(state)
    for draft in decided:
        position += 1
        rows.append(draft._replace(seen=last_fact).placed(position, cursor.epoch, at))
        state = domain.fold(state, rows[-1])
    at_end = at if rows else cursor.at
    return state, Step(tuple(rows), Cursor(position, last_fact, cursor.epoch, at_end))
