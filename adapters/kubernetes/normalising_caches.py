"""From raw objects to the levels of what a ModelCache is about; pure functions, one per kind."""

from collections.abc import Callable
from typing import Any

from adapters.kubernetes.fields import integer, mapping, text, texts
from adapters.kubernetes.object_parts import (
    POD_PHASES,
    condition_of,
    held_level,
    is_deleting,
    job_outcome,
    job_uid_of,
    owner_by,
    spec_text,
)
from adapters.kubernetes.pod_causes import hydration_cause
from adapters.kubernetes.vaults import DIGESTS
from machines import labels
from machines.caches.levels import (
    CacheLevel,
    CachingLevel,
    ClaimLevel,
    ClusterLevel,
    HydrationJobLevel,
    HydrationPodLevel,
    Owner,
    SecretLevel,
    StorageClassLevel,
)
from machines.steadying import steady

_MOST_KEYS = 256  # of a Secret; the first ones by name
_CLAIM_PHASES = frozenset({"Pending", "Bound", "Lost"})
# Conditions of a claim whose size does not follow, the most telling ones first.
_RESIZING = (
    "ControllerResizeError", "NodeResizeError", "FileSystemResizePending", "Resizing",
)  # fmt: skip


def cache_level(raw: dict[str, Any]) -> CacheLevel:
    """Reduce a ModelCache to its spec as it stands, our annotations and our finalizer."""
    return held_level(CacheLevel, raw, labels.CACHE_IN_USE)


def cluster_level(raw: dict[str, Any]) -> ClusterLevel:
    """Reduce an InferenceCluster to its spec, its labels and what others wrote into its status."""
    metadata = mapping(raw.get("metadata"))
    status = mapping(raw.get("status"))
    return ClusterLevel(
        labels=texts(metadata.get("labels")),
        spec=spec_text(raw),
        provider_config=text(mapping(status.get("providerConfigRef")).get("name")),
        storage_class=text(mapping(status.get("cache")).get("storageClassName")),
        created=text(metadata.get("creationTimestamp")),
        deleting=is_deleting(metadata),
    )


def claim_level(raw: dict[str, Any]) -> ClaimLevel:
    """Reduce a PersistentVolumeClaim to whose it is, and what it is bound to or waits for."""
    metadata = mapping(raw.get("metadata"))
    notes = mapping(metadata.get("annotations"))
    spec = mapping(raw.get("spec"))
    status = mapping(raw.get("status"))
    phase = text(status.get("phase"))
    requests = mapping(mapping(spec.get("resources")).get("requests"))
    return ClaimLevel(
        owner=owner_of(metadata),
        label=_label(metadata),
        phase=phase if phase in _CLAIM_PHASES else "Pending",
        volume=text(spec.get("volumeName")),
        storage_class=text(spec.get("storageClassName")),
        requested=text(requests.get("storage")),
        capacity=text(mapping(status.get("capacity")).get("storage")),
        selected_node=text(notes.get(labels.SELECTED_NODE)),
        hydrated=text(notes.get(labels.HYDRATED)),
        resizing=_resizing(raw),
        deleting=is_deleting(metadata),
    )


def storage_class_level(raw: dict[str, Any]) -> StorageClassLevel:
    """Reduce a StorageClass to how its claims are bound, and whether they can grow."""
    return StorageClassLevel(
        provisioner=text(raw.get("provisioner")),
        binding_mode=text(raw.get("volumeBindingMode")) or "Immediate",
        expandable=raw.get("allowVolumeExpansion") is True,
    )


def secret_level(raw: dict[str, Any]) -> SecretLevel:
    """Reduce a Secret to its keys and the digests that the vault left in the place of its values.

    Raises ValueError for one that still has its values: it was read past the vault.
    """
    if raw.get("data") or raw.get("stringData"):
        msg = "it was read past the vault, and values of Secrets are never handed on"
        raise ValueError(msg)
    metadata = mapping(raw.get("metadata"))
    return SecretLevel(
        keys=texts(raw.get(DIGESTS))[:_MOST_KEYS],
        owner=owner_of(metadata),
        label=_label(metadata),
        deleting=is_deleting(metadata),
    )


def hydration_job_level(raw: dict[str, Any]) -> HydrationJobLevel:
    """Reduce a hydration Job to whose it is, for which claim and content, and how it ended."""
    metadata = mapping(raw.get("metadata"))
    notes = mapping(metadata.get("annotations"))
    outcome, condition = job_outcome(raw)
    return HydrationJobLevel(
        owner=owner_of(metadata),
        label=_label(metadata),
        claim_uid=text(notes.get(labels.CLAIM_UID)),
        fingerprint=text(notes.get(labels.FINGERPRINT)),
        outcome=outcome,
        reason=text(condition.get("reason")),
        message=steady(text(condition.get("message")), text(metadata.get("name"))),
        failed_attempts=integer(mapping(raw.get("status")).get("failed")) or 0,
        deleting=is_deleting(metadata),
    )


def hydration_pod_level(raw: dict[str, Any]) -> HydrationPodLevel:
    """Reduce a Pod of a hydration Job to where it is, and why it does not run, or how it failed."""
    metadata = mapping(raw.get("metadata"))
    phase = text(mapping(raw.get("status")).get("phase"))
    cause = hydration_cause(raw)
    return HydrationPodLevel(
        job_uid=job_uid_of(metadata),
        node_name=text(mapping(raw.get("spec")).get("nodeName")),
        phase=phase if phase in POD_PHASES else "Pending",
        reason=cause.reason,
        message=cause.message,
        exit_code=cause.exit_code,
        deleting=is_deleting(metadata),
    )


def owner_of(metadata: dict[str, Any]) -> Owner:
    """Give the ModelCache that an object says it is of, by our annotations."""
    return owner_by(metadata, (labels.CACHE_NAMESPACE, labels.CACHE_NAME, labels.CACHE_UID))


def _label(metadata: dict[str, Any]) -> str:
    return text(mapping(metadata.get("labels")).get(labels.CACHE))


def _resizing(raw: dict[str, Any]) -> str:
    for name in _RESIZING:
        condition = condition_of(raw, name)
        if condition.get("status") == "True":
            return steady(text(condition.get("message"))) or name
    return ""


CACHING_LEVEL_OF: dict[str, Callable[[dict[str, Any]], CachingLevel]] = {
    "ModelCache": cache_level,
    "InferenceCluster": cluster_level,
    "PersistentVolumeClaim": claim_level,
    "StorageClass": storage_class_level,
    "Secret": secret_level,
    "HydrationJob": hydration_job_level,
    "HydrationPod": hydration_pod_level,
}
