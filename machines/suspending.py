"""Suspending: the annotation that stops new Jobs, and lets what runs go on.

Time spent suspended is not counted: what waits then waits as much longer.
"""

from engine.events import Event
from machines.annotations import is_suspended
from machines.indexing import touch
from machines.states import State, Warmup
from machines.waiting import describe_all, shift_deadlines
from machines.warmups import TERMINAL


def follow_suspension(state: State, warmup: Warmup, event: Event) -> None:
    """Stop or go on as the annotation says now."""
    suspended = is_suspended(warmup.level.annotations)
    if suspended == bool(warmup.suspended_at) or warmup.state in TERMINAL:
        return
    uid = warmup.subject.uid
    if suspended:
        warmup.suspended_at = event.at
        state.timers = [
            timer for timer in state.timers if timer[1] != uid or not timer[2].startswith("wait:")
        ]
    else:
        passed, warmup.suspended_at = event.at - warmup.suspended_at, 0
        shift_deadlines(state, warmup, passed, event)
    describe_all(state, warmup, event)
    touch(state, warmup)
