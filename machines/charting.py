"""Charting: the timeline of a log, kept row by row while it is folded.

A pure projection: lanes with their spans, the rows that led there, and the words that `warmlog
explain` has for each of them at each moment, by the same functions.
"""

from collections.abc import Iterable

from engine.events import Event, Subject
from machines.caches.histories import CacheHistory, ClusterHistory
from machines.charting_parts import Charted, ChartedCache, ChartedCluster, ChartedReplica
from machines.charting_warmups import ChartedWarmup
from machines.chronicles import Change, Chronicle, Told
from machines.histories import History
from machines.intents import INTENT_BY_TYPE, Intent
from machines.states import State
from machines.telling import intent_of, tell
from machines.timelines import Lane, Place, Row

# Kinds of what many objects may depend on, and "" for what is said of whole clusters: after a row
# about it all objects are looked at, while there are no more than so many. Of everything else the
# state tells whom a row touched.
SHARED = frozenset({"", "Session", "Namespace", "InferenceCluster", "StorageClass", "Secret"})
FEW = 64


class Chart:
    """The timeline of a log so far."""

    def __init__(self) -> None:
        """Begin before the first row."""
        self.exact = True  # whether words are at each row what `warmlog explain --at` says there
        self.rows: list[Row] = []
        self.lanes: list[Lane] = []
        self._found: dict[tuple[str, str], Lane] = {}  # by uid and part
        self._charted: dict[str, Charted] = {}  # by uid
        self._intents: dict[int, Intent] = {}
        self._chronicle = Chronicle()

    def open(self, place: Place, parent: Lane | None = None) -> Lane:
        """Open the lane of an object or a part that had none."""
        lane = Lane(len(self.lanes), parent.number if parent else None, place)
        self.lanes.append(lane)
        self._found[place.subject.uid, place.part] = lane
        return lane

    def find(self, uid: str, part: str) -> Lane | None:
        """Give the lane of an object, or of a part of it."""
        return self._found.get((uid, part))

    def take(self, state: State, event: Event) -> None:
        """Take in a row that was just folded into `state`, before the state is at rest."""
        self.keep(event)
        told = self._chronicle.note(event, state)
        subject = Subject.parse(event.subject)
        history = self._chronicle.history(subject.uid)
        if history is not None and self.find(subject.uid, "") is None:
            self._charted[subject.uid] = self._begin(history)
        for uid in self._concerned(subject, told, event, state):
            one = self._charted.get(uid)
            if one is None:
                continue
            one.note(event.seq, state)
            one.say(state)
            if one.is_over:
                del self._charted[uid]

    def keep(self, event: Event) -> None:
        """Take in a row in words alone: no lane tells of it."""
        if event.type in INTENT_BY_TYPE:
            self._intents[event.seq] = intent_of(event)
        words = tell(event, self._intents.get(event.cause or 0))
        row = Row(event.seq, event.at, event.cluster, event.subject, event.type, words, event.cause)
        self.rows.append(row)

    def _concerned(
        self, subject: Subject, told: Iterable[Change], event: Event, state: State
    ) -> Iterable[str]:
        """Give the uids of those whose words a row may change."""
        if subject.kind in SHARED:
            if len(self._charted) <= FEW:
                return [*self._charted]
            self.exact = False
        uids = [change.uid for change in told]
        uids += [uid for uid, seq in state.dirty.items() if seq == event.seq]
        return dict.fromkeys(uids)

    def _begin(self, history: Told) -> Charted:
        if isinstance(history, History):
            return ChartedWarmup(self, history)
        if isinstance(history, CacheHistory):
            return ChartedCache(self, history)
        if isinstance(history, ClusterHistory):
            return ChartedCluster(self, history)
        return ChartedReplica(self, history)
