"""Conditions: what a person or a script can wait for, each with its reason and words."""

from bisect import bisect_left
from typing import Any

from engine.instants import rfc3339
from machines.annotations import ignored_annotations
from machines.causes import FAILED_CREATE
from machines.condition_rows import contested_text
from machines.indexing import FIRST_UNFINISHED
from machines.messages import cause_text, cut
from machines.node_jobs import NodeJobState
from machines.progressing import nodes, progress
from machines.showing import (
    CONDITION_BYTES,
    SHOWN_TARGETS,
    cut_to_bytes,
    share,
    shown_words,
)
from machines.spec_parts import MAX_TARGETS
from machines.states import Target, Warmup, Words
from machines.warmups import TERMINAL, WarmupState

INACTIVE = "NotActive"
NAMED_IN_MESSAGE = 3
LOOKED_AT = 64  # listed targets among which the first cause is sought
# Words of targets on their way: nothing for a person to do, so never the first cause.
ON_THE_WAY = frozenset(
    {"", "WaitingForSlot", "JobRunning", "PodsTerminating", "Suspended", "JobFinishing"}
)


def conditions(warmup: Warmup) -> list[dict[str, Any]]:
    """Give every condition of one ModelWarmup, in a fixed order."""
    ended = warmup.state in TERMINAL
    failed = warmup.state in (WarmupState.FAILED, WarmupState.DEGRADED)
    end_words = _end_words(warmup)
    began, ended_at = _times(warmup)
    rows = [
        _row("Complete", warmup.state is WarmupState.READY, end_words),
        _row("Progressing", not ended, _progress_words(warmup)),
        _row("Degraded", failed, end_words),
        _row("Failed", failed, end_words),
        _row("Finished", ended, end_words),
    ]
    # Each begins False, or True if it is Progressing, and turns once at most: at the end.
    shown = [
        _condition(warmup, row, ended_at if row[1] != (row[0] == "Progressing") else began)
        for row in rows
    ]
    shown.append(_valid(warmup, _valid_since(warmup, began)))
    if warmup.refused_at and warmup.recovered is None:
        shown.append(_jobs_created(warmup))
    if warmup.contested_at:
        shown.append(_contested(warmup))
    return shown


def first_cause(warmup: Warmup) -> Target | None:
    """Give the first listed target that has something to say to a person."""
    if warmup.recovered is not None:
        return None
    for _, _, key in warmup.listed[:LOOKED_AT]:
        target = warmup.targets[key]
        if target.words.reason not in ON_THE_WAY:
            return target
    return None


def first_trouble(warmup: Warmup) -> Target | None:
    """Give the first target without an outcome that has something to say to a person."""
    if warmup.state in TERMINAL:
        return None
    begin = bisect_left(warmup.listed, (FIRST_UNFINISHED, "", ""))
    for _, _, key in warmup.listed[begin : begin + LOOKED_AT]:
        target = warmup.targets[key]
        if target.words.reason not in ON_THE_WAY:
            return target
    return None


def _row(kind: str, active: bool, words: Words) -> tuple[str, bool, Words]:  # noqa: FBT001 -- a row
    return kind, active, words if active else Words(INACTIVE, "")


def _condition(warmup: Warmup, row: tuple[str, bool, Words], since: str) -> dict[str, Any]:
    kind, active, words = row
    return {
        "type": kind,
        "status": "True" if active else "False",
        "reason": words.reason,
        "message": cut_to_bytes(cut(words.message), CONDITION_BYTES),
        "lastTransitionTime": since,
        "observedGeneration": warmup.level.generation,
    }


def _times(warmup: Warmup) -> tuple[str, str]:
    """Give when it began and when it ended, as the server had it if that was before this log."""
    past = warmup.recovered
    began, ended = rfc3339(warmup.started_at), rfc3339(warmup.completed_at)
    if past is None:
        return began, ended
    return past.started_at or began, past.completed_at or ended


def _said(warmup: Warmup, target: Target) -> str:
    """Give the cause that a target names, as its detail shows it."""
    return cause_text(shown_words(target.words, share(len(warmup.listed))))


