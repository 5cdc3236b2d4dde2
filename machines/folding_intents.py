"""Folding decisions, and what became of them."""

import re

from engine.events import Event
from engine.instants import SECOND
from machines.annotations import wait_seconds
from machines.backoffs import retry_seconds
from machines.folding_jobs import owner, track_job
from machines.folding_marks import fold_restored, fold_restoring
from machines.indexing import arm, disarm, put_target, refresh_slot, touch
from machines.intents import (
    CreateJob,
    DeleteJob,
    ObjectIntent,
    Resolve,
    RestoreJob,
    StampTtl,
    WarmupIntent,
)
from machines.job_names import SALTS
from machines.messages import described
from machines.moving import describe_again, fail_target, settle_target
from machines.node_jobs import NodeJobState, NodeJobTrigger
from machines.observations import Done, Refused
from machines.pacing import try_again_at
from machines.states import Job, OpenIntent, State, Target, Warmup, Words
from machines.warmups import TERMINAL

PERMANENT_CODES = (400, 413)
INVALID = 422
_WEBHOOK = re.compile(r"admission webhook .* denied the request", re.DOTALL)


def fold_intent(state: State, event: Event, intent: WarmupIntent) -> None:
    """Something was decided: it is open until its answer."""
    warmup = state.warmups[intent.warmup_uid]
    state.open[event.seq] = OpenIntent(event.seq, event.cluster, warmup.subject, intent)
    if isinstance(intent, CreateJob):
        warmup.creating[intent.node_uid] = event.seq
        refresh_slot(state, warmup, intent.node_uid)
    elif isinstance(intent, Resolve):
        warmup.resolving = event.seq
    elif isinstance(intent, DeleteJob):
        _update_job(state, intent.job_uid, deleting=event.seq)
        warmup.unwanted.pop(intent.job_uid, None)
        warmup.unmarked.pop(intent.job_uid, None)
    elif isinstance(intent, RestoreJob):
        fold_restoring(state, intent, event.seq)
        warmup.unmarked.pop(intent.job_uid, None)
    else:
        _update_job(state, intent.job_uid, stamped=True)
        warmup.unstamped.pop(intent.job_uid, None)


def fold_done(state: State, event: Event, done: Done) -> None:
    """An intent is as intended."""
    opened = state.open.pop(event.cause or 0, None)
    warmup = state.warmups.get(opened.owner.uid) if opened else None
    if opened is None or warmup is None or isinstance(opened.intent, ObjectIntent):
        return
    intent = opened.intent
    if isinstance(intent, CreateJob):
        _created(state, warmup, opened, intent, done, event)
    elif isinstance(intent, DeleteJob):
        warmup.undeleted.pop(intent.job_uid, None)
    elif isinstance(intent, RestoreJob):
        fold_restored(state, intent, event)
        settle_target(state, warmup, intent.node_uid, event)
    elif isinstance(intent, Resolve):
        warmup.resolving = warmup.resolve_refusals = 0
        warmup.resolve_words = ""
        # A look at a cluster that was rolled back meanwhile has admitted nobody: it is made again.
        warmup.confirmed = state.clusters[opened.cluster].is_synced
    touch(state, warmup)


def fold_absent(state: State, event: Event) -> None:
    """Looked up: it did not happen. It is decided again if it is still wanted."""
    opened = state.open.pop(event.cause or 0, None)
    warmup = state.warmups.get(opened.owner.uid) if opened else None
    if opened is None or warmup is None or isinstance(opened.intent, ObjectIntent):
        return
    intent = opened.intent
    if isinstance(intent, CreateJob):
        _close_create(state, warmup, intent, event)
    elif isinstance(intent, Resolve):
        warmup.resolving = 0
    else:
        _undo(state, intent)
        settle_target(state, warmup, intent.node_uid, event)
    touch(state, warmup)


def fold_unknown(state: State, event: Event, words: str) -> None:
    """No answer: it stays open, and has to be looked up."""
    opened = state.open.get(event.cause or 0)
    if opened is None:
        return
    state.open[opened.seq] = opened._replace(uncertain=True, unanswered=words)
    warmup = state.warmups.get(opened.owner.uid)
    if warmup is not None and isinstance(opened.intent, CreateJob):
        describe_again(state, warmup, opened.intent.node_uid, event)


