"""What must hold of warmups whatever happens: each a sentence and a predicate over the state.

`ALWAYS` holds of every state. `BETWEEN` holds of a state and the one that an event made of it.
`DECIDED` holds of every decision and the state in which it was made.
"""

from collections.abc import Callable, Iterator

from engine.events import Event
from machines.deciding import still_wanted
from machines.intents import CreateJob, DeleteJob, Resolve, RestoreJob, StampTtl, WarmupIntent
from machines.levels import NodeLevel
from machines.node_jobs import NODE_JOBS, OUTCOMES, UNFINISHED, NodeJobState, NodeJobTrigger
from machines.reviewing import pool_of
from machines.selecting import refusal, wanted
from machines.states import State, Warmup
from machines.warmups import TERMINAL, WarmupState
from property_tests import recomputing


def indexes_agree(state: State) -> bool:
    """Every index of every warmup is what a computation from scratch gives."""
    return not list(disagreements(state))


def disagreements(state: State) -> Iterator[str]:
    """Say which index of which warmup is wrong, and how."""
    for uid, warmup in state.warmups.items():
        for name, (kept, right) in recomputing.indexes(state, warmup).items():
            if kept != right:
                yield f"{uid}: {name} is {kept}, must be {right}"


def everything_waited_for_has_its_timer(state: State) -> bool:
    """Whoever waits for an instant is woken at it, and nobody else is."""
    return set(state.timers) == recomputing.timers(state)


def who_is_not_watched_is_read(state: State) -> bool:
    """The Pods that no watch shows are read while their Job, or one of them, may be at work."""
    return set(state.unwatched) == recomputing.unwatched(state)


def timers_are_sorted(state: State) -> bool:
    """The deadlines stand in order, so that the next one is the first."""
    return state.timers == sorted(state.timers)


def words_are_true(state: State) -> bool:
    """Every target without an outcome says what it waits for now, while its warmup goes on."""
    return not any(
        recomputing.undescribed(state, warmup)
        for warmup in state.warmups.values()
        if warmup.state not in TERMINAL and not warmup.gone
    )


def who_waits_says_so(state: State) -> bool:
    """No target that is not done is without a reason and, unless its Job runs, a message."""
    return all(
        target.words.reason and (target.words.message or target.words.reason == "JobRunning")
        for warmup in state.warmups.values()
        for target in warmup.targets.values()
        if target.state in (NodeJobState.PENDING, NodeJobState.FAILED)
    )


def phases_follow_from_counts(state: State) -> bool:
    """A warmup goes on exactly while it has something to do, or waits for it."""
    for warmup in state.warmups.values():
        kinds = recomputing.counts(warmup)
        moving = set(kinds) - {"waiting", NodeJobState.WITHDRAWN.value}
        if warmup.state is WarmupState.PENDING and moving:
            return False
        if warmup.state is WarmupState.HYDRATING and not moving:
            return False
    return True


def ended_well_means_all_ready(state: State) -> bool:
    """A warmup that is Ready in this log has no target that is not, except withdrawn ones."""
    return all(
        set(recomputing.counts(warmup)) <= {NodeJobState.READY.value, NodeJobState.WITHDRAWN.value}
        for warmup in state.warmups.values()
        if warmup.state is WarmupState.READY and warmup.recovered is None
    )


def what_is_gone_is_forgotten(state: State) -> bool:
    """A deleted warmup is kept only while a Job or an open intent of its own is left, or the list
    that lacked it is doubted.
    """
    return all(
        warmup.jobs or warmup.missed or any(one.owner.uid == uid for one in state.open.values())
        for uid, warmup in state.warmups.items()
        if warmup.gone
    )


def what_is_ignored_is_illegal(state: State) -> bool:
    """A trigger noted as ignored led nowhere, said what was not so already, and is noted once."""
    return all(
        len({note[2:] for note in warmup.ignored}) == len(warmup.ignored)
        and all(
            NODE_JOBS.next(NodeJobState(note.state), NodeJobTrigger(note.trigger)) is None
            and (note.trigger, note.state) not in _SAID_ALREADY
            for note in warmup.ignored
        )
        for warmup in state.warmups.values()
    )


