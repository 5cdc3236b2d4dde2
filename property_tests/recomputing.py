"""What every index of the state must be, computed from scratch and by other means than folding."""

from typing import Any

from machines.folding_jobs import owner
from machines.intents import CreateJob, Resolve
from machines.levels import PodLevel
from machines.messages import describe
from machines.node_jobs import OUTCOMES, UNFINISHED, NodeJobState
from machines.states import Job, State, Target, Warmup
from machines.warmups import TERMINAL

RANKS = {NodeJobState.FAILED: 0, NodeJobState.HYDRATING: 1, NodeJobState.PENDING: 2}


def jobs_of(state: State, warmup: Warmup) -> list[Job]:
    """Every Job that belongs to a warmup, whether it exists or only its Pods do."""
    return [job for job in state.jobs.values() if owner(state, job) is warmup]


def slots(state: State, warmup: Warmup) -> set[str]:
    """The nodes with an open create, an unfinished Job, or a Pod that has not ended."""
    creating = {
        opened.intent.node_uid
        for opened in state.open.values()
        if isinstance(opened.intent, CreateJob) and opened.owner.uid == warmup.subject.uid
    }
    working = {
        job.node_uid
        for job in jobs_of(state, warmup)
        if (job.exists and not job.outcome) or state.pods.get(job.uid)
    }
    return creating | working


def counts(warmup: Warmup) -> dict[str, int]:
    """How many targets there are of each class."""
    found: dict[str, int] = {}
    for target in warmup.targets.values():
        name = target.state.value
        if target.state is NodeJobState.PENDING:
            name = "waiting" if target.waiting.reason else "startable"
        found[name] = found.get(name, 0) + 1
    return found


def startable(state: State, warmup: Warmup) -> list[tuple[bool, str, str]]:
    """The targets that only lack a slot: those that the scheduler would refuse come last."""
    held = slots(state, warmup)
    return sorted(
        (bool(target.shunned), target.node_name, key)
        for key, target in warmup.targets.items()
        if target.state is NodeJobState.PENDING
        and not target.waiting.reason
        and not target.retry_at
        and key not in held
    )


def listed(warmup: Warmup) -> list[tuple[int, str, str]]:
    """The targets that have a detail: failed, running, pending, each by name."""
    return sorted(
        (RANKS[target.state], target.node_name, key)
        for key, target in warmup.targets.items()
        if target.state in RANKS
    )


def unwanted(state: State, warmup: Warmup) -> set[str]:
    """The Jobs that run for nobody and have not been asked to go."""
    found = set()
    for key, uids in warmup.jobs.items():
        target = warmup.targets.get(key)
        going_on = not warmup.gone and warmup.state not in TERMINAL
        wanted = going_on and target is not None and target.state in UNFINISHED
        for job in (state.jobs[uid] for uid in uids):
            if not job.unfinished:
                continue
            if not wanted and job.node_uid and not job.deleting and not job.retry_at:
                found.add(job.uid)
            wanted = False
    return found


def unstamped(state: State, warmup: Warmup) -> set[str]:
    """The finished Jobs that have no TTL and have not been given one."""
    return {
        job.uid
        for job in jobs_of(state, warmup)
        if job.exists and job.outcome and job.level is not None and job.level.ttl_seconds is None
        if not job.stamped and not job.retry_at
    }


def refused(warmup: Warmup) -> set[str]:
    """The targets whose Job, or whose Job's Pods, the API server does not take."""
    return {
        key
        for key, target in warmup.targets.items()
        if target.refusal.reason or target.cause.reason == "FailedCreate"
    }


def silent(state: State, uids: set[str]) -> set[str]:
    """The Jobs that should run, and of which no Pod runs or says why it does not."""
    found = set()
    for uid in uids:
        job = state.jobs[uid]
        known = state.clusters[job.cluster].objects["Pod"]
        levels = [known[pod].level for pod in state.pods.get(uid, ()) if pod in known]
        levels += [job.pods.newest] if job.pods and job.pods.newest else []
        speaks = [
            level
            for level in levels
            if isinstance(level, PodLevel)
            and (level.phase != "Pending" or level.reason or level.deleting)
        ]
        going = job.level is None or job.level.deleting
        if job.exists and not job.outcome and not (going or speaks):
            found.add(uid)
    return found


