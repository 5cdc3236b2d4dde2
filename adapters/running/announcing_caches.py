"""Announcing caches and clusters: one Event for each occasion, never one per pass.

What held when the session began has been told already.
"""

from collections.abc import Iterable

from adapters.kubernetes.announcing import Announcement
from engine.canonical_json import loads
from engine.events import Event, Subject
from machines.caches.changes import ChangeKind
from machines.caches.occasions import Key, Occasion, cache_occasions, cluster_occasions
from machines.caches.selecting import named_class
from machines.caches.states import Cache
from machines.intents import Change, intent_from_json
from machines.states import State

Mark = tuple[object, ...]


def is_farewell(row: Event) -> bool:
    """Say whether a row lets go of a ModelCache: what is to be told of it has to be told now."""
    if row.type != "ChangeIntended":
        return False
    intent = intent_from_json(row.type, loads(row.data))
    return isinstance(intent, Change) and intent.change == ChangeKind.RELEASE


class CacheAnnouncer:
    """Keeps which occasions were told, by the uid of what they are about."""

    def __init__(self, state: State) -> None:
        """Take what holds now as told."""
        self._told: dict[str, frozenset[Key]] = {}
        self._marks: dict[str, Mark] = {}
        self.news(state)

    def news(self, state: State) -> list[Announcement]:
        """Give what holds and was not told, and take it as told."""
        found: list[Announcement] = []
        for uid, cache in state.caches.items():
            mark = _mark_of(state, cache)
            if self._marks.get(uid) == mark:
                continue
            occasions = list(cache_occasions(state, cache))
            if not cache.gone:
                found += self._untold(state, cache.subject, cache.position, occasions)
            self._note(uid, mark, occasions)
        for served in state.served.values():
            uid = served.subject.uid
            if self._marks.get(uid) != (served.position,):
                occasions = list(cluster_occasions(state, served))
                found += self._untold(state, served.subject, served.position, occasions)
                self._note(uid, (served.position,), occasions)
        self._forget(state)
        return found

    def _untold(
        self, state: State, subject: Subject, position: int, occasions: Iterable[Occasion]
    ) -> list[Announcement]:
        told = self._told.get(subject.uid, frozenset())
        return [
            Announcement(
                subject, one.type, one.reason, one.note, state.now, position, action="Stage"
            )
            for one in occasions
            if one.key not in told and one.note
        ]

    def _note(self, uid: str, mark: Mark, occasions: Iterable[Occasion]) -> None:
        self._told[uid] = frozenset(one.key for one in occasions)
        self._marks[uid] = mark

    def _forget(self, state: State) -> None:
        known = state.caches.keys() | {served.subject.uid for served in state.served.values()}
        for uid in self._told.keys() - known:
            del self._told[uid], self._marks[uid]


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