def fold_refused(state: State, event: Event, refused: Refused) -> None:
    """The API server said no."""
    opened = state.open.pop(event.cause or 0, None)
    warmup = state.warmups.get(opened.owner.uid) if opened else None
    if opened is None or warmup is None or isinstance(opened.intent, ObjectIntent):
        return
    intent = opened.intent
    touch(state, warmup)
    if isinstance(intent, CreateJob):
        _create_refused(state, warmup, intent, refused, event)
    elif isinstance(intent, Resolve):
        warmup.resolving = 0
        if not (warmup.gone or warmup.state in TERMINAL):
            _look_later(state, warmup, refused, event)
    elif isinstance(intent, RestoreJob):
        fold_restored(state, intent, event, refused.words)
        settle_target(state, warmup, intent.node_uid, event)
    else:
        if isinstance(intent, DeleteJob):
            words = f"Job {intent.job_name} cannot be deleted: {refused.words}"
            warmup.undeleted[intent.job_uid] = words
        _job_refused(state, warmup, intent, event)


def retry_job(state: State, warmup: Warmup, uid: str, event: Event) -> None:
    """The wait after a refused delete or stamp is over."""
    job = state.jobs.get(uid)
    if job is not None:
        state.jobs[uid] = job._replace(retry_at=0)
        settle_target(state, warmup, job.node_uid, event)


def restore_job(state: State, warmup: Warmup, uid: str, event: Event) -> None:
    """The wait after a Job's marks were changed once more, or could not be put back, is over."""
    job = state.jobs.get(uid)
    if job is not None:
        state.jobs[uid] = job._replace(restore_at=0)
        settle_target(state, warmup, job.node_uid, event)


def _look_later(state: State, warmup: Warmup, refused: Refused, event: Event) -> None:
    warmup.resolve_refusals += 1
    warmup.resolve_words = refused.words
    warmup.resolve_at = event.at + retry_seconds(warmup.resolve_refusals) * SECOND
    arm(state, warmup.resolve_at, warmup.subject.uid, "resolve")


def _close_create(state: State, warmup: Warmup, intent: CreateJob, event: Event) -> None:
    """A create was answered: its slot is free, unless a Job or a Pod holds it."""
    warmup.creating.pop(intent.node_uid, None)
    refresh_slot(state, warmup, intent.node_uid)
    settle_target(state, warmup, intent.node_uid, event)


def _created(
    state: State, warmup: Warmup, opened: OpenIntent, intent: CreateJob, done: Done, event: Event
) -> None:
    buried = done.uid in state.clusters[opened.cluster].buried
    shown = state.jobs.get(done.uid)
    estranged = shown is not None and owner(state, shown) is not warmup
    if done.found and (buried or estranged):
        # It exists, and no watch shows it as ours: somebody took its labels off. Or it was found,
        # and went before the answer came: then another look finds nothing.
        if not estranged and _look_again(state, warmup, intent, event):
            return
        words = f"Job {intent.job_name} exists, but is not labelled as this ModelWarmup's any more"
        refused = Refused(0, "JobNameConflict", words)
        _create_refused(state, warmup, intent, refused, event)
        return
    if done.uid and done.uid not in state.jobs and not buried:
        job = Job(
            done.uid, opened.cluster, intent.namespace, intent.job_name,
            intent.warmup_uid, intent.node_uid,
        )  # fmt: skip
        track_job(state, job, event)
    _close_create(state, warmup, intent, event)


def _look_again(state: State, warmup: Warmup, intent: CreateJob, event: Event) -> bool:
    """Have a Job asked for once more before anything is said of the one that holds its name."""
    target = warmup.targets.get(intent.node_uid)
    if target is None or target.refusals or target.state is not NodeJobState.PENDING:
        return False
    _close_create(state, warmup, intent, event)
    due = event.at + retry_seconds(1) * SECOND
    arm(state, due, warmup.subject.uid, f"retry:{target.key}")
    target = warmup.targets[target.key]._replace(refusals=1, retry_at=due)
    put_target(state, warmup, described(state, warmup, target), event)
    return True


