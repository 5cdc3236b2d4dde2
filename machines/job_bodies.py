"""Job bodies: the Job that warms one node, rebuilt whenever it is needed from logged facts.

The body is a function of the spec, the warmup's identity, the pool and the intent, so it is never
logged: its digest is.
"""

import hashlib
from typing import Any

from engine.canonical_json import dumps
from engine.events import Subject
from machines import labels
from machines.intents import CreateJob
from machines.spec_parts import Image
from machines.specs import WarmupSpec


def job_body(spec: WarmupSpec, warmup: Subject, pool: str, intent: CreateJob) -> dict[str, Any]:
    """Give the Job of `intent` as the API server is to receive it."""
    ours = {labels.WARMUP_UID: warmup.uid, labels.REVISION: intent.revision}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": intent.job_name,
            "namespace": warmup.namespace,
            "labels": ours,
            "annotations": {
                labels.WARMUP_NAME: warmup.name,
                labels.TARGET_NODE: intent.node_name,
                labels.TARGET_NODE_UID: intent.node_uid,
            },
            "ownerReferences": [owner_reference(warmup)],
        },
        "spec": {
            "backoffLimit": spec.retry_limit,
            "activeDeadlineSeconds": spec.timeout_seconds,
            "podFailurePolicy": {"rules": [_ignore_disruptions()]},
            "template": {
                "metadata": {"labels": dict(ours)},
                "spec": _pod_spec(spec, pool, intent.node_name),
            },
        },
    }


def body_digest(body: dict[str, Any]) -> str:
    """Give the sha256 hex of a body's canonical JSON."""
    return hashlib.sha256(dumps(body).encode("ascii")).hexdigest()


def owner_reference(warmup: Subject) -> dict[str, Any]:
    """Give the owner reference by which a ModelWarmup controls its Jobs."""
    return {
        "apiVersion": f"{labels.GROUP}/{labels.VERSION}",
        "kind": "ModelWarmup",
        "name": warmup.name,
        "uid": warmup.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def _ignore_disruptions() -> dict[str, Any]:
    """Evictions and preemptions are nobody's failure: they must not use up the retries."""
    return {
        "action": "Ignore",
        "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
    }


def _pod_spec(spec: WarmupSpec, pool: str, node_name: str) -> dict[str, Any]:
    custom = spec.custom or {}
    generated = [_container(index, image) for index, image in enumerate(spec.images)]
    body: dict[str, Any] = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "affinity": _affinity(pool, node_name),
        "containers": generated + list(custom.get("containers") or ()),
    }
    for field in ("initContainers", "volumes"):
        if custom.get(field):
            body[field] = list(custom[field])
    secrets = [*spec.pull_secrets]
    secrets += [entry.get("name", "") for entry in custom.get("imagePullSecrets") or ()]
    if secrets:
        body["imagePullSecrets"] = [{"name": name} for name in dict.fromkeys(secrets)]
    return body


def _container(index: int, image: Image) -> dict[str, Any]:
    container: dict[str, Any] = {
        "name": f"image-{index}",
        "image": image.image,
        "imagePullPolicy": image.pull_policy,
        "command": list(image.command),
        "securityContext": {"allowPrivilegeEscalation": False},
    }
    if image.args:
        container["args"] = list(image.args)
    return container


def _affinity(pool: str, node_name: str) -> dict[str, Any]:
    """Pin to the node by its name field, and let the scheduler check the boundary once more."""
    boundary = [
        {"key": labels.POOL, "operator": "In", "values": [pool]},
        {"key": labels.ENABLED, "operator": "In", "values": ["true"]},
        *({"key": key, "operator": "DoesNotExist"} for key in labels.CONTROL_PLANE),
    ]
    term = {
        "matchFields": [{"key": "metadata.name", "operator": "In", "values": [node_name]}],
        "matchExpressions": boundary,
    }
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}
        }
    }
