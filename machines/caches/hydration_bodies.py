"""Bodies of what a ModelCache has on a workload cluster: namespace, claim, token Secret, Job.

Functions of logged facts and settings alone, as `job_bodies.py` has it: they are rebuilt when they
are needed and never logged. The token itself is in none of them; the adapter adds it to what
`token_secret` gives.
"""

from typing import Any, NamedTuple

from engine.canonical_json import loads
from machines import labels
from machines.caches.child_names import MAX_LENGTH, child_name, claim_name, hydration_job_name
from machines.caches.child_names import token_secret_name as secret_name
from machines.caches.hydration_settings import HydrationSettings
from machines.caches.sources import environment, fingerprint, source_of
from machines.caches.specs import CacheSpec

BACKOFF_LIMIT = 3
# A net for when the controller is away: it deletes a Job itself once its outcome is in the log.
TTL_SECONDS = 24 * 3600
CONTAINER = "hydrate"
VOLUME = "artifact"
PATH = "/mnt/artifact"


class CacheNames(NamedTuple):
    """Which ModelCache it is, and the namespace that its objects have on the cluster."""

    namespace: str
    name: str
    uid: str
    workload_namespace: str


def namespace(workload_namespace: str) -> dict[str, Any]:
    """Give the namespace of caches and replicas on a cluster; it belongs to all that share it."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": workload_namespace}}


def claim(cache: CacheNames, spec: CacheSpec, storage_class: str) -> dict[str, Any]:
    """Give the claim that the model is staged in."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": _metadata(cache, claim_name(cache.namespace, cache.name)),
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": storage_class,
            "resources": {"requests": {"storage": f"{spec.size_gib}Gi"}},
        },
    }


def token_secret(cache: CacheNames) -> dict[str, Any]:
    """Give the Secret of the token without its data."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": _metadata(cache, secret_name(cache.namespace, cache.name)),
        "type": "Opaque",
    }


def hydration_job(
    cache: CacheNames, spec: CacheSpec, claim_uid: str, settings: HydrationSettings
) -> dict[str, Any]:
    """Give the Job that fills the claim of this UID."""
    metadata = _metadata(cache, hydration_job_name(cache.namespace, cache.name))
    bound_to = {labels.CLAIM_UID: claim_uid, labels.FINGERPRINT: fingerprint(spec)}
    metadata["annotations"] |= bound_to
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {
            "backoffLimit": BACKOFF_LIMIT,
            "ttlSecondsAfterFinished": TTL_SECONDS,
            # The next attempt waits until the Pod before it has ended: two would write one volume.
            "podReplacementPolicy": "Failed",
            "podFailurePolicy": {"rules": [_ignore_disruptions()]},
            "template": {
                "metadata": {"labels": cache_labels(cache)},
                "spec": _pod_spec(cache, spec, claim_uid, settings),
            },
        },
    }


def cache_labels(cache: CacheNames) -> dict[str, str]:
    """Give the labels by which what a cache has is watched and told from what others have."""
    return {labels.CACHE: cache_label(cache.name), labels.CACHE_NAMESPACE: cache.namespace}


def cache_label(name: str) -> str:
    """Give the label's value for a ModelCache of this name, which may be too long for one."""
    return name if len(name) <= MAX_LENGTH else child_name(name)


def owner_annotations(cache: CacheNames) -> dict[str, str]:
    """Give the annotations that say whose an object is; no owner reference reaches so far."""
    return {
        labels.CACHE_NAMESPACE: cache.namespace,
        labels.CACHE_NAME: cache.name,
        labels.CACHE_UID: cache.uid,
    }


def literal(value: str) -> str:
    """Write a value so that Kubernetes gives it to the container as it stands.

    It expands `$(NAME)` in values and arguments, and reads `$$` as one dollar sign.
    """
    return value.replace("$", "$$")


def _metadata(cache: CacheNames, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "namespace": cache.workload_namespace,
        "labels": cache_labels(cache),
        "annotations": owner_annotations(cache),
    }


def _ignore_disruptions() -> dict[str, Any]:
    """Evictions and preemptions are nobody's failure: they must not use up the attempts."""
    return {
        "action": "Ignore",
        "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
    }


def _pod_spec(
    cache: CacheNames, spec: CacheSpec, claim_uid: str, settings: HydrationSettings
) -> dict[str, Any]:
    claimed = {"claimName": claim_name(cache.namespace, cache.name)}
    body: dict[str, Any] = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "containers": [_container(cache, spec, claim_uid, settings)],
        "volumes": [{"name": VOLUME, "persistentVolumeClaim": claimed}],
    }
    if tolerations := loads(settings.tolerations):
        body["tolerations"] = tolerations
    return body


def _container(
    cache: CacheNames, spec: CacheSpec, claim_uid: str, settings: HydrationSettings
) -> dict[str, Any]:
    container: dict[str, Any] = {
        "name": CONTAINER,
        "image": settings.image,
        "command": ["/bin/sh", "-c", source_of(spec).script],
        "env": _env(cache, spec, claim_uid, settings),
        "volumeMounts": [{"name": VOLUME, "mountPath": PATH}],
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "securityContext": {"allowPrivilegeEscalation": False},
    }
    if resources := loads(settings.resources):
        container["resources"] = resources
    return container


def _env(
    cache: CacheNames, spec: CacheSpec, claim_uid: str, settings: HydrationSettings
) -> list[dict[str, Any]]:
    """Each variable once: defaults, then the operator's, then what the Job is about."""
    values = _defaults(settings) | dict(settings.env)
    values |= {"HF_HUB_CACHE": PATH, **dict(environment(spec, claim_uid))}
    token = source_of(spec).token_variable
    values.pop(token, None)
    env: list[dict[str, Any]] = [
        {"name": name, "value": literal(value)} for name, value in values.items()
    ]
    if spec.secret_name:
        named = {"name": secret_name(cache.namespace, cache.name), "key": spec.secret_key}
        env.append({"name": token, "valueFrom": {"secretKeyRef": named}})
    return env


def _defaults(settings: HydrationSettings) -> dict[str, str]:
    """Give how the hub's library behaves unless the operator says otherwise.

    Never HF_HUB_OFFLINE. Blobs lie with their repository, as every version of the library knows
    them. Files of more than 50 GB come by Xet alone, so it stays on; but a mirror seldom speaks
    it, and hands on the hub's word that it would be there.
    """
    values = {
        "HF_HOME": "/tmp/warmlog-hub",  # noqa: S108 -- a place in the container, which is its own
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_SHARED_BLOBS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DOWNLOAD_TIMEOUT": "60",
        "HF_HUB_ETAG_TIMEOUT": "30",
        "HF_XET_CHUNK_CACHE_SIZE_BYTES": "0",  # it would fill the node's own disk
    }
    if dict(settings.env).get("HF_ENDPOINT"):
        values["HF_HUB_DISABLE_XET"] = "1"
    return values
