"""Levels of what a ModelCache is about: the cache, its clusters, its claim, token and Job.

The same manners as in `machines.levels`: named tuples, steadied, absent and empty are one thing.
No value of a Secret is ever in a level, only that a key is there, and a digest under a key that
never leaves the store.
"""

from typing import Any, NamedTuple, Self

from machines.held_levels import HeldLevel
from machines.pairs import Pairs, without_empty


class Owner(NamedTuple):
    """Whose an object says it is, by our annotations; all empty where it bears none of them."""

    namespace: str = ""
    name: str = ""
    uid: str = ""

    def to_json(self) -> list[str]:
        """Give the shape in the log; nothing at all for nobody."""
        return list(self) if any(self) else []

    @classmethod
    def from_json(cls, data: list[str]) -> Self:
        """Read the shape in the log."""
        return cls(*data)


class CacheLevel(HeldLevel):
    """A ModelCache."""

    __slots__ = ()


class ClusterLevel(NamedTuple):
    """An InferenceCluster: labels, spec, and what others say of it in its status."""

    labels: Pairs = ()
    spec: str = "{}"  # canonical JSON text
    provider_config: str = ""  # status.providerConfigRef.name
    storage_class: str = ""  # status.cache.storageClassName
    created: str = ""  # RFC 3339, its API server's own: tells the older of two
    deleting: bool = False

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        return without_empty(
            labels=dict(self.labels),
            spec=self.spec,
            providerConfig=self.provider_config,
            storageClass=self.storage_class,
            created=self.created,
            deleting=self.deleting,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the shape in the log."""
        return cls(
            labels=tuple(sorted(data.get("labels", {}).items())),
            spec=data["spec"],
            provider_config=data.get("providerConfig", ""),
            storage_class=data.get("storageClass", ""),
            created=data.get("created", ""),
            deleting=data.get("deleting", False),
        )


class ClaimLevel(NamedTuple):
    """A PersistentVolumeClaim with the caches' label: whose it is, and whether it is bound."""

    owner: Owner = Owner()
    label: str = ""  # label modelplane.ai/modelcache: the name of the cache
    phase: str = "Pending"  # Pending, Bound or Lost
    volume: str = ""  # spec.volumeName
    storage_class: str = ""
    requested: str = ""  # spec.resources.requests.storage, as it stands
    capacity: str = ""  # status.capacity.storage
    selected_node: str = ""  # annotation volume.kubernetes.io/selected-node
    hydrated: str = ""  # annotation warmlog.dev/hydrated
    resizing: str = ""  # why its size does not follow, steadied
    deleting: bool = False

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        return without_empty(
            owner=self.owner.to_json(),
            label=self.label,
            phase=self.phase,
            volume=self.volume,
            storageClass=self.storage_class,
            requested=self.requested,
            capacity=self.capacity,
            selectedNode=self.selected_node,
            hydrated=self.hydrated,
            resizing=self.resizing,
            deleting=self.deleting,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the shape in the log."""
        get = data.get
        return cls(
            Owner.from_json(get("owner", [])),
            get("label", ""),
            get("phase", ""),
            get("volume", ""),
            get("storageClass", ""),
            get("requested", ""),
            get("capacity", ""),
            get("selectedNode", ""),
            get("hydrated", ""),
            get("resizing", ""),
            get("deleting", False),
        )


class StorageClassLevel(NamedTuple):
    """A StorageClass: how its claims are bound."""

    provisioner: str = ""
    binding_mode: str = "Immediate"  # or WaitForFirstConsumer
    expandable: bool = False

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        return without_empty(
            provisioner=self.provisioner,
            bindingMode=self.binding_mode,
            expandable=self.expandable,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the shape in the log."""
        return cls(
            data.get("provisioner", ""), data.get("bindingMode", ""), data.get("expandable", False)
        )


class SecretLevel(NamedTuple):
    """A named Secret: which keys it has, never what is in them.

    `keys` are sorted pairs of a key and a digest of its value under the store's own key; the
    digest of an empty value is empty.
    """

    keys: Pairs = ()
    owner: Owner = Owner()
    label: str = ""  # label modelplane.ai/modelcache
    deleting: bool = False

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        return without_empty(
            keys=dict(self.keys),
            owner=self.owner.to_json(),
            label=self.label,
            deleting=self.deleting,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the shape in the log."""
        return cls(
            tuple(sorted(data.get("keys", {}).items())),
            Owner.from_json(data.get("owner", [])),
            data.get("label", ""),
            data.get("deleting", False),
        )


class HydrationJobLevel(NamedTuple):
    """A Job with the caches' label: for which claim and content, and how it ended."""

    owner: Owner = Owner()
    label: str = ""  # label modelplane.ai/modelcache
    claim_uid: str = ""  # annotation warmlog.dev/claim-uid
    fingerprint: str = ""  # annotation warmlog.dev/fingerprint
    outcome: str = ""  # "", "Finishing", "Complete" or "Failed"; the last two only by True
    reason: str = ""  # the Failed (or interim) condition's
    message: str = ""  # the same condition's, steadied
    failed_attempts: int = 0  # status.failed
    deleting: bool = False

    @property
    def ended(self) -> bool:
        """Say whether it has its outcome."""
        return self.outcome in {"Complete", "Failed"}

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        return without_empty(
            owner=self.owner.to_json(),
            label=self.label,
            claimUid=self.claim_uid,
            fingerprint=self.fingerprint,
            outcome=self.outcome,
            reason=self.reason,
            message=self.message,
            failedAttempts=self.failed_attempts or None,
            deleting=self.deleting,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the shape in the log."""
        get = data.get
        return cls(
            Owner.from_json(get("owner", [])),
            get("label", ""),
            get("claimUid", ""),
            get("fingerprint", ""),
            get("outcome", ""),
            get("reason", ""),
            get("message", ""),
            get("failedAttempts", 0),
            get("deleting", False),
        )


class HydrationPodLevel(NamedTuple):
    """A Pod of a hydration Job: where it is, and why it does not run, or how it failed."""

    job_uid: str = ""  # uid of the controlling Job
    node_name: str = ""  # spec.nodeName; empty until the scheduler chose
    phase: str = "Pending"  # Pending, Running, Succeeded, Failed
    reason: str = ""  # nearest cause of not running or of failing; "" when all is well
    message: str = ""  # its words, steadied: the scheduler's, the kubelet's, the container's last
    exit_code: int | None = None
    deleting: bool = False

    @property
    def ended(self) -> bool:
        """Say whether no container of it can run any more."""
        return self.phase in {"Succeeded", "Failed"}

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        return without_empty(
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
            get("jobUid", ""),
            get("nodeName", ""),
            get("phase", ""),
            get("reason", ""),
            get("message", ""),
            get("exitCode"),
            get("deleting", False),
        )


CachingLevel = (
    CacheLevel
    | ClusterLevel
    | ClaimLevel
    | StorageClassLevel
    | SecretLevel
    | HydrationJobLevel
    | HydrationPodLevel
)

CACHING_LEVEL_BY_KIND: dict[str, type[CachingLevel]] = {
    "ModelCache": CacheLevel,
    "InferenceCluster": ClusterLevel,
    "PersistentVolumeClaim": ClaimLevel,
    "StorageClass": StorageClassLevel,
    "Secret": SecretLevel,
    "HydrationJob": HydrationJobLevel,
    "HydrationPod": HydrationPodLevel,
}
