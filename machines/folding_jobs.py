"""Folding facts about Jobs."""

from engine.events import Event, Subject
from machines.folding_marks import paced, rested
from machines.indexing import disarm, put_target, refresh_silence, refresh_slot
from machines.intents import DeleteJob, StampTtl
from machines.levels import JobLevel
from machines.marking import kept_marks
from machines.moving import settle_target
from machines.multimaps import put, take
from machines.node_jobs import NodeJobState
from machines.placing import is_unplaced, machine_of, was_replaced
from machines.reviewing import review_name
from machines.states import Cluster, Job, State, Target, Warmup
from machines.warmups import TERMINAL

UNREAD = "?"  # stands for the Pods of a Job that is gone, until they were read; no uid is like it


def fold_job(state: State, event: Event, subject: Subject, level: JobLevel) -> None:
    """A Job of ours is at this level."""
    old = state.jobs.get(subject.uid)
    marks = kept_marks(old.marks if old else None, level)
    if marks is not None and not level.controller_uid and _lets_go(state, marks.controller_uid):
        marks = None
    placed = old.node_uid if old is not None else ""
    told = marks.node_uid if marks else level.node_uid
    node_uid = told or placed or machine_of(state.clusters[event.cluster], level)
    job = Job(
        subject.uid, event.cluster, subject.namespace, subject.name,
        marks.controller_uid if marks else "", node_uid, level,
        podded=bool(state.pods.get(subject.uid)), marks=marks,
    )  # fmt: skip
    if old is not None:
        kept = old._replace(name=job.name, level=level, exists=True, marks=marks)
        job = kept._replace(warmup_uid=job.warmup_uid, node_uid=job.node_uid)
        was = owner(state, old)
        if was is not None and (old.node_uid != job.node_uid or was is not owner(state, job)):
            untrack(state, old)
            _disarm(state, old)
            job = job._replace(retry_at=0, restore_at=0)
            settle_target(state, was, old.node_uid, event)
    track_job(state, paced(state, owner(state, job), job, event, old), event)


def track_job(state: State, job: Job, event: Event) -> None:
    """Store a Job, and bring its warmup's target to where it puts it."""
    state.jobs[job.uid] = job
    warmup = owner(state, job)
    refresh_silence(state, job.uid, event.at)
    refresh_reading(state, job, event.at)
    if warmup is None:
        if job.warmup_uid and job.warmup_uid not in state.warmups:
            put(state.unclaimed, job.warmup_uid, job.uid)
        return
    book(state, warmup, job)
    refresh_slot(state, warmup, job.node_uid)
    adopt_outcome(state, warmup, job, event)
    settle_target(state, warmup, job.node_uid, event)


def claim_jobs(state: State, warmup: Warmup, event: Event) -> None:
    """Give a warmup that is new the Jobs that were known before it."""
    for uid in state.unclaimed.pop(warmup.subject.uid, ()):
        job = state.jobs.get(uid)
        if job is not None and owner(state, job) is warmup:
            book(state, warmup, job)
            refresh_reading(state, job, event.at)


def book(state: State, warmup: Warmup, job: Job) -> None:
    """Put a Job into its warmup's books."""
    put(warmup.jobs, job.node_uid, job.uid)
    if is_unplaced(job.node_uid):
        put(state.clusters[warmup.cluster].unplaced, job.node_uid, warmup.subject.uid)


def adopt_outcome(state: State, warmup: Warmup, job: Job, event: Event) -> None:
    """A finished Job of a machine that this log never admitted still is that machine's outcome.

    This is how outcomes survive a lost log: the Job was kept, without TTL, for just this.
    """
    cluster = state.clusters[warmup.cluster]
    known = job.node_uid in warmup.targets or not job.node_uid or job.level is None
    if known or not job.outcome or warmup.state in TERMINAL or not cluster.is_synced:
        return
    if was_replaced(job) or (job.outcome == "Failed" and warmup.blocked):
        return  # what a namespace takes with it as it goes is nobody's failure
    known_node = cluster.objects["Node"].get(job.node_uid)
    node_name = (job.level.node_name if job.level else "") or (
        known_node.subject.name if known_node else ""
    )
    if not node_name:
        return  # nobody could be told which machine it was
    target = Target(
        job.node_uid, node_name, NodeJobState.PENDING, named=False, first_entry=0, entries=1
    )
    put_target(state, warmup, target, event)
    settle_target(state, warmup, job.node_uid, event)
    review_name(state, warmup, node_name, event)


def adopt_outcomes(state: State, warmup: Warmup, event: Event) -> None:
    """Adopt every finished Job that the warmup has and knows no target for."""
    for uids in list(warmup.jobs.values()):
        for uid in uids:
            adopt_outcome(state, warmup, state.jobs[uid], event)


