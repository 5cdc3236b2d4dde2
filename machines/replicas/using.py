"""Using: which replicas hold on to a claim, so that it is not let go of under them."""

from engine.canonical_json import loads
from machines.caches.states import Cache
from machines.replicas.indexing import cluster_key
from machines.replicas.mounts import read_mount
from machines.replicas.states import Replica
from machines.states import State


def replicas_with_claim(
    state: State, cache: Cache, cluster_name: str, claim: str
) -> tuple[str, ...]:
    """Give the replicas of a cache's namespace that were composed with this claim, or are being.

    Only those of one namespace share the claims of it: their objects have a namespace of their own.
    """
    found = []
    for uid in state.replica_index.get(cluster_key(cluster_name), ()):
        replica = state.replicas[uid]
        here = replica.cluster == cache.cluster and not replica.gone
        same = replica.subject.namespace == cache.subject.namespace
        if here and same and claim in claims_of(replica):
            found.append(f"{replica.subject.namespace}/{replica.subject.name}")
    return tuple(sorted(found))


def claims_of(replica: Replica) -> frozenset[str]:
    """Give the claims of every mount that a replica has, or is being given."""
    texts = {replica.kept}
    for engine in replica.engines.values():
        texts |= {engine.kept, engine.applying or ""}
    return frozenset(read_mount(loads(text)).claim_name for text in texts if text)
