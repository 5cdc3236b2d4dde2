"""Indexing: the one place where a target is stored, so that every index agrees with it.

A warmup keeps counts by class, the ordered queue of nodes that may start, the ordered list of
details that its status shows, and the set of nodes that hold a slot. Each is updated here in
O(log n) as a target, a Job or a Pod changes; nothing else writes them.
"""

from bisect import bisect_left, insort

from engine.events import Event
from machines.node_jobs import OUTCOMES, NodeJobState
from machines.states import State, Target, Warmup

SHOWN_TARGETS = 256  # details in a status; the API's own bound

_RANK = {NodeJobState.FAILED: 0, NodeJobState.HYDRATING: 1, NodeJobState.PENDING: 2}


def put_target(state: State, warmup: Warmup, target: Target, event: Event) -> None:
    """Store `target`, stamping its change and the status's position when it shows."""
    old = warmup.targets.get(target.key)
    if old == target:
        return
    told_anew = old is None or old.state != target.state or old.words != target.words
    if told_anew:
        target = target._replace(changed_at=event.at)
    if old is not None:
        _count(warmup, old, -1)
        _unlist(warmup, old)
    warmup.targets[target.key] = target
    if target.state in OUTCOMES:
        warmup.ended_names[target.node_name] = True
    _count(warmup, target, 1)
    place = _list(warmup, target)
    if _shows(old, target, place):
        warmup.position = event.seq
    queue_target(warmup, target.key)
    state.touched[warmup.subject.uid] = True


def drop_target(state: State, warmup: Warmup, key: str, event: Event) -> None:
    """Forget a target: a waiting name whose machine came, or a machine whose name waits again."""
    old = warmup.targets.pop(key, None)
    if old is None:
        return
    _count(warmup, old, -1)
    _unlist(warmup, old)
    warmup.refused.pop(key, None)
    warmup.position = event.seq
    queue_target(warmup, key, old)
    state.touched[warmup.subject.uid] = True


def queue_target(warmup: Warmup, key: str, dropped: Target | None = None) -> None:
    """Put the target into the queue of those that may start, or take it out."""
    target = warmup.targets.get(key)
    for shunned in (False, True):
        entry = (shunned, (target or dropped or _NO_TARGET).node_name, key)
        wanted = (
            target is not None and _may_start(warmup, target) and bool(target.shunned) is shunned
        )
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
    state.touched[warmup.subject.uid] = True


def arm(state: State, due: int, uid: str, what: str) -> None:
    """Ask for a `DeadlinePassed` at `due` nanoseconds; asking twice is asking once."""
    entry = (due, uid, what)
    place = bisect_left(state.timers, entry)
    if place == len(state.timers) or state.timers[place] != entry:
        insort(state.timers, entry)


def disarm(state: State, due: int, uid: str, what: str) -> None:
    """Take back what `arm` asked for, if it is still there."""
    entry = (due, uid, what)
    place = bisect_left(state.timers, entry)
    if place < len(state.timers) and state.timers[place] == entry:
        del state.timers[place]


def target_class(target: Target) -> str:
    """Name the count that a target is in."""
    if target.state is NodeJobState.PENDING:
        return "waiting" if target.waiting.reason else "startable"
    return target.state.value


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


def _list(warmup: Warmup, target: Target) -> int:
    """Put the target among the listed details; give its place, or -1 when it has none."""
    rank = _RANK.get(target.state)
    if rank is None:
        return -1
    entry = (rank, target.node_name, target.key)
    insort(warmup.listed, entry)
    return bisect_left(warmup.listed, entry)


def _unlist(warmup: Warmup, target: Target) -> None:
    rank = _RANK.get(target.state)
    if rank is not None:
        entry = (rank, target.node_name, target.key)
        del warmup.listed[bisect_left(warmup.listed, entry)]


def _shows(old: Target | None, new: Target, place: int) -> bool:
    """Say whether the change can be read in the status: in a counter, or in a detail shown."""
    if old is None or old.state != new.state:
        return True
    if target_class(old) != target_class(new):
        return True
    shown = 0 <= place < SHOWN_TARGETS
    seen = (old.words, old.job_name, old.first_entry, old.entries, old.changed_at)
    return shown and seen != (
        new.words,
        new.job_name,
        new.first_entry,
        new.entries,
        new.changed_at,
    )


_NO_TARGET = Target("", "", NodeJobState.WITHDRAWN, named=False, first_entry=0, entries=0)
