"""The state: everything that the log has said so far, folded.

Records are frozen named tuples; the containers around them are plain dicts and sorted lists that
`fold` changes in place, because a thousand nodes must cost no more per event than ten. Whoever
needs the state before and after makes a `copy`, which is shallow and cheap as records never change.
Dicts keep the order of the log, so iterating one is as deterministic as the log itself.
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from engine.events import Subject
from machines.caches.settings import DEFAULT_SETTINGS, CachingSettings
from machines.caches.states import Cache, ServedCluster
from machines.faults import Fault
from machines.intents import Intent
from machines.levels import JobLevel, JobPods, Level, WarmupLevel
from machines.node_jobs import NodeJobState
from machines.replicas.states import PartRef, Replica
from machines.specs import WarmupSpec
from machines.warmups import WarmupState

# What must have been listed before anything is decided of a ModelWarmup; of what ModelCaches are
# about and how their clusters are reached; and of a cache on one of those clusters.
WARMUP_KINDS = ("Namespace", "Node", "Job", "Pod", "ModelWarmup")
CACHE_KINDS = ("Namespace", "ModelCache", "InferenceCluster")
WORKLOAD_KINDS = (
    "Namespace", "Node", "StorageClass", "PersistentVolumeClaim", "HydrationJob", "HydrationPod",
)  # fmt: skip
# What must have been listed before anything is decided of a ModelReplica, and on its cluster: of
# these kinds those that its engines need.
REPLICA_KINDS = ("ModelReplica", "ModelCache", "InferenceCluster")
SERVING_KINDS = ("Deployment", "LeaderWorkerSet", "Service", "ResourceClaimTemplate")
# As sets, since it is asked at every look at an object whether all of them were listed.
WARMUPS_NEED, CACHES_NEED = frozenset(WARMUP_KINDS), frozenset(CACHE_KINDS)
WORKLOADS_NEED, REPLICAS_NEED = frozenset(WORKLOAD_KINDS), frozenset(REPLICA_KINDS)
SECRET = "Secret"  # noqa: S105 -- a kind; never listed whole: each named one is synced by itself
KINDS = tuple(
    dict.fromkeys(
        (*WARMUP_KINDS, *CACHE_KINDS, *WORKLOAD_KINDS, *REPLICA_KINDS, *SERVING_KINDS, SECRET)
    )
)


def name_key(kind: str, namespace: str, name: str) -> str:
    """Give the key of an object among `Cluster.names`."""
    return f"{kind}/{namespace}/{name}"


class Known(NamedTuple):
    """The last level that the log holds of one object."""

    subject: Subject
    version: int  # resourceVersion, compared only within one object and kind
    level: Level
    at: int = 0  # when this level entered the log


class Ended(NamedTuple):
    """An object that is gone, as far as the log knows."""

    kind: str
    version: int  # resourceVersion of its end; 0 when that is not known
    seq: int  # of the row that says so


class Words(NamedTuple):
    """A reason in one word, and its message; both empty when there is nothing to say."""

    reason: str = ""
    message: str = ""


NOTHING = Words()


class Target(NamedTuple):
    """What a warmup knows of one node that it wants (or of one name that no machine bears)."""

    key: str  # node uid, or "name:<name>" while the name waits
    node_name: str
    state: NodeJobState
    named: bool
    first_entry: int
    entries: int
    job_name: str = ""
    words: Words = NOTHING
    changed_at: int = 0  # `at` of the last change of state or words
    waiting: Words = NOTHING  # why the name waits
    deadline: int = 0  # when a waiting name, or a name conflict, fails
    shunned: str = ""  # why the scheduler would not place a Pod there now
    cause: Words = NOTHING  # why the newest Pod does not run
    failure: Words = NOTHING  # how the last failed Pod ended; outlives the Pod
    refusal: Words = NOTHING  # the API server's answer to the last create, until one is accepted
    refusals: int = 0
    retry_at: int = 0  # when a refused create is tried again; 0 when not refused
    vanished: int = 0  # Jobs that went without an outcome and not by our hand
    salt: int = 0
    disruptions: int = 0  # Pods that were evicted, preempted or drained
    disruption: Words = NOTHING  # how the last of them was


class Marks(NamedTuple):
    """What a Job has to bear of ours (`marking`): its controller's uid is its label, too."""

    controller_uid: str
    node_uid: str = ""
    node_name: str = ""
    revision: str = ""
    named: bool = True  # it bore its ModelWarmup's name


