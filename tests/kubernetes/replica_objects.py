"""Raw objects that ModelReplicas are about, as an API server sends them, cut to what tests need."""

from typing import Any

from machines.replicas.mounts import SHARED_MEMORY_PATH
from tests.kubernetes.objects import Raw

REPLICA_UID = "66666666-6666-4666-8666-666666666666"
WORKLOAD_UID = "77777777-7777-4777-8777-777777777777"
NAMESPACE = "mp-ml-team-51733"
WORKLOAD = "r-main-bb4e3"
TEMPLATE = "r-main-standalone-devices-f456f"
CLAIM = "modelcache-ml-team-qwen-17db2"
APPLIED = "d" * 64
OWNER = {
    "warmlog.dev/replica-namespace": "ml-team",
    "warmlog.dev/replica-name": "r",
    "warmlog.dev/replica-uid": REPLICA_UID,
}
NOTES = {**OWNER, "warmlog.dev/applied": APPLIED}
SERVING = {"modelplane.ai/serving": "r"}
MOUNT_TEXT = (
    '{"env":[{"name":"HF_HUB_CACHE","value":"/mnt/models"}],'
    '"volumeMounts":[{"mountPath":"/mnt/models","name":"model-cache"}],'
    f'"volumes":[{{"name":"model-cache","persistentVolumeClaim":{{"claimName":"{CLAIM}"}}}}]}}'
)


def meta(
    name: str, version: str = "60", *, notes: dict[str, str] | None = None, **more: Any
) -> Raw:
    """Metadata of an object of the replica ml-team/r; `notes` are all its annotations."""
    return {
        "name": name,
        "namespace": NAMESPACE,
        "uid": WORKLOAD_UID,
        "resourceVersion": version,
        "annotations": dict(NOTES if notes is None else notes),
        **more,
    }


def pod_spec(claim: str = CLAIM) -> Raw:
    """The spec of an engine's Pods, with the mount of a cache unless `claim` is empty."""
    mounts = [{"name": "dshm", "mountPath": SHARED_MEMORY_PATH}]
    volumes: list[Raw] = [{"name": "dshm", "emptyDir": {"medium": "Memory"}}]
    container: Raw = {"name": "engine", "image": "vllm", "volumeMounts": mounts}
    if claim:
        mounts.append({"name": "model-cache", "mountPath": "/mnt/models"})
        volumes.append({"name": "model-cache", "persistentVolumeClaim": {"claimName": claim}})
        container["env"] = [
            {"name": "HF_HUB_CACHE", "value": "/mnt/models"},
            {"name": "HF_TOKEN", "value": "somebody's own"},
        ]
    return {"containers": [container], "volumes": volumes}


def deployment(
    version: str = "60",
    *,
    marks: dict[str, str] | None = None,
    conditions: list[Raw] | None = None,
    replicas: int | None = 2,
    **more: Any,
) -> Raw:
    """The Deployment of an engine; `marks` are its Pods' labels, `more` fields of its metadata."""
    labels = {"modelplane.ai/workload": WORKLOAD, **(SERVING if marks is None else marks)}
    spec: Raw = {"template": {"metadata": {"labels": labels}, "spec": pod_spec()}}
    if replicas is not None:
        spec["replicas"] = replicas
    return {
        "metadata": meta(WORKLOAD, version, **more),
        "spec": spec,
        "status": {"conditions": conditions or []},
    }


def gang(version: str = "60", *, leader: Raw | None = None, **more: Any) -> Raw:
    """The LeaderWorkerSet of an engine; `leader` is its leaderTemplate, none when empty."""
    templates: Raw = {"size": 2, "workerTemplate": {"metadata": {}, "spec": pod_spec("")}}
    if leader is None:
        leader = {"metadata": {"labels": dict(SERVING)}, "spec": pod_spec()}
    if leader:
        templates["leaderTemplate"] = leader
    return {
        "metadata": meta(WORKLOAD, version, **more),
        "spec": {"replicas": 1, "leaderWorkerTemplate": templates},
    }


def service(version: str = "60", *, selector: dict[str, str] | None = None, **more: Any) -> Raw:
    """The Service of a replica."""
    chosen = SERVING if selector is None else selector
    return {"metadata": meta("r", version, **more), "spec": {"selector": dict(chosen)}}


def claim_template(version: str = "60", *, name: str = TEMPLATE, **more: Any) -> Raw:
    """The ResourceClaimTemplate of an engine's devices."""
    return {"metadata": meta(name, version, **more), "spec": {"spec": {"devices": {}}}}


def replica(version: str = "50", **more: Any) -> Raw:
    """The ModelReplica ml-team/r; `more` are fields of its metadata."""
    metadata: Raw = {
        "name": "r",
        "namespace": "ml-team",
        "uid": REPLICA_UID,
        "resourceVersion": version,
        "generation": 2,
        **more,
    }
    return {"metadata": metadata, "spec": {"clusterName": "west"}}


def entry(manager: str, operation: str, fields: Raw, time: str = "", **more: Any) -> Raw:
    """One of the managedFields."""
    return {
        "manager": manager,
        "operation": operation,
        "apiVersion": "apps/v1",
        "time": time or "2026-10-21T10:11:12Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
        **more,
    }


SCALED: Raw = {"f:spec": {"f:replicas": {}}}


def scaling(manager: str = "kube-controller-manager", time: str = "") -> Raw:
    """What an autoscaler leaves when it has scaled."""
    return entry(manager, "Update", SCALED, time, subresource="scale")