def _end_words(warmup: Warmup) -> Words:
    if warmup.faults and warmup.recovered is None:
        more = len(warmup.faults) - 1
        also = f" (and {more} more)" if more else ""
        return Words("InvalidSpec", f"{warmup.faults[0]}{also}")
    past, count = warmup.recovered, warmup.counts.get
    ready = past.succeeded if past else count(NodeJobState.READY.value, 0)
    failed = past.failed if past else count(NodeJobState.FAILED.value, 0)
    if warmup.state is WarmupState.READY:
        custom = bool(warmup.spec and warmup.spec.custom)
        reason = "WarmupSucceeded" if custom else "ImagePreloadSucceeded"
        return Words(reason, f"{nodes(ready)} succeeded")
    if warmup.overflowed:
        return Words("TargetLimitExceeded", f"more than {MAX_TARGETS} nodes are selected or named")
    cause = first_cause(warmup)
    first = f"; first {cause.node_name}: {_said(warmup, cause)}" if cause else ""
    return Words("NodeFailed", f"{failed} of {nodes(ready + failed)} failed{first}")


def _progress_words(warmup: Warmup) -> Words:
    """Give what the warmup as a whole waits for, and the first nodes that it is about."""
    words = progress(warmup)
    if words.reason == "WaitingForTargets":
        waiting = warmup.counts.get("waiting", 0)
        names = ", ".join(_waiting_names(warmup))
        more = f" and {waiting - NAMED_IN_MESSAGE} more" if waiting > NAMED_IN_MESSAGE else ""
        return words._replace(message=f"{words.message}: {names}{more}")
    cause = first_cause(warmup) if words.reason == "JobsRunning" else None
    if cause is None:
        return words
    first = f"; first {cause.node_name}: {_said(warmup, cause)}"
    return words._replace(message=words.message + first)


def _waiting_names(warmup: Warmup) -> list[str]:
    first = [warmup.targets[key] for _, _, key in warmup.listed[:NAMED_IN_MESSAGE]]
    return [f"{target.node_name} ({target.words.reason})" for target in first]


def _valid(warmup: Warmup, since: str) -> dict[str, Any]:
    if warmup.faults:
        words = Words("InvalidSpec", "; ".join(str(fault) for fault in warmup.faults))
    elif warmup.spec_changed:
        words = Words(
            "SpecChanged", "spec was edited: it is immutable and the edit is not acted on"
        )
    elif ignored := ignored_annotations(warmup.level.annotations):
        words = Words("AnnotationIgnored", ignored)
    elif warmup.spec and warmup.spec.capped:
        words = Words("PolicyCapped", "; ".join(warmup.spec.capped))
    else:
        words = Words("SpecAccepted", "")
    row = ("Valid", not warmup.faults and not warmup.spec_changed, words)
    return _condition(warmup, row, since)


def _valid_since(warmup: Warmup, began: str) -> str:
    """Give when Valid turned last: an edited spec turns it, and an undone edit back."""
    if warmup.spec_changed_at and not warmup.faults:
        return rfc3339(warmup.spec_changed_at)
    return began


def _jobs_created(warmup: Warmup) -> dict[str, Any]:
    words = Words("JobsCreated", "")
    if warmup.refused:
        words = _refused_words(warmup)
    row = ("JobsCreated", not warmup.refused, words)
    return _condition(warmup, row, rfc3339(warmup.refused_at))


def _contested(warmup: Warmup) -> dict[str, Any]:
    words = Words(INACTIVE, "")
    if warmup.contested_by:
        words = Words("StatusEdited", contested_text(warmup.contested_by))
    row = ("Contested", bool(warmup.contested_by), words)
    return _condition(warmup, row, rfc3339(warmup.contested_at))


def _refused_words(warmup: Warmup) -> Words:
    """Say how many nodes lack their Job, or its Pods, and the server's words about the first."""
    listed = (key for _, _, key in warmup.listed[:SHOWN_TARGETS] if key in warmup.refused)
    first = next((warmup.targets[key] for key in listed), None)
    of_pods = first is not None and first.cause.reason == FAILED_CREATE
    reason, what = (FAILED_CREATE, "Pods") if of_pods else ("JobCreateRejected", "Jobs")
    text = f"the API server refuses the {what} of {nodes(len(warmup.refused))}"
    said = f"; first {first.node_name}: {_said(warmup, first)}" if first else ""
    return Words(reason, text + said)
