"""Conditions: what a person or a script can wait for, each with its reason and words."""

from typing import Any

from engine.instants import rfc3339
from machines.messages import cause_text, cut
from machines.node_jobs import NodeJobState
from machines.selecting import demanded_names
from machines.states import State, Target, Warmup, Words
from machines.warmups import TERMINAL, WarmupState

INACTIVE = "NotActive"
NAMED_IN_MESSAGE = 3
# Words of targets on their way: nothing for a person to do, so never the first cause.
ON_THE_WAY = frozenset({"", "WaitingForSlot", "JobRunning", "PodsTerminating"})


def conditions(state: State, warmup: Warmup, length: int) -> list[dict[str, Any]]:
    """Give every condition of one ModelWarmup, in a fixed order."""
    ended = warmup.state in TERMINAL
    failed = warmup.state in (WarmupState.FAILED, WarmupState.DEGRADED)
    end_words = _end_words(warmup)
    rows = [
        _row("Complete", warmup.state is WarmupState.READY, end_words),
        _row("Progressing", not ended, _progress_words(state, warmup)),
        _row("Degraded", failed, end_words),
        _row("Failed", failed, end_words),
        _row("Finished", ended, end_words),
    ]
    since = _ended_time(warmup) if ended else rfc3339(warmup.started_at)
    shown = [_condition(warmup, row, since, length) for row in rows]
    shown.append(_valid(warmup, length))
    if warmup.refused_at:
        shown.append(_jobs_created(warmup, length))
    return shown


def first_cause(warmup: Warmup) -> Target | None:
    """Give the first listed target that has something to say to a person."""
    for _, _, key in warmup.listed[:64]:
        target = warmup.targets[key]
        if target.words.reason not in ON_THE_WAY:
            return target
    return None


def _row(kind: str, active: bool, words: Words) -> tuple[str, bool, Words]:  # noqa: FBT001 -- a row
    return kind, active, words if active else Words(INACTIVE, "")


def _condition(
    warmup: Warmup, row: tuple[str, bool, Words], since: str, length: int
) -> dict[str, Any]:
    kind, active, words = row
    return {
        "type": kind,
        "status": "True" if active else "False",
        "reason": words.reason,
        "message": cut(words.message, length),
        "lastTransitionTime": since,
        "observedGeneration": warmup.level.generation,
    }


def _ended_time(warmup: Warmup) -> str:
    past = warmup.recovered
    return past.completed_at if past and past.completed_at else rfc3339(warmup.completed_at)


def _end_words(warmup: Warmup) -> Words:
    if warmup.faults:
        more = len(warmup.faults) - 1
        also = f" (and {more} more)" if more else ""
        return Words("InvalidSpec", f"{warmup.faults[0]}{also}")
    past, count = warmup.recovered, warmup.counts.get
    ready = past.succeeded if past else count(NodeJobState.READY.value, 0)
    failed = past.failed if past else count(NodeJobState.FAILED.value, 0)
    if warmup.state is WarmupState.READY:
        custom = bool(warmup.spec and warmup.spec.custom)
        reason = "WarmupSucceeded" if custom else "ImagePreloadSucceeded"
        return Words(reason, f"{_nodes(ready)} succeeded")
    if warmup.overflowed:
        return Words("TargetLimitExceeded", "more than 1000 nodes are selected or named")
    cause = first_cause(warmup)
    first = f"; first {cause.node_name}: {cause_text(cause.words)}" if cause else ""
    return Words("NodeFailed", f"{failed} of {_nodes(ready + failed)} failed{first}")


def _progress_words(state: State, warmup: Warmup) -> Words:
    count = warmup.counts.get
    if warmup.blocked:
        return Words("NamespaceUnavailable", warmup.blocked)
    if warmup.state is WarmupState.PENDING:
        waiting = count("waiting", 0)
        if waiting:
            names = ", ".join(_waiting_names(warmup))
            more = f" and {waiting - NAMED_IN_MESSAGE} more" if waiting > NAMED_IN_MESSAGE else ""
            return Words("WaitingForTargets", f"waits for {_nodes(waiting)}: {names}{more}")
        return Words("NoTargetsResolved", _nothing_resolved(warmup))
    ready, failed = count(NodeJobState.READY.value, 0), count(NodeJobState.FAILED.value, 0)
    active = count(NodeJobState.HYDRATING.value, 0)
    queued = count("startable", 0) + count("waiting", 0)
    text = f"{ready} succeeded, {failed} failed, {active} running, {queued} waiting"
    cause = first_cause(warmup)
    if cause is not None:
        text += f"; first {cause.node_name}: {cause_text(cause.words)}"
    return Words("JobsRunning", text)


def _waiting_names(warmup: Warmup) -> list[str]:
    waiting = [warmup.targets[key] for _, _, key in warmup.listed if key.startswith("name:")]
    return [f"{t.node_name} ({t.words.reason})" for t in waiting[:NAMED_IN_MESSAGE]]


def _nothing_resolved(warmup: Warmup) -> str:
    if warmup.spec is not None and demanded_names(warmup.spec.targets):
        text = "no named node is a target any more"
    else:
        text = "no node matches spec.targets"
    if warmup.skipped:
        text += f"; {_nodes(len(warmup.skipped))} matched outside the boundary (pool, opt-in)"
    return text


def _valid(warmup: Warmup, length: int) -> dict[str, Any]:
    if warmup.faults:
        words = Words("InvalidSpec", "; ".join(str(fault) for fault in warmup.faults))
    elif warmup.spec_changed:
        words = Words(
            "SpecChanged", "spec was edited: it is immutable and the edit is not acted on"
        )
    elif warmup.spec and warmup.spec.capped:
        words = Words("PolicyCapped", "; ".join(warmup.spec.capped))
    else:
        words = Words("SpecAccepted", "")
    row = ("Valid", not warmup.faults and not warmup.spec_changed, words)
    return _condition(warmup, row, rfc3339(warmup.started_at), length)


def _jobs_created(warmup: Warmup, length: int) -> dict[str, Any]:
    words = Words("JobsCreated", "")
    if warmup.refused:
        refused = sorted(
            (warmup.targets[key].node_name, key) for key in warmup.refused if key in warmup.targets
        )
        text = f"the API server refuses the Jobs of {_nodes(len(refused))}"
        shown = {key for _, _, key in warmup.listed[:256]}
        for name, key in refused:
            if key in shown:
                target = warmup.targets[key]
                words = target.refusal if target.refusal.reason else target.words
                text += f"; first {name}: {words.message}"
                break
        words = Words("JobCreateRejected", text)
    row = ("JobsCreated", not warmup.refused, words)
    return _condition(warmup, row, rfc3339(warmup.refused_at), length)


def _nodes(count: int) -> str:
    return f"{count} node" if count == 1 else f"{count} nodes"
