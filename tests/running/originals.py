"""What AIBrix's own controller leaves behind: Jobs and statuses as it writes them."""

from typing import Any

from adapters.ports import MERGE_PATCH, Request
from adapters.simulator.resources import WARMUP, path_of
from adapters.simulator.worlds import World
from machines.labels import REVISION, TARGET_NODE, WARMUP_NAME, WARMUP_UID

Manifest = dict[str, Any]


def original_job(warmup: Manifest, node: str, *, revision: str = "0123456789ab") -> Manifest:
    """A Job of a ModelWarmup for a node: pinned, owned, its Pods without a label of its own."""
    metadata = warmup["metadata"]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": f"{metadata['name']}-{metadata['uid'][:8]}-{node}-{revision}"[:63],
            "namespace": metadata["namespace"],
            "labels": {WARMUP_UID: metadata["uid"], REVISION: revision},
            "annotations": {WARMUP_NAME: metadata["name"], TARGET_NODE: node},
            "ownerReferences": [
                {
                    "apiVersion": "model.aibrix.ai/v1alpha1",
                    "kind": "ModelWarmup",
                    "name": metadata["name"],
                    "uid": metadata["uid"],
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": 900,
            "template": {"spec": _pod_spec(node)},
        },
    }


def _pod_spec(node: str) -> Manifest:
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    container = {
        "name": "image-0", "image": "busybox:1.36", "command": ["sh", "-c", "exit 0"],
        "imagePullPolicy": "IfNotPresent", "securityContext": {"allowPrivilegeEscalation": False},
    }  # fmt: skip
    return {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "affinity": {"nodeAffinity": required},
        "containers": [container],
    }


def write_status(world: World, warmup: Manifest, status: Manifest) -> None:
    """Write a status as a controller does; a create takes none."""
    place = path_of(WARMUP, warmup["metadata"]["namespace"], warmup["metadata"]["name"])
    request = Request("PATCH", f"{place}/status", body={"status": status}, content_type=MERGE_PATCH)
    assert world.cluster.api.answer(request).ok


def original_status(phase: str = "Running", **figures: Any) -> Manifest:
    """A status as the original writes it, with these figures."""
    active = "Progressing" if phase in {"Pending", "Running"} else "Degraded"
    active = "Complete" if phase == "Succeeded" else active
    at = "2026-01-01T09:00:00Z"
    return {
        "phase": phase,
        "observedRevision": "0123456789ab",
        "startTime": at,
        "conditions": [
            {
                "type": kind,
                "status": "True" if kind == active else "False",
                "reason": "JobsRunning" if kind == active else "NotActive",
                "message": "",
                "observedGeneration": 1,
                "lastTransitionTime": at,
            }
            for kind in ("Complete", "Progressing", "Degraded")
        ],
        **figures,
    }
