"""Absences: which Jobs and Pods are not believed to be gone before a fresh read says so.

A watch selects by our label, so an object whose label was taken off looks just like one that was
deleted. What has its outcome may go; of everything else the edge asks by name first.
"""

from collections.abc import Iterator

from machines.folding_jobs import owner
from machines.levels import JobLevel, Level, PodLevel
from machines.observations import Deleted, Listed
from machines.states import State, Warmup
from machines.warmups import TERMINAL

WATCHED_BY_LABEL = frozenset({"Job", "Pod"})


def is_doubtful(state: State, deleted: Deleted) -> bool:
    """Say whether an object that no watch or list shows any more may still be there.

    One that this log does not know is nobody's to ask about, and so is everything in a namespace
    that goes away.
    """
    cluster = state.clusters.get(deleted.cluster)
    kind, uid = deleted.subject.kind, deleted.subject.uid
    if kind not in WATCHED_BY_LABEL or cluster is None or deleted.settled:
        return False
    known = cluster.objects[kind].get(uid)
    if known is None or has_ended(deleted.last):
        return False
    warmup = _warmup(state, uid if kind == "Job" else _job_of(known.level))
    if warmup is None or warmup.blocked:
        return False
    return _is_unexpected(warmup, known.level)


def doubtful(state: State, listed: Listed) -> Iterator[Deleted]:
    """Give what a complete list does not hold any more, and what may still be there."""
    cluster = state.clusters.get(listed.cluster)
    if listed.kind not in WATCHED_BY_LABEL or cluster is None or listed.kind in cluster.doubted:
        return
    present = {seen.subject.uid for seen in listed.items}
    for uid, known in cluster.objects[listed.kind].items():
        if uid not in present:
            gone = Deleted(listed.cluster, known.subject, listed.version, inferred=True)
            if is_doubtful(state, gone):
                yield gone


def is_shown(level: Level) -> bool:
    """Say whether our watches and lists show an object of this level: it has our label."""
    return isinstance(level, JobLevel | PodLevel) and bool(level.warmup_uid)


def _is_unexpected(warmup: Warmup, level: Level) -> bool:
    """Say whether nothing is known of why an object would go now.

    A finished Job goes by its TTL, or with its warmup; before that it is the node's outcome.
    """
    if not has_ended(level):
        return True
    going = warmup.gone or warmup.level.deleting or warmup.state in TERMINAL
    return isinstance(level, JobLevel) and level.ttl_seconds is None and not going


def has_ended(level: Level | None) -> bool:
    """Say whether a Job of this level has its outcome, or a Pod of it has ended."""
    return isinstance(level, JobLevel | PodLevel) and level.ended


def _job_of(level: Level) -> str:
    return level.job_uid if isinstance(level, PodLevel) else ""


def _warmup(state: State, job_uid: str) -> Warmup | None:
    job = state.jobs.get(job_uid)
    return owner(state, job) if job is not None else None
