"""Wishing: everything that a cache wants done now, in a fixed order, while enough is known."""

from collections.abc import Iterable, Iterator

from machines.caches.changes import ChangeKind
from machines.caches.leaving import leaving_wishes
from machines.caches.selecting import home_is_known, is_abandoned, is_leaving
from machines.caches.staging import staging_wishes
from machines.caches.states import Cache
from machines.caches.wishes import Wish
from machines.states import State


def wishes(state: State, cache: Cache, names: Iterable[str] | None = None) -> Iterator[Wish]:
    """Give what a cache wants done, asked for already or not; of entries, only of these names."""
    if not home_is_known(state, cache):
        return
    held = cache.level.held and not cache.gone
    if is_abandoned(cache):
        if held:
            yield _own(cache, ChangeKind.RELEASE)
        return
    if not is_leaving(cache) and cache.spec is not None and not held:
        yield _own(cache, ChangeKind.HOLD)
    for entry in cache.entries_on(cache.entries if names is None else names):
        if entry.selected:
            yield from staging_wishes(state, cache, entry)
        else:
            yield from leaving_wishes(state, cache, entry)
    if cache.level.deleting and held and not cache.entries:
        yield _own(cache, ChangeKind.RELEASE)


def _own(cache: Cache, change: ChangeKind) -> Wish:
    subject = cache.subject
    return Wish(
        cache.cluster, "", subject.kind, subject.namespace, subject.name, subject.uid, change
    )
