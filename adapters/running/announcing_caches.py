"""Announcing caches and clusters: one Event for each occasion, never one per pass.

What held when the session began has been told already.
"""

from adapters.kubernetes.announcing import Announcement
from adapters.running.occasion_books import Mark, OccasionBook
from engine.canonical_json import loads
from engine.events import Event
from machines.caches.changes import ChangeKind
from machines.caches.occasions import cache_occasions, cluster_occasions
from machines.caches.selecting import named_class
from machines.caches.states import Cache
from machines.intents import Change, intent_from_json
from machines.states import State


def is_farewell(row: Event) -> bool:
    """Say whether a row lets go of an object: what is to be told of it has to be told now."""
    if row.type != "ChangeIntended":
        return False
    intent = intent_from_json(row.type, loads(row.data))
    return isinstance(intent, Change) and intent.change == ChangeKind.RELEASE


class CacheAnnouncer:
    """Keeps which occasions were told, by the uid of what they are about."""

    def __init__(self, state: State) -> None:
        """Take what holds now as told."""
        self._book = OccasionBook("Stage")
        self.news(state)

    def news(self, state: State) -> list[Announcement]:
        """Give what holds and was not told, and take it as told."""
        found: list[Announcement] = []
        for uid, cache in state.caches.items():
            mark = _mark_of(state, cache)
            if self._book.is_as_before(uid, mark):
                continue
            occasions = list(cache_occasions(state, cache))
            if not cache.gone:
                found += self._book.untold(state, cache.subject, cache.position, occasions)
            self._book.note(uid, mark, occasions)
        for served in state.served.values():
            uid = served.subject.uid
            if not self._book.is_as_before(uid, (served.position,)):
                occasions = list(cluster_occasions(state, served))
                found += self._book.untold(state, served.subject, served.position, occasions)
                self._book.note(uid, (served.position,), occasions)
        served_uids = {served.subject.uid for served in state.served.values()}
        self._book.keep(state.caches.keys() | served_uids)
        return found


def _mark_of(state: State, cache: Cache) -> Mark:
    """Give what changes whenever an occasion may: the status, and what it does not show."""
    entries = cache.entries.values()
    return (
        cache.position,
        tuple(cache.abandoned.items()),
        tuple(cache.refusals),
        tuple((entry.cluster, *entry.healed) for entry in entries if entry.healed),
        tuple((entry.cluster, *entry.refusals) for entry in entries if entry.refusals),
        tuple(named_class(state.served[name]) for name in cache.entries if name in state.served),
    )
