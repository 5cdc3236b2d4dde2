"""Pictures: a state with one ModelCache on its clusters, drawn by hand, without any machine.

The cluster of the ModelCache is "home". InferenceClusters are reached by kubeconfigs. Everything
was listed, and nothing is there but what a test draws.
"""

from typing import Any

from engine.canonical_json import dumps
from engine.events import Subject
from engine.instants import SECOND
from machines.caches.cluster_specs import parse_cluster
from machines.caches.entries import EntryState
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
from machines.caches.messages import entry_message
from machines.caches.reaching import scope_key
from machines.caches.sources import fingerprint
from machines.caches.specs import parse_cache
from machines.caches.states import Cache, Chosen, Entry, Failure, Said, ServedCluster
from machines.caches.twins import index_twins
from machines.levels import Level, NamespaceLevel, NodeLevel
from machines.states import CACHE_KINDS, WORKLOAD_KINDS, Cluster, Known, State

HOME, EAST = "home", "east"
NOON = 1_767_268_800 * SECOND  # 2026-01-01T12:00:00Z
NAMESPACE, NAME, UID = "ml-team", "qwen", "cache-uid"
THERE = "mp-ml-team-51733"
CLAIM = "modelcache-ml-team-qwen-17db2"
JOB = "modelcache-ml-team-qwen-hydrate-256ec"
OWNER = Owner(NAMESPACE, NAME, UID)
RWX = StorageClassLevel("csi.example.com", "WaitForFirstConsumer")
SECRET = "hf"

LATER = NOON + 60 * SECOND
FAILURE = Failure(
    f"{JOB}-uid", JOB, f"{CLAIM}-uid", 4,
    Said("Error", "No space left on device"),
    Said("BackoffLimitExceeded", "Job has reached the specified backoff limit"),
    NOON, 1, "", "", LATER,
)  # fmt: skip
NODE = Chosen("gpu-1", "gpu-1-uid")


def spec_of(*, secret: bool = False, selector: dict[str, str] | None = None, **hub: Any) -> Any:
    """A spec of a ModelCache."""
    fields = {"repo": "org/model", "revision": "v1", "sizeGiB": 100, **hub}
    if secret:
        fields["authSecret"] = {"name": SECRET}
    spec: dict[str, Any] = {"source": "HuggingFace", "huggingFace": fields}
    if selector is not None:
        spec["clusterSelector"] = {"matchLabels": selector}
    return spec


class Picture:
    """A state, its ModelCache, and the entry of the cluster that was drawn first."""

    def __init__(self, *clusters: str, spec: Any = None) -> None:
        """Draw these clusters, or "east" alone; the ModelCache has a Pending entry on each."""
        self.state = State("log", now=NOON)
        home = self.state.clusters[HOME] = Cluster(HOME)
        home.listed = dict.fromkeys(CACHE_KINDS, True)
        raw = spec_of() if spec is None else spec
        parsed, text = parse_cache(raw), dumps(raw)
        self.subject = Subject("ModelCache", NAMESPACE, NAME, UID)
        self.cache = Cache(
            HOME, self.subject, CacheLevel(1, text), parsed.spec, text, parsed.faults,
            fingerprint(parsed.spec) if parsed.spec else "", enrolled=True,
        )  # fmt: skip
        self.state.caches[UID] = self.cache
        for name in clusters or (EAST,):
            self.cluster(name)
            self.cache.entries[name] = Entry(name)
        self.entry = next(iter(self.cache.entries.values()))
        self.state.clusters[HOME].listed[scope_key(NAMESPACE, SECRET)] = True

    @property
    def east(self) -> Cluster:
        """The cluster that was drawn first."""
        return self.state.clusters[f"ic/{self.entry.cluster}"]

    @property
    def message(self) -> str:
        """What the first entry says."""
        return entry_message(self.state, self.cache, self.entry)

    def cluster(self, name: str, *, storage_class: str = "rwx", **changes: Any) -> ServedCluster:
        """An InferenceCluster is there, reached and listed, with a storage class."""
        secret = f"{name}-kubeconfig"
        spec = {"cluster": {"source": "Existing", "existing": {"secretRef": {"name": secret}}}}
        level = ClusterLevel((), dumps(spec), "", storage_class, "2026-01-01T00:00:00Z")
        subject = Subject("InferenceCluster", "", name, f"{name}-uid")
        served = ServedCluster(HOME, subject, level._replace(**changes), parse_cluster(spec))
        self.state.served[name] = served
        there = self.state.clusters.setdefault(f"ic/{name}", Cluster(f"ic/{name}"))
        there.listed = dict.fromkeys(WORKLOAD_KINDS, True)
        namespace = self.state.caching.own_namespace
        self.put(HOME, "Secret", namespace, secret, SecretLevel((("kubeconfig", "d1"),)))
        if storage_class:
            self.put(there.name, "StorageClass", "", storage_class, RWX)
        return served

    def put(self, cluster: str, kind: str, namespace: str, name: str, level: Level) -> str:
        """An object is there; give its uid."""
        uid = f"{name}-uid"
        there = self.state.clusters[cluster]
        there.objects[kind][uid] = Known(Subject(kind, namespace, name, uid), 1, level, NOON)
        there.names[f"{kind}/{namespace}/{name}"] = uid
        if isinstance(level, NamespaceLevel):
            there.namespace_uids[name] = uid
            index_twins(self.state)
        if isinstance(level, NodeLevel):
            there.node_uids[name] = uid
        return uid

    def claim(self, phase: str = "Pending", *, cluster: str = "", **changes: Any) -> str:
        """The cache's claim is there; give its uid."""
        entry = self.cache.entries[cluster or self.entry.cluster]
        level = ClaimLevel(OWNER, NAME, phase, storage_class="rwx", requested="100Gi")
        where = f"ic/{entry.cluster}"
        uid = self.put(where, "PersistentVolumeClaim", THERE, CLAIM, level._replace(**changes))
        entry.claim_uid = uid
        return uid

    def job(self, outcome: str = "", **changes: Any) -> str:
        """The cache's Job for this claim and content is there; give its uid."""
        level = HydrationJobLevel(OWNER, NAME, f"{CLAIM}-uid", self.cache.fingerprint, outcome)
        return self.put(self.east.name, "HydrationJob", THERE, JOB, level._replace(**changes))

    def pod(self, **changes: Any) -> str:
        """A Pod of that Job is there; give its uid."""
        level = HydrationPodLevel(f"{JOB}-uid", **changes)
        uid = self.put(self.east.name, "HydrationPod", THERE, f"{JOB}-abcde", level)
        self.east.pods_by_job[f"{JOB}-uid"] = (uid,)
        self.east.pods_by_root[f"{THERE}/{JOB}-"] = (uid,)
        return uid

    def token(self, **keys: str) -> str:
        """The Secret with the token is there, with these keys and digests; give its uid."""
        return self.put(HOME, "Secret", NAMESPACE, SECRET, SecretLevel(tuple(keys.items())))

    def ready(self) -> None:
        """The model is staged on every cluster."""
        for entry in self.cache.entries.values():
            latch = f"{CLAIM}-uid/{self.cache.fingerprint}"
            self.claim("Bound", cluster=entry.cluster, hydrated=latch)
            entry.state, entry.latch = EntryState.READY, latch

    def hydrating(self) -> None:
        """The first cluster's claim is bound, and its Job is on its way."""
        self.claim("Bound", volume="pv-1")
        self.job()
        self.entry.state = EntryState.HYDRATING
