"""Occasion books: which occasions were told of each object, so that each is told once.

An object is looked at again only when its mark differs, which changes whenever an occasion may.
"""

from collections.abc import Collection, Iterable, Sequence

from adapters.kubernetes.announcing import Announcement
from engine.events import Subject
from machines.caches.occasions import Key, Occasion
from machines.states import State

Mark = tuple[object, ...]


class OccasionBook:
    """The occasions of one sort of objects, by uid."""

    def __init__(self, action: str) -> None:
        """Begin with nothing told; `action` is what is done with these objects, in one word."""
        self._action = action
        self._told: dict[str, frozenset[Key]] = {}
        self._marks: dict[str, Mark] = {}

    def is_as_before(self, uid: str, mark: Mark) -> bool:
        """Say whether nothing can have changed since an object was looked at."""
        return self._marks.get(uid) == mark

    def untold(
        self, state: State, subject: Subject, position: int, occasions: Iterable[Occasion]
    ) -> list[Announcement]:
        """Give what holds and was not told."""
        told = self._told.get(subject.uid, frozenset())
        return [
            Announcement(
                subject, one.type, one.reason, one.note, state.now, position, action=self._action
            )
            for one in occasions
            if one.key not in told and one.note
        ]

    def note(self, uid: str, mark: Mark, occasions: Sequence[Occasion]) -> None:
        """Take all that holds as told; what does not hold any more may be told again."""
        self._told[uid] = frozenset(one.key for one in occasions)
        self._marks[uid] = mark

    def keep(self, uids: Collection[str]) -> None:
        """Forget all objects but these."""
        for uid in self._marks.keys() - uids:
            del self._told[uid], self._marks[uid]
