"""Raw objects that ModelCaches are about, as an API server sends them, cut to what tests need."""

import base64
from typing import Any

from tests.kubernetes.objects import Raw

CACHE_UID = "44444444-4444-4444-8444-444444444444"
CLAIM_UID = "55555555-5555-4555-8555-555555555555"
NAMESPACE = "mp-ml-team-51733"
CLAIM_NAME = "modelcache-ml-team-qwen-17db2"
JOB_NAME = "modelcache-ml-team-qwen-hydrate-256ec"
SECRET_NAME = "modelcache-ml-team-qwen-auth-ae01b"
OWNER = {
    "warmlog.dev/cache-namespace": "ml-team",
    "warmlog.dev/cache-name": "qwen",
    "warmlog.dev/cache-uid": CACHE_UID,
}


def meta(
    name: str,
    uid: str,
    version: str = "60",
    *,
    namespace: str = NAMESPACE,
    notes: dict[str, str] | None = None,
    deleting: bool = False,
    **more: Any,
) -> Raw:
    """Metadata of an object of the cache ml-team/qwen; `notes` are all its annotations."""
    metadata: Raw = {
        "name": name,
        "uid": uid,
        "resourceVersion": version,
        "labels": {"modelplane.ai/modelcache": "qwen"},
        "annotations": dict(OWNER if notes is None else notes),
        **more,
    }
    if namespace:
        metadata["namespace"] = namespace
    if deleting:
        metadata["deletionTimestamp"] = "2026-10-21T10:11:12Z"
    return metadata


def claim(version: str = "60", *, uid: str = CLAIM_UID, phase: str = "Pending", **more: Any) -> Raw:
    """The claim; `more` are fields of its metadata."""
    return {
        "metadata": meta(CLAIM_NAME, uid, version, **more),
        "spec": {
            "storageClassName": "rwx",
            "resources": {"requests": {"storage": "60Gi"}},
            "accessModes": ["ReadWriteMany"],
        },
        "status": {"phase": phase},
    }


def secret(
    data: dict[str, str], version: str = "70", *, uid: str = "secret-uid", **more: Any
) -> Raw:
    """The token Secret, with these values in plain."""
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    return {"metadata": meta(SECRET_NAME, uid, version, **more), "data": encoded, "type": "Opaque"}


def hydration_job(version: str = "80", *, uid: str = "job-uid", **more: Any) -> Raw:
    """The hydration Job; `more` are fields of its metadata."""
    return {"metadata": meta(JOB_NAME, uid, version, **more), "spec": {}, "status": {}}


def hydration_pod(status: Raw, version: str = "90", **more: Any) -> Raw:
    """A Pod of the hydration Job with this status."""
    reference = {"kind": "Job", "name": JOB_NAME, "uid": "job-uid", "controller": True}
    return {
        "metadata": meta(
            f"{JOB_NAME}-x7k2p", "pod-uid", version,
            generateName=f"{JOB_NAME}-", ownerReferences=[reference], **more,
        ),
        "spec": {
            "nodeName": "n1",
            "volumes": [{"persistentVolumeClaim": {"claimName": CLAIM_NAME}}],
        },
        "status": status,
    }  # fmt: skip


def cache(version: str = "50", **more: Any) -> Raw:
    """The ModelCache ml-team/qwen."""
    return {
        "metadata": {
            **meta("qwen", CACHE_UID, version, namespace="ml-team", notes={}),
            "generation": 2,
            **more,
        },
        "spec": {"source": "HuggingFace", "huggingFace": {"repo": "a/b", "sizeGiB": 60}},
    }
