"""Timing: the instants that a replica waits for, each with its timer.

    retry   when a refused change is tried again
    made    until when what was accepted has to be seen, before it is asked for again
    repair  when an object that somebody keeps editing may be put right again

A wait is over when its instant is passed by a row, never because a clock says so meanwhile.
"""

from collections.abc import Iterator

from machines.indexing import rearm
from machines.replicas.states import Replica
from machines.states import State


def is_waiting(replica: Replica, verb: str, what: str) -> bool:
    """Say whether an instant of this kind is still to come."""
    return f"{verb}::{what}" in replica.waits


def follow_waits(state: State, replica: Replica) -> None:
    """Have a timer for each instant to come, and for no other."""
    wanted = {key: due for key, due in _waits(replica) if due > state.now}
    rearm(state, replica.subject.uid, replica.waits, wanted)
    replica.waits = wanted


def drop_waits(state: State, replica: Replica) -> None:
    """Wait for nothing any more."""
    rearm(state, replica.subject.uid, replica.waits, {})
    replica.waits = {}


def _waits(replica: Replica) -> Iterator[tuple[str, int]]:
    for what, refusal in replica.refusals.items():
        yield f"retry::{what}", refusal.retry_at
    for what, one in replica.made.items():
        yield f"made::{what}", one.until
    for what, due in replica.repairs.items():
        yield f"repair::{what}", due