_SAID_ALREADY = {("job_found", "Hydrating"), ("job_completed", "Ready"), ("job_failed", "Failed")}


def what_is_right_is_still_sent(state: State) -> bool:
    """A create or delete whose turn comes is sent as long as it is right, and no longer."""
    return all(
        still_wanted(state, seq) == _is_right(state, opened.intent)
        for seq, opened in state.open.items()
        if isinstance(opened.intent, CreateJob | DeleteJob)
    )


def _is_right(state: State, intent: CreateJob | DeleteJob) -> bool:
    warmup = state.warmups.get(intent.warmup_uid)
    if warmup is None:
        return False
    target = warmup.targets.get(intent.node_uid)
    is_over = warmup.gone or warmup.state in TERMINAL
    if isinstance(intent, CreateJob):
        is_held = is_over or warmup.level.deleting or warmup.blocked or warmup.suspended_at
        return not is_held and target is not None and target.state is NodeJobState.PENDING
    jobs = [state.jobs[uid] for uid in warmup.jobs.get(intent.node_uid, ())]
    at_work = [job.uid for job in jobs if job.unfinished]
    is_kept = not is_over and target is not None and target.state in UNFINISHED
    kept = at_work[:1] if is_kept else []
    job = state.jobs.get(intent.job_uid)
    return job is not None and job.unfinished and job.uid not in kept


ALWAYS: tuple[Callable[[State], bool], ...] = (
    what_is_right_is_still_sent,
    what_is_ignored_is_illegal,
    indexes_agree,
    everything_waited_for_has_its_timer,
    timers_are_sorted,
    who_is_not_watched_is_read,
    words_are_true,
    who_waits_says_so,
    phases_follow_from_counts,
    ended_well_means_all_ready,
    what_is_gone_is_forgotten,
)


def the_end_sticks(before: State, event: Event, after: State) -> bool:
    """A warmup that ended stays as it ended; only its own status may tell another end."""
    return event.type == "Recovered" or all(
        uid not in after.warmups or after.warmups[uid].state is old.state
        for uid, old in before.warmups.items()
        if old.state in TERMINAL
    )


def outcomes_stick(before: State, event: Event, after: State) -> bool:
    """A node's outcome, and the words that go with it, stay as they are."""
    for uid, old in before.warmups.items():
        new = after.warmups.get(uid)
        if new is None:
            continue
        for key, target in old.targets.items():
            if target.state not in OUTCOMES:
                continue
            left = new.targets.get(key)
            if left is None or (left.state, left.words) != (target.state, target.words):
                return False
    return True


def nothing_moves_after_the_end(before: State, event: Event, after: State) -> bool:
    """No target of a warmup that ended changes at all."""
    return all(
        uid not in after.warmups or after.warmups[uid].targets == old.targets
        for uid, old in before.warmups.items()
        if old.state in TERMINAL
    )


def only_a_fresh_look_ends(before: State, event: Event, after: State) -> bool:
    """A warmup ends when a fresh look found nothing new, by its own spec, or by its own status."""
    for uid, new in after.warmups.items():
        old = before.warmups.get(uid)
        if new.state not in TERMINAL or (old is not None and old.state in TERMINAL):
            continue
        if not (new.faults or new.oversized or event.type in {"Recovered", "IntentDone"}):
            return False
    return True


def positions_never_go_back(before: State, event: Event, after: State) -> bool:
    """A status's position grows, and is that of an event that was folded."""
    return all(
        before.warmups[uid].position <= warmup.position <= event.seq
        for uid, warmup in after.warmups.items()
        if uid in before.warmups
    )


BETWEEN: tuple[Callable[[State, Event, State], bool], ...] = (
    the_end_sticks,
    outcomes_stick,
    nothing_moves_after_the_end,
    only_a_fresh_look_ends,
    positions_never_go_back,
)


def decided_on_what_is_known(state: State, intent: WarmupIntent) -> bool:
    """Nothing is decided about a cluster that was not listed whole, or does not answer."""
    return state.clusters[state.warmups[intent.warmup_uid].cluster].is_known


