"""Triggering: a record is moved as its machine's table says; what that does not take is noted."""

from enum import StrEnum
from typing import Any, Protocol

from engine.events import Event
from engine.machine_tables import MachineTable
from machines.caches.states import IgnoredTrigger

IGNORED_KEPT = 16


class Movable(Protocol):
    """What stands somewhere: one cache on one cluster, or a replica."""

    state: Any  # of the states of its machine
    moved_at: int
    ignored: tuple[IgnoredTrigger, ...]


def pull(record: Movable, machine: MachineTable[Any, Any], trigger: StrEnum, event: Event) -> None:
    """Move a record; a trigger that leads to where it is already is nothing to note."""
    moved = machine.next(record.state, trigger)
    if moved is not None:
        record.state, record.moved_at = moved, event.at
        return
    last = record.ignored[-1] if record.ignored else None
    noted = last is not None and (last.trigger, last.state) == (trigger.value, record.state.value)
    if not noted and not _is_there(record, machine, trigger):
        one = IgnoredTrigger(event.seq, event.at, trigger.value, record.state.value)
        record.ignored = (*record.ignored, one)[-IGNORED_KEPT:]


def _is_there(record: Movable, machine: MachineTable[Any, Any], trigger: StrEnum) -> bool:
    return any(
        move.trigger is trigger and move.dest is record.state for move in machine.declaration
    )
