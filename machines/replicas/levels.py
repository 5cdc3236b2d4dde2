"""Levels of what a ModelReplica is about: the replica, and what is composed of it.

The same manners as in `machines.caches.levels`. Workloads are reduced to whose they are, what was
applied last, the mount that they have, and whether they are available.
"""

from typing import Any, NamedTuple, Self

from machines.caches.levels import Owner
from machines.held_levels import HeldLevel
from machines.pairs import without_empty


class ReplicaLevel(HeldLevel):
    """A ModelReplica."""

    __slots__ = ()


class WorkloadLevel(NamedTuple):
    """A Deployment or LeaderWorkerSet of an engine; of a LeaderWorkerSet the leader's Pods."""

    owner: Owner = Owner()  # by our annotations of replicas
    serving: str = ""  # label modelplane.ai/serving of its Pods: name of the replica
    applied: str = ""  # annotation warmlog.dev/applied
    fields: str = ""  # digest of the fields that our manager owns, spec.replicas left out
    copies: int = 0  # annotation warmlog.dev/copies; 0 when there is none
    replicas: int = 0  # spec.replicas
    scaled_by: str = ""  # another field manager that owns spec.replicas
    mount: str = ""  # what its Pods have of a cache, canonical JSON text as published; "" for none
    available: str = ""  # status of condition Available; "" when there is none
    reason: str = ""  # why it is not available: of a condition that says so
    message: str = ""  # the same condition's words, steadied
    deleting: bool = False
    rolling: bool = False  # it has Pods of another template than its own, or too few of its own

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        return without_empty(
            owner=self.owner.to_json(),
            serving=self.serving,
            applied=self.applied,
            fields=self.fields,
            copies=self.copies or None,
            replicas=self.replicas or None,
            scaledBy=self.scaled_by,
            mount=self.mount,
            available=self.available,
            reason=self.reason,
            message=self.message,
            deleting=self.deleting,
            rolling=self.rolling,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the shape in the log."""
        get = data.get
        return cls(
            Owner.from_json(get("owner", [])),
            get("serving", ""),
            get("applied", ""),
            get("fields", ""),
            get("copies", 0),
            get("replicas", 0),
            get("scaledBy", ""),
            get("mount", ""),
            get("available", ""),
            get("reason", ""),
            get("message", ""),
            get("deleting", False),
            get("rolling", False),
        )


class PartLevel(NamedTuple):
    """A Service or ResourceClaimTemplate of a replica: whose it is, and what was applied last."""

    owner: Owner = Owner()
    serving: str = ""  # of a Service: label modelplane.ai/serving in its selector
    applied: str = ""  # annotation warmlog.dev/applied
    fields: str = ""  # digest of the fields that our manager owns
    deleting: bool = False

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        return without_empty(
            owner=self.owner.to_json(),
            serving=self.serving,
            applied=self.applied,
            fields=self.fields,
            deleting=self.deleting,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the shape in the log."""
        get = data.get
        return cls(
            Owner.from_json(get("owner", [])),
            get("serving", ""),
            get("applied", ""),
            get("fields", ""),
            get("deleting", False),
        )


ServingLevel = ReplicaLevel | WorkloadLevel | PartLevel

SERVING_LEVEL_BY_KIND: dict[str, type[ServingLevel]] = {
    "ModelReplica": ReplicaLevel,
    "Deployment": WorkloadLevel,
    "LeaderWorkerSet": WorkloadLevel,
    "Service": PartLevel,
    "ResourceClaimTemplate": PartLevel,
}