def created_within_the_limit(state: State, intent: WarmupIntent) -> bool:
    """No Job is created when as many nodes as may already hold a slot."""
    if not isinstance(intent, CreateJob):
        return True
    warmup = state.warmups[intent.warmup_uid]
    held = recomputing.slots(state, warmup)
    limit = warmup.spec.parallelism if warmup.spec else 0
    return len(held) < limit and intent.node_uid not in held


def created_within_the_boundary(state: State, intent: WarmupIntent) -> bool:
    """A Job is created only for a node that exists, is asked for, and may be warmed."""
    if not isinstance(intent, CreateJob):
        return True
    warmup = state.warmups[intent.warmup_uid]
    cluster = state.clusters[warmup.cluster]
    known = cluster.objects["Node"].get(intent.node_uid)
    if known is None or not isinstance(known.level, NodeLevel) or warmup.spec is None:
        return False
    labels = dict(known.level.labels)
    asked = wanted(warmup.spec.targets, known.subject.name, labels)
    return bool(asked) and not refusal(labels, pool_of(cluster, warmup))


def created_once(state: State, intent: WarmupIntent) -> bool:
    """No Job is created for a node that has an outcome, nor for a warmup that ended or is going."""
    if not isinstance(intent, CreateJob):
        return True
    warmup = state.warmups[intent.warmup_uid]
    target = warmup.targets[intent.node_uid]
    going_on = not warmup.gone and not warmup.level.deleting and warmup.state not in TERMINAL
    return going_on and not warmup.blocked and target.state is NodeJobState.PENDING


def deleted_only_what_is_ours(state: State, intent: WarmupIntent) -> bool:
    """Only a Job that the warmup controls, has not ended, and is wanted by nobody is deleted."""
    if not isinstance(intent, DeleteJob):
        return True
    warmup, job = state.warmups[intent.warmup_uid], state.jobs[intent.job_uid]
    mine = job in recomputing.jobs_of(state, warmup)
    return mine and job.unfinished and job.uid in recomputing.unwanted(state, warmup)


def cleaned_up_after_the_status(state: State, intent: WarmupIntent) -> bool:
    """After the end no Job is touched before the terminal status is stored."""
    warmup = state.warmups[intent.warmup_uid]
    if isinstance(intent, StampTtl):
        return warmup.state in TERMINAL and warmup.stored and not warmup.gone
    ended = warmup.state in TERMINAL and not warmup.gone
    return not (isinstance(intent, DeleteJob) and ended and not warmup.stored)


def restored_only_what_is_ours(state: State, intent: WarmupIntent) -> bool:
    """Marks are put back onto a Job that lacks them and that nobody else controls."""
    if not isinstance(intent, RestoreJob):
        return True
    warmup, job = state.warmups[intent.warmup_uid], state.jobs[intent.job_uid]
    controller = job.level.controller_uid if job.level else ""
    going_on = not warmup.gone and not warmup.level.deleting and warmup.state not in TERMINAL
    lacking = job.uid in recomputing.unmarked(state, warmup)
    return going_on and lacking and controller in {"", intent.warmup_uid}


def looked_once_more_when_all_ended(state: State, intent: WarmupIntent) -> bool:
    """The last look is taken when every target has ended, and never two at a time."""
    if not isinstance(intent, Resolve):
        return True
    warmup = state.warmups[intent.warmup_uid]
    return not _unfinished(warmup) and not warmup.resolving and warmup.state not in TERMINAL


def _unfinished(warmup: Warmup) -> list[str]:
    return [
        key
        for key, target in warmup.targets.items()
        if target.state in (NodeJobState.PENDING, NodeJobState.HYDRATING)
    ]


DECIDED: tuple[Callable[[State, WarmupIntent], bool], ...] = (
    decided_on_what_is_known,
    created_within_the_limit,
    created_within_the_boundary,
    created_once,
    deleted_only_what_is_ours,
    cleaned_up_after_the_status,
    restored_only_what_is_ours,
    looked_once_more_when_all_ended,
)
