"""Tying: which objects of warmlog's a Job, a claim, a node, a workload … is of, or matters to.

By names and uids, as the state knows them at a row; whoever asks at each row that is about a thing
keeps what was once found.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.events import Event, Subject
from machines.caches.finding import CLAIM, names_of, site_of
from machines.caches.finding import JOB as HYDRATION_JOB
from machines.caches.finding import POD as HYDRATION_POD
from machines.caches.indexing import bearers_of, entries_on
from machines.caches.reaching import log_cluster, names_of_cluster, way_in
from machines.caches.selecting import storage_class
from machines.caches.states import Cache, Entry, ServedCluster
from machines.intents import INTENT_BY_TYPE, CreateJob, Resolve, WarmupIntent
from machines.levels import PodLevel
from machines.replicas.indexing import namespace_of, object_key
from machines.replicas.kinds import COMPOSED, NAMESPACE
from machines.replicas.mounting import cache_of
from machines.replicas.owning import marks_of
from machines.replicas.placing import served_of
from machines.replicas.states import Replica
from machines.states import SECRET, Cluster, State, Warmup
from machines.telling import intent_of

_OF_CACHES = frozenset({CLAIM, HYDRATION_JOB, HYDRATION_POD})
STORAGE_CLASS = "StorageClass"
_NAMED = {  # kinds that caches give names to
    "Job": HYDRATION_JOB, CLAIM: CLAIM, SECRET: SECRET, NAMESPACE: NAMESPACE,
}  # fmt: skip
Place = tuple[str, str, str, str]  # cluster, kind, namespace, name


class Tie(NamedTuple):
    """An object that a thing is of or matters to; which node or cluster of it, or "" the whole."""

    subject: Subject
    part: str


def ties_of_row(state: State, event: Event, subject: Subject) -> Iterator[Tie]:
    """Give what a row that was just folded ties to a thing that it is about."""
    yield from _decided(state, event, subject)
    if subject.kind in {"Job", "Pod"}:
        yield from _of_job(state, _job_uid(state, event.cluster, subject))
    if subject.kind in _OF_CACHES:
        yield from _of_caches(state, event.cluster, subject)
    if subject.kind in COMPOSED:
        yield from _of_owner(state, event.cluster, subject)


def ties_by_name(state: State, name: Place, uids: Iterable[str]) -> Iterator[Tie]:
    """Give what a thing is tied to by its name, or by the uids that bore it."""
    cluster, kind, namespace, named = name
    if kind in _NAMED:
        found = Subject(_NAMED[kind], namespace, named, "")
        yield from _of_caches(state, cluster, found)
    if kind in COMPOSED or kind == NAMESPACE:
        yield from _of_replicas(state, cluster, object_key(kind, namespace, named))
    if kind == "Node":
        yield from _of_node(state, cluster, named, uids)
    elif kind == NAMESPACE:
        yield from _of_warmups_in(state, cluster, named)
    elif kind == STORAGE_CLASS:
        yield from _of_class(state, cluster, named)
    elif kind == CLAIM:
        yield from _of_mounts(state, cluster, namespace, named)
    elif kind == SECRET:
        yield from _of_kubeconfig(state, cluster, namespace, named)


def _decided(state: State, event: Event, subject: Subject) -> Iterator[Tie]:
    """Give whom something was decided for; which cluster of a ModelCache is found by the name."""
    if event.type not in INTENT_BY_TYPE or subject.kind == "ModelCache":
        return
    intent = intent_of(event)
    warmup = state.warmups.get(subject.uid)
    if isinstance(intent, CreateJob):
        yield Tie(subject, intent.node_name)
    elif isinstance(intent, WarmupIntent) and not isinstance(intent, Resolve) and warmup:
        yield Tie(subject, _node_name(warmup, intent.node_uid))
    else:
        yield Tie(subject, "")


def _job_uid(state: State, cluster: str, subject: Subject) -> str:
    if subject.kind == "Job":
        return subject.uid
    known = state.known(cluster, "Pod", subject.uid)
    return known.level.job_uid if known and isinstance(known.level, PodLevel) else ""


def _of_job(state: State, uid: str) -> Iterator[Tie]:
    job = state.jobs.get(uid)
    warmup = state.warmups.get(job.warmup_uid) if job is not None else None
    if job is not None and warmup is not None:
        level = job.level
        named = level.node_name if level is not None else ""
        yield Tie(warmup.subject, _node_name(warmup, job.node_uid) or named)


def _node_name(warmup: Warmup, key: str) -> str:
    target = warmup.targets.get(key)
    return target.node_name if target is not None else ""


def _of_caches(state: State, cluster: str, subject: Subject) -> Iterator[Tie]:
    """Give the caches whose name for it a thing bears, and those that name a Secret of home."""
    there = state.clusters.get(cluster)
    for uid in bearers_of(state, there, subject) if there is not None else ():
        cache = state.caches.get(uid)
        if cache is None:
            continue
        if subject.kind == SECRET and _is_token(cache, cluster, subject):
            for name in cache.entries or [""]:
                yield Tie(cache.subject, name)
            continue
        for entry in entries_on(state, cache, cluster):
            yield Tie(cache.subject, entry.cluster)


def _is_token(cache: Cache, cluster: str, subject: Subject) -> bool:
    """Say whether a Secret is the one that a cache names, beside it."""
    named = cache.spec.secret_name if cache.spec is not None else ""
    place = cache.cluster, cache.subject.namespace, named
    return place == (cluster, subject.namespace, subject.name)


def _of_node(state: State, cluster: str, name: str, uids: Iterable[str]) -> Iterator[Tie]:
    wanted = (*uids, f"name:{name}")
    for warmup in state.warmups.values():
        known = warmup.targets.keys() | warmup.skipped.keys()
        if warmup.cluster == cluster and not known.isdisjoint(wanted):
            yield Tie(warmup.subject, name)
    there = state.clusters.get(cluster)
    for uid in there.awaited_nodes.get(name, ()) if there is not None else ():
        cache = state.caches.get(uid)
        for entry in entries_on(state, cache, cluster) if cache is not None else ():
            if cache is not None and entry.chosen.node_name == name:
                yield Tie(cache.subject, entry.cluster)


def _of_mounts(state: State, cluster: str, namespace: str, claim: str) -> Iterator[Tie]:
    """Give the replicas that mount a claim, or wait for the cache that it is of."""
    for replica in state.replicas.values():
        if not _is_on(state, replica, cluster):
            continue
        cache = cache_of(state, replica)
        awaited = names_of(cache)[CLAIM] if cache is not None else ""
        if namespace_of(state, replica) == namespace and claim in {awaited, *replica.claims}:
            yield Tie(replica.subject, "")


def _of_kubeconfig(state: State, cluster: str, namespace: str, name: str) -> Iterator[Tie]:
    for served in state.served.values():
        secret = way_in(state, served).kubeconfig
        if secret and (served.home, *secret[:2]) == (cluster, namespace, name):
            yield Tie(served.subject, "")


def _of_owner(state: State, cluster: str, subject: Subject) -> Iterator[Tie]:
    """Give the replica that an object says it is of, though it may have no such part any more."""
    known = state.known(cluster, subject.kind, subject.uid)
    replica = state.replicas.get(marks_of(known)[0].uid) if known is not None else None
    if replica is not None:
        yield Tie(replica.subject, "")


def _of_replicas(state: State, cluster: str, key: str) -> Iterator[Tie]:
    """Give the replicas that have an object of this name, or have their objects in it."""
    for uid in state.replica_index.get(key, ()):
        replica = state.replicas.get(uid)
        if replica is not None and _is_on(state, replica, cluster):
            yield Tie(replica.subject, "")


def _is_on(state: State, replica: Replica, cluster: str) -> bool:
    served = served_of(state, replica)
    return served is not None and log_cluster(served) == cluster


def _of_warmups_in(state: State, cluster: str, namespace: str) -> Iterator[Tie]:
    """Give the warmups that the pool label of a namespace is about."""
    for warmup in state.warmups.values():
        if (warmup.cluster, warmup.subject.namespace) == (cluster, namespace) and not warmup.gone:
            yield Tie(warmup.subject, "")


def _of_class(state: State, cluster: str, name: str) -> Iterator[Tie]:
    """Give the clusters that name a class for claims, and the caches whose claims have it."""
    there = state.clusters.get(cluster)
    for called in names_of_cluster(state, cluster) if there is not None else ():
        served = state.served[called]
        if there is not None and storage_class(served, there) == name:
            yield Tie(served.subject, "")
        for cache in state.caches.values():
            entry = cache.entries.get(called)
            if there and entry and _class_of(state, cache, entry, served, there) == name:
                yield Tie(cache.subject, called)


def _class_of(
    state: State, cache: Cache, entry: Entry, served: ServedCluster, there: Cluster
) -> str:
    """Give the class that a cache's claim has, or is to get."""
    site = site_of(state, cache, entry)
    if site is not None and site.claim is not None:
        return site.claim_level.storage_class
    return storage_class(served, there)
