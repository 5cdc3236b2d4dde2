"""Indexing: which entry of which cache an object on a cluster belongs to."""

from machines.caches.reaching import log_cluster
from machines.caches.states import Cache, Entry
from machines.states import State

UNCLAIMED = ("",)  # no Pod has such a name


def entry_of_claim(state: State, cluster: str, claim_uid: str) -> tuple[Cache, Entry] | None:
    """Give the entry whose claim has this uid on the cluster of that name in the log."""
    for cache in state.caches.values():
        for entry in cache.entries.values():
            served = state.served.get(entry.cluster)
            here = served is not None and log_cluster(served) == cluster
            if here and entry.claim_uid == claim_uid:
                return cache, entry
    return None


def claim_users(state: State, cluster: str, claim_uid: str) -> tuple[str, ...] | None:
    """Give the Pods that mount a claim, None while they were not read, UNCLAIMED of no claim."""
    found = entry_of_claim(state, cluster, claim_uid)
    return UNCLAIMED if found is None else found[1].users
