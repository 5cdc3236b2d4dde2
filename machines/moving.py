"""Moving a target through its machine, from what its Jobs are now.

The trigger is read off the levels of the Jobs, never off the event that happened to arrive, so
facts may come in any order, twice, or coalesced, and lead to the same place.
"""

from engine.events import Event
from machines.indexing import disarm, put_target, refresh_slot
from machines.marking import lacks_marks
from machines.messages import described, failed_job_words
from machines.node_jobs import NODE_JOBS, UNFINISHED, NodeJobState, NodeJobTrigger
from machines.pacing import try_all_now
from machines.states import NOTHING, Ignored, Job, State, Target, Warmup, Words
from machines.warmups import TERMINAL

KEPT_IGNORED = 16  # triggers remembered for explanations, per warmup

_SETTLED = {
    NodeJobTrigger.JOB_FOUND: NodeJobState.HYDRATING,
    NodeJobTrigger.JOB_COMPLETED: NodeJobState.READY,
    NodeJobTrigger.JOB_FAILED: NodeJobState.FAILED,
}


def fire(
    state: State, warmup: Warmup, target: Target, trigger: NodeJobTrigger, event: Event
) -> Target | None:
    """Give the target after `trigger`; an illegal one is recorded as ignored and gives None."""
    dest = NODE_JOBS.next(target.state, trigger)
    if dest is not None:
        return target._replace(state=dest)
    note = Ignored(event.seq, event.at, target.node_name, trigger.value, target.state.value)
    if not any(note[2:] == old[2:] for old in warmup.ignored):
        warmup.ignored = (*warmup.ignored, note)[-KEPT_IGNORED:]
    return None


def settle_target(
    state: State, warmup: Warmup, key: str, event: Event, *, lost: Job | None = None
) -> None:
    """Bring a target to where its Jobs put it; `lost` is the Job that just went, if one did."""
    jobs = [state.jobs[uid] for uid in warmup.jobs.get(key, ())]
    target = warmup.targets.get(key)
    if target is not None:
        _move(state, warmup, target, event, lost)
    _mark_jobs(warmup, jobs, wanted_job(state, warmup, key))


def _move(state: State, warmup: Warmup, target: Target, event: Event, lost: Job | None) -> None:
    if warmup.state in TERMINAL:
        return
    trigger, job = _trigger(state, warmup, target, lost)
    was_refused = job is not None and bool(target.refusals)
    if job is not None and target.state in UNFINISHED:
        disarm(state, target.retry_at, warmup.subject.uid, f"retry:{target.key}")
        target = _accepted(target, job)
    by_others = lost is not None and not lost.deleting and not warmup.blocked
    if by_others and target.state is NodeJobState.HYDRATING:
        target = target._replace(vanished=target.vanished + 1)
    if trigger is not None:
        moved = fire(state, warmup, target, trigger, event)
        target = _worded(warmup, moved, trigger, job) if moved else target
    put_target(state, warmup, described(state, warmup, target), event)
    if was_refused:
        try_all_now(state, warmup, event)


def _accepted(target: Target, job: Job) -> Target:
    """Give a target that has a Job: it is not refused, and waits for no instant."""
    told = target.job_name, target.refusal, target.refusals, target.retry_at, target.deadline
    if told == (job.name, NOTHING, 0, 0, 0):
        return target
    return target._replace(job_name=job.name, refusal=NOTHING, refusals=0, retry_at=0, deadline=0)


def describe_again(state: State, warmup: Warmup, key: str, event: Event) -> None:
    """Word a target anew after something that its message speaks of has changed."""
    target = warmup.targets.get(key)
    if target is not None and target.state in UNFINISHED:
        put_target(state, warmup, described(state, warmup, target), event)


