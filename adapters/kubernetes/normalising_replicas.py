"""From raw objects to the levels of what a ModelReplica is about; pure functions, one per kind.

What replicas are composed of is watched without a label, since what was composed before bears none
on the object itself. So most of what is seen is nobody's here, and is dropped by `is_foreign`
before anything of it is kept.
"""

import re
from collections.abc import Callable
from typing import Any

from adapters.kubernetes.field_ownership import our_fields, scaler
from adapters.kubernetes.fields import integer, mapping, text, whole_number
from adapters.kubernetes.object_parts import (
    condition_of,
    held_level,
    is_deleting,
    owner_by,
)
from engine.canonical_json import dumps
from machines import labels
from machines.caches.levels import Owner
from machines.kinds import REPLICA
from machines.replicas.kinds import CLAIM_TEMPLATE, DEPLOYMENT, GANG, SERVICE
from machines.replicas.levels import PartLevel, ReplicaLevel, ServingLevel, WorkloadLevel
from machines.replicas.mounts import mount_in
from machines.steadying import cut, steady

_REASON = 256  # characters of a reason word
_STATUSES = frozenset({"True", "False", "Unknown"})
# The original's own names of ResourceClaimTemplates, which bear nothing else that tells.
_DEVICES = re.compile(r"-devices-[0-9a-f]{5}\Z")
# Conditions that say why a workload is not available, the most telling ones first, and the
# statuses in which they do.
_TELLING = (
    ("ReplicaFailure", frozenset({"True"})),
    ("Progressing", frozenset({"False"})),
    ("Available", frozenset({"False", "Unknown"})),
)  # fmt: skip


def replica_level(raw: dict[str, Any]) -> ReplicaLevel:
    """Reduce a ModelReplica to its spec as it stands, our annotations and our finalizer."""
    return held_level(ReplicaLevel, raw, labels.REPLICA_WORKLOADS)


def workload_level(raw: dict[str, Any]) -> WorkloadLevel:
    """Reduce a Deployment or LeaderWorkerSet to whose it is, what its Pods mount, how it fares.

    Of a LeaderWorkerSet the leader's Pods count: what the workers have differently is repaired.
    """
    metadata = mapping(raw.get("metadata"))
    spec = mapping(raw.get("spec"))
    template = pod_template_of(raw)
    given = integer(spec.get("replicas"))
    replicas = 1 if given is None else given
    available = text(condition_of(raw, "Available").get("status"))
    reason, message = ("", "") if available == "True" else _trouble(raw)
    return WorkloadLevel(
        owner=replica_owner_of(metadata),
        serving=_serving(template),
        applied=_applied(metadata),
        fields=our_fields(metadata),
        copies=copies_of(metadata),
        replicas=replicas,
        scaled_by=scaler(metadata, adopted=is_adopted(metadata)),
        mount=_mount_text(template),
        available=available if available in _STATUSES else "",
        reason=reason,
        message=message,
        deleting=is_deleting(metadata),
        rolling=_is_rolling(raw, replicas),
    )


def _is_rolling(raw: dict[str, Any], replicas: int) -> bool:
    """Say whether a rollout is under way, or stands still: a LeaderWorkerSet says so itself."""
    if "leaderWorkerTemplate" in mapping(raw.get("spec")):
        return condition_of(raw, "UpdateInProgress").get("status") == "True"
    status = mapping(raw.get("status"))
    updated = integer(status.get("updatedReplicas")) or 0
    there = integer(status.get("replicas")) or 0
    return there > 0 and (updated < replicas or updated < there)


def part_level(raw: dict[str, Any]) -> PartLevel:
    """Reduce a Service or ResourceClaimTemplate to whose it is, and what was applied last."""
    metadata = mapping(raw.get("metadata"))
    return PartLevel(
        owner=replica_owner_of(metadata),
        serving=_selected(raw),
        applied=_applied(metadata),
        fields=our_fields(metadata),
        deleting=is_deleting(metadata),
    )


