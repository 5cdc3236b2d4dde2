"""Folding what becomes of a Job's marks: when they are put back, and that they were."""

from engine.events import Event
from engine.instants import SECOND
from machines.backoffs import retry_seconds
from machines.indexing import arm, disarm
from machines.intents import RestoreJob
from machines.marking import lacks_marks
from machines.states import Job, State, Warmup


def paced(state: State, warmup: Warmup | None, job: Job, event: Event, old: Job | None) -> Job:
    """Give a Job that was just seen, with its time to have its marks put back.

    The first time that is at once. Whoever keeps changing them waits longer each time.
    """
    if not lacks_marks(job):
        return rested(state, job)
    is_new = old is None or not lacks_marks(old)
    if warmup is None or not is_new or not job.restores or job.restoring:
        return job
    return _waiting(state, job, event)


def rested(state: State, job: Job) -> Job:
    """Give a Job that waits for nothing any more."""
    disarm(state, job.restore_at, job.warmup_uid, f"marks:{job.uid}")
    return job._replace(restore_at=0) if job.restore_at else job


def fold_restoring(state: State, intent: RestoreJob, seq: int) -> None:
    """Its marks are being put back; 0 when that is over."""
    job = state.jobs.get(intent.job_uid)
    if job is not None:
        state.jobs[job.uid] = job._replace(restoring=seq)


def fold_restored(state: State, intent: RestoreJob, event: Event, refused: str = "") -> None:
    """The API server has put them back, or refuses to in these words."""
    job = state.jobs.get(intent.job_uid)
    if job is None:
        return
    refusals, restores = job.restore_refusals + 1, job.restores
    if not refused:
        refusals, restores = 0, restores + 1
    job = job._replace(
        restoring=0, restores=restores, restore_refusals=refusals, restore_words=refused
    )
    if lacks_marks(job) and job.warmup_uid == intent.warmup_uid:
        job = _waiting(state, rested(state, job), event)
    state.jobs[job.uid] = job


def _waiting(state: State, job: Job, event: Event) -> Job:
    due = event.at + retry_seconds(job.restores + job.restore_refusals) * SECOND
    arm(state, due, job.warmup_uid, f"marks:{job.uid}")
    return job._replace(restore_at=due)