class Job(NamedTuple):
    """A Job of ours. It stays while its Pods do, since they hold the node's slot."""

    uid: str
    cluster: str
    namespace: str
    name: str
    warmup_uid: str
    node_uid: str
    level: JobLevel | None = None  # None: only its Pods were seen
    exists: bool = True
    deleting: int = 0  # seq of our delete's intent; 0 when we did not ask
    stamped: bool = False
    podded: bool = False  # a Pod of it was seen
    retry_at: int = 0  # when a refused delete or stamp is tried again
    refusals: int = 0
    pods: JobPods | None = None  # what was read of them, if no watch shows them
    pods_at: int = 0  # when that entered the log
    marks: Marks | None = None
    restoring: int = 0  # seq of the open intent to put its marks back
    restore_at: int = 0  # when that is tried again
    restores: int = 0  # how often they were
    restore_refusals: int = 0  # since then
    restore_words: str = ""  # the API server's, when it refused the last try

    @property
    def outcome(self) -> str:
        """Give Complete, Failed, or "" while it has neither."""
        return self.level.outcome if self.level and self.level.ended else ""

    @property
    def unfinished(self) -> bool:
        """Say whether it exists and may still work."""
        return self.exists and not self.outcome


class OpenIntent(NamedTuple):
    """An intent without an answer."""

    seq: int
    cluster: str
    owner: Subject  # the ModelWarmup, ModelCache or ModelReplica
    intent: Intent
    uncertain: bool = False  # after a start or an Unknown: it has to be looked up
    unanswered: str = ""  # what an Unknown said


class Ignored(NamedTuple):
    """A trigger that the machine did not take, and why."""

    seq: int
    at: int
    about: str
    trigger: str
    state: str


class Recovered(NamedTuple):
    """What the status of an object told when the log had no history of it."""

    started_at: str  # as the server had it
    completed_at: str
    desired: int
    succeeded: int
    failed: int
    skipped: int
    revision: str
    omitted: int
    targets: str  # canonical JSON of the failed targets' details


