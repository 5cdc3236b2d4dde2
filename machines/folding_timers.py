"""Folding timers: what an instant means that a ModelWarmup waited for."""

from collections.abc import Callable

from engine.events import Event
from machines.folding_intents import restore_job, retry_job
from machines.indexing import put_target
from machines.messages import described
from machines.moving import fail_target
from machines.node_jobs import UNFINISHED, NodeJobTrigger
from machines.states import State, Warmup


def _wait_over(state: State, warmup: Warmup, key: str, event: Event) -> None:
    target = warmup.targets.get(key)
    if target is not None and target.waiting.reason and target.state in UNFINISHED:
        trigger = NodeJobTrigger.WAITED_TOO_LONG
        fail_target(state, warmup, target, trigger, target.waiting, event)


def _retry_due(state: State, warmup: Warmup, key: str, event: Event) -> None:
    target = warmup.targets.get(key)
    if target is not None and target.retry_at:
        target = target._replace(retry_at=0)
        put_target(state, warmup, described(state, warmup, target), event)


def _resolve_due(state: State, warmup: Warmup, key: str, event: Event) -> None:
    warmup.resolve_at = 0


def _marks_due(state: State, warmup: Warmup, key: str, event: Event) -> None:
    restore_job(state, warmup, key, event)


def _job_due(state: State, warmup: Warmup, key: str, event: Event) -> None:
    retry_job(state, warmup, key, event)


TIMERS: dict[str, Callable[[State, Warmup, str, Event], None]] = {
    "wait": _wait_over,
    "retry": _retry_due,
    "resolve": _resolve_due,
    "job": _job_due,
    "marks": _marks_due,
}
