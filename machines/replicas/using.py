"""Using: which replicas hold on to a claim, so that it is not let go of under them."""

from collections.abc import Iterator

from machines.caches.states import Cache
from machines.replicas.indexing import cluster_key
from machines.replicas.kinds import WORKLOADS
from machines.replicas.mounts import mount_of
from machines.replicas.placing import needed_kinds, place_of, unlisted_kinds
from machines.replicas.states import Replica
from machines.states import State

ANY = "*"  # a claim that nobody knows by name; no claim is called so


def replicas_with_claim(
    state: State, cache: Cache, cluster_name: str, claim: str
) -> tuple[str, ...]:
    """Give the replicas of a cache's namespace that were composed with this claim, or are being.

    Only those of one namespace share the claims of it: their objects have a namespace of their own.
    """
    found = _neighbours(state, cache, cluster_name)
    return tuple(
        sorted(
            f"{replica.subject.namespace}/{replica.subject.name}"
            for replica in found
            if claim in claims_of(state, replica)
        )
    )


def may_be_mounted(state: State, cache: Cache, cluster_name: str, claim: str) -> bool:
    """Say whether a replica has this claim, or may have it, as nobody knows what it has."""
    found = _neighbours(state, cache, cluster_name)
    return any(not claims_of(state, replica).isdisjoint((claim, ANY)) for replica in found)


def claims_of(state: State, replica: Replica) -> frozenset[str]:
    """Give the claims of every mount that a replica has, or is being given.

    ANY for one of which this log has no history, before its workloads were listed.
    """
    texts = {replica.kept}
    for engine in replica.engines.values():
        texts |= {engine.kept, engine.applying or ""}
    claims = frozenset(mount_of(text).claim_name for text in texts if text)
    return claims if _is_told(state, replica) else claims | {ANY}


def _neighbours(state: State, cache: Cache, cluster_name: str) -> Iterator[Replica]:
    for uid in state.replica_index.get(cluster_key(cluster_name), ()):
        replica = state.replicas[uid]
        here = replica.cluster == cache.cluster and not replica.gone
        if here and replica.subject.namespace == cache.subject.namespace:
            yield replica


def _is_told(state: State, replica: Replica) -> bool:
    place = place_of(state, replica)
    if replica.composed or replica.spec is None or place is None:
        return True
    kinds = tuple(kind for kind in needed_kinds(replica.spec) if kind in WORKLOADS)
    return not unlisted_kinds(place, kinds)
