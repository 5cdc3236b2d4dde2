"""Absences: what is not believed to be gone before a fresh read says so.

A watch selects by our label, so an object whose label was taken off looks just like one that was
deleted. What has its outcome may go; of everything else the edge asks by name first. So it does of
the workloads of replicas, in which engines serve.
"""

from collections.abc import Iterable, Iterator, Mapping

from engine.events import Subject
from machines.caches.finding import CLAIM, JOB, POD
from machines.caches.indexing import entry_of
from machines.caches.levels import ClaimLevel, HydrationJobLevel, HydrationPodLevel
from machines.caches.missing import is_unexpected
from machines.folding_jobs import owner
from machines.levels import JobLevel, Level, PodLevel
from machines.observations import Deleted, Listed, Seen
from machines.replicas.kinds import WORKLOADS
from machines.replicas.levels import WorkloadLevel
from machines.replicas.missing import is_unexpected_workload
from machines.states import State, Warmup
from machines.warmups import TERMINAL

OF_CACHES = frozenset({CLAIM, JOB, POD})
DOUBTFUL = frozenset({"Job", "Pod"}) | OF_CACHES | frozenset(WORKLOADS)

# What a batch has shown so far, by cluster and uid: the state does not hold it yet.
Fresh = Mapping[tuple[str, str], Seen]


def is_doubtful(state: State, deleted: Deleted, fresh: Fresh) -> bool:
    """Say whether an object that no watch or list shows any more may still be there.

    One that this log does not know is nobody's to ask about, and so is everything in a namespace
    that goes away. What the same batch has just shown is known as well as what the state holds.
    """
    kind, uid = deleted.subject.kind, deleted.subject.uid
    if kind not in DOUBTFUL or deleted.settled or has_ended(deleted.last):
        return False
    seen = fresh.get((deleted.cluster, uid))
    if seen is not None and not has_ended(seen.level):
        return True
    known = state.known(deleted.cluster, kind, uid)
    if known is None:
        return False
    if kind in OF_CACHES:
        return is_unexpected(state, deleted.cluster, known)
    if kind in WORKLOADS:
        return is_unexpected_workload(state, deleted.cluster, known)
    warmup = _warmup(state, uid if kind == "Job" else _job_of(known.level))
    if warmup is None or warmup.blocked:
        return False
    return _is_untimely(warmup, known.level)


def doubtful(state: State, listed: Listed, fresh: Fresh) -> Iterator[Deleted]:
    """Give what a complete list does not hold any more, and what may still be there."""
    if listed.kind not in DOUBTFUL:
        return
    present = {seen.subject.uid for seen in listed.items}
    for subject in _subjects(state, listed, fresh):
        if subject.uid not in present:
            gone = Deleted(listed.cluster, subject, listed.version, inferred=True)
            if is_doubtful(state, gone, fresh):
                yield gone


def _subjects(state: State, listed: Listed, fresh: Fresh) -> Iterable[Subject]:
    """Give what was there of a list's kind before the list, each object once."""
    found: dict[str, Subject] = {}
    cluster = state.clusters.get(listed.cluster)
    if cluster is not None and listed.kind not in cluster.doubted:
        found = {uid: known.subject for uid, known in cluster.objects[listed.kind].items()}
    for (name, uid), seen in fresh.items():
        if (name, seen.subject.kind) == (listed.cluster, listed.kind):
            found[uid] = seen.subject
    return found.values()


def is_shown(level: Level) -> bool:
    """Say whether our watches and lists show an object of this level: it has what they go by."""
    if isinstance(level, WorkloadLevel):
        return True
    if isinstance(level, ClaimLevel | HydrationJobLevel):
        return bool(level.label)
    return isinstance(level, JobLevel | PodLevel) and bool(level.warmup_uid)


def holds_name(subject: Subject) -> bool:
    """Say whether nothing else can be made for a cache while this object is there."""
    return subject.kind in (CLAIM, JOB)


def is_met(state: State, seen: Seen) -> bool:
    """Say whether an object was met under a name that a cache wants, and is shown by no watch."""
    if not holds_name(seen.subject) or is_shown(seen.level):
        return False
    return entry_of(state, seen.cluster, seen.subject) is not None


def _is_untimely(warmup: Warmup, level: Level) -> bool:
    """Say whether nothing is known of why an object would go now.

    A finished Job goes by its TTL, or with its warmup; before that it is the node's outcome.
    """
    if not has_ended(level):
        return True
    going = warmup.gone or warmup.level.deleting or warmup.state in TERMINAL
    return isinstance(level, JobLevel) and level.ttl_seconds is None and not going


def has_ended(level: Level | None) -> bool:
    """Say whether a Job of this level has its outcome, or a Pod of this level has ended."""
    jobs, pods = JobLevel | HydrationJobLevel, PodLevel | HydrationPodLevel
    return isinstance(level, jobs | pods) and level.ended


def _job_of(level: Level) -> str:
    return level.job_uid if isinstance(level, PodLevel) else ""


def _warmup(state: State, job_uid: str) -> Warmup | None:
    job = state.jobs.get(job_uid)
    return owner(state, job) if job is not None else None
