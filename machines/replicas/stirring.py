"""Stirring: which replicas an event may have moved; `settling` looks at no other.

Replicas are found by the name of their InferenceCluster, by their cache, by the namespace of their
objects, and by each name that an object of theirs has.
"""

from collections.abc import Iterable

from machines.replicas.indexing import cache_key, cluster_key
from machines.states import State


def stir_replica(state: State, uid: str) -> None:
    """Note that an event may have moved a replica."""
    if uid in state.replicas:
        state.stirred_replicas[uid] = True


def stir_key(state: State, key: str) -> None:
    """Note those that a key of the index leads to."""
    for uid in state.replica_index.get(key, ()):
        state.stirred_replicas[uid] = True


def stir_replicas_on(state: State, names: Iterable[str]) -> None:
    """Note the replicas on these InferenceClusters."""
    for name in names:
        stir_key(state, cluster_key(name))


def stir_replicas_at_home(state: State, home: str) -> None:
    """Note the replicas that are objects of this cluster."""
    for uid, replica in state.replicas.items():
        if replica.cluster == home:
            state.stirred_replicas[uid] = True


def stir_replicas_of_cache(state: State, namespace: str, name: str) -> None:
    """Note the replicas that refer to a ModelCache."""
    stir_key(state, cache_key(namespace, name))
