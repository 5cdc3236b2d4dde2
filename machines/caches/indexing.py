"""Indexing: which caches an object is about, found by its name at the cost of one look-up."""

from engine.events import Subject
from machines.caches.finding import CLAIM, JOB, NAMESPACE, POD, names_of, namespace_of
from machines.caches.levels import HydrationPodLevel
from machines.caches.reaching import names_of_cluster
from machines.caches.states import Cache, Entry
from machines.caches.twins import working_twin
from machines.multimaps import put, take
from machines.states import SECRET, Cluster, State


def bearer_key(kind: str, namespace: str, name: str) -> str:
    """Give the key of an object among `State.bearers`."""
    return f"{kind}/{namespace}/{name}"


def index_cache(state: State, cache: Cache) -> None:
    """Have the objects of a cache's names lead to it."""
    for key in _keys(state, cache):
        put(state.bearers, key, cache.subject.uid)


def unindex_cache(state: State, cache: Cache) -> None:
    """Take a cache out of the index; to be called while it still has the names it came in with."""
    for key in _keys(state, cache):
        take(state.bearers, key, cache.subject.uid)


def reindex(state: State) -> None:
    """Make the index anew: a setting decides in which namespace everything is."""
    state.bearers.clear()
    for cache in state.caches.values():
        index_cache(state, cache)


def bearers_of(state: State, cluster: Cluster, subject: Subject) -> tuple[str, ...]:
    """Give the uids of the caches that an object is about: its names', or those of its Job."""
    if subject.kind == POD:
        job = job_of_pod(cluster, subject.uid)
        return bearers_of(state, cluster, job) if job else ()
    return state.bearers.get(bearer_key(*subject[:3]), ())


def job_of_pod(cluster: Cluster, pod_uid: str) -> Subject | None:
    """Give the hydration Job of a known Pod, if that is known, too."""
    known = cluster.objects[POD].get(pod_uid)
    level = known.level if known else None
    job = cluster.objects[JOB].get(level.job_uid) if isinstance(level, HydrationPodLevel) else None
    return job.subject if job else None


def entries_on(state: State, cache: Cache, cluster: str) -> list[Entry]:
    """Give a cache's entries on the cluster of that name in the log; the one that works first."""
    found = [
        (bool(working_twin(state, state.served[name], cache)), cache.entries[name])
        for name in names_of_cluster(state, cluster)
        if name in cache.entries
    ]
    return [entry for _, entry in sorted(found, key=lambda pair: pair[0])]


def entry_of(state: State, cluster: str, subject: Subject) -> tuple[Cache, Entry] | None:
    """Give the entry that a claim, a Job or a Pod of it belongs to, by its names.

    Where two caches have one name, as they may in a shared namespace, it is the one with the claim.
    """
    known = state.clusters.get(cluster)
    found = [
        (cache, entries[0])
        for uid in (bearers_of(state, known, subject) if known else ())
        if (cache := state.caches.get(uid)) and (entries := entries_on(state, cache, cluster))
    ]
    return next((one for one in found if one[1].claim_uid), found[0] if found else None)


def entry_of_claim(state: State, cluster: str, claim_uid: str) -> tuple[Cache, Entry] | None:
    """Give the entry whose claim has this uid on the cluster of that name in the log."""
    there = state.clusters.get(cluster)
    known = there.objects[CLAIM].get(claim_uid) if there else None
    for uid in bearers_of(state, there, known.subject) if there and known else ():
        cache = state.caches.get(uid)
        for entry in entries_on(state, cache, cluster) if cache else ():
            if cache is not None and entry.claim_uid == claim_uid:
                return cache, entry
    return None


def _keys(state: State, cache: Cache) -> list[str]:
    namespace = namespace_of(state, cache)
    keys = [bearer_key(kind, namespace, name) for kind, name in names_of(cache).items()]
    keys.append(bearer_key(NAMESPACE, "", namespace))
    if cache.spec is not None and cache.spec.secret_name:
        keys.append(bearer_key(SECRET, cache.subject.namespace, cache.spec.secret_name))
    return keys