@dataclass(slots=True)
class Cluster:
    """What is known of one cluster."""

    name: str
    objects: dict[str, dict[str, Known]] = field(default_factory=lambda: {k: {} for k in KINDS})
    node_uids: dict[str, str] = field(default_factory=dict)  # by name
    namespace_uids: dict[str, str] = field(default_factory=dict)  # by name
    # Uids of what caches are about, by kind/namespace/name: the newest object of each name.
    names: dict[str, str] = field(default_factory=dict)
    # Uids of objects by those of newer ones of their name, while both are known (`naming`).
    namesakes: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)  # kind or scope, and why it is refused
    unserved: dict[str, bool] = field(default_factory=dict)  # kinds that its API server has not
    pods_by_job: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of hydration Jobs, uids
    pods_by_root: dict[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # by namespace/name's root
    # Uids of caches with a claim that waits for this node, by its name.
    awaited_nodes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    running: dict[str, bool] = field(default_factory=dict)  # uids of warmups that are under way
    # Uids of warmups with Jobs whose machine is not known, by what stands for it (`placing`).
    unplaced: dict[str, tuple[str, ...]] = field(default_factory=dict)
    buried: dict[str, Ended] = field(default_factory=dict)  # by uid: they never come back
    synced: dict[str, bool] = field(default_factory=dict)  # by kind or scope; absent: not yet
    # Kinds and scopes listed in any session: what they did not hold is absent as far as is known.
    listed: dict[str, bool] = field(default_factory=dict)
    doubted: dict[str, bool] = field(default_factory=dict)  # kinds not listed since a roll-back
    reachable: bool = True
    words: str = ""
    changed_at: int = 0  # when it last became reachable or unreachable
    told_at: int = 0  # when its words came; 0 when others may come at once

    @property
    def is_synced(self) -> bool:
        """Say whether all that warmups are about has been listed whole in this session."""
        return self.synced.keys() >= WARMUPS_NEED

    @property
    def is_known(self) -> bool:
        """Say whether it answers, and all that warmups are about was listed in this session."""
        return self.reachable and self.is_synced

    def has_synced(self, kinds: AbstractSet[str]) -> bool:
        """Say whether each of these kinds, or scopes of a kind, has been listed whole."""
        return self.synced.keys() >= kinds

    def tells(self, kinds: AbstractSet[str]) -> bool:
        """Say whether what is known of these kinds is what there is: listed, and still read."""
        listed = self.reachable and self.synced.keys() >= kinds
        return listed and (not self.unread or self.unread.keys().isdisjoint(kinds))

    def find(self, kind: str, namespace: str, name: str) -> Known | None:
        """Give the object of this name, of a kind that caches are about; None when unknown."""
        uid = self.names.get(name_key(kind, namespace, name))
        return self.objects[kind].get(uid) if uid is not None else None


@dataclass(slots=True)
class Warmup:
    """What is known of one ModelWarmup, with the indexes that keep each event cheap."""

    cluster: str
    subject: Subject
    level: WarmupLevel
    spec: WarmupSpec | None
    spec_text: str  # as it stood when it was read; what is acted on, whatever is stored later
    faults: tuple[Fault, ...]
    revision: str
    started_at: int
    state: WarmupState = WarmupState.PENDING
    completed_at: int = 0
    position: int = 0  # seq of the event that last changed the status
    face: tuple[object, ...] = ()  # what the status showed then, beside the details
    targets: dict[str, Target] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)  # by class, see indexing
    startable: list[tuple[bool, str, str]] = field(default_factory=list)
    listed: list[tuple[int, str, str]] = field(default_factory=list)
    skipped: dict[str, bool] = field(default_factory=dict)
    jobs: dict[str, tuple[str, ...]] = field(default_factory=dict)  # job uids by node uid
    slots: dict[str, bool] = field(default_factory=dict)  # node uids that hold a slot
    creating: dict[str, int] = field(default_factory=dict)  # open create's seq by node uid
    undeleted: dict[str, str] = field(default_factory=dict)  # Jobs that may not go, and why
    unwanted: dict[str, bool] = field(default_factory=dict)  # uids of Jobs to delete
    unstamped: dict[str, bool] = field(default_factory=dict)  # uids of finished Jobs without TTL
    unmarked: dict[str, bool] = field(default_factory=dict)  # uids of Jobs that lack our marks
    refused: dict[str, bool] = field(default_factory=dict)  # keys whose Job or Pod is refused
    refused_at: int = 0  # when Jobs or Pods began or ceased to be refused
    pooled: bool = True  # the namespace has a pool label
    blocked: str = ""  # why nothing at all can be created
    resolving: int = 0  # seq of the open Resolve
    resolve_at: int = 0  # when a refused Resolve is tried again
    resolve_refusals: int = 0
    resolve_words: str = ""  # the API server's, when it refused the last one
    confirmed: bool = False
    resolved_once: bool = False
    overflowed: bool = False  # the target limit was crossed
    oversized: bool = False  # it was crossed when targets were first resolved
    stored: bool = False  # the terminal status is on the server
    gone: bool = False
    # A list after a roll-back lacked it, which may be there: 1 in that session, 2 in the next ones.
    missed: int = 0
    recovered: Recovered | None = None
    spec_changed_at: int = 0  # when the stored spec began or ceased to differ from the one in use
    spec_changed: bool = False  # the stored spec was edited where the CRD's rule is missing
    contested_by: str = ""  # field manager that keeps writing the status
    contested_at: int = 0  # when a contest began or ended
    suspended_at: int = 0  # since when the annotation holds it; 0 when it does not
    ended_names: dict[str, bool] = field(default_factory=dict)  # node names that have an outcome
    ignored: tuple[Ignored, ...] = ()


