"""Publications: the objects whose whole status is ours, of whichever kind, and what it is."""

from collections.abc import Iterator

from machines.caches.states import Cache
from machines.replicas.placing import home_is_known
from machines.replicas.states import Replica
from machines.states import CACHE_KINDS, State, Warmup
from machines.warmups import TERMINAL

Published = Warmup | Cache | Replica


def published(state: State) -> Iterator[tuple[str, Published]]:
    """Give every object that exists and whose status is ours, with its uid.

    A ModelCache whose clusters were not looked for in this session has none yet, nor has a
    ModelReplica before the caches and clusters beside it were listed: what the server holds stays.
    """
    for uid, warmup in state.warmups.items():
        if not warmup.gone:
            yield uid, warmup
    for uid, cache in state.caches.items():
        if not cache.gone and cache.enrolled and _is_looked_for(state, cache):
            yield uid, cache
    for uid, replica in state.replicas.items():
        if not replica.gone and home_is_known(state, replica):
            yield uid, replica


def _is_looked_for(state: State, cache: Cache) -> bool:
    """Say whether a cache's home answers, and what the cache is about was listed there since the
    start, or is refused: until then its entries do not follow what is recorded.
    """
    home = state.clusters.get(cache.cluster)
    if home is None or not home.reachable:
        return False
    return all(kind in home.synced or kind in home.unread for kind in CACHE_KINDS)


def is_published(state: State, uid: str) -> bool:
    """Say whether an object exists whose status is ours."""
    found = state.warmups.get(uid) or state.caches.get(uid) or state.replicas.get(uid)
    return found is not None and not found.gone


def has_ended(one: Published) -> bool:
    """Say whether this status is the last one, so that its being stored is a fact.

    A ModelCache has no end but its deletion, nor has a ModelReplica.
    """
    return isinstance(one, Warmup) and one.state in TERMINAL


def awaits_storing(one: Published) -> bool:
    """Say whether it ended, and the log does not know that the server holds that."""
    return isinstance(one, Warmup) and one.state in TERMINAL and not one.stored
