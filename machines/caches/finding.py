"""Finding: what a cache has on a cluster, by its names, as the log knows it.

Whether a thing found is the cache's own, another's, or to be taken over is said in `owning`.
"""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from machines.caches.child_names import (
    MAX_LENGTH,
    claim_name,
    hydration_job_name,
    token_secret_name,
    workload_namespace,
)
from machines.caches.levels import (
    ClaimLevel,
    HydrationJobLevel,
    HydrationPodLevel,
    SecretLevel,
)
from machines.caches.reaching import log_cluster
from machines.caches.states import Cache, Entry
from machines.caches.twins import working_twin
from machines.states import SECRET, Cluster, Known, State, name_key

CLAIM = "PersistentVolumeClaim"
JOB = "HydrationJob"
POD = "HydrationPod"
NAMESPACE = "Namespace"
_RANDOM_LENGTH = 5  # of what the API server adds to a generated name
_NO_CLAIM, _NO_JOB, _NO_SECRET = ClaimLevel(phase=""), HydrationJobLevel(), SecretLevel()


class Site(NamedTuple):
    """Where a cache's objects are on a cluster, and what is known of them; None: not there."""

    name: str  # of the cluster, in the log
    cluster: Cluster
    namespace: str
    claim: Known | None
    job: Known | None
    secret: Known | None

    @property
    def claim_level(self) -> ClaimLevel:
        """Give the claim's level; an empty one when there is none."""
        level = self.claim.level if self.claim else None
        return level if isinstance(level, ClaimLevel) else _NO_CLAIM

    @property
    def job_level(self) -> HydrationJobLevel:
        """Give the Job's level; an empty one when there is none."""
        level = self.job.level if self.job else None
        return level if isinstance(level, HydrationJobLevel) else _NO_JOB

    @property
    def secret_level(self) -> SecretLevel:
        """Give the level of the token's copy; an empty one when there is none."""
        level = self.secret.level if self.secret else None
        return level if isinstance(level, SecretLevel) else _NO_SECRET


def namespace_of(state: State, cache: Cache) -> str:
    """Give the namespace that a cache's objects have on every cluster."""
    return workload_namespace(cache.subject.namespace, state.caching.workload_namespace)


def names_of(cache: Cache) -> Mapping[str, str]:
    """Give the names of what a cache has on a cluster, by kind."""
    return _names(cache.subject.namespace, cache.subject.name)


@lru_cache(maxsize=1 << 14)  # asked for at every look at a cache
def _names(namespace: str, name: str) -> Mapping[str, str]:
    names = {
        CLAIM: claim_name(namespace, name),
        JOB: hydration_job_name(namespace, name),
        SECRET: token_secret_name(namespace, name),
    }
    return MappingProxyType(names)


def site_of(state: State, cache: Cache, entry: Entry) -> Site | None:
    """Give what is known of a cache on an entry's cluster; None when nothing is of the cluster.

    Nothing is there of a cluster that another InferenceCluster stands for, too: it is the other's.
    """
    served = state.served.get(entry.cluster)
    cluster = state.clusters.get(log_cluster(served)) if served else None
    if served is None or cluster is None:
        return None
    site = site_on(state, cache, cluster)
    if working_twin(state, served, cache):
        return site._replace(claim=None, job=None, secret=None)
    return site


def site_on(state: State, cache: Cache, cluster: Cluster) -> Site:
    """Give what is known of a cache on a cluster."""
    namespace, subject = namespace_of(state, cache), cache.subject
    claim, job, secret = _keys(subject.namespace, subject.name, namespace)
    uids, objects = cluster.names, cluster.objects
    return Site(
        cluster.name,
        cluster,
        namespace,
        objects[CLAIM].get(uids.get(claim, "")),
        objects[JOB].get(uids.get(job, "")),
        objects[SECRET].get(uids.get(secret, "")),
    )


def has_names(state: State, cache: Cache, cluster: Cluster) -> bool:
    """Say whether anything is known on a cluster that has a name of the cache's."""
    subject = cache.subject
    keys = _keys(subject.namespace, subject.name, namespace_of(state, cache))
    return not cluster.names.keys().isdisjoint(keys)


@lru_cache(maxsize=1 << 14)  # asked for at every look at a cluster
def _keys(namespace: str, name: str, there: str) -> tuple[str, ...]:
    """Give the keys of claim, Job and Secret among `Cluster.names`."""
    return tuple(name_key(kind, there, named) for kind, named in _names(namespace, name).items())


def pods_of(cluster: Cluster, job_uid: str) -> list[Known]:
    """Give the known Pods of a hydration Job, in the order in which they were first seen."""
    known = cluster.objects[POD]
    return [known[uid] for uid in cluster.pods_by_job.get(job_uid, ()) if uid in known]


def newest_failed_pod(cluster: Cluster, job_uid: str) -> HydrationPodLevel | None:
    """Give the level of the Job's Pod that failed last; None when none is known that did."""
    failed = [known for known in pods_of(cluster, job_uid) if _pod(known).phase == "Failed"]
    return _pod(max(failed, key=lambda known: known.at)) if failed else None


def writing_pods(cluster: Cluster, namespace: str, job_name: str, job_uid: str) -> list[Known]:
    """Give the live Pods of a Job, and of every other that ever had its name.

    A Pod can outlive its Job, on a node that does not answer, and its Job's place in the log.
    """
    uids = cluster.pods_by_root.get(f"{namespace}/{root_of_job(job_name)}", ())
    known = {uid: cluster.objects[POD][uid] for uid in uids if uid in cluster.objects[POD]}
    known |= {pod.subject.uid: pod for pod in pods_of(cluster, job_uid)}
    return [pod for pod in known.values() if not _pod(pod).ended]


def root_of_job(job_name: str) -> str:
    """Give how the names of a Job's Pods begin: five characters follow, and 63 is the most."""
    return f"{job_name}-"[: MAX_LENGTH - _RANDOM_LENGTH]


def root_of_pod(pod_name: str) -> str:
    """Give a Pod's name without the characters that tell it from others of its Job."""
    return pod_name[:-_RANDOM_LENGTH]


def live_pods(cluster: Cluster, job_uid: str) -> list[Known]:
    """Give the Pods of a Job in which a container may still run, or come to."""
    return [known for known in pods_of(cluster, job_uid) if not _pod(known).ended]


def _pod(known: Known) -> HydrationPodLevel:
    assert isinstance(known.level, HydrationPodLevel)  # noqa: S101 -- its kind says so
    return known.level
