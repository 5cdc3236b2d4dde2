"""Settling: every cache that an event may have moved is brought to where its facts put it."""

from collections.abc import Iterator

from engine.events import Event
from machines.caches.asking import follow_questions
from machines.caches.enrolling import dismiss, enrol, note_abandoned
from machines.caches.finding import site_of
from machines.caches.indexing import unindex_cache
from machines.caches.moving import move_entry
from machines.caches.selecting import home_is_known, is_abandoned, is_known
from machines.caches.showing import show_cache, show_clusters
from machines.caches.states import Cache, Entry
from machines.caches.timing import drop_waits, follow_waits
from machines.caches.wishing import wishes
from machines.states import State


def settle_caches(state: State, event: Event) -> None:
    """Bring the stirred caches to rest; those whose facts changed are to be decided anew."""
    for uid in state.stirred:
        cache = state.caches.get(uid)
        if cache is None:
            continue
        _settle(state, cache, event)
        if _is_over(state, cache):
            _forget(state, cache)
            continue
        state.dirty[uid] = event.seq
        show_cache(state, cache, event)
    state.stirred.clear()
    show_clusters(state, event)


def _settle(state: State, cache: Cache, event: Event) -> None:
    if home_is_known(state, cache):
        enrol(state, cache, event)
        note_abandoned(state, cache)
        if not is_abandoned(cache):
            for entry in cache.entries.values():
                move_entry(state, cache, entry, event)
            dismiss(state, cache)
    follow_waits(state, cache)
    _ease(state, cache)
    follow_waits(state, cache)
    follow_questions(state, cache)


def _ease(state: State, cache: Cache) -> None:
    """Forget refusals and answers of what is not wanted any more, or is seen now."""
    wanted = {(wish.entry, wish.what): wish for wish in wishes(state, cache)}
    versions = {
        key: _version(state, wish.cluster, wish.kind, wish.uid) for key, wish in wanted.items()
    }
    for name, record in _records(state, cache):
        for what in [what for what in record.refusals if (name, what) not in wanted]:
            del record.refusals[what]
        for what, made in list(record.made.items()):
            key = name, what
            if key not in wanted or made.version != versions[key] or made.until <= state.now:
                del record.made[what]


def _records(state: State, cache: Cache) -> Iterator[tuple[str, Cache | Entry]]:
    """Give what keeps refusals and answers, as far as its facts are known."""
    if not home_is_known(state, cache):
        return
    yield "", cache
    for name, entry in cache.entries.items():
        site = site_of(state, cache, entry)
        if site is not None and is_known(site.cluster):
            yield name, entry


def _version(state: State, cluster: str, kind: str, uid: str) -> int:
    there = state.clusters.get(cluster)
    known = there.objects[kind].get(uid) if there else None
    return known.version if known else 0


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
