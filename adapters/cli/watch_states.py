"""What `warmlog watch` knows: a log's state as far as it was read, its last rows, and what is new.

Each row is folded once. What is said of an object is made anew only when a row changed it.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from adapters.cli.sights import Sight, Watched, part_sights, whole_sight
from adapters.explaining.references import Reference
from engine.events import Event, Subject
from machines.caches.states import ServedCluster
from machines.domain import WARMLOG
from machines.intents import Intent
from machines.projecting import changed_owners, has_status
from machines.states import State, Target
from machines.telling import tell

LAST_ROWS = 200  # kept to be shown


class Wanted(NamedTuple):
    """Which objects a person asked for."""

    namespace: str | None = None
    reference: Reference | None = None

    def holds(self, subject: Subject) -> bool:
        """Say whether an object is one of them."""
        named = self.reference is None or subject[:3] == self.reference
        return named and self.namespace in {None, subject.namespace}

    @property
    def is_all(self) -> bool:
        """Say whether all objects are asked for."""
        return self.namespace is None and self.reference is None

    def __str__(self) -> str:
        """Name what is asked for; "" when it is everything."""
        return str(self.reference) if self.reference else self.namespace or ""


class LastRow(NamedTuple):
    """A row, and the intent that it answers."""

    event: Event
    intent: Intent | None

    @property
    def words(self) -> str:
        """Say what it says."""
        return tell(self.event, self.intent)


class Change(NamedTuple):
    """What is new of an object, or of a part of it."""

    position: int
    at: int
    cluster: str
    reference: Reference
    part: str
    words: str
    style: str


class Following:
    """A log that is followed, from its beginning."""

    def __init__(self, log_id: str, wanted: Wanted) -> None:
        """Begin before the first row."""
        self.state: State = WARMLOG.initial(log_id)
        self.rows: deque[LastRow] = deque(maxlen=LAST_ROWS)
        self.wanted = wanted
        self._told: dict[str, dict[str, tuple[object, ...]]] = {}  # by uid and part, while it lives
        self._seen: dict[str, dict[str, Target]] = {}  # by uid and key
        self._known: dict[str, tuple[str, Reference]] = {}  # cluster and name by uid

    def fold(self, events: Sequence[Event]) -> None:
        """Take in rows that nobody is told of one by one."""
        for event in events:
            self._take(event)

    def changes(self, events: Sequence[Event]) -> Iterator[Change]:
        """Take in rows, and give what each changed."""
        for event in events:
            for one in self._take(event):
                yield from self._news(event, one, [whole_sight(self.state, one)])
                yield from self._news(event, one, self._parts(one))
            if event.type == "Gone":
                yield from self._farewell(event)

    def standing(self) -> Iterator[Change]:
        """Give where each object stands, and take all about it as told."""
        event = self.rows[-1].event if self.rows else None
        for one in self.watched():
            if event is not None:
                yield from self._news(event, one, [whole_sight(self.state, one)])
                list(self._news(event, one, self._parts(one)))

    def watched(self) -> list[Watched]:
        """Give the objects that were asked for and that exist, by kind and name."""
        state = self.state
        owners = (state.warmups, state.caches, state.replicas, state.served)
        found = (one for each in owners for one in each.values())
        return [one for one in found if self._is_shown(one)]

    def _is_shown(self, one: Watched) -> bool:
        exists = isinstance(one, ServedCluster) or has_status(one)
        return exists and self.wanted.holds(one.subject)

    def _parts(self, one: Watched) -> Iterator[Sight]:
        return part_sights(self.state, one, self._seen.setdefault(one.subject.uid, {}))

    def _take(self, event: Event) -> list[Watched]:
        """Fold a row; give the wanted objects that it changed."""
        answered = self.state.open.get(event.cause or 0)
        state = self.state = WARMLOG.fold(self.state, event)
        served = (one for one in state.served.values() if one.position == event.seq)
        changed = [one for one in (*changed_owners(state, event), *served) if self._is_shown(one)]
        WARMLOG.rest(state)
        if changed or self.wanted.is_all or self.wanted.holds(Subject.parse(event.subject)):
            self.rows.append(LastRow(event, answered.intent if answered else None))
        return changed

    def _news(self, event: Event, one: Watched, sights: Iterable[Sight]) -> Iterator[Change]:
        cluster = one.home if isinstance(one, ServedCluster) else one.cluster
        reference = Reference(*one.subject[:3])
        self._known[one.subject.uid] = cluster, reference
        told = self._told.setdefault(one.subject.uid, {})
        for name, key, words, style in sights:
            if told.get(name) != key:
                told[name] = key
                yield Change(event.seq, event.at, cluster, reference, name, words, style)

    def _farewell(self, event: Event) -> Iterator[Change]:
        uid = Subject.parse(event.subject).uid
        self._told.pop(uid, None)
        self._seen.pop(uid, None)
        cluster, reference = self._known.pop(uid, ("", None))
        if reference is not None:
            yield Change(event.seq, event.at, cluster, reference, "", "gone", "dim")
