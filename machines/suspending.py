"""Suspending: the annotation that stops new Jobs, and lets what runs go on.

Time spent suspended is not counted: what waits then waits as much longer.
"""

from engine.events import Event
from machines.annotations import is_suspended
from machines.indexing import arm, put_target, touch
from machines.messages import describe
from machines.node_jobs import UNFINISHED
from machines.states import State, Warmup
from machines.warmups import TERMINAL


def follow_annotation(state: State, warmup: Warmup, event: Event) -> None:
    """Stop or go on as the annotation says now."""
    suspended = is_suspended(warmup.level.annotations)
    if suspended == bool(warmup.suspended_at) or warmup.state in TERMINAL:
        return
    uid, passed = warmup.subject.uid, 0
    if suspended:
        warmup.suspended_at = event.at
        state.timers = [
            timer for timer in state.timers if timer[1] != uid or not timer[2].startswith("wait:")
        ]
    else:
        passed, warmup.suspended_at = event.at - warmup.suspended_at, 0
    for key, target in list(warmup.targets.items()):
        if target.state not in UNFINISHED:
            continue
        if target.deadline and passed:
            target = target._replace(deadline=target.deadline + passed)  # noqa: PLW2901 -- a step
            if target.waiting.reason:
                arm(state, target.deadline, uid, f"wait:{key}")
        put_target(state, warmup, target._replace(words=describe(state, warmup, target)), event)
    touch(state, warmup)