def fold_job_gone(state: State, event: Event, uid: str) -> None:
    """A Job is gone; its record stays while its Pods do."""
    job = state.jobs.get(uid)
    if job is None:
        return
    gone = rested(state, job)._replace(exists=False)
    state.jobs[uid] = gone
    refresh_silence(state, uid, event.at)
    warmup = owner(state, job)
    if uid in state.unwatched:
        state.pods.setdefault(uid, {})[UNREAD] = True  # until a read says that none is left
        state.unwatched[uid] = event.at
    if not state.pods.get(uid):
        forget(state, gone)
    if warmup is not None:
        refresh_slot(state, warmup, job.node_uid)
        settle_target(state, warmup, job.node_uid, event, lost=job if job.unfinished else None)


def release_orphans(state: State, warmup: Warmup, event: Event) -> None:
    """Let go of the Jobs that a warmup controls no more, now that it is being deleted.

    So does the garbage collector on `--cascade=orphan`: whoever asked for orphans is to have them.
    """
    for key, uids in list(warmup.jobs.items()):
        for job in [state.jobs[uid] for uid in uids]:
            if job.level is not None and not job.level.controller_uid:
                untrack(state, job)
                _disarm(state, job)
                freed = job._replace(warmup_uid="", marks=None, retry_at=0, restore_at=0)
                state.jobs[job.uid] = freed
                refresh_reading(state, freed, event.at)
                settle_target(state, warmup, key, event)


def _lets_go(state: State, warmup_uid: str) -> bool:
    """Say whether a warmup that lost a Job has done so of its own will: it is being deleted."""
    warmup = state.warmups.get(warmup_uid)
    return warmup is None or warmup.gone or warmup.level.deleting


def refresh_reading(state: State, job: Job, at: int) -> None:
    """Find out whether a Job's Pods have to be read: no watch shows them, and they may live."""
    hidden = job.level is not None and job.level.unlabelled_pods
    living = job.unfinished or state.pods.get(job.uid)
    if hidden and living and owner(state, job) is not None:
        state.unwatched.setdefault(job.uid, at)
    else:
        state.unwatched.pop(job.uid, None)


def ask_jobs_again(state: State, cluster: Cluster) -> None:
    """Believe what the server has listed: a Job that we had deleted or stamped may be as before."""
    busy = {
        opened.intent.job_uid
        for opened in state.open.values()
        if isinstance(opened.intent, DeleteJob | StampTtl)
    }
    for uid, job in state.jobs.items():
        level = job.level
        if job.cluster != cluster.name or level is None or uid in busy:
            continue
        undone = job.deleting and job.exists and not level.deleting
        unstamped = job.stamped and job.exists and level.ttl_seconds is None
        if undone or unstamped:
            state.jobs[uid] = job._replace(deleting=0, stamped=False)


def owner(state: State, job: Job) -> Warmup | None:
    """Give the warmup that a Job is of: by its controller (by its Pods' label while only they
    are known) and its place.

    Anybody may copy a label, and nobody of another namespace can be controlled by a warmup.
    """
    warmup = state.warmups.get(job.warmup_uid)
    if warmup is None:
        return None
    at_home = (warmup.cluster, warmup.subject.namespace) == (job.cluster, job.namespace)
    return warmup if at_home else None


def forget(state: State, job: Job) -> None:
    """Neither the Job nor a Pod of it is left: nothing is waited for any more."""
    untrack(state, job)
    _disarm(state, job)
    take(state.unclaimed, job.warmup_uid, job.uid)
    state.unwatched.pop(job.uid, None)
    del state.jobs[job.uid]


def _disarm(state: State, job: Job) -> None:
    disarm(state, job.retry_at, job.warmup_uid, f"job:{job.uid}")
    disarm(state, job.restore_at, job.warmup_uid, f"marks:{job.uid}")


def untrack(state: State, job: Job) -> None:
    """Take a Job out of its warmup's books."""
    warmup = state.warmups.get(job.warmup_uid)
    if warmup is None:
        return
    take(warmup.jobs, job.node_uid, job.uid)
    if is_unplaced(job.node_uid) and job.node_uid not in warmup.jobs:
        take(state.clusters[warmup.cluster].unplaced, job.node_uid, warmup.subject.uid)
    warmup.undeleted.pop(job.uid, None)
    warmup.unwanted.pop(job.uid, None)
    warmup.unstamped.pop(job.uid, None)
    warmup.unmarked.pop(job.uid, None)
    refresh_slot(state, warmup, job.node_uid)
