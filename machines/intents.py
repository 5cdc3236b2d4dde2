"""Intents: what warmlog has decided to do to a cluster, logged before it is done.

An intent holds identity and digest, never a body: the body is rebuilt from logged facts
(`job_bodies`) and must have the logged digest. Every intent is idempotent: a create by
deterministic name, a delete or a patch of one uid, or a read.
"""

from typing import Any, NamedTuple


class CreateJob(NamedTuple):
    """Create the Job that warms one node."""

    warmup_uid: str
    namespace: str
    job_name: str
    node_uid: str
    node_name: str
    revision: str
    digest: str  # sha256 hex of the body's canonical JSON


class DeleteJob(NamedTuple):
    """Delete one Job by uid, in the background."""

    warmup_uid: str
    namespace: str
    job_name: str
    job_uid: str
    node_uid: str


class StampTtl(NamedTuple):
    """Write ttlSecondsAfterFinished onto one finished Job."""

    warmup_uid: str
    namespace: str
    job_name: str
    job_uid: str
    node_uid: str
    ttl_seconds: int


class RestoreJob(NamedTuple):
    """Put labels, annotations and owner reference back onto one Job, by uid."""

    warmup_uid: str
    namespace: str
    job_name: str
    job_uid: str
    node_uid: str
    digest: str  # sha256 hex of what is put back, in canonical JSON


class Resolve(NamedTuple):
    """Look afresh at the Nodes and the Namespace, before a warmup is called done."""

    warmup_uid: str
    namespace: str


class Create(NamedTuple):
    """Create one object by its deterministic name; one of ours that is there is as good."""

    owner_uid: str  # of the ModelCache or ModelReplica
    kind: str  # as in the log: Namespace, PersistentVolumeClaim, Secret, HydrationJob
    namespace: str
    name: str
    digest: str  # sha256 hex of the body's canonical JSON; of a Secret without its value


class Change(NamedTuple):
    """Change one object by uid, on a fresh read, guarded by its resourceVersion."""

    owner_uid: str
    kind: str
    namespace: str
    name: str
    uid: str
    change: str  # a `caches.changes.ChangeKind`
    digest: str  # sha256 hex of what is written, in canonical JSON


class Delete(NamedTuple):
    """Delete one object by uid, in the background, on a fresh read."""

    owner_uid: str
    kind: str
    namespace: str
    name: str
    uid: str


class Apply(NamedTuple):
    """Apply one object server-side as its field manager; by uid, or where there is none yet."""

    owner_uid: str  # of the ModelReplica
    kind: str  # as in the log: Deployment, LeaderWorkerSet, Service, ResourceClaimTemplate
    namespace: str
    name: str
    uid: str  # of the object that is known; "" when none is
    digest: str  # sha256 hex of the body's canonical JSON


WarmupIntent = CreateJob | DeleteJob | StampTtl | RestoreJob | Resolve
CacheIntent = Create | Change | Delete
ObjectIntent = CacheIntent | Apply  # everything that is decided for a ModelReplica
Intent = WarmupIntent | ObjectIntent

INTENT_BY_TYPE: dict[str, type[Intent]] = {
    "CreateJobIntended": CreateJob,
    "DeleteJobIntended": DeleteJob,
    "StampTtlIntended": StampTtl,
    "RestoreJobIntended": RestoreJob,
    "ResolveIntended": Resolve,
    "CreateIntended": Create,
    "ChangeIntended": Change,
    "DeleteIntended": Delete,
    "ApplyIntended": Apply,
}
TYPE_BY_INTENT = {cls: name for name, cls in INTENT_BY_TYPE.items()}


class Effect(NamedTuple):
    """An intent on its way out: its row, its cluster, and what it writes, rebuilt.

    Only creates, changes, applies and a restoring have a body.
    """

    seq: int
    cluster: str
    intent: Intent
    body: dict[str, Any] | None = None


def owner_uid(intent: Intent) -> str:
    """Give the uid of the object for which something was decided."""
    return intent.warmup_uid if isinstance(intent, WarmupIntent) else intent.owner_uid


def object_uid(intent: ObjectIntent) -> str:
    """Give the uid of the object that something is done to; "" when none was known."""
    return "" if isinstance(intent, Create) else intent.uid


def intent_to_json(intent: Intent) -> dict[str, Any]:
    """Give the shape in the log."""
    return intent._asdict()


def intent_from_json(type_name: str, data: dict[str, Any]) -> Intent:
    """Read the shape in the log; KeyError for a type that is no intent."""
    return INTENT_BY_TYPE[type_name](**data)
