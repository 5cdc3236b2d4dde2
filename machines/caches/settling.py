"""Settling: every cache that an event may have moved is brought to where its facts put it.

Of its entries only those are looked at that the event may have moved (`stirring`).
"""

from collections.abc import Iterator

from engine.events import Event
from machines.awaiting import ease
from machines.caches.asking import follow_questions
from machines.caches.enrolling import dismiss, enrol, note_abandoned
from machines.caches.finding import site_of
from machines.caches.indexing import unindex_cache
from machines.caches.moving import move_entry
from machines.caches.selecting import home_is_known, is_abandoned, is_known
from machines.caches.showing import show_cache, show_clusters
from machines.caches.states import Cache, Entry
from machines.caches.stirring import take_touched
from machines.caches.timing import drop_waits, follow_waits
from machines.caches.wishes import Wish
from machines.caches.wishing import wishes
from machines.replicas.stirring import stir_replicas_of_cache
from machines.states import State


def settle_caches(state: State, event: Event) -> None:
    """Bring the stirred caches to rest; those whose facts changed are to be decided anew."""
    for uid in state.stirred:
        cache = state.caches.get(uid)
        if cache is None:
            continue
        names = take_touched(state, cache)
        _settle(state, cache, names, event)
        if _is_over(state, cache):
            _forget(state, cache)
            stir_replicas_of_cache(state, *cache.subject[1:3])
            continue
        state.dirty[uid] = event.seq
        cache.settled.update(dict.fromkeys(names, True))
        show_cache(state, cache, names, event)
        if cache.position == event.seq or cache.gone:
            stir_replicas_of_cache(state, *cache.subject[1:3])
    state.stirred.clear()
    show_clusters(state, event)


def _settle(state: State, cache: Cache, names: list[str], event: Event) -> None:
    if home_is_known(state, cache):
        enrol(state, cache, names, event)
        entries = cache.entries_on(names)
        for entry in entries:
            move_entry(state, cache, entry, event)
        note_abandoned(state, cache, entries)
        dismiss(state, cache, entries)
    follow_waits(state, cache, names)
    if _ease(state, cache, names):
        follow_waits(state, cache, names)
    follow_questions(state, cache, cache.entries_on(names))


def _ease(state: State, cache: Cache, names: list[str]) -> bool:
    """Forget refusals and answers of what is not wanted any more, or is seen now; say if any."""
    records = list(_records(state, cache, names))
    if not records:
        return False
    wanted: dict[str, dict[str, Wish]] = {}
    for wish in wishes(state, cache, names):
        wanted.setdefault(wish.entry, {})[wish.what] = wish
    eased = [ease(state, record, wanted.get(name, {})) for name, record in records]
    return any(eased)


def _records(state: State, cache: Cache, names: list[str]) -> Iterator[tuple[str, Cache | Entry]]:
    """Give what has refusals or answers to keep, as far as its facts are known."""
    if not home_is_known(state, cache):
        return
    if cache.refusals or cache.made:
        yield "", cache
    for entry in cache.entries_on(names):
        if not (entry.refusals or entry.made):
            continue
        site = site_of(state, cache, entry)
        if site is not None and is_known(site.cluster):
            yield entry.cluster, entry


def _is_over(state: State, cache: Cache) -> bool:
    """Say whether a cache that is gone has nothing left to be cleared away."""
    if not cache.gone or (cache.entries and not is_abandoned(cache)):
        return False
    return not any(opened.owner.uid == cache.subject.uid for opened in state.open.values())


def _forget(state: State, cache: Cache) -> None:
    uid = cache.subject.uid
    drop_waits(state, cache)
    unindex_cache(state, cache)
    state.caches.pop(uid, None)
    state.dirty.pop(uid, None)
    state.asking.pop(uid, None)
