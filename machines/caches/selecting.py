"""Selecting: which clusters a cache is staged to, and whether enough is known to act there."""

from collections.abc import Iterable
from typing import Any

from engine.canonical_json import loads
from machines.caches.finding import has_names, site_on
from machines.caches.owning import is_ours
from machines.caches.reaching import log_cluster
from machines.caches.states import Cache, ServedCluster
from machines.caches.tokens import copy_is_unseen
from machines.labels import ABANDON
from machines.pairs import Pairs
from machines.states import CACHES_NEED, WORKLOADS_NEED, Cluster, State

DEFAULT_CLASS = "modelplane-rwx"


def home_is_known(state: State, cache: Cache) -> bool:
    """Say whether the cluster that a cache is an object of answers, and was listed."""
    home = state.clusters.get(cache.cluster)
    return home is not None and home.tells(CACHES_NEED)


def is_known(cluster: Cluster | None) -> bool:
    """Say whether a cluster answers, and all that a cache is about there was listed."""
    return cluster is not None and cluster.tells(WORKLOADS_NEED)


def is_abandoned(cache: Cache) -> bool:
    """Say whether somebody asks to let go of everything without clearing it away."""
    return (ABANDON, "true") in cache.level.annotations


def is_leaving(cache: Cache) -> bool:
    """Say whether nothing of a cache is wanted any more."""
    return cache.gone or cache.level.deleting


def matches(cache: Cache, served: ServedCluster) -> bool:
    """Say whether a cache's selector holds a cluster."""
    labels = served.level.labels
    return served.home == cache.cluster and all(pair in labels for pair in selector_of(cache))


def selector_of(cache: Cache) -> Pairs:
    """Give the labels that a cluster must have; of a refused spec, as far as they can be read."""
    if cache.spec is not None:
        return cache.spec.selector
    raw: Any = loads(cache.level.spec)
    for field in ("clusterSelector", "matchLabels"):
        raw = raw.get(field) if isinstance(raw, dict) else None
    items = raw.items() if isinstance(raw, dict) else ()
    return tuple(sorted((key, value) for key, value in items if isinstance(value, str)))


def concerned(state: State, cache: Cache, these: Iterable[ServedCluster]) -> list[str]:
    """Give those clusters on which a cache has, or may have, something, selected or not."""
    return [
        served.subject.name
        for served in these
        if served.home == cache.cluster
        and (served.subject.name in cache.recovered or _may_have_left(state, cache, served))
    ]


def concerns(state: State, cache: Cache, name: str) -> bool:
    """Say whether a cache has, or is to have, an entry for an InferenceCluster of this name."""
    if name in cache.entries or name in cache.recovered:
        return True
    served = state.served.get(name)
    return served is not None and (
        matches(cache, served) or bool(concerned(state, cache, (served,)))
    )


def _may_have_left(state: State, cache: Cache, served: ServedCluster) -> bool:
    """Say whether something of a cache is on a cluster, or could be, as nobody has looked yet."""
    cluster = state.clusters.get(log_cluster(served))
    unsure = is_leaving(cache) and not cache.untouched and not cache.gone
    if not unsure and (cluster is None or not has_names(state, cache, cluster)):
        return False  # as nearly everywhere: of a hundred clusters it is one that has anything
    if cluster is None or not is_known(cluster):
        return unsure
    site = site_on(state, cache, cluster)
    if unsure and copy_is_unseen(cache, site):
        return True
    things = (site.claim, site.job, site.secret)
    return any(is_ours(state, cache, thing) for thing in things)


def classes_are_listed(cluster: Cluster) -> bool:
    """Say whether the storage classes of a cluster were ever listed: else none is missing."""
    return "StorageClass" in cluster.listed


def named_class(served: ServedCluster) -> str:
    """Give the class for claims that a cluster's status names, else its spec; "" for none."""
    return served.level.storage_class or served.spec.storage_class


def storage_class(served: ServedCluster, cluster: Cluster) -> str:
    """Give the class for claims: its status's, its spec's, or ours if it exists; else ""."""
    known = (known.subject.name for known in cluster.objects["StorageClass"].values())
    return named_class(served) or (DEFAULT_CLASS if DEFAULT_CLASS in known else "")