def unmarked(state: State, warmup: Warmup) -> set[str]:
    """The Jobs whose marks are not what they were, and are not being put back or waited for."""
    found = set()
    for job in jobs_of(state, warmup):
        level, marks = job.level, job.marks
        if level is None or marks is None or job.restoring or job.restore_at:
            continue
        changed = {level.warmup_uid, level.controller_uid} != {warmup.subject.uid}
        changed |= (level.node_uid, level.node_name) != (marks.node_uid, marks.node_name)
        changed |= level.revision != marks.revision or (marks.named and level.misnamed)
        if changed and job.exists and not job.deleting and not level.deleting:
            found.add(job.uid)
    return found


def unwatched(state: State) -> set[str]:
    """The Jobs of warmups whose Pods bear no label of ours, and may be at work."""
    return {
        job.uid
        for warmup in state.warmups.values()
        for job in jobs_of(state, warmup)
        if job.level is not None and job.level.unlabelled_pods
        if (job.exists and not job.outcome) or state.pods.get(job.uid)
    }


def timers(state: State) -> set[tuple[int, str, str]]:
    """Every deadline that something waits for."""
    found = set()
    for uid, warmup in state.warmups.items():
        for job in jobs_of(state, warmup):
            if job.retry_at:
                found.add((job.retry_at, uid, f"job:{job.uid}"))
            if job.restore_at:
                found.add((job.restore_at, uid, f"marks:{job.uid}"))
        if warmup.gone or warmup.state in TERMINAL:
            continue
        if warmup.resolve_at:
            found.add((warmup.resolve_at, uid, "resolve"))
        for key, target in warmup.targets.items():
            waits = target.waiting.reason and not warmup.suspended_at
            if waits and target.state in UNFINISHED:
                found.add((target.deadline, uid, f"wait:{key}"))
            if target.retry_at:
                found.add((target.retry_at, uid, f"retry:{key}"))
    return found


def undescribed(state: State, warmup: Warmup) -> list[Target]:
    """The targets whose words are not those of their present state."""
    return [
        target
        for target in warmup.targets.values()
        if target.state in UNFINISHED and target.words != describe(state, warmup, target)
    ]


def indexes(state: State, warmup: Warmup) -> dict[str, tuple[Any, Any]]:
    """Each index by name: as folding keeps it, and as it must be."""
    by_node: dict[str, set[str]] = {}
    for job in jobs_of(state, warmup):
        by_node.setdefault(job.node_uid, set()).add(job.uid)
    mine_jobs = {job.uid for job in jobs_of(state, warmup)}
    mine = {
        seq: opened.intent
        for seq, opened in state.open.items()
        if opened.owner.uid == warmup.subject.uid
    }
    creates = {one.node_uid: seq for seq, one in mine.items() if isinstance(one, CreateJob)}
    resolves = [seq for seq, one in mine.items() if isinstance(one, Resolve)]
    cluster, uid = state.clusters[warmup.cluster], warmup.subject.uid
    going_on = not warmup.gone and warmup.state not in TERMINAL
    unplaced = {key for key in by_node if not key or key.startswith("left:")}
    ended = {t.node_name for t in warmup.targets.values() if t.state in OUTCOMES}
    return {
        "counts": ({name: n for name, n in warmup.counts.items() if n}, counts(warmup)),
        "startable": (warmup.startable, startable(state, warmup)),
        "listed": (warmup.listed, listed(warmup)),
        "slots": (set(warmup.slots), slots(state, warmup)),
        "jobs": ({key: set(uids) for key, uids in warmup.jobs.items()}, by_node),
        "unplaced": ({key for key, uids in cluster.unplaced.items() if uid in uids}, unplaced),
        "running": (uid in cluster.running, going_on),
        "creating": (warmup.creating, creates),
        "resolving": ([warmup.resolving] if warmup.resolving else [], resolves),
        "unwanted": (set(warmup.unwanted), unwanted(state, warmup)),
        "unmarked": (set(warmup.unmarked), unmarked(state, warmup)),
        "unstamped": (set(warmup.unstamped), unstamped(state, warmup)),
        "ended names": (set(warmup.ended_names), ended),
        "refused": (set(warmup.refused), refused(warmup)),
        "silent": ({uid for uid in state.silent if uid in mine_jobs}, silent(state, mine_jobs)),
    }
