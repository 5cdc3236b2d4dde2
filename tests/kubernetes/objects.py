"""Raw objects as an API server sends them, cut to what the tests are about."""

from typing import Any

WARMUP_UID = "11111111-1111-4111-8111-111111111111"
NODE_UID = "22222222-2222-4222-8222-222222222222"
JOB_UID = "33333333-3333-4333-8333-333333333333"

Raw = dict[str, Any]


def node(name: str = "n1", uid: str = NODE_UID, version: str = "10", **more: Any) -> Raw:
    """A ready Node of a pool, with a heartbeat."""
    raw: Raw = {
        "metadata": {
            "name": name,
            "uid": uid,
            "resourceVersion": version,
            "labels": {"model.aibrix.ai/warmup-enabled": "true", "kubernetes.io/hostname": name},
            "managedFields": [{"manager": "kubelet"}],
        },
        "spec": {},
        "status": {
            "conditions": [
                {"type": "MemoryPressure", "status": "False"},
                {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-10-21T10:11:12Z"},
            ]
        },
    }
    raw.update(more)
    return raw


def namespace(name: str = "default", uid: str = "ns-uid", version: str = "5") -> Raw:
    """A Namespace in a pool."""
    return {
        "metadata": {
            "name": name,
            "uid": uid,
            "resourceVersion": version,
            "labels": {"resource-pool.aibrix.ai/name": "latency"},
        },
        "status": {"phase": "Active"},
    }


def job(
    name: str = "warm-1",
    uid: str = JOB_UID,
    version: str = "20",
    *,
    controller: str = WARMUP_UID,
    node_uid: str = NODE_UID,
    deleting: bool = False,
    conditions: list[Raw] | None = None,
    ttl_seconds: int | None = None,
) -> Raw:
    """A Job of a warmup."""
    metadata: Raw = {
        "name": name,
        "namespace": "default",
        "uid": uid,
        "resourceVersion": version,
        "labels": {
            "model.aibrix.ai/warmup": controller,
            "model.aibrix.ai/revision": "ef7e2d9085ee",
        },
        "annotations": {
            "model.aibrix.ai/warmup-name": "warm",
            "model.aibrix.ai/target-node": "n1",
            "model.aibrix.ai/target-node-uid": node_uid,
        },
        "ownerReferences": [
            {"kind": "ModelWarmup", "name": "warm", "uid": controller, "controller": True}
        ],
    }
    if deleting:
        metadata["deletionTimestamp"] = "2026-10-21T10:11:12Z"
    spec = {} if ttl_seconds is None else {"ttlSecondsAfterFinished": ttl_seconds}
    return {"metadata": metadata, "spec": spec, "status": {"conditions": conditions or []}}


def pod(phase: str = "Pending", *, deleting: bool = False, **status: Any) -> Raw:
    """A Pod of that Job, with what its status says besides the phase."""
    metadata: Raw = {
        "name": "warm-1-x7k2p",
        "generateName": "warm-1-",
        "namespace": "default",
        "uid": "pod-uid",
        "resourceVersion": "30",
        "labels": {
            "model.aibrix.ai/warmup": WARMUP_UID,
            "batch.kubernetes.io/controller-uid": JOB_UID,
        },
        "ownerReferences": [{"kind": "Job", "name": "warm-1", "uid": JOB_UID, "controller": True}],
    }
    if deleting:
        metadata["deletionTimestamp"] = "2026-10-21T10:11:12Z"
    return {
        "metadata": metadata,
        "spec": {"nodeName": "n1"},
        "status": {"phase": phase, **status},
    }


def warmup(version: str = "40", uid: str = WARMUP_UID, **more: Any) -> Raw:
    """A ModelWarmup."""
    raw: Raw = {
        "metadata": {
            "name": "warm",
            "namespace": "default",
            "uid": uid,
            "resourceVersion": version,
            "generation": 1,
            "annotations": {"warmlog.dev/suspend": "true", "kubectl.kubernetes.io/x": "y"},
        },
        "spec": {"targets": [{"nodes": {"names": ["n1"]}}]},
    }
    raw.update(more)
    return raw
