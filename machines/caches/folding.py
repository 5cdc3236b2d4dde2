"""Folding facts about caches, their clusters, and what they have there.

A fact only notes what it says and which caches it may have moved (`state.stirred`); `settling`
then brings those to where their facts put them. So facts may come in any order, twice or together.
"""

from engine.canonical_json import loads
from engine.errors import EventMalformed
from engine.events import Event, Subject
from machines.caches.cluster_specs import parse_cluster
from machines.caches.indexing import entry_of_claim
from machines.caches.levels import CacheLevel, CachingLevel, ClusterLevel
from machines.caches.reaching import log_cluster
from machines.caches.specs import parse_cache
from machines.caches.states import Cache, ServedCluster
from machines.intents import CacheIntent
from machines.observations import Answer
from machines.states import Cluster, State


def fold_level(state: State, event: Event, subject: Subject, level: CachingLevel) -> None:
    """An object that caches are about is at this level."""
    cluster = state.clusters[event.cluster]
    cluster.names["/".join(subject[:3])] = subject.uid
    if isinstance(level, CacheLevel):
        _cache_seen(state, event, subject, level)
    elif isinstance(level, ClusterLevel):
        _cluster_seen(state, event, subject, level)
    stir(state, event.cluster)


def fold_level_gone(state: State, event: Event, subject: Subject) -> None:
    """An object that caches are about is gone."""
    cluster = state.clusters[event.cluster]
    name = "/".join(subject[:3])
    if cluster.names.get(name) == subject.uid:
        del cluster.names[name]
    if subject.kind == "ModelCache" and subject.uid in state.caches:
        state.caches[subject.uid].gone = True
    elif subject.kind == "InferenceCluster":
        _cluster_gone(state, subject)
    stir(state, event.cluster)


def fold_cluster_changed(state: State, event: Event, cluster: Cluster) -> None:
    """A cluster was listed, answers, does not answer, or something else of it has changed."""
    stir(state, cluster.name)


def fold_cache_intent(state: State, event: Event, subject: Subject, intent: CacheIntent) -> None:
    """Something was decided for a cache: it is open until its answer."""
    msg = f"row {event.seq} decides for ModelCache {subject.name}, which nothing decides for yet"
    raise EventMalformed(msg)


def fold_cache_answer(state: State, event: Event, intent: CacheIntent, answer: Answer) -> None:
    """What was decided for a cache has its answer."""
    state.stirred[intent.owner_uid] = True


def fold_claim_users(state: State, event: Event, subject: Subject, pods: tuple[str, ...]) -> None:
    """The Pods of a claim's namespace were listed: these mount it."""
    found = entry_of_claim(state, event.cluster, subject.uid)
    if found is not None:
        cache, entry = found
        entry.users = pods
        state.stirred[cache.subject.uid] = True


def stir(state: State, cluster: str) -> None:
    """Note every cache that something on this cluster may have moved."""
    for uid, cache in state.caches.items():
        names = [served for name in cache.entries if (served := state.served.get(name))]
        if cache.cluster == cluster or any(log_cluster(one) == cluster for one in names):
            state.stirred[uid] = True


def _cache_seen(state: State, event: Event, subject: Subject, level: CacheLevel) -> None:
    cache = state.caches.get(subject.uid)
    if cache is not None:
        cache.level = level
        return
    parsed = parse_cache(loads(level.spec))
    state.caches[subject.uid] = Cache(
        event.cluster, subject, level, parsed.spec, level.spec, parsed.faults
    )


def _cluster_seen(state: State, event: Event, subject: Subject, level: ClusterLevel) -> None:
    served = state.served.get(subject.name)
    spec = parse_cluster(loads(level.spec))
    if served is None or served.subject.uid != subject.uid:
        state.served[subject.name] = ServedCluster(event.cluster, subject, level, spec)
    else:
        served.level, served.spec = level, spec


def _cluster_gone(state: State, subject: Subject) -> None:
    served = state.served.get(subject.name)
    if served is None or served.subject.uid != subject.uid:
        return
    del state.served[subject.name]
    if log_cluster(served) != served.home:
        state.clusters.pop(log_cluster(served), None)