def _create_refused(
    state: State, warmup: Warmup, intent: CreateJob, refused: Refused, event: Event
) -> None:
    if refused.terminating:
        block(state, warmup, refused.words, event)
    _close_create(state, warmup, intent, event)
    target = warmup.targets.get(intent.node_uid)
    closed = warmup.gone or warmup.state in TERMINAL or refused.terminating
    if closed or target is None or target.state is not NodeJobState.PENDING:
        return
    if refused.reason == "NameTaken" and target.salt + 1 < SALTS:
        put_target(state, warmup, target._replace(salt=target.salt + 1), event)
        return
    reason = CONFLICT if refused.reason in _CONFLICTS else "JobCreateRejected"
    words = Words(reason, refused.words)
    if is_permanent(refused) or _waited_out(warmup, target, reason, event):
        refused_for_good = target._replace(refusal=words)
        trigger = NodeJobTrigger.REFUSED_FOR_GOOD
        fail_target(state, warmup, refused_for_good, trigger, words, event)
        return
    _retry_later(state, warmup, target, words, event)


CONFLICT = "JobNameConflict"
_CONFLICTS = (CONFLICT, "NameTaken")


def _retry_later(state: State, warmup: Warmup, target: Target, words: Words, event: Event) -> None:
    refusals = target.refusals + 1
    deadline = _conflict_deadline(warmup, target, words.reason, event)
    due = event.at + retry_seconds(refusals) * SECOND
    if not deadline:  # a conflict has an end of its own, and is looked at until then
        due = try_again_at(warmup, refusals, event.at)
    target = target._replace(refusal=words, refusals=refusals, retry_at=due, deadline=deadline)
    arm(state, due, warmup.subject.uid, f"retry:{target.key}")
    put_target(state, warmup, described(state, warmup, target), event)


def block(state: State, warmup: Warmup, words: str, event: Event) -> None:
    """Nothing can be created in the warmup's namespace ("" when it can again)."""
    if warmup.blocked == words or warmup.state in TERMINAL:
        return
    warmup.blocked = words
    touch(state, warmup)
    for key in list(warmup.targets):
        describe_again(state, warmup, key, event)


def is_permanent(refused: Refused) -> bool:
    """Say whether the API server can never accept what it has refused like this."""
    # A webhook that denies without a code of its own is answered as 400: it may be mended.
    if _WEBHOOK.search(refused.words):
        return False
    return refused.code in PERMANENT_CODES or (refused.code == INVALID and refused.field)


def _waited_out(warmup: Warmup, target: Target, reason: str, event: Event) -> bool:
    """A foreign Job under the wanted name is waited for as long as an absent node is."""
    deadline = _conflict_deadline(warmup, target, reason, event)
    return reason == CONFLICT and deadline <= event.at


def _conflict_deadline(warmup: Warmup, target: Target, reason: str, event: Event) -> int:
    """Give when a name conflict fails its target, counted from its first refusal; else 0."""
    if reason != CONFLICT:
        return 0
    if target.refusal.reason == CONFLICT:
        return target.deadline
    return (warmup.suspended_at or event.at) + wait_seconds(warmup) * SECOND


def _job_refused(state: State, warmup: Warmup, intent: DeleteJob | StampTtl, event: Event) -> None:
    _undo(state, intent)
    job = state.jobs.get(intent.job_uid)
    if job is None or owner(state, job) is not warmup:
        return
    refusals = job.refusals + 1
    due = event.at + retry_seconds(refusals) * SECOND
    disarm(state, job.retry_at, intent.warmup_uid, f"job:{intent.job_uid}")
    _update_job(state, intent.job_uid, retry_at=due, refusals=refusals)
    arm(state, due, intent.warmup_uid, f"job:{intent.job_uid}")
    settle_target(state, warmup, job.node_uid, event)


def _undo(state: State, intent: DeleteJob | StampTtl | RestoreJob) -> None:
    if isinstance(intent, DeleteJob):
        _update_job(state, intent.job_uid, deleting=0)
    elif isinstance(intent, RestoreJob):
        fold_restoring(state, intent, 0)
    else:
        _update_job(state, intent.job_uid, stamped=False)


def _update_job(state: State, uid: str, **changes: object) -> None:
    job = state.jobs.get(uid)
    if job is not None:
        state.jobs[uid] = job._replace(**changes)  # type: ignore[arg-type]  # names checked by Job