@dataclass(slots=True)
class State:
    """Everything."""

    log_id: str
    position: int = 0
    now: int = 0
    clusters: dict[str, Cluster] = field(default_factory=dict)
    warmups: dict[str, Warmup] = field(default_factory=dict)  # by uid
    jobs: dict[str, Job] = field(default_factory=dict)  # by uid
    # Uids of Jobs that say they are of a warmup which is not known, by its uid.
    unclaimed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    pods: dict[str, dict[str, bool]] = field(default_factory=dict)  # live Pods' uids by Job uid
    unwatched: dict[str, int] = field(default_factory=dict)  # Jobs whose Pods are read, and since
    silent: dict[str, int] = field(default_factory=dict)  # Jobs that nothing runs for, and since
    open: dict[int, OpenIntent] = field(default_factory=dict)  # by seq
    timers: list[tuple[int, str, str]] = field(default_factory=list)  # (due, owner's uid, what)
    dirty: dict[str, int] = field(default_factory=dict)  # owner's uid → seq of the fact
    caching: CachingSettings = DEFAULT_SETTINGS
    caches: dict[str, Cache] = field(default_factory=dict)  # by uid
    served: dict[str, ServedCluster] = field(default_factory=dict)  # by name, those that exist
    # Uids of the caches that an object is about, by kind/namespace/name (`caches.indexing`).
    bearers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    asking: dict[str, bool] = field(
        default_factory=dict
    )  # caches with a question (`caches.asking`)
    # InferenceClusters by the uid of their kube-system: those of which there are several (`twins`).
    twins: dict[str, tuple[str, ...]] = field(default_factory=dict)
    replicas: dict[str, Replica] = field(default_factory=dict)  # by uid
    # Uids of the replicas that something is about, by the keys of `replicas.indexing`.
    replica_index: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # Objects that bear a replica's annotations, by the uid of that replica.
    parts: dict[str, tuple[PartRef, ...]] = field(default_factory=dict)
    asking_replicas: dict[str, bool] = field(
        default_factory=dict
    )  # replicas with a question (`replicas.asking`)
    # Within one event only: the replicas that it may have moved, by uid.
    stirred_replicas: dict[str, bool] = field(default_factory=dict)
    # Within one event only: the caches that it may have moved, by uid.
    stirred: dict[str, bool] = field(default_factory=dict)
    # Within one event only: the warmups that it touched, and their targets as they were.
    touched: dict[str, dict[str, Target | None]] = field(default_factory=dict)

    def known(self, cluster: str, kind: str, uid: str) -> Known | None:
        """Give what is known of an object, by the name of its cluster; None when nothing is."""
        there = self.clusters.get(cluster)
        return there.objects[kind].get(uid) if there is not None else None


def copy_record(record: Any) -> Any:
    """Copy one dataclass: its dicts and lists one level deep, everything else shared."""
    copied = {}
    for slot in fields(record):
        value = getattr(record, slot.name)
        copied[slot.name] = value.copy() if isinstance(value, dict | list) else value
    return type(record)(**copied)


def copy_state(state: State) -> State:
    """Give a state that can be folded on without touching this one."""
    copied: State = copy_record(state)
    for uid, warmup in state.warmups.items():
        copied.warmups[uid] = copy_record(warmup)
    for name, cluster in state.clusters.items():
        copied.clusters[name] = copy_record(cluster)
        copied.clusters[name].objects = {
            kind: known.copy() for kind, known in cluster.objects.items()
        }
    for uid, cache in state.caches.items():
        copied.caches[uid] = copy_record(cache)
        copied.caches[uid].entries = {
            name: copy_record(entry) for name, entry in cache.entries.items()
        }
    copied.replicas = {uid: copy_record(replica) for uid, replica in state.replicas.items()}
    copied.served = {name: copy_record(one) for name, one in state.served.items()}
    copied.pods = {uid: pods.copy() for uid, pods in state.pods.items()}
    return copied
