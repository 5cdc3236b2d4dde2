"""Recordings prepared for being continued: read once, with the state at each place to begin at.

A recording came to rest after each of its batches: where its decisions stand, or where the next
fact came at another instant. Only there it can be continued, as only there it had been decided.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from engine.events import Event
from machines.contents import Content
from machines.domain import WARMLOG
from machines.states import State
from property_tests.running import run
from tests.recordings import reading

REST = -1  # among what is told on: all that was told is decided upon
ANSWERS = ("IntentDone", "IntentRefused", "IntentUnknown", "IntentAbsent")

Key = tuple[str, str, str]  # a decision by cluster, type and data: what makes two of them equal


class Row(NamedTuple):
    """A row of the log, read."""

    event: Event
    content: Content
    key: Key | None = None  # of a decision its own; of an answer that of what it answers


class Recording(NamedTuple):
    """A log, read, with what is needed to go on from any of its positions."""

    name: str
    log_id: str
    rows: tuple[Row, ...]  # the row of seq n at n - 1
    states: dict[int, State]  # by the position of each rest; only ever copied

    @property
    def positions(self) -> list[int]:
        """Give where it can be continued: wherever it rested, but at its end."""
        return [position for position in self.states if position < len(self.rows)]

    def session(self, position: int) -> Row:
        """Give the row with which the session of a position began."""
        begun = [row for row in self.rows[:position] if row.event.type == "SessionStarted"]
        return begun[-1]

    def facts(self, after: int) -> list[int]:
        """Give what is told on after a position: facts by their place in `rows`, and rests."""
        told: list[int] = []
        for place in range(after, len(self.rows)):
            if not WARMLOG.is_decision(self.rows[place].event.type):
                told.append(place)
            if place + 1 in self.states and told and told[-1] != REST:
                told.append(REST)
        return told


def recorded(name: str, log_id: str, events: Sequence[Event]) -> Recording:
    """Prepare a log that begins at its first row."""
    rows: list[Row] = []
    for event in events:
        key = None
        if WARMLOG.is_decision(event.type):
            key = event.cluster, event.type, event.data
        elif event.type in ANSWERS and event.cause is not None:
            key = rows[event.cause - 1].key
        rows.append(Row(event, WARMLOG.read(event), key))
    return Recording(name, log_id, tuple(rows), dict(_rests(log_id, rows)))


def _rests(log_id: str, rows: Sequence[Row]) -> Iterator[tuple[int, State]]:
    state = WARMLOG.initial(log_id)
    for place, row in enumerate(rows):
        state = WARMLOG.fold_read(state, row.event, row.content)
        following = rows[place + 1].event if place + 1 < len(rows) else None
        if following is not None and WARMLOG.is_decision(following.type):
            if not WARMLOG.is_decision(row.event.type):
                WARMLOG.rest(state)
        elif following is None or following.at != row.event.at or row.event.seen is not None:
            if row.event.seen is None:
                WARMLOG.rest(state)
            yield row.event.seq, WARMLOG.copy(state)


@lru_cache(maxsize=64)
def recording(name: str) -> Recording:
    """Give one of those in tests/recordings."""
    source = reading.reader(name)
    return recorded(name, run(source.identify()).log_id, run(_events(name)))


def recordings() -> list[Recording]:
    """Give all of those in tests/recordings."""
    return [recording(name) for name in reading.names()]


async def _events(name: str) -> list[Event]:
    return [event async for batch in reading.reader(name).read() for event in batch]
