"""Telling: each row about a replica, and about what is composed of it, in words."""

from typing import Any

from engine.events import Event, Subject
from machines.caches.levels import Owner
from machines.caches.telling import Teller, thing_words
from machines.replicas.levels import PartLevel, ReplicaLevel, WorkloadLevel


def _replica_seen(event: Event, subject: Subject, data: Any) -> str:
    level = ReplicaLevel.from_json(data["level"])
    parts = [
        f"generation {level.generation}",
        *(f"{key}={value}" for key, value in level.annotations),
        *_going(deleting=level.deleting),
    ]
    return f"ModelReplica {subject.namespace}/{subject.name} seen: {', '.join(parts)}"


def _workload_seen(event: Event, subject: Subject, data: Any) -> str:
    level = WorkloadLevel.from_json(data["level"])
    parts = [_availability(level)]
    parts.append(f"{level.replicas} {'copy' if level.replicas == 1 else 'copies'}")
    if level.scaled_by:
        parts.append(f"scaled by {level.scaled_by}")
    parts += [*_owner(level.owner), *_going(deleting=level.deleting)]
    return f"{thing_words(*subject[:3])} seen: {', '.join(parts)}"


def _availability(level: WorkloadLevel) -> str:
    if level.available == "True":
        return "available"
    said = ": ".join(part for part in (level.reason, level.message) if part)
    return f"not available{f' ({said})' if said else ''}"


def _part_seen(event: Event, subject: Subject, data: Any) -> str:
    level = PartLevel.from_json(data["level"])
    parts = [*_owner(level.owner), *_going(deleting=level.deleting)]
    return f"{thing_words(*subject[:3])} seen: {', '.join(parts)}"


def _owner(owner: Owner) -> list[str]:
    if not any(owner):
        return ["without an owner"]
    return [f"of ModelReplica {owner.namespace}/{owner.name}"]


def _going(*, deleting: bool) -> list[str]:
    return ["being deleted"] if deleting else []


REPLICA_TELLERS: dict[str, Teller] = {
    "ModelReplicaSeen": _replica_seen,
    "DeploymentSeen": _workload_seen,
    "LeaderWorkerSetSeen": _workload_seen,
    "ServiceSeen": _part_seen,
    "ResourceClaimTemplateSeen": _part_seen,
}
