"""Statuses: the published view of a ModelWarmup, a pure function of the state.

Bounded in size whatever the targets: at most 256 details (failed, then running, then pending, by
name), and messages that are shortened where 512 KiB of JSON would not hold them all (`showing`).
"""

from typing import Any

from engine.canonical_json import loads
from engine.instants import SECOND, rfc3339
from machines.conditions import conditions
from machines.node_jobs import NodeJobState
from machines.origins import origin
from machines.phases import TARGET_PHASE, WARMUP_PHASE
from machines.showing import SHOWN_TARGETS, detail, share
from machines.states import State, Warmup
from machines.warmups import TERMINAL

# What the status of each of our kinds has.
COMMON_PATHS = (
    *(
        f"conditions[].{name}"
        for name in (
            "type",
            "status",
            "reason",
            "message",
            "lastTransitionTime",
            "observedGeneration",
        )
    ),
    *(f"warmlog.{name}" for name in ("uid", "log", "position")),
)
# Every field that the projection can write: what a served CRD has to keep.
STATUS_PATHS = (
    "phase",
    "observedGeneration",
    "observedRevision",
    "desiredNodes",
    "activeNodes",
    "succeededNodes",
    "failedNodes",
    "skippedNodes",
    "omittedTargetDetails",
    "startTime",
    "completionTime",
    *(
        f"targets[].{name}"
        for name in (
            "nodeName",
            "source",
            "sourceCount",
            "revision",
            "jobName",
            "phase",
            "reason",
            "message",
            "lastTransitionTime",
        )
    ),
    *COMMON_PATHS,
)


def warmup_status(state: State, warmup: Warmup) -> dict[str, Any]:
    """Give the whole `.status` of one ModelWarmup."""
    size = share(len(warmup.listed))
    details = [_detail(warmup, entry[2], size) for entry in warmup.listed[:SHOWN_TARGETS]]
    status = {**whole_status(state, warmup), "targets": details}
    if warmup.recovered is not None:
        _keep_recovered(status, warmup)
    return status


def whole_status(state: State, warmup: Warmup) -> dict[str, Any]:
    """Give what of a status is about the ModelWarmup as a whole, as this log knows it."""
    count = warmup.counts.get
    status: dict[str, Any] = {
        "phase": WARMUP_PHASE[warmup.state],
        "observedGeneration": warmup.level.generation,
        "observedRevision": warmup.revision,
        "desiredNodes": len(warmup.targets) - count(NodeJobState.WITHDRAWN.value, 0),
        "activeNodes": count(NodeJobState.HYDRATING.value, 0),
        "succeededNodes": count(NodeJobState.READY.value, 0),
        "failedNodes": count(NodeJobState.FAILED.value, 0),
        "skippedNodes": len(warmup.skipped),
        "omittedTargetDetails": max(len(warmup.listed) - SHOWN_TARGETS, 0),
        "startTime": rfc3339(warmup.started_at),
        "conditions": conditions(warmup),
        **origin(warmup.subject.uid, state.log_id, warmup.position),
    }
    if warmup.state in TERMINAL:
        status["completionTime"] = rfc3339(warmup.completed_at)
    return status


def shown_whole(state: State, warmup: Warmup) -> dict[str, Any]:
    """Give what a status shows of the whole, also when it ended under another log."""
    status = whole_status(state, warmup)
    if warmup.recovered is not None:
        _keep_recovered(status, warmup)
    return status


def _detail(warmup: Warmup, key: str, size: int) -> dict[str, Any]:
    shown = detail(warmup.targets[key], size)
    fields = {
        "nodeName": shown.node_name,
        "source": f"target[{shown.first_entry}]",
        "sourceCount": shown.entries,
        "revision": warmup.revision,
        "phase": TARGET_PHASE[shown.state],
        "lastTransitionTime": rfc3339(shown.changed_at * SECOND),
        "jobName": shown.job_name,
        "reason": shown.words.reason,
        "message": shown.words.message,
    }
    return {name: value for name, value in fields.items() if value}


def _keep_recovered(status: dict[str, Any], warmup: Warmup) -> None:
    """What ended under another log keeps its counts and its failures."""
    past = warmup.recovered
    if past is None:
        return
    status |= {
        "observedRevision": past.revision or status["observedRevision"],
        "desiredNodes": past.desired,
        "activeNodes": 0,
        "succeededNodes": past.succeeded,
        "failedNodes": past.failed,
        "skippedNodes": past.skipped,
        "omittedTargetDetails": past.omitted,
        "targets": loads(past.targets),
    }
    if past.started_at:
        status["startTime"] = past.started_at
    if past.completed_at:
        status["completionTime"] = past.completed_at
