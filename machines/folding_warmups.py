"""Folding facts about ModelWarmups, and the joint rules that give their phase."""

from typing import Any

from engine.canonical_json import dumps, loads
from engine.events import Event, Subject
from engine.joint_rules import settle
from machines.folding_jobs import adopt_outcomes
from machines.indexing import refresh_slot
from machines.levels import WarmupLevel
from machines.moving import settle_target
from machines.node_jobs import NodeJobState
from machines.phases import WARMUP_STATE_BY_PHASE
from machines.reviewing import review_warmup
from machines.revisions import revision
from machines.specs import Fault, parse
from machines.states import Recovered, State, Warmup
from machines.warmups import TERMINAL, WARMUP_RULES, WARMUPS, Children


def fold_warmup(state: State, event: Event, subject: Subject, level: WarmupLevel) -> None:
    """A ModelWarmup is at this level."""
    warmup = state.warmups.get(subject.uid)
    if warmup is None:
        _begin(state, event, subject, level)
        return
    old, warmup.level = warmup.level, level
    if old.generation != level.generation:
        warmup.position = event.seq
    if old.spec != level.spec and not warmup.spec_changed:
        warmup.spec_changed = True
        warmup.position = event.seq
    state.touched[subject.uid] = True


def fold_warmup_gone(state: State, event: Event, uid: str) -> None:
    """A ModelWarmup is gone: nothing is wanted any more, and unfinished Jobs have to go."""
    warmup = state.warmups.get(uid)
    if warmup is None:
        return
    warmup.gone = True
    state.timers = [timer for timer in state.timers if timer[1] != uid]
    for key in list(warmup.jobs):
        settle_target(state, warmup, key, event)
    state.touched[uid] = True


def fold_recovered(state: State, event: Event, uid: str, data: dict[str, Any]) -> None:
    """The object's status tells of a past that this log does not hold.

    A terminal phase is kept: what ended never runs again. Of an unfinished one only the Jobs
    speak, and they are still there.
    """
    warmup = state.warmups.get(uid)
    phase = WARMUP_STATE_BY_PHASE.get(data.get("phase", ""))
    if warmup is None or phase not in TERMINAL:
        return
    warmup.recovered = Recovered(
        started_at=data.get("startTime", ""),
        completed_at=data.get("completionTime", ""),
        desired=data.get("desiredNodes", 0),
        succeeded=data.get("succeededNodes", 0),
        failed=data.get("failedNodes", 0),
        skipped=data.get("skippedNodes", 0),
        revision=data.get("observedRevision", ""),
        omitted=data.get("omittedTargetDetails", 0),
        targets=dumps(data.get("targets", [])),
    )
    warmup.state = phase or warmup.state
    warmup.completed_at = event.at
    warmup.position = event.seq
    end(state, warmup, event)


def settle_warmups(state: State, event: Event) -> None:
    """Apply the joint rules to every warmup that this event touched, and have it decided anew."""
    for uid in state.touched:
        warmup = state.warmups.get(uid)
        if warmup is None:
            continue
        moved = settle(WARMUPS, WARMUP_RULES, warmup.state, children(warmup))
        warmup.confirmed = False
        if moved is not warmup.state:
            warmup.state = moved
            warmup.position = event.seq
            if moved in TERMINAL:
                warmup.completed_at = event.at
                end(state, warmup, event)
        state.dirty[uid] = event.seq
        _forget(state, warmup)
    state.touched.clear()


def children(warmup: Warmup) -> Children:
    """Give what the joint rules look at."""
    count = warmup.counts.get
    settled = warmup.resolved_once
    too_many_at_first = warmup.overflowed and not (warmup.jobs or _outcomes(warmup))
    return Children(
        waiting=count("waiting", 0),
        startable=count("startable", 0),
        hydrating=count(NodeJobState.HYDRATING.value, 0),
        ready=count(NodeJobState.READY.value, 0),
        failed=count(NodeJobState.FAILED.value, 0),
        confirmed=warmup.confirmed and settled,
        refused=bool(warmup.faults) or (too_many_at_first and settled and not warmup.creating),
        overflowed=warmup.overflowed,
    )


def end(state: State, warmup: Warmup, event: Event) -> None:
    """A warmup has ended: what still runs has to go, nothing is waited for."""
    state.timers = [timer for timer in state.timers if timer[1] != warmup.subject.uid]
    for key in list(warmup.jobs):
        settle_target(state, warmup, key, event)


def _outcomes(warmup: Warmup) -> int:
    ready = warmup.counts.get(NodeJobState.READY.value, 0)
    return ready + warmup.counts.get(NodeJobState.FAILED.value, 0)


def _begin(state: State, event: Event, subject: Subject, level: WarmupLevel) -> None:
    parsed = parse(_loads(level.spec))
    warmup = Warmup(
        cluster=event.cluster,
        subject=subject,
        level=level,
        spec=parsed.spec,
        faults=parsed.faults,
        revision=revision(parsed.spec) if parsed.spec else "",
        started_at=event.at,
        position=event.seq,
    )
    state.warmups[subject.uid] = warmup
    for job in state.jobs.values():
        if job.warmup_uid == subject.uid:
            warmup.jobs[job.node_uid] = (*warmup.jobs.get(job.node_uid, ()), job.uid)
    for key in list(warmup.jobs):
        refresh_slot(state, warmup, key)
        settle_target(state, warmup, key, event)
    review_warmup(state, warmup, event)
    if state.clusters[warmup.cluster].is_synced:
        adopt_outcomes(state, warmup, event)
    state.touched[subject.uid] = True


def _loads(text: str) -> Any:
    try:
        return loads(text)
    except ValueError:
        return None


def _forget(state: State, warmup: Warmup) -> None:
    """Drop the record of a deleted warmup once nothing of it is left to look after."""
    uid = warmup.subject.uid
    if (
        warmup.gone
        and not warmup.jobs
        and all(opened.intent.warmup_uid != uid for opened in state.open.values())
    ):
        del state.warmups[uid]
        state.dirty.pop(uid, None)


def spec_fault(warmup: Warmup) -> Fault | None:
    """Give the first reason why the spec is not acted on, if there is one."""
    return warmup.faults[0] if warmup.faults else None
