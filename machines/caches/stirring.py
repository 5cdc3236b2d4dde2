"""Stirring: which caches an event may have moved, and on which clusters.

`settling` looks at no other entry, so that an event costs what it changes, not what there is.
"""

from collections.abc import Iterable

from engine.events import Event
from machines.caches.reaching import names_of_cluster
from machines.caches.states import Cache
from machines.states import State

ALL = ""  # among `Cache.touched`: every entry, and clusters without one


def stir(state: State, uid: str, names: Iterable[str] = (ALL,)) -> None:
    """Note that an event may have moved a cache on these InferenceClusters, or on all."""
    state.stirred[uid] = True
    touch(state, uid, names)


def touch(state: State, uid: str, names: Iterable[str] = (ALL,)) -> None:
    """Have these entries looked at when the cache is settled next, which is not now."""
    cache = state.caches.get(uid)
    if cache is not None:
        for name in names:
            cache.touched[name] = True


def decide_again(state: State, cache: Cache, event: Event) -> None:
    """Have what is decided next for a cache name this event, although it moved nothing of it."""
    state.dirty[cache.subject.uid] = event.seq
    cache.settled[ALL] = True  # as a whole: no entry calls for anything new


def stir_there(state: State, uids: Iterable[str], cluster: str) -> None:
    """Note that an object on a cluster, by its name in the log, may have moved these caches."""
    names = names_of_cluster(state, cluster)
    for uid in uids:
        stir(state, uid, names)


def take_touched(state: State, cache: Cache) -> list[str]:
    """Give by name the InferenceClusters on which a cache is to be settled now.

    An instant is over once any row passes it, so those that waited for one are among them.
    """
    names = {*cache.touched}
    names |= {name_in(key) for key, due in cache.waits.items() if due <= state.now}
    cache.touched.clear()
    if ALL in names:
        names |= state.served.keys() | cache.entries.keys() | set(map(name_in, cache.waits))
    return sorted(names - {ALL})


def name_in(key: str) -> str:
    """Give the InferenceCluster that an instant of `Cache.waits` is about; "" of the cache's."""
    return key.split(":", 2)[1]
