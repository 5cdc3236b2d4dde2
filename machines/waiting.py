"""Waiting: until when the names of a ModelWarmup are waited for, and what moves that instant.

A deadline counts from when its target began to wait. It moves with the annotation that says how
long, which may be changed at any time, and with the time that was spent suspended.
"""

from engine.events import Event
from engine.instants import SECOND
from machines.annotations import wait_seconds
from machines.indexing import arm, disarm, put_target, touch
from machines.messages import described
from machines.node_jobs import UNFINISHED
from machines.states import State, Warmup
from machines.warmups import TERMINAL


def follow_patience(state: State, warmup: Warmup, old_seconds: int, event: Event) -> None:
    """Wait as long as the annotation says now; `old_seconds` is what it said before."""
    more = wait_seconds(warmup) - old_seconds
    if not more or warmup.state in TERMINAL:
        return
    shift_deadlines(state, warmup, more * SECOND, event)
    describe_all(state, warmup, event)
    touch(state, warmup)


def shift_deadlines(state: State, warmup: Warmup, by: int, event: Event) -> None:
    """Move every deadline by so many nanoseconds, and have it told when one is over."""
    uid = warmup.subject.uid
    for key, target in list(warmup.targets.items()):
        if target.state not in UNFINISHED or not target.deadline:
            continue
        disarm(state, target.deadline, uid, f"wait:{key}")
        moved = target._replace(deadline=target.deadline + by)
        if moved.waiting.reason and not warmup.suspended_at:
            arm(state, moved.deadline, uid, f"wait:{key}")
        put_target(state, warmup, moved, event)


def describe_all(state: State, warmup: Warmup, event: Event) -> None:
    """Word every target that has no outcome anew."""
    for target in list(warmup.targets.values()):
        if target.state in UNFINISHED:
            put_target(state, warmup, described(state, warmup, target), event)
