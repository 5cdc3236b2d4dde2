"""Indexing: which replicas an object, a cache or a cluster is about, at the cost of one look-up."""

from machines.caches.child_names import workload_namespace
from machines.multimaps import put, take
from machines.replicas.kinds import NAMESPACE
from machines.replicas.part_names import part_names
from machines.replicas.states import Replica
from machines.states import State


def cluster_key(name: str) -> str:
    """Give the key of the replicas on an InferenceCluster."""
    return f"on/{name}"


def cache_key(namespace: str, name: str) -> str:
    """Give the key of the replicas that refer to a ModelCache."""
    return f"of/{namespace}/{name}"


def object_key(kind: str, namespace: str, name: str) -> str:
    """Give the key of the replicas that may have an object of this name."""
    return f"{kind}/{namespace}/{name}"


def namespace_of(state: State, replica: Replica) -> str:
    """Give the namespace that a replica's objects have on its cluster."""
    return workload_namespace(replica.subject.namespace, state.caching.workload_namespace)


def index_replica(state: State, replica: Replica) -> None:
    """Have all that a replica is about lead to it."""
    for key in _keys(state, replica):
        put(state.replica_index, key, replica.subject.uid)


def unindex_replica(state: State, replica: Replica) -> None:
    """Take a replica out of the index; to be called while it has the spec that it came in with."""
    for key in _keys(state, replica):
        take(state.replica_index, key, replica.subject.uid)


def reindex_replicas(state: State) -> None:
    """Make the index anew: a setting decides in which namespace everything is."""
    state.replica_index.clear()
    for replica in state.replicas.values():
        index_replica(state, replica)


def _keys(state: State, replica: Replica) -> list[str]:
    subject, namespace = replica.subject, namespace_of(state, replica)
    keys = [object_key(NAMESPACE, "", namespace), cluster_key(replica.cluster_name)]
    if replica.spec is None:
        return keys
    if replica.spec.cache_name:
        keys.append(cache_key(subject.namespace, replica.spec.cache_name))
    names = part_names(subject.name, replica.spec)
    return keys + [object_key(kind, namespace, name) for kind, name in names]
