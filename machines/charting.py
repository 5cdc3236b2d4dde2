"""Charting: the timeline of a log, kept row by row while it is folded.

A pure projection: lanes with their spans, the rows that led there, and the words that `warmlog
explain` has for each of them at each moment, by the same functions.
"""

from engine.events import Event, Subject
from machines.caches.histories import CacheHistory, ClusterHistory
from machines.charting_parts import Charted, ChartedCache, ChartedCluster, ChartedReplica
from machines.charting_warmups import ChartedWarmup
from machines.chronicles import Chronicle, Told
from machines.histories import History
from machines.intents import INTENT_BY_TYPE, Intent
from machines.states import State
from machines.telling import intent_of, tell
from machines.timelines import Lane, Place, Row

# While there are no more lanes, all of them are looked at after each row, so that the words of each
# are at each position what `warmlog explain --at` says there; beyond, those that a row touches.
FEW = 64


class Chart:
    """The timeline of a log so far."""

    def __init__(self) -> None:
        """Begin before the first row."""
        self.rows: list[Row] = []
        self.lanes: list[Lane] = []
        self._found: dict[tuple[str, str], Lane] = {}  # by uid and part
        self._charted: dict[str, Charted] = {}  # by uid
        self._intents: dict[int, Intent] = {}
        self._chronicle = Chronicle()

    @property
    def exact(self) -> bool:
        """Say whether all lanes were looked at after each row."""
        return len(self.lanes) <= FEW

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
        self._keep(event)
        told = self._chronicle.note(event, state)
        subject = Subject.parse(event.subject)
        history = self._chronicle.history(subject.uid)
        if history is not None and self.find(subject.uid, "") is None:
            self._charted[subject.uid] = self._begin(history)
        uids = [change.uid for change in told]
        uids += [uid for uid, seq in state.dirty.items() if seq == event.seq]
        few = self.exact
        for uid in [*self._charted] if few else dict.fromkeys(uids):
            one = self._charted.get(uid)
            if one is None:
                continue
            one.note(event.seq, state)
            one.say(state, all_parts=few)
            if one.is_over:
                del self._charted[uid]

    def settle(self, state: State) -> None:
        """Say everything that was put off: of the whole of what has many parts."""
        for one in self._charted.values():
            one.say(state, all_parts=True)

    def _keep(self, event: Event) -> None:
        if event.type in INTENT_BY_TYPE:
            self._intents[event.seq] = intent_of(event)
        words = tell(event, self._intents.get(event.cause or 0))
        row = Row(event.seq, event.at, event.cluster, event.subject, event.type, words, event.cause)
        self.rows.append(row)

    def _begin(self, history: Told) -> Charted:
        if isinstance(history, History):
            return ChartedWarmup(self, history)
        if isinstance(history, CacheHistory):
            return ChartedCache(self, history)
        if isinstance(history, ClusterHistory):
            return ChartedCluster(self, history)
        return ChartedReplica(self, history)