def is_foreign(kind: str, raw: Any) -> bool:
    """Say whether an object is none that a replica could be composed of, or have composed before.

    Only of kinds that are watched without a label; whatever `raw` is.
    """
    told_by = _TOLD_BY.get(kind)
    if told_by is None:
        return False
    found = mapping(raw)
    return not any(replica_owner_of(mapping(found.get("metadata")))) and not told_by(found)


def replica_owner_of(metadata: dict[str, Any]) -> Owner:
    """Give the ModelReplica that an object says it is of, by our annotations."""
    keys = labels.REPLICA_NAMESPACE, labels.REPLICA_NAME, labels.REPLICA_UID
    return owner_by(metadata, keys)


def is_adopted(metadata: dict[str, Any]) -> bool:
    """Say whether an object was applied by us: it names its owner, and we own fields of it.

    What somebody restored bears our annotations, and none of its fields is ours.
    """
    return any(replica_owner_of(metadata)) and bool(our_fields(metadata))


def serving_of(kind: str, raw: dict[str, Any]) -> str:
    """Give the name of the replica that an object serves, by Modelplane's own label."""
    return _selected(raw) if kind == SERVICE else _serving(pod_template_of(raw))


def copies_of(metadata: dict[str, Any]) -> int:
    """Give how many copies were asked for when a workload was last applied; 0 when never."""
    return whole_number(text(mapping(metadata.get("annotations")).get(labels.COPIES)))


def pod_template_of(raw: dict[str, Any]) -> dict[str, Any]:
    """Give the template of a workload's Pods: of a LeaderWorkerSet the leader's.

    One without a template for leaders makes them by that of its workers.
    """
    spec = mapping(raw.get("spec"))
    gang = spec.get("leaderWorkerTemplate")
    if not isinstance(gang, dict):
        return mapping(spec.get("template"))
    return mapping(gang.get("leaderTemplate")) or mapping(gang.get("workerTemplate"))


def _trouble(raw: dict[str, Any]) -> tuple[str, str]:
    """Give reason and words of the condition that tells best why a workload is not available."""
    name = text(mapping(raw.get("metadata")).get("name"))
    for kind, statuses in _TELLING:
        condition = condition_of(raw, kind)
        if condition.get("status") in statuses:
            reason = cut(text(condition.get("reason")), _REASON)
            return reason, steady(text(condition.get("message")), name)
    return "", ""


def _mount_text(template: dict[str, Any]) -> str:
    mount = mount_in(mapping(template.get("spec")))
    return "" if mount.is_empty else dumps(mount.to_json())


def _serving(template: dict[str, Any]) -> str:
    marks = mapping(mapping(template.get("metadata")).get("labels"))
    return text(marks.get(labels.SERVING))


def _selected(raw: dict[str, Any]) -> str:
    selector = mapping(mapping(raw.get("spec")).get("selector"))
    return text(selector.get(labels.SERVING))


def _applied(metadata: dict[str, Any]) -> str:
    return text(mapping(metadata.get("annotations")).get(labels.APPLIED))


def _is_named_so(raw: dict[str, Any]) -> bool:
    return _DEVICES.search(text(mapping(raw.get("metadata")).get("name"))) is not None


def _serves(raw: dict[str, Any]) -> bool:
    return bool(_serving(pod_template_of(raw)))


def _selects(raw: dict[str, Any]) -> bool:
    return bool(_selected(raw))


_TOLD_BY: dict[str, Callable[[dict[str, Any]], bool]] = {
    DEPLOYMENT: _serves,
    GANG: _serves,
    SERVICE: _selects,
    CLAIM_TEMPLATE: _is_named_so,
}

SERVING_LEVEL_OF: dict[str, Callable[[dict[str, Any]], ServingLevel]] = {
    REPLICA: replica_level,
    DEPLOYMENT: workload_level,
    GANG: workload_level,
    SERVICE: part_level,
    CLAIM_TEMPLATE: part_level,
}
