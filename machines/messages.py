"""Messages: what a target says it waits for, or how it ended, in one sentence with names."""

from engine.instants import clock_time
from machines.labels import SUSPEND
from machines.marking import is_contested
from machines.node_jobs import NodeJobState
from machines.states import NOTHING, Job, State, Target, Warmup, Words

MESSAGE_LENGTH = 1024
REASON_LENGTH = 1024
ELLIPSIS = "…"


def cut(text: str, length: int = MESSAGE_LENGTH) -> str:
    """Cut a text to `length` characters, saying so with an ellipsis."""
    return text if len(text) <= length else text[: length - 1] + ELLIPSIS


def described(state: State, warmup: Warmup, target: Target) -> Target:
    """Give a target with the words of its present state."""
    words = describe(state, warmup, target)
    return target if words == target.words else target._replace(words=words)


def describe(state: State, warmup: Warmup, target: Target) -> Words:
    """Give the words of a target in its present state."""
    if target.state is NodeJobState.HYDRATING:
        words = _hydrating(state, warmup, target)
    elif target.state is NodeJobState.PENDING:
        words = _pending(state, warmup, target)
    elif target.state is NodeJobState.FAILED:
        words = target.words
    else:
        words = NOTHING
    if len(words.reason) <= REASON_LENGTH and len(words.message) <= MESSAGE_LENGTH:
        return words
    return Words(cut(words.reason, REASON_LENGTH), cut(words.message))


def failed_job_words(job: Job, target: Target) -> Words:
    """Say how a Job failed: the nearest cause first, then the Job's own words."""
    level = job.level
    reason = (level.reason if level else "") or "JobFailed"
    own = (level.message if level else "") or f"Job {job.name} failed"
    told = (target.failure, target.cause, target.disruption)
    cause = next((words for words in told if words.reason), NOTHING)
    nearest = cause_text(cause)
    return Words(reason, f"{nearest}; {own}" if nearest else own)


def disrupted_text(target: Target) -> str:
    """Say how often a target's Pods were disrupted, and how the last one was."""
    times = "once" if target.disruptions == 1 else f"{target.disruptions} times"
    return f"disrupted {times}, last with {target.disruption.message or 'no word'}"


def cause_text(cause: Words) -> str:
    """Give a cause as `Reason: message`, without saying the same thing twice."""
    if not cause.reason or not cause.message:
        return cause.reason or cause.message
    return f"{cause.reason}: {cause.message}"


def _pending(state: State, warmup: Warmup, target: Target) -> Words:
    if target.waiting.reason:
        until = f"; waits for it until {clock_time(target.deadline)}" if target.deadline else ""
        if warmup.suspended_at:
            until = "; its time to wait stands still while the ModelWarmup is suspended"
        return Words(target.waiting.reason, target.waiting.message + until)
    if warmup.blocked:
        return Words("NamespaceUnavailable", warmup.blocked)
    opened = state.open.get(warmup.creating.get(target.key, 0))
    if opened is not None and opened.unanswered:
        words = f"its Job was asked for, and whether it is there is not known: {opened.unanswered}"
        return Words("CreateUnanswered", words)
    if warmup.suspended_at:
        return Words("Suspended", f'no Job is created while annotation {SUSPEND} is "true"')
    if target.refusal.reason:
        again = f"; tried again at {clock_time(target.retry_at)}" if target.retry_at else ""
        return Words(target.refusal.reason, target.refusal.message + again)
    if target.shunned:
        return Words("NodeUnschedulable", f"{target.shunned}: its Job comes after all others")
    if target.key in warmup.slots and target.key not in warmup.creating:
        return Words("PodsTerminating", f"a Pod of an earlier Job still ends on {target.node_name}")
    if target.vanished:
        return Words("JobDeleted", "its Job was deleted by someone; it is made again")
    limit = warmup.spec.parallelism if warmup.spec else 0
    return Words("WaitingForSlot", f"waits for one of the {limit} Jobs that may run at a time")


def _hydrating(state: State, warmup: Warmup, target: Target) -> Words:
    uids = warmup.jobs.get(target.key, ())
    ending = next((state.jobs[uid] for uid in uids if _is_finishing(state.jobs[uid])), None)
    if ending is not None:
        return _finishing(ending, target)
    if target.cause.reason:
        return target.cause
    contested = next((state.jobs[uid] for uid in uids if is_contested(state.jobs[uid])), None)
    if contested is not None:
        return Words("JobContested", _contest_text(contested))
    attempts = max((_attempts(state.jobs[uid]) for uid in uids), default=0)
    if attempts and target.failure.reason:
        times = "once" if attempts == 1 else f"{attempts} times"
        return Words("JobRetrying", f"failed {times}, last with {cause_text(target.failure)}")
    if target.disruptions:
        return Words("JobDisrupted", f"{disrupted_text(target)}; this is no failure: it goes on")
    if target.shunned:
        return Words("NodeUnschedulable", target.shunned)
    if all(_is_going(state.jobs[uid]) for uid in uids):
        return Words("JobTerminating", "its Job is being deleted, and is not gone yet")
    if not any(state.jobs[uid].podded for uid in uids):
        return Words("JobRunning", "its Job has no Pod yet")
    if any(uid in state.silent for uid in uids):
        return Words("JobRunning", "its Pod has not started yet")
    return Words("JobRunning", "")


def _finishing(job: Job, target: Target) -> Words:
    """Say of a Job that will be tried no more how it ends, while its Pods still do."""
    if job.level is None or not job.level.reason:
        return Words("JobFinishing", "its Job has done its work, and its Pods end")
    words = failed_job_words(job, target)
    return Words("JobFinishing", f"its Job fails as {words.reason}: {words.message}")


def _is_finishing(job: Job) -> bool:
    return job.exists and job.level is not None and job.level.outcome == "Finishing"


def _contest_text(job: Job) -> str:
    """Say that a Job's marks are changed again and again, or cannot be put back."""
    what = f"labels, annotations or the owner of Job {job.name}"
    if job.restore_words:
        return f"somebody changed {what}, and they cannot be put back: {job.restore_words}"
    return f"somebody keeps changing {what}; they were put back {job.restores} times"


def _is_going(job: Job) -> bool:
    return job.level is not None and job.level.deleting


def _attempts(job: Job) -> int:
    return job.level.failed_attempts if job.level and job.exists else 0
