"""Statuses: the published view of a ModelWarmup, a pure function of the state.

Bounded in size whatever the targets: at most 256 details (failed, then running, then pending, by
name), and past 512 KiB of JSON the messages are shortened, then details omitted.
"""

from typing import Any

from engine.canonical_json import dumps, loads
from engine.instants import rfc3339
from machines.conditions import conditions
from machines.indexing import SHOWN_TARGETS
from machines.messages import cut
from machines.node_jobs import NodeJobState
from machines.phases import TARGET_PHASE, WARMUP_PHASE
from machines.states import State, Target, Warmup
from machines.warmups import TERMINAL

STATUS_BYTES = 512 * 1024
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
MESSAGE_LENGTHS = (1024, 512, 256, 128, 64)


def warmup_status(state: State, warmup: Warmup) -> dict[str, Any]:
    """Give the whole `.status` of one ModelWarmup."""
    for length in MESSAGE_LENGTHS:
        status = _status(state, warmup, length, SHOWN_TARGETS)
        if _fits(status):
            return status
    shown = SHOWN_TARGETS
    while not _fits(status) and shown:
        shown //= 2
        status = _status(state, warmup, MESSAGE_LENGTHS[-1], shown)
    return status


def _fits(status: dict[str, Any]) -> bool:
    # 256 details of ordinary length are far below the bound: most statuses need no measuring.
    texts = sum(
        len(target.get("message", "")) + len(target.get("reason", ""))
        for target in status["targets"]
    )
    return texts < STATUS_BYTES // 16 or len(dumps(status)) <= STATUS_BYTES


def _status(state: State, warmup: Warmup, length: int, shown: int) -> dict[str, Any]:
    count = warmup.counts.get
    details = [_detail(warmup, entry[2], length) for entry in warmup.listed[:shown]]
    status: dict[str, Any] = {
        "phase": WARMUP_PHASE[warmup.state],
        "observedGeneration": warmup.level.generation,
        "observedRevision": warmup.revision,
        "desiredNodes": len(warmup.targets) - count(NodeJobState.WITHDRAWN.value, 0),
        "activeNodes": count(NodeJobState.HYDRATING.value, 0),
        "succeededNodes": count(NodeJobState.READY.value, 0),
        "failedNodes": count(NodeJobState.FAILED.value, 0),
        "skippedNodes": len(warmup.skipped),
        "omittedTargetDetails": max(len(warmup.listed) - shown, 0),
        "startTime": rfc3339(warmup.started_at),
        "targets": details,
        "conditions": conditions(state, warmup, length),
        "warmlog": {
            "uid": warmup.subject.uid,
            "log": state.log_id,
            "position": warmup.position,
        },
    }
    if warmup.state in TERMINAL:
        status["completionTime"] = rfc3339(warmup.completed_at)
    if warmup.recovered is not None:
        _keep_recovered(status, warmup)
    return status


def _detail(warmup: Warmup, key: str, length: int) -> dict[str, Any]:
    target: Target = warmup.targets[key]
    detail: dict[str, Any] = {
        "nodeName": target.node_name,
        "source": f"target[{target.first_entry}]",
        "sourceCount": target.entries,
        "revision": warmup.revision,
        "phase": TARGET_PHASE[target.state],
        "lastTransitionTime": rfc3339(target.changed_at),
    }
    if target.job_name:
        detail["jobName"] = target.job_name
    if target.words.reason:
        detail["reason"] = cut(target.words.reason, length)
    if target.words.message:
        detail["message"] = cut(target.words.message, length)
    return detail


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
