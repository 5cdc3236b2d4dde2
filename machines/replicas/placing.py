"""Placing: where a replica's objects are, and whether enough is known of that cluster."""

from collections.abc import Container
from functools import lru_cache
from typing import NamedTuple

from engine.instants import rfc3339
from machines.caches.cluster_specs import DYNAMO
from machines.caches.reaching import log_cluster, way_in
from machines.caches.states import ServedCluster
from machines.replicas.indexing import namespace_of
from machines.replicas.kinds import CLAIM_TEMPLATE, DEPLOYMENT, GANG, NAMESPACE, SERVICE
from machines.replicas.specs import ReplicaSpec
from machines.replicas.states import Replica
from machines.states import REPLICAS_NEED, SERVING_KINDS, Cluster, State


class Place(NamedTuple):
    """The cluster that a replica is pinned to, and its namespace there."""

    name: str  # of the cluster, in the log
    cluster: Cluster
    namespace: str
    dynamo: bool


def served_of(state: State, replica: Replica) -> ServedCluster | None:
    """Give the InferenceCluster that a replica names; None when there is none."""
    served = state.served.get(replica.cluster_name)
    return served if served is not None and served.home == replica.cluster else None


def place_of(state: State, replica: Replica) -> Place | None:
    """Give where a replica's objects are; None when nothing is known of that cluster."""
    served = served_of(state, replica)
    cluster = state.clusters.get(log_cluster(served)) if served else None
    if served is None or cluster is None:
        return None
    dynamo = served.spec.stack == DYNAMO
    return Place(cluster.name, cluster, namespace_of(state, replica), dynamo)


def home_is_known(state: State, replica: Replica) -> bool:
    """Say whether the cluster that a replica is an object of answers, and was listed."""
    home = state.clusters.get(replica.cluster)
    return home is not None and home.tells(REPLICAS_NEED)


@lru_cache(maxsize=4096)  # asked for at every look at a replica
def needed_kinds(spec: ReplicaSpec) -> tuple[str, ...]:
    """Give the kinds that a replica is composed of, its namespace included."""
    gangs = [engine.is_gang for engine in spec.engines]
    devices = any(member.devices for engine in spec.engines for member in engine.members)
    needed = {DEPLOYMENT: not all(gangs), GANG: any(gangs), CLAIM_TEMPLATE: devices}
    return (NAMESPACE, SERVICE, *(kind for kind, is_needed in needed.items() if is_needed))


def known_place(state: State, replica: Replica) -> Place | None:
    """Give where a replica's objects are, if that cluster answers and all they need was listed."""
    place = place_of(state, replica)
    if place is None or replica.spec is None or not place.cluster.reachable:
        return None
    return None if unlisted_kinds(place, needed_kinds(replica.spec)) else place


def is_known_whole(place: Place) -> bool:
    """Say whether a cluster answers, and nothing of a replica can be there that is not known."""
    return place.cluster.reachable and not unlisted_kinds(place, SERVING_KINDS)


def unlisted_kinds(place: Place, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Give those of these kinds of which it is not known what there is; unserved is known."""
    return _untold(place.cluster, kinds, place.cluster.synced)


def _untold(cluster: Cluster, kinds: tuple[str, ...], listed: Container[str]) -> tuple[str, ...]:
    unread, unserved = cluster.unread, cluster.unserved
    untold = [kind for kind in kinds if kind not in listed or kind in unread]
    return tuple([kind for kind in untold if kind not in unserved])


def cluster_trouble(state: State, replica: Replica) -> str:
    """Say why nothing can be composed on a replica's cluster; "" when it can."""
    return no_way_words(state, replica) or silence_words(state, replica)


def no_way_words(state: State, replica: Replica) -> str:
    """Say why there is no cluster to compose a replica on; "" when there is, or may be."""
    name = f"InferenceCluster {replica.cluster_name}"
    served = served_of(state, replica)
    if served is None:
        return f"{name} does not exist"
    way = way_in(state, served)
    return f"{name} cannot be reached: {way.trouble}" if way.trouble and way.known else ""


def silence_words(state: State, replica: Replica) -> str:
    """Say what of a replica's cluster is not known; "" when all that is needed is.

    What was listed in an earlier session counts: a restart alone is nothing to tell of.
    """
    name = f"InferenceCluster {replica.cluster_name}"
    place = place_of(state, replica)
    if place is None or not place.cluster.listed:
        served = served_of(state, replica)
        trouble = way_in(state, served).trouble if served is not None else ""
        return f"{name} {f'cannot be reached: {trouble}' if trouble else 'was not read yet'}"
    if not place.cluster.reachable:
        at = place.cluster.changed_at
        since = f"since {rfc3339(at)}" if at else "yet"
        return f"{name} does not answer {since}: {place.cluster.words or 'no words came'}"
    unread = place.cluster.unread
    needed = needed_kinds(replica.spec) if replica.spec else ()
    unlisted = _untold(place.cluster, needed, place.cluster.listed)
    refused = [kind for kind in unlisted if kind in unread]
    if refused:
        return f"{' and '.join(refused)} of {name} cannot be read: {unread[refused[0]]}"
    return f"{' and '.join(unlisted)} of {name} were not read yet" if unlisted else ""
