"""What a kubelet writes into a Pod's status."""

from typing import Any

from adapters.simulator.clock import timestamp
from adapters.simulator.conditions import with_condition
from adapters.simulator.storage import Manifest

LOST_CONTAINER = "The container could not be located when the pod was terminated"


def waiting(pod: Manifest, now: int, reason: str, message: str = "") -> Manifest:
    """Give the status of a Pod none of whose containers has begun."""
    state: Manifest = {"reason": reason}
    if message:
        state["message"] = message
    status = _with_containers(pod, {"waiting": state}, ready=False)
    status = {**status, "phase": "Pending"}
    status.setdefault("startTime", timestamp(now))
    return _with_readiness(status, now, ready=False, reason="ContainersNotReady")


def running(pod: Manifest, now: int) -> Manifest:
    """Give the status of a Pod all of whose containers run."""
    state = {"running": {"startedAt": timestamp(now)}}
    status = {**_with_containers(pod, state, ready=True), "phase": "Running"}
    for entry in status["containerStatuses"]:
        entry["imageID"] = f"simulated/{entry['image']}"
    done = {"terminated": {"exitCode": 0, "reason": "Completed"}}
    first = _entries(pod, pod["spec"].get("initContainers") or (), done, ready=True)
    if first:
        status["initContainerStatuses"] = first
    return _with_readiness(status, now, ready=True)


def succeeded(pod: Manifest, now: int) -> Manifest:
    """Give the status of a Pod all of whose containers ended well."""
    state = {"terminated": _terminated(pod, now, 0, "Completed", "")}
    status = {**_with_containers(pod, state, ready=False), "phase": "Succeeded"}
    return _with_readiness(status, now, ready=False, reason="PodCompleted")


def failed(
    pod: Manifest, now: int, exit_code: int, message: str, reason: str = "Error"
) -> Manifest:
    """Give the status of a Pod whose first container ended badly, and the others well."""
    status = _with_containers(
        pod, {"terminated": _terminated(pod, now, exit_code, reason, message)}, ready=False
    )
    well = {"terminated": _terminated(pod, now, 0, "Completed", "")}
    rest = _entries(pod, pod["spec"]["containers"][1:], well, ready=False)
    status = {**status, "phase": "Failed"}
    status["containerStatuses"] = [*status["containerStatuses"][:1], *rest]
    return _with_readiness(status, now, ready=False, reason="PodFailed")


def evicted(pod: Manifest, now: int, message: str) -> Manifest:
    """Give the status of a Pod that the kubelet evicted because its node ran low."""
    status = failed(pod, now, 137, "")
    condition = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "TerminationByKubelet",
        "message": message,
    }
    status = with_condition(status, condition, now)
    return {**status, "reason": "Evicted", "message": message}


def _terminated(pod: Manifest, now: int, code: int, reason: str, message: str) -> Manifest:
    began = timestamp(now)
    for entry in pod["status"].get("containerStatuses") or ():
        began = (entry["state"].get("running") or {}).get("startedAt", began)
    state: Manifest = {"exitCode": code, "reason": reason}
    if message:
        state["message"] = message
    return {**state, "startedAt": began, "finishedAt": timestamp(now)}


def _with_containers(pod: Manifest, state: Manifest, *, ready: bool) -> Manifest:
    status = dict(pod["status"])
    status["containerStatuses"] = _entries(pod, pod["spec"]["containers"], state, ready=ready)
    return status


def _entries(pod: Manifest, containers: Any, state: Manifest, *, ready: bool) -> list[Manifest]:
    began = "running" in state
    # The image of a container that was created once stays known, whatever becomes of it.
    known = {entry["name"]: entry for entry in pod["status"].get("containerStatuses") or ()}
    return [
        {
            "name": container["name"],
            "state": state,
            "lastState": {},
            "ready": ready,
            "restartCount": 0,
            "image": container["image"],
            "imageID": known.get(container["name"], {}).get("imageID", ""),
            "started": began,
        }
        for container in containers
    ]


def _with_readiness(status: Manifest, now: int, *, ready: bool, reason: str = "") -> Manifest:
    word = "True" if ready else "False"
    for kind in ("Ready", "ContainersReady"):
        condition: Manifest = {"type": kind, "status": word, "lastProbeTime": None}
        if reason:
            condition["reason"] = reason
        status = with_condition(status, condition, now)
    for kind in ("Initialized", "PodReadyToStartContainers"):
        condition = {"type": kind, "status": "True", "lastProbeTime": None}
        status = with_condition(status, condition, now)
    return status
