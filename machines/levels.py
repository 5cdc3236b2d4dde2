"""Levels: what each kind of Kubernetes object is reduced to before it enters the log.

A level is what matters of an object at one moment, steadied: no heartbeat, no managedFields, none
of our own status. Two equal levels are one fact. Levels are named tuples, so that equality is a
comparison of values and a million of them stay small; `to_json` and `from_json` give the shape in
the log, in which absent and empty are the same thing and are left out.
"""

from typing import Any, NamedTuple, Self

from machines.caches.levels import CACHING_LEVEL_BY_KIND, CachingLevel
from machines.pairs import Pairs, without_empty
from machines.replicas.levels import SERVING_LEVEL_BY_KIND, ServingLevel


class NodeLevel(NamedTuple):
    """A Node: all labels (selectors may ask for any), taints, readiness, cordon."""

    labels: Pairs = ()
    taints: tuple[tuple[str, str, str], ...] = ()  # (key, value, effect), sorted
    ready: str = "Unknown"  # True, False or Unknown, as the kubelet's condition says
    unschedulable: bool = False
    created: str = ""  # RFC 3339, the cluster's own: compared only with a Job's of that cluster

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        return without_empty(
            labels=dict(self.labels),
            taints=[list(taint) for taint in self.taints],
            ready=self.ready,
            unschedulable=self.unschedulable,
            created=self.created,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the shape in the log."""
        return cls(
            labels=tuple(sorted(data.get("labels", {}).items())),
            taints=tuple((key, value, effect) for key, value, effect in data.get("taints", ())),
            ready=data.get("ready", ""),
            unschedulable=data.get("unschedulable", False),
            created=data.get("created", ""),
        )


class NamespaceLevel(NamedTuple):
    """A Namespace: the pool it belongs to, and whether it is going away."""

    pool: str = ""  # label resource-pool.aibrix.ai/name
    terminating: bool = False

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        return without_empty(pool=self.pool, terminating=self.terminating)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the shape in the log."""
        return cls(pool=data.get("pool", ""), terminating=data.get("terminating", False))


class JobLevel(NamedTuple):
    """A warmup Job of ours: whose it is, for which machine, and how it ended."""

    warmup_uid: str = ""  # label model.aibrix.ai/warmup
    controller_uid: str = ""  # uid of the owner reference with controller=true
    node_uid: str = ""  # annotation model.aibrix.ai/target-node-uid
    node_name: str = ""  # annotation model.aibrix.ai/target-node
    revision: str = ""  # label model.aibrix.ai/revision
    outcome: str = ""  # "", "Finishing", "Complete" or "Failed"; the last two only by True
    reason: str = ""  # the Failed (or interim) condition's
    message: str = ""  # the same condition's, steadied
    failed_attempts: int = 0  # status.failed
    ttl_seconds: int | None = None
    deleting: bool = False
    created: str = ""  # RFC 3339, only of a Job that does not say the uid of its node
    misnamed: bool = False  # its annotation does not name the object that controls it
    unlabelled_pods: bool = False  # its Pods have no label of ours: no watch shows them

    @property
    def ended(self) -> bool:
        """Say whether it has its outcome."""
        return self.outcome in {"Complete", "Failed"}

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        return without_empty(
            warmupUid=self.warmup_uid,
            controllerUid=self.controller_uid,
            nodeUid=self.node_uid,
            nodeName=self.node_name,
            revision=self.revision,
            outcome=self.outcome,
            reason=self.reason,
            message=self.message,
            failedAttempts=self.failed_attempts or None,
            ttlSeconds=self.ttl_seconds,
            deleting=self.deleting,
            created=self.created,
            misnamed=self.misnamed,
            unlabelledPods=self.unlabelled_pods,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the shape in the log."""
        get = data.get
        return cls(
            get("warmupUid", ""),
            get("controllerUid", ""),
            get("nodeUid", ""),
            get("nodeName", ""),
            get("revision", ""),
            get("outcome", ""),
            get("reason", ""),
            get("message", ""),
            get("failedAttempts", 0),
            get("ttlSeconds"),
            get("deleting", False),
            get("created", ""),
            get("misnamed", False),
            get("unlabelledPods", False),
        )


class PodLevel(NamedTuple):
    """A Pod of one of our Jobs: where it is, whether it has ended, and why it does not run."""

    warmup_uid: str = ""  # label model.aibrix.ai/warmup
    job_uid: str = ""  # uid of the controlling Job
    node_name: str = ""  # spec.nodeName; empty until the scheduler chose
    phase: str = "Pending"  # Pending, Running, Succeeded, Failed
    reason: str = ""  # nearest cause of not running or of failing; "" when all is well
    message: str = ""  # its words, steadied
    exit_code: int | None = None  # of the first container that failed
    deleting: bool = False

    @property
    def ended(self) -> bool:
        """Say whether no container of it can run any more."""
        return self.phase in {"Succeeded", "Failed"}

    @property
    def is_silent(self) -> bool:
        """Say whether it does not run yet, and does not say why."""
        return self.phase == "Pending" and not self.reason and not self.deleting

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        return without_empty(
            warmupUid=self.warmup_uid,
            jobUid=self.job_uid,
            nodeName=self.node_name,
            phase=self.phase,
            reason=self.reason,
            message=self.message,
            exitCode=self.exit_code,
            deleting=self.deleting,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the shape in the log."""
        get = data.get
        return cls(
            get("warmupUid", ""),
            get("jobUid", ""),
            get("nodeName", ""),
            get("phase", ""),
            get("reason", ""),
            get("message", ""),
            get("exitCode"),
            get("deleting", False),
        )


class JobPods(NamedTuple):
    """What was read of the Pods of one Job that no watch shows; uids of those that live, sorted."""

    live: tuple[str, ...] = ()
    newest: PodLevel | None = None  # of those that have not ended
    failed: PodLevel | None = None  # the newest of those

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        return without_empty(
            live=list(self.live),
            newest=self.newest.to_json() if self.newest else None,
            failed=self.failed.to_json() if self.failed else None,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the shape in the log."""
        newest, failed = data.get("newest"), data.get("failed")
        return cls(
            tuple(data.get("live", ())),
            PodLevel.from_json(newest) if newest else None,
            PodLevel.from_json(failed) if failed else None,
        )


class WarmupLevel(NamedTuple):
    """A ModelWarmup: its spec as it stands, our annotations, whether it is being deleted."""

    generation: int = 1
    spec: str = "{}"  # canonical JSON text
    annotations: Pairs = ()  # only those of warmlog.dev/
    deleting: bool = False

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log; the spec stays a text, so that its bytes are kept."""
        return without_empty(
            generation=self.generation,
            spec=self.spec,
            annotations=dict(self.annotations),
            deleting=self.deleting,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the shape in the log."""
        return cls(
            generation=data.get("generation", 0),
            spec=data["spec"],
            annotations=tuple(sorted(data.get("annotations", {}).items())),
            deleting=data.get("deleting", False),
        )


Level = NodeLevel | NamespaceLevel | JobLevel | PodLevel | WarmupLevel | CachingLevel | ServingLevel

LEVEL_BY_KIND: dict[str, type[Level]] = {
    "Namespace": NamespaceLevel,
    "Node": NodeLevel,
    "Job": JobLevel,
    "Pod": PodLevel,
    "ModelWarmup": WarmupLevel,
    **CACHING_LEVEL_BY_KIND,
    **SERVING_LEVEL_BY_KIND,
}
