"""Folding facts about ModelWarmups, and the joint rules that give their phase."""

from typing import Any

from engine.canonical_json import loads_or_none
from engine.events import Event, Subject
from machines.annotations import is_suspended, wait_seconds
from machines.folding_jobs import adopt_outcomes, claim_jobs, release_orphans
from machines.folding_pods import recall_pods
from machines.indexing import arm, put_target, refresh_slot, touch
from machines.levels import WarmupLevel
from machines.moving import settle_target
from machines.node_jobs import UNFINISHED, NodeJobState
from machines.phases import WARMUP_STATE_BY_PHASE
from machines.recovering import recovered_of
from machines.reviewing import namespace_trouble, review_warmup
from machines.revisions import revision
from machines.showing import details_changed, face
from machines.specs import parse
from machines.states import State, Warmup, Words
from machines.suspending import follow_suspension
from machines.waiting import follow_patience
from machines.warmups import TERMINAL, WARMUPS_JOINTLY, Children


def fold_warmup(state: State, event: Event, subject: Subject, level: WarmupLevel) -> None:
    """A ModelWarmup is at this level."""
    warmup = state.warmups.get(subject.uid)
    if warmup is None:
        _begin(state, event, subject, level)
        return
    waited_seconds = wait_seconds(warmup)
    warmup.level = level
    changed = level.spec != warmup.spec_text
    if changed is not warmup.spec_changed:
        warmup.spec_changed, warmup.spec_changed_at = changed, event.at
    follow_patience(state, warmup, waited_seconds, event)
    follow_suspension(state, warmup, event)
    if warmup.gone:
        _revive(state, warmup, event)
    if level.deleting:
        release_orphans(state, warmup, event)
    touch(state, warmup)


def fold_warmup_gone(state: State, event: Event, uid: str, *, doubtful: bool) -> None:
    """A ModelWarmup is gone: nothing is wanted any more, and unfinished Jobs have to go.

    Where that is `doubtful`, as its server may only lag, what it has come to is remembered.
    """
    warmup = state.warmups.get(uid)
    if warmup is None:
        return
    warmup.gone = True
    warmup.missed = int(doubtful)
    stop_waiting(state, warmup)
    release_orphans(state, warmup, event)
    for key in list(warmup.jobs):
        settle_target(state, warmup, key, event)
    touch(state, warmup)


def fold_another_session(state: State) -> None:
    """What a doubtful list lacked has to be in the lists of this session, or is gone."""
    for warmup in state.warmups.values():
        warmup.missed = 2 if warmup.missed else 0


def fold_warmups_listed(state: State, cluster: str) -> None:
    """What another session did not list either, after a doubtful list, is gone for good."""
    for warmup in state.warmups.values():
        if warmup.cluster == cluster and warmup.missed > 1:
            warmup.missed = 0
            touch(state, warmup)


def fold_recovered(state: State, event: Event, uid: str, data: dict[str, Any]) -> None:
    """The object's status tells of a past that this log does not hold.

    A terminal phase is kept: what ended never runs again. Of an unfinished one only the Jobs
    speak, and they are still there.
    """
    warmup = state.warmups.get(uid)
    phase = WARMUP_STATE_BY_PHASE.get(data["phase"])
    if warmup is None or phase is None or phase not in TERMINAL:
        return
    if warmup.state in TERMINAL and not warmup.faults:
        return  # this log knows how it ended; a refused spec is no end that was ever worked for
    warmup.recovered = recovered_of(data)
    warmup.state = phase
    warmup.completed_at = event.at
    end(state, warmup, event)


def settle_warmups(state: State, event: Event) -> None:
    """Apply the joint rules to every warmup that this event touched, and have it decided anew."""
    for uid, before in state.touched.items():
        warmup = state.warmups.get(uid)
        if warmup is None:
            continue
        moved = WARMUPS_JOINTLY.settle(warmup.state, children(warmup))
        warmup.confirmed = False
        if moved is not warmup.state:
            if moved in TERMINAL:
                _leave_undone(state, warmup, event)
            warmup.state = moved
            if moved in TERMINAL:
                warmup.completed_at = event.at
                end(state, warmup, event)
        shown = face(warmup)
        if shown != warmup.face or details_changed(warmup, before):
            warmup.face = shown
            warmup.position = event.seq
        state.dirty[uid] = event.seq
        _follow_run(state, warmup)
        _forget(state, warmup)
    state.touched.clear()


