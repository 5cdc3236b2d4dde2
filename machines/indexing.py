"""Indexing: the one place where a target is stored, so that every index agrees with it.

A warmup keeps counts by class, the ordered queue of nodes that may start, the ordered list of
details that its status shows, and the set of nodes that hold a slot. Each is updated here in
O(log n) as a target, a Job or a Pod changes; nothing else writes them.
"""

from bisect import bisect_left, insort
from collections.abc import Mapping

from engine.events import Event
from machines.causes import FAILED_CREATE
from machines.levels import PodLevel
from machines.node_jobs import OUTCOMES, NodeJobState
from machines.states import State, Target, Warmup
from machines.warmups import TERMINAL

Entry = tuple[int, str, str]  # a place among the listed details: rank, node name, key

FIRST_UNFINISHED = 1  # the rank from which on the listed targets have no outcome
_CLASS = {state: state.value for state in NodeJobState}
_RANK = {NodeJobState.FAILED: 0, NodeJobState.HYDRATING: 1, NodeJobState.PENDING: 2}


def touch(state: State, warmup: Warmup) -> dict[str, Target | None]:
    """Have the joint rules and `decide` look at a warmup; give its targets as they were before.

    What is given holds those that this event has changed so far, as they stood before the event.
    """
    return state.touched.setdefault(warmup.subject.uid, {})


def put_target(state: State, warmup: Warmup, target: Target, event: Event) -> None:
    """Store `target`, and stamp when its state or words changed; after the end nothing does."""
    old = warmup.targets.get(target.key)
    if old == target or warmup.state in TERMINAL:
        return
    before = touch(state, warmup).setdefault(target.key, old)
    same = before is not None and (before.state, before.words) == (target.state, target.words)
    changed_at = before.changed_at if before and same else event.at
    if target.changed_at != changed_at:
        target = target._replace(changed_at=changed_at)
    if old is not None:
        _count(warmup, old, -1)
        _unlist(warmup, old)
    warmup.targets[target.key] = target
    if target.state in OUTCOMES:
        warmup.ended_names[target.node_name] = True
        warmup.skipped.pop(target.key, None)  # what has an outcome is counted by it
    _count(warmup, target, 1)
    _list(warmup, target)
    _note_refusal(warmup, target.key, event, refused=_is_refused(target))
    queue_target(warmup, target.key)


def drop_target(state: State, warmup: Warmup, key: str, event: Event) -> None:
    """Forget a target: a waiting name whose machine came, or a machine whose name waits again."""
    old = warmup.targets.get(key)
    if old is None or warmup.state in TERMINAL:
        return
    touch(state, warmup).setdefault(key, old)
    del warmup.targets[key]
    _count(warmup, old, -1)
    _unlist(warmup, old)
    _note_refusal(warmup, key, event, refused=False)
    queue_target(warmup, key, old)


def queue_target(warmup: Warmup, key: str, dropped: Target | None = None) -> None:
    """Put the target into the queue of those that may start, or take it out."""
    target = warmup.targets.get(key)
    startable = target is not None and _may_start(warmup, target)
    if not startable and not warmup.startable:
        return
    for shunned in (False, True):
        entry = (shunned, (target or dropped or _NO_TARGET).node_name, key)
        wanted = startable and target is not None and bool(target.shunned) is shunned
        place = bisect_left(warmup.startable, entry)
        present = place < len(warmup.startable) and warmup.startable[place] == entry
        if wanted and not present:
            warmup.startable.insert(place, entry)
        elif present and not wanted:
            del warmup.startable[place]


def refresh_slot(state: State, warmup: Warmup, key: str) -> None:
    """Find out whether the node holds a slot.

    It does while a create is open, while a Job of ours exists unfinished, and while any Pod of
    such a Job, deleted or not, has not ended.
    """
    held = key in warmup.creating or any(
        state.jobs[uid].unfinished or state.pods.get(uid) for uid in warmup.jobs.get(key, ())
    )
    if held:
        warmup.slots[key] = True
    else:
        warmup.slots.pop(key, None)
    queue_target(warmup, key)
    touch(state, warmup)


