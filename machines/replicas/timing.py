"""Timing: the instants that a replica waits for, each with its timer.

    retry   when a refused change is tried again
    made    until when what was accepted has to be seen, before it is asked for again
    repair  when an object that somebody keeps editing may be put right again

A wait is over when its instant is passed by a row, never because a clock says so meanwhile.
"""

from collections.abc import Iterator

from machines.indexing import arm, disarm
from machines.replicas.states import Replica
from machines.states import State


def is_waiting(replica: Replica, verb: str, what: str) -> bool:
    """Say whether an instant of this kind is still to come."""
    return f"{verb}::{what}" in replica.waits


def follow_waits(state: State, replica: Replica) -> None:
    """Have a timer for each instant to come, and for no other."""
    wanted = {key: due for key, due in _waits(replica) if due > state.now}
    uid = replica.subject.uid
    for key, due in replica.waits.items():
        if wanted.get(key) != due:
            disarm(state, due, uid, key)
    for key, due in wanted.items():
        if replica.waits.get(key) != due:
            arm(state, due, uid, key)
    replica.waits = wanted


def drop_waits(state: State, replica: Replica) -> None:
    """Wait for nothing any more."""
    for key, due in replica.waits.items():
        disarm(state, due, replica.subject.uid, key)
    replica.waits = {}


def _waits(replica: Replica) -> Iterator[tuple[str, int]]:
    for what, refusal in replica.refusals.items():
        yield f"retry::{what}", refusal.retry_at
    for what, one in replica.made.items():
        yield f"made::{what}", one.until
    for what, due in replica.repairs.items():
        yield f"repair::{what}", due