def children(warmup: Warmup) -> Children:
    """Give what the joint rules look at."""
    count = warmup.counts.get
    return Children(
        waiting=count("waiting", 0),
        startable=count("startable", 0),
        hydrating=count(NodeJobState.HYDRATING, 0),
        ready=count(NodeJobState.READY, 0),
        failed=count(NodeJobState.FAILED, 0),
        confirmed=warmup.confirmed and warmup.resolved_once,
        refused=bool(warmup.faults) or warmup.oversized,
        overflowed=warmup.overflowed,
    )


def end(state: State, warmup: Warmup, event: Event) -> None:
    """A warmup has ended: what still runs has to go, nothing is waited for."""
    stop_waiting(state, warmup)
    for key in list(warmup.jobs):
        settle_target(state, warmup, key, event)
    touch(state, warmup)


def stop_waiting(state: State, warmup: Warmup) -> None:
    """Take back every deadline of a warmup but those of refused deletes and stamps."""
    uid = warmup.subject.uid
    state.timers = [
        timer
        for timer in state.timers
        if timer[1] != uid or timer[2].startswith(("job:", "marks:"))
    ]


def _revive(state: State, warmup: Warmup, event: Event) -> None:
    """It was not gone: a cluster that was rolled back, or lagged, shows it again.

    Its outcomes were kept with its Jobs, and what it waited for is waited for again.
    """
    warmup.gone, warmup.missed = False, 0
    uid = warmup.subject.uid
    if warmup.state not in TERMINAL:
        if warmup.resolve_at:
            arm(state, warmup.resolve_at, uid, "resolve")
        for key, target in warmup.targets.items():
            waits = target.waiting.reason and not warmup.suspended_at
            if waits and target.state in UNFINISHED:
                arm(state, target.deadline, uid, f"wait:{key}")
            if target.retry_at:
                arm(state, target.retry_at, uid, f"retry:{key}")
    for key in list(warmup.jobs):
        settle_target(state, warmup, key, event)
    review_warmup(state, warmup, event)
    if state.clusters[warmup.cluster].is_synced:
        adopt_outcomes(state, warmup, event)


def _leave_undone(state: State, warmup: Warmup, event: Event) -> None:
    """Say of every target without an outcome that it will never have one.

    Only a warmup that wants too many nodes from the start ends with such targets.
    """
    words = Words("TargetLimitExceeded", "the ModelWarmup ended before a Job was made for it")
    for target in list(warmup.targets.values()):
        if target.state in UNFINISHED:
            put_target(state, warmup, target._replace(words=words), event)


def _begin(state: State, event: Event, subject: Subject, level: WarmupLevel) -> None:
    parsed = parse(loads_or_none(level.spec))
    warmup = Warmup(
        cluster=event.cluster,
        subject=subject,
        level=level,
        spec=parsed.spec,
        spec_text=level.spec,
        faults=parsed.faults,
        revision=revision(parsed.spec) if parsed.spec else "",
        started_at=event.at,
        blocked=namespace_trouble(state.clusters[event.cluster], subject.namespace),
        suspended_at=event.at if is_suspended(level.annotations) else 0,
    )
    state.warmups[subject.uid] = warmup
    claim_jobs(state, warmup, event)
    for key in list(warmup.jobs):
        refresh_slot(state, warmup, key)
        settle_target(state, warmup, key, event)
    review_warmup(state, warmup, event)
    cluster = state.clusters[warmup.cluster]
    if cluster.is_synced:
        adopt_outcomes(state, warmup, event)
        recall_pods(state, cluster, event)
    touch(state, warmup)


def _follow_run(state: State, warmup: Warmup) -> None:
    """Have the nodes and namespaces of its cluster lead to a warmup for as long as it goes on."""
    running, uid = state.clusters[warmup.cluster].running, warmup.subject.uid
    if warmup.gone or warmup.state in TERMINAL:
        running.pop(uid, None)
    else:
        running[uid] = True


def _forget(state: State, warmup: Warmup) -> None:
    """Drop the record of a deleted warmup once nothing of it is left to look after."""
    uid = warmup.subject.uid
    if (
        warmup.gone
        and not warmup.missed
        and not warmup.jobs
        and all(opened.owner.uid != uid for opened in state.open.values())
    ):
        del state.warmups[uid]
        state.dirty.pop(uid, None)
        state.timers = [timer for timer in state.timers if timer[1] != uid]