def refresh_silence(state: State, job_uid: str, at: int) -> None:
    """Find out whether a Job is silent: it should run, and no Pod of it runs or says why not."""
    job = state.jobs.get(job_uid)
    if job is None or not job.unfinished or job.level is None or job.level.deleting:
        state.silent.pop(job_uid, None)
        return
    known = state.clusters[job.cluster].objects["Pod"]
    levels = [known[uid].level for uid in state.pods.get(job_uid, ()) if uid in known]
    if job.pods is not None and job.pods.newest is not None:
        levels.append(job.pods.newest)
    if all(isinstance(level, PodLevel) and level.is_silent for level in levels):
        state.silent.setdefault(job_uid, at)
    else:
        state.silent.pop(job_uid, None)


def arm(state: State, due: int, uid: str, what: str) -> None:
    """Ask for a `DeadlinePassed` at `due` nanoseconds; asking twice is asking once."""
    entry = (due, uid, what)
    place = bisect_left(state.timers, entry)
    if place == len(state.timers) or state.timers[place] != entry:
        insort(state.timers, entry)


def disarm(state: State, due: int, uid: str, what: str) -> None:
    """Take back what `arm` asked for, if it is still there; an instant of 0 is none."""
    if not due:
        return
    entry = (due, uid, what)
    place = bisect_left(state.timers, entry)
    if place < len(state.timers) and state.timers[place] == entry:
        del state.timers[place]


def rearm(state: State, uid: str, old: Mapping[str, int], wanted: Mapping[str, int]) -> None:
    """Have a timer for each instant that is wanted, by what it is for, and not for the old ones."""
    for what, due in old.items():
        if wanted.get(what) != due:
            disarm(state, due, uid, what)
    for what, due in wanted.items():
        if old.get(what) != due:
            arm(state, due, uid, what)


def _is_refused(target: Target) -> bool:
    """Say whether the API server takes neither its Job nor, lately, the Pods of its Job."""
    return bool(target.refusal.reason) or target.cause.reason == FAILED_CREATE


def _note_refusal(warmup: Warmup, key: str, event: Event, *, refused: bool) -> None:
    if refused == (key in warmup.refused):
        return
    if refused:
        if not warmup.refused:
            warmup.refused_at = event.at
        warmup.refused[key] = True
    else:
        del warmup.refused[key]
        if not warmup.refused:
            warmup.refused_at = event.at


def target_class(target: Target) -> str:
    """Name the count that a target is in."""
    if target.state is NodeJobState.PENDING:
        return "waiting" if target.waiting.reason else "startable"
    return _CLASS[target.state]


def _may_start(warmup: Warmup, target: Target) -> bool:
    return (
        target.state is NodeJobState.PENDING
        and not target.waiting.reason
        and not target.retry_at
        and target.key not in warmup.slots
    )


def _count(warmup: Warmup, target: Target, by: int) -> None:
    name = target_class(target)
    warmup.counts[name] = warmup.counts.get(name, 0) + by


def entry_of(target: Target | None) -> Entry | None:
    """Give a target's place among the listed details: failed, running, pending, each by name."""
    rank = None if target is None else _RANK.get(target.state)
    return None if target is None or rank is None else (rank, target.node_name, target.key)


def _list(warmup: Warmup, target: Target) -> None:
    entry = entry_of(target)
    if entry is not None:
        insort(warmup.listed, entry)


def _unlist(warmup: Warmup, target: Target) -> None:
    entry = entry_of(target)
    if entry is not None:
        del warmup.listed[bisect_left(warmup.listed, entry)]


_NO_TARGET = Target("", "", NodeJobState.WITHDRAWN, named=False, first_entry=0, entries=0)