def fail_target(
    state: State,
    warmup: Warmup,
    target: Target,
    trigger: NodeJobTrigger,
    words: Words,
    event: Event,
) -> None:
    """End a target that can never have a Job, for the reason that `words` give."""
    moved = fire(state, warmup, target, trigger, event)
    if moved is None:
        return
    ended = moved._replace(words=words, waiting=NOTHING, retry_at=0)
    put_target(state, warmup, described(state, warmup, ended), event)
    refresh_slot(state, warmup, target.key)


def _trigger(
    state: State, warmup: Warmup, target: Target, lost: Job | None
) -> tuple[NodeJobTrigger | None, Job | None]:
    """Read the trigger, and the Job that gives it, off the Jobs of the node.

    What a namespace takes with it as it goes is nobody's failure.
    """
    found: tuple[NodeJobTrigger, Job] | None = None
    for uid in warmup.jobs.get(target.key, ()):
        job = state.jobs[uid]
        if job.outcome == "Complete":
            found = (NodeJobTrigger.JOB_COMPLETED, job)
            break
        if job.outcome == "Failed" and not warmup.blocked:
            found = (NodeJobTrigger.JOB_FAILED, job)
        elif job.unfinished and found is None:
            found = (NodeJobTrigger.JOB_FOUND, job)
    if found is not None:
        trigger, job = found
        at_rest = target.state is _SETTLED[trigger]
        overtaken = trigger is NodeJobTrigger.JOB_FOUND and target.state not in UNFINISHED
        return (None if at_rest or overtaken else trigger), job
    if target.state is not NodeJobState.HYDRATING:
        return None, None
    limit = warmup.spec.retry_limit if warmup.spec else 0
    by_others = lost is not None and not lost.deleting and not warmup.blocked
    if by_others and target.vanished >= limit:
        return NodeJobTrigger.VANISHED_TOO_OFTEN, None
    return NodeJobTrigger.JOB_VANISHED, None


def _worded(warmup: Warmup, target: Target, trigger: NodeJobTrigger, job: Job | None) -> Target:
    """Give a target that has just moved the words that belong to its end."""
    if trigger is NodeJobTrigger.JOB_FAILED and job is not None:
        return target._replace(words=failed_job_words(job, target))
    if trigger is NodeJobTrigger.VANISHED_TOO_OFTEN:
        times = target.vanished
        words = f"its Job was deleted by someone {times} time{'s' if times != 1 else ''}"
        return target._replace(words=Words("JobDeleted", words))
    if trigger is NodeJobTrigger.JOB_COMPLETED:
        return target._replace(words=NOTHING, cause=NOTHING)
    if trigger is NodeJobTrigger.JOB_VANISHED:
        return target._replace(cause=NOTHING)  # what its Pod waited for went with it
    return target


def wanted_job(state: State, warmup: Warmup, key: str) -> str:
    """Give the uid of the one unfinished Job that a node may keep, "" when it may keep none."""
    target = warmup.targets.get(key)
    over = warmup.gone or warmup.state in TERMINAL
    if over or target is None or target.state not in UNFINISHED:
        return ""
    unfinished = (uid for uid in warmup.jobs.get(key, ()) if state.jobs[uid].unfinished)
    return next(unfinished, "")


def _mark_jobs(warmup: Warmup, jobs: list[Job], wanted: str) -> None:
    """Note which Jobs have to go, and which lack their marks, or their TTL."""
    for job in jobs:
        # A Job without the annotation is the original's: whom it serves is not known here.
        unwanted = job.unfinished and job.node_uid and job.uid != wanted
        if unwanted and not (job.deleting or job.retry_at):
            warmup.unwanted[job.uid] = True
        else:
            warmup.unwanted.pop(job.uid, None)
        if lacks_marks(job) and not (job.restoring or job.restore_at):
            warmup.unmarked[job.uid] = True
        else:
            warmup.unmarked.pop(job.uid, None)
        lacks_ttl = job.level is not None and job.level.ttl_seconds is None
        if job.exists and job.outcome and lacks_ttl and not (job.stamped or job.retry_at):
            warmup.unstamped[job.uid] = True
        else:
            warmup.unstamped.pop(job.uid, None)
