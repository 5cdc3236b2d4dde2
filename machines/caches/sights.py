"""Sights: what is known of one entry's cluster, of its objects there, and of its token.

All of it is the last that was seen, and survives a restart: nothing here asks whether a kind is
synced in this session. An absence counts only where the kind, or the Secret, was ever listed.
"""

from typing import NamedTuple

from machines.caches.child_names import claim_name, hydration_job_name, workload_namespace
from machines.caches.levels import ClaimLevel, HydrationJobLevel, HydrationPodLevel, SecretLevel
from machines.caches.reaching import log_cluster, scope_key
from machines.caches.sources import fingerprint
from machines.caches.states import Cache, Entry, ServedCluster
from machines.levels import NamespaceLevel
from machines.states import SECRET, Cluster, Known, State

CLAIM = "PersistentVolumeClaim"
HYDRATION_JOB = "HydrationJob"
HYDRATION_POD = "HydrationPod"
DEFAULT_CLASS = "modelplane-rwx"  # used where a cluster names no other, if it exists
_SYSTEM = "kube-system"  # the namespace whose uid says which cluster it is


class Token(NamedTuple):
    """What is known of the token that a cache downloads with."""

    needed: bool = False
    digest: str = ""  # of its value; "" while it is missing or not known
    missing: bool = False  # known to be missing; else trouble says why it is not known
    trouble: str = ""  # names Secret and key


class Sight(NamedTuple):
    """What is known of an entry. Levels are those last seen, None while the object is not there."""

    state: State
    cache: Cache
    entry: Entry
    served: ServedCluster | None
    cluster: Cluster | None  # None before anything of it was seen
    namespace: str  # on the workload cluster
    claim_name: str
    claim: ClaimLevel | None
    claim_uid: str
    job_name: str
    job: HydrationJobLevel | None
    job_uid: str
    pods: tuple[HydrationPodLevel, ...]  # of that Job, oldest first

    @property
    def claim_words(self) -> str:
        """Name the claim as people name it."""
        return f"claim {self.namespace}/{self.claim_name}"

    @property
    def job_words(self) -> str:
        """Name the Job as people name it."""
        return f"Job {self.namespace}/{self.job_name}"


def sight_of(state: State, cache: Cache, entry: Entry) -> Sight:
    """Look up everything that is known of an entry."""
    served = state.served.get(entry.cluster)
    cluster = state.clusters.get(log_cluster(served)) if served is not None else None
    subject = cache.subject
    namespace = workload_namespace(subject.namespace, state.caching.workload_namespace)
    claim_called = claim_name(subject.namespace, subject.name)
    job_called = hydration_job_name(subject.namespace, subject.name)
    claim = cluster.find(CLAIM, namespace, claim_called) if cluster else None
    job = cluster.find(HYDRATION_JOB, namespace, job_called) if cluster else None
    job_uid = job.subject.uid if job else ""
    return Sight(
        state, cache, entry, served, cluster, namespace,
        claim_called,
        claim.level if claim and isinstance(claim.level, ClaimLevel) else None,
        claim.subject.uid if claim else "",
        job_called,
        job.level if job and isinstance(job.level, HydrationJobLevel) else None,
        job_uid,
        _pods(cluster, job_uid),
    )  # fmt: skip


def token_of(state: State, cache: Cache) -> Token:
    """Say whether the token that a cache needs is there."""
    spec = cache.spec
    if spec is None or not spec.secret_name:
        return Token()
    namespace, name, key = cache.subject.namespace, spec.secret_name, spec.secret_key
    secret, scope = f"Secret {namespace}/{name}", scope_key(namespace, name)
    cluster = state.clusters.get(cache.cluster)
    words = cluster.unread.get(scope, "") if cluster else ""
    known = cluster.find(SECRET, namespace, name) if cluster else None
    if words:
        return Token(needed=True, trouble=f"{secret} with key {key} cannot be read: {words}")
    if known is not None and isinstance(known.level, SecretLevel):
        return _token_in(known.level, secret, key)
    if cluster is None or scope not in cluster.listed:
        return Token(needed=True, trouble=f"{secret} with key {key} was not read yet")
    trouble = f"{secret} does not exist: its key {key} is to hold the token"
    return Token(needed=True, missing=True, trouble=trouble)


def _token_in(level: SecretLevel, secret: str, key: str) -> Token:
    keys = dict(level.keys)
    if keys.get(key):
        return Token(needed=True, digest=keys[key])
    wrong = f"has no key {key}" if key not in keys else f"has an empty value under its key {key}"
    return Token(needed=True, missing=True, trouble=f"{secret} {wrong}")


def storage_class_of(state: State, served: ServedCluster) -> str:
    """Give the class that claims on a cluster are made with; "" while none is known."""
    named = served.level.storage_class or served.spec.storage_class
    if named:
        return named
    cluster = state.clusters.get(log_cluster(served))
    exists = cluster is not None and cluster.find("StorageClass", "", DEFAULT_CLASS) is not None
    return DEFAULT_CLASS if exists else ""


def older_twin(state: State, served: ServedCluster) -> str:
    """Give the older InferenceCluster that proves to be the same cluster; "" when none does."""
    identity = _identity(state, served)
    if not identity:
        return ""
    twins = [one for one in state.served.values() if _identity(state, one) == identity]
    oldest = min(twins, key=lambda one: (one.level.created, one.subject.name))
    return oldest.subject.name if oldest is not served else ""


def namespace_terminating(cluster: Cluster, namespace: str) -> bool:
    """Say whether a namespace is known to be on its way out."""
    uid = cluster.namespace_uids.get(namespace, "")
    known: Known | None = cluster.objects["Namespace"].get(uid)
    return known is not None and isinstance(known.level, NamespaceLevel) and known.level.terminating


def job_fits(sight: Sight) -> bool:
    """Say whether the Job there works for this very claim and content."""
    job, cache = sight.job, sight.cache
    if job is None or sight.claim is None or cache.spec is None:
        return False
    wanted = cache.fingerprint or fingerprint(cache.spec)
    return (job.claim_uid, job.fingerprint) == (sight.claim_uid, wanted)


def is_staged(sight: Sight) -> bool:
    """Say whether the content is whole in the bound claim, as its Job or its latch says."""
    claim, spec = sight.claim, sight.cache.spec
    if claim is None or spec is None or claim.phase != "Bound":
        return False
    complete = sight.job is not None and sight.job.outcome == "Complete"
    latch = f"{sight.claim_uid}/{sight.cache.fingerprint or fingerprint(spec)}"
    return (complete and job_fits(sight)) or claim.hydrated == latch


def _identity(state: State, served: ServedCluster) -> str:
    cluster = state.clusters.get(log_cluster(served))
    return cluster.namespace_uids.get(_SYSTEM, "") if cluster else ""


def _pods(cluster: Cluster | None, job_uid: str) -> tuple[HydrationPodLevel, ...]:
    if cluster is None or not job_uid:
        return ()
    levels = (known.level for known in cluster.objects[HYDRATION_POD].values())
    return tuple(
        level
        for level in levels
        if isinstance(level, HydrationPodLevel) and level.job_uid == job_uid
    )
