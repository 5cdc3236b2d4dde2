"""Causes: the one reason why a replica does not go on, in one word, for Events and for advice.

Two causes are one while reason and object are: a failed hydration that is tried again, and fails
again, is one cause from its first failure until the model is staged, whatever counters and times
its words have meanwhile.
"""

from machines.caches import causes
from machines.caches.causes import Cause
from machines.caches.entries import EntryState
from machines.caches.obstacles import token_trouble
from machines.caches.reaching import way_in
from machines.caches.selecting import is_leaving
from machines.caches.sights import Sight, sight_of
from machines.replicas.mounting import cache_of
from machines.replicas.placing import (
    needed_kinds,
    place_of,
    served_of,
    silence_words,
    unlisted_kinds,
)
from machines.replicas.states import Replica
from machines.states import State

CACHE_NOT_FOUND = "CacheNotFound"
CACHE_LEAVING = "CacheTerminating"
NOT_STAGED = "CacheNotStaged"
CLUSTER_GONE = "ClusterNotFound"
NO_ACCESS = causes.NO_ACCESS
UNREACHABLE = causes.UNREACHABLE
UNREAD = causes.UNREAD
NOT_READ_YET = "ClusterNotRead"

ON_THE_WAY = frozenset({causes.UNBOUND, causes.DOWNLOADING})


def cluster_cause(state: State, replica: Replica) -> str:
    """Give why nothing can be done on a replica's cluster, in one word; "" when it can be."""
    served = served_of(state, replica)
    if served is None:
        return CLUSTER_GONE
    if way_in(state, served).trouble:
        return NO_ACCESS
    if not silence_words(state, replica):
        return ""
    place = place_of(state, replica)
    if place is None:
        return NOT_READ_YET
    if not place.cluster.reachable:
        return UNREACHABLE
    unlisted = unlisted_kinds(place, needed_kinds(replica.spec)) if replica.spec else ()
    return NOT_READ_YET if place.cluster.unread.keys().isdisjoint(unlisted) else UNREAD


def cache_cause(state: State, replica: Replica) -> Cause:
    """Give why a replica's cache has no mount for it, while that is so."""
    cache = cache_of(state, replica)
    if cache is None:
        return Cause(CACHE_NOT_FOUND)
    if is_leaving(cache):
        return Cause(CACHE_LEAVING, cache.subject.uid)
    entry = cache.entries.get(replica.cluster_name)
    if entry is None or not entry.selected:
        return Cause(NOT_STAGED)
    return _entry_cause(sight_of(state, cache, entry))


def _entry_cause(sight: Sight) -> Cause:
    """Give the cause of an entry; that its cluster is silent is told of the cluster itself."""
    entry = sight.entry
    if sight.cache.faults and entry.state is not EntryState.READY:
        return Cause(causes.INVALID_SPEC)
    if token_trouble(sight):
        return Cause(causes.TOKEN)
    if not sight.block.reason and _has_failed(sight):
        return Cause(causes.FAILED, entry.claim_uid)
    return causes.own_cause(sight)


def _has_failed(sight: Sight) -> bool:
    """Say whether hydration of this claim failed, and did not succeed since."""
    entry = sight.entry
    if entry.state is EntryState.HYDRATING:
        return bool(entry.failure.tries) and entry.failure.claim_uid == entry.claim_uid
    return entry.state is EntryState.FAILED
