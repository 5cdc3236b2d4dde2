"""Telling: what one row about caches, their clusters, and what they have there says, in words."""

from collections.abc import Callable
from typing import Any

from engine.events import Event, Subject
from machines.caches.levels import (
    CacheLevel,
    ClaimLevel,
    ClusterLevel,
    HydrationJobLevel,
    HydrationPodLevel,
    Owner,
    SecretLevel,
    StorageClassLevel,
)
from machines.intents import ObjectIntent

SHOWN_KIND = {
    "HydrationJob": "Job",
    "HydrationPod": "Pod",
    "PersistentVolumeClaim": "claim",
    "Namespace": "namespace",
    "StorageClass": "storage class",
}
Teller = Callable[[Event, Subject, Any], str]


def object_words(intent: ObjectIntent) -> str:
    """Name the object that something was decided about, as people name it."""
    return thing_words(intent.kind, intent.namespace, intent.name)


def thing_words(kind: str, namespace: str, name: str) -> str:
    """Name an object as people name it."""
    place = f"{namespace}/" if namespace else ""
    return f"{SHOWN_KIND.get(kind, kind)} {place}{name}"


def kind_words(key: str, all_of: str = "") -> str:
    """Name what was listed or could not be: a kind, or the one Secret that a key names."""
    kind, slash, name = key.partition("/")
    return f"{kind} {name}" if slash else f"{all_of}{kind}"


def _cache_seen(event: Event, subject: Subject, data: Any) -> str:
    level = CacheLevel.from_json(data["level"])
    parts = [
        f"generation {level.generation}",
        *(f"{key}={value}" for key, value in level.annotations),
    ]
    parts += ["being deleted"] if level.deleting else []
    return f"ModelCache {subject.namespace}/{subject.name} seen: {', '.join(parts)}"


def _cluster_seen(event: Event, subject: Subject, data: Any) -> str:
    level = ClusterLevel.from_json(data["level"])
    parts = [f"{key}={value}" for key, value in level.labels]
    if level.provider_config:
        parts.append(f"provisioned as {level.provider_config}")
    if level.storage_class:
        parts.append(f"storage class {level.storage_class}")
    parts += ["being deleted"] if level.deleting else []
    return f"InferenceCluster {subject.name} seen: {', '.join(parts) or 'without labels'}"


def _claim_seen(event: Event, subject: Subject, data: Any) -> str:
    level = ClaimLevel.from_json(data["level"])
    parts = [level.phase or "without a phase"]
    if level.volume:
        parts.append(f"volume {level.volume}{f' of {level.capacity}' if level.capacity else ''}")
    if level.selected_node and level.phase != "Bound":
        parts.append(f"the scheduler chose node {level.selected_node}")
    if level.hydrated:
        parts.append("marked as hydrated")
    if level.resizing:
        parts.append(level.resizing)
    parts += [*_owner(level.owner), *(["being deleted"] if level.deleting else [])]
    return f"claim {subject.namespace}/{subject.name} seen: {', '.join(parts)}"


def _class_seen(event: Event, subject: Subject, data: Any) -> str:
    level = StorageClassLevel.from_json(data["level"])
    grows = "its volumes can grow" if level.expandable else "its volumes cannot grow"
    return f"storage class {subject.name} seen: {level.provisioner}, {level.binding_mode}, {grows}"


def _secret_seen(event: Event, subject: Subject, data: Any) -> str:
    level = SecretLevel.from_json(data["level"])
    keys = [key if digest else f"{key} (empty)" for key, digest in level.keys]
    going = ", being deleted" if level.deleting else ""
    said = f"keys {', '.join(keys)}" if keys else "without any key"
    return f"Secret {subject.namespace}/{subject.name} seen: {said}{going}"


def _job_seen(event: Event, subject: Subject, data: Any) -> str:
    level = HydrationJobLevel.from_json(data["level"])
    state = {"": "unfinished", "Finishing": "finishing"}.get(level.outcome, level.outcome)
    said = ": ".join(part for part in (state, level.reason, level.message) if part)
    parts = [said]
    if level.failed_attempts:
        times = "attempt" if level.failed_attempts == 1 else "attempts"
        parts.append(f"{level.failed_attempts} failed {times}")
    parts += [*_owner(level.owner), *(["being deleted"] if level.deleting else [])]
    return f"Job {subject.namespace}/{subject.name} seen: {', '.join(parts)}"


def _pod_seen(event: Event, subject: Subject, data: Any) -> str:
    level = HydrationPodLevel.from_json(data["level"])
    where = f" on {level.node_name}" if level.node_name else ""
    going = ", being deleted" if level.deleting else ""
    said = ": ".join(part for part in (level.reason, level.message) if part)
    return f"Pod {subject.name} seen: {level.phase}{where}{going}{': ' if said else ''}{said}"


def _owner(owner: Owner) -> list[str]:
    if not any(owner):
        return ["without an owner"]
    return [f"of ModelCache {owner.namespace}/{owner.name}"]


def _unread(event: Event, subject: Subject, data: Any) -> str:
    if not data["words"]:
        return f"{kind_words(data['kind'])} of cluster {event.cluster} can be read again"
    return f"{kind_words(data['kind'])} of cluster {event.cluster} cannot be read: {data['words']}"


def _users_read(event: Event, subject: Subject, data: Any) -> str:
    pods = data.get("pods", [])
    said = f"is mounted by Pod {', '.join(pods)}" if pods else "is mounted by no Pod"
    ended = data.get("ended", [])
    more = f"; Pod {', '.join(ended)}, which did, has ended" if ended else ""
    return f"claim {subject.namespace}/{subject.name} {said}{more}"


CACHE_TELLERS: dict[str, Teller] = {
    "ModelCacheSeen": _cache_seen,
    "InferenceClusterSeen": _cluster_seen,
    "PersistentVolumeClaimSeen": _claim_seen,
    "StorageClassSeen": _class_seen,
    "SecretSeen": _secret_seen,
    "HydrationJobSeen": _job_seen,
    "HydrationPodSeen": _pod_seen,
    "Unread": _unread,
    "ClaimUsersRead": _users_read,
}
