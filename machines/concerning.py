"""Concerning: which rows of a log can change anything of an object, as far as kinds and names tell.

What a ModelWarmup comes to depends on its own rows, its Jobs and their Pods, on nodes, namespaces
and on what is said of whole clusters: never on other owners or what those have. A ModelCache and a
ModelReplica depend on the others of their namespace, since a replica may hold on to any claim
there, and on what bears their names or their annotations; never on ModelWarmups.
"""

from collections.abc import Iterable

from engine.canonical_json import dumps, loads
from engine.events import Event, Subject
from machines.caches.child_names import workload_namespace
from machines.caches.settings import CachingSettings
from machines.kinds import CACHE, REPLICA, WARMUP

OWNERS = (CACHE, REPLICA)
OWNED = (  # kinds of what those have on clusters
    "PersistentVolumeClaim",
    "HydrationJob",
    "HydrationPod",
    "Deployment",
    "LeaderWorkerSet",
    "Service",
    "ResourceClaimTemplate",
)
OWNER = '"owner":["'  # stands in a level before the namespace of whose it is
_OF_WARMUPS = (WARMUP, "Job", "Pod")  # most rows are about these
_OF_OTHERS = (*OWNERS, *OWNED)
KINDS = (*_OF_WARMUPS, *_OF_OTHERS)  # of which some objects may matter alone
_FOREIGN = {
    WARMUP: (*KINDS, "StorageClass", "Secret"),
    CACHE: KINDS,
    REPLICA: KINDS,
}


def foreign_kinds(kind: str) -> tuple[str, ...]:
    """Give the kinds of which an object of `kind` needs some alone; empty when it needs all."""
    return _FOREIGN.get(kind, ())


def fixed_namespaces(rows: Iterable[Event]) -> frozenset[str]:
    """Give the one namespace on clusters for all owners, by each session's settings; "" is none.

    Other rows are passed over. Before the first session that says so there is none.
    """
    told = [loads(row.data) for row in rows if row.type == "SessionStarted"]
    settings = [CachingSettings.from_json(one.get("caching", {})) for one in told]
    return frozenset({"", *(one.workload_namespace for one in settings)})


def workload_namespaces(namespace: str, fixed: Iterable[str]) -> frozenset[str]:
    """Give where owners of a namespace may have their objects on clusters."""
    return frozenset(workload_namespace(namespace, name) for name in fixed)


def owner_text(namespace: str) -> str:
    """Give how a level begins to say that it is of an owner of this namespace."""
    return f"{OWNER}{dumps(namespace)[1:]},"


def uids_of(subjects: Iterable[str]) -> frozenset[str]:
    """Give the uids of subjects as they stand in a log."""
    return frozenset(Subject.parse(one).uid for one in subjects)
