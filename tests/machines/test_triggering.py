"""Triggering: a record goes where its machine's table says, and what that does not take is noted.

The tables of caches and replicas take every trigger that their facts can pull; a table that is
changed one day may not, hence one of its own here.
"""

from dataclasses import dataclass
from enum import StrEnum

from engine.events import Event
from engine.machine_tables import Move, compile_table
from machines.caches.states import IgnoredTrigger
from machines.triggering import IGNORED_KEPT, pull


class Door(StrEnum):
    """Where a door stands."""

    OPEN = "Open"
    SHUT = "Shut"
    LOCKED = "Locked"


class Hand(StrEnum):
    """What a hand does to it."""

    PULL = "pull"
    TURN_KEY = "turn key"


MOVES: tuple[Move[Door, Hand], ...] = (
    Move(Hand.PULL, (Door.SHUT,), Door.OPEN, "it is not locked"),
    Move(Hand.TURN_KEY, (Door.SHUT,), Door.LOCKED, "the key fits"),
)
DOORS = compile_table("door", Door, Hand, Door.SHUT, MOVES)


@dataclass
class Standing:
    """A door."""

    state: Door = Door.SHUT
    moved_at: int = 0
    ignored: tuple[IgnoredTrigger, ...] = ()


def at(seq: int) -> Event:
    """An event of this seq, a hundred nanoseconds later for each."""
    return Event(seq, 1, 100 * seq, "", "a/b/c/d", "Seen", 1, "{}", None, None)


def test_a_legal_trigger_moves() -> None:
    """The state is the table's, and when it came there is the event's instant."""
    door = Standing()
    pull(door, DOORS, Hand.PULL, at(3))
    assert door == Standing(Door.OPEN, 300)


def test_a_trigger_that_leads_to_where_it_is_is_nothing_to_note() -> None:
    """An open door that is pulled stays open, and nothing is said of it."""
    door = Standing(Door.OPEN, 100)
    pull(door, DOORS, Hand.PULL, at(2))
    assert door == Standing(Door.OPEN, 100)


def test_an_illegal_trigger_is_noted_once() -> None:
    """A locked door that is pulled stays locked; that is noted, and not again meanwhile."""
    door = Standing(Door.LOCKED, 100)
    for seq in (2, 3):
        pull(door, DOORS, Hand.PULL, at(seq))
    assert door == Standing(Door.LOCKED, 100, (IgnoredTrigger(2, 200, "pull", "Locked"),))


def test_another_trigger_or_state_is_noted_for_itself() -> None:
    """The same trigger elsewhere, and another one there, are other notes."""
    door = Standing(Door.LOCKED)
    pull(door, DOORS, Hand.PULL, at(2))
    door.state = Door.OPEN
    pull(door, DOORS, Hand.TURN_KEY, at(3))
    door.state = Door.LOCKED
    pull(door, DOORS, Hand.PULL, at(4))
    assert [(one.seq, one.trigger, one.state) for one in door.ignored] == [
        (2, "pull", "Locked"), (3, "turn key", "Open"), (4, "pull", "Locked"),
    ]  # fmt: skip


def test_the_newest_notes_are_kept() -> None:
    """Of many only the last few are."""
    door = Standing()
    for seq in range(2, 2 * IGNORED_KEPT):
        door.state, hand = (Door.LOCKED, Hand.PULL) if seq % 2 else (Door.OPEN, Hand.TURN_KEY)
        pull(door, DOORS, hand, at(seq))
    assert len(door.ignored) == IGNORED_KEPT
    assert door.ignored[-1].seq == 2 * IGNORED_KEPT - 1
