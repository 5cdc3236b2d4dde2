"""Charting single objects: how the lanes of each kind of object are kept, row by row."""

from collections.abc import Iterable
from typing import Protocol

from machines.caches.entries import ENTRIES, EntryState
from machines.caches.explaining import explain_cache, explain_cluster
from machines.caches.explaining import ignored_words as entry_ignored_words
from machines.caches.histories import CacheHistory, ClusterHistory
from machines.caches.states import Cache
from machines.histories import Line
from machines.replicas.explaining import EngineExplanation, explain_replica
from machines.replicas.histories import ReplicaHistory
from machines.replicas.mounting import cache_of
from machines.replicas.replicas import REPLICAS, ReplicaState
from machines.states import State
from machines.timelines import GONE, LEFT, Cause, Dropped, Lane, Place, Said, Span, Tone

ENTRY_TONES = {
    EntryState.PENDING: Tone.WAITING,
    EntryState.HYDRATING: Tone.WORKING,
    EntryState.READY: Tone.DONE,
    EntryState.FAILED: Tone.FAILED,
}
REPLICA_TONES = {
    ReplicaState.WAITING: Tone.WAITING,
    ReplicaState.DEPLOYING: Tone.WORKING,
    ReplicaState.SERVING: Tone.DONE,
}
REACHABLE_TONES = {"True": Tone.DONE, "False": Tone.FAILED}


class Book(Protocol):
    """Where lanes are opened and found."""

    def open(self, place: Place, parent: Lane | None = None) -> Lane:
        """Open the lane of an object or a part that had none."""

    def find(self, uid: str, part: str) -> Lane | None:
        """Give the lane of an object, or of a part of it."""


class Charted(Protocol):
    """One object whose lanes are kept."""

    @property
    def is_over(self) -> bool:
        """Say whether it is gone, so that nothing more is to come."""

    def note(self, position: int, state: State) -> None:
        """Take in the row at a position, which `state` and the history hold."""

    def say(self, state: State) -> None:
        """Note what is said of it now, and of its parts."""


def add_causes(lane: Lane, lines: list[Line], noted: int) -> None:
    """Add the rows that a history has and the lane has not."""
    if len(lines) == len(lane.causes):
        return
    known = {cause.position for cause in lane.causes}
    lane.causes += [
        Cause(noted, line.position, line.moved, line.words)
        for line in lines
        if line.position not in known
    ]


def add_dropped(lane: Lane, dropped: Iterable[tuple[int, str]]) -> None:
    """Add what was ignored later than what the lane holds."""
    last = lane.dropped[-1].position if lane.dropped else 0
    lane.dropped += [Dropped(position, words) for position, words in dropped if position > last]


def end(lanes: Iterable[Lane], position: int) -> None:
    """Say of an object that is gone, and of its parts, that it is."""
    for lane in lanes:
        lane.become(Span(position, "", GONE, "", Tone.OVER))


class ChartedCache:
    """A ModelCache, with a lane for each cluster that it is staged to."""

    def __init__(self, book: Book, history: CacheHistory) -> None:
        """Keep the lanes of the object that `history` is of."""
        self._book, self._history = book, history
        self._place = Place(history.cluster, history.subject)
        self._lane = book.open(self._place)
        self._entries: dict[str, Lane] = {}

    @property
    def is_over(self) -> bool:
        """Say whether it is gone."""
        return self._history.gone is not None

    def note(self, position: int, state: State) -> None:
        """Take in the row at a position, which `state` and the history hold."""
        history = self._history
        add_causes(self._lane, history.lines, position)
        cache = state.caches.get(history.subject.uid)
        if self.is_over or cache is None:
            end((self._lane, *self._entries.values()), position)
            return
        for name, entry in cache.entries.items():
            lane = self._entries.get(name) or self._open(name)
            tone = ENTRY_TONES[entry.state]
            state_name = entry.state.value
            reason = "" if entry.selected else "no longer wanted"
            lane.become(Span(position, state_name, state_name, reason, tone))
            add_causes(lane, history.entries.get(name, []), position)
            add_dropped(lane, ((one.seq, entry_ignored_words(one)) for one in entry.ignored))
        for name in self._entries.keys() - cache.entries.keys():
            self._entries[name].become(Span(position, "", LEFT, "", Tone.OVER))

    def say(self, state: State) -> None:
        """Note what is said of it now, and of every cluster."""
        cache = state.caches.get(self._history.subject.uid)
        if self.is_over or cache is None:
            return
        told = explain_cache(state, cache, self._history)
        at = state.position
        words = f"ready on {told.ready} clusters"
        self._lane.become(Span(at, "", told.reason, words, _tone(cache)))
        self._lane.say(Said(at, told.headline, told.notes, advice=told.advice))
        for entry in told.entries:
            lane = self._entries.get(entry.cluster) or self._open(entry.cluster)
            lane.say(Said(at, entry.message, advice=(entry.advice,)))

    def _open(self, name: str) -> Lane:
        place = self._place._replace(part=name, machine=ENTRIES.name)
        lane = self._entries[name] = self._book.open(place, self._lane)
        return lane


def _tone(cache: Cache) -> Tone:
    """Give what the entries of a cache come to."""
    states = {entry.state for entry in cache.entries.values() if entry.selected}
    if EntryState.FAILED in states:
        return Tone.FAILED if len(states) == 1 else Tone.DEGRADED
    if EntryState.HYDRATING in states:
        return Tone.WORKING
    return Tone.DONE if states == {EntryState.READY} else Tone.WAITING


class ChartedReplica:
    """A ModelReplica."""

    def __init__(self, book: Book, history: ReplicaHistory) -> None:
        """Keep the lane of the object that `history` is of."""
        self._book, self._history = book, history
        self._lane = book.open(Place(history.cluster, history.subject, machine=REPLICAS.name))

    @property
    def is_over(self) -> bool:
        """Say whether it is gone."""
        return self._history.gone is not None

    def note(self, position: int, state: State) -> None:
        """Take in the row at a position, which `state` and the history hold."""
        add_causes(self._lane, self._history.lines, position)
        if self.is_over or self._history.subject.uid not in state.replicas:
            end((self._lane,), position)

    def say(self, state: State) -> None:
        """Note what is said of it now, and which entry of a cache it is about."""
        replica = state.replicas.get(self._history.subject.uid)
        if self.is_over or replica is None:
            return
        told = explain_replica(state, replica, self._history, None)
        at, stage = state.position, replica.state
        span = Span(at, stage.value, stage.value, told.standing, REPLICA_TONES[stage])
        self._lane.become(span)
        cache = cache_of(state, replica)
        see = self._book.find(cache.subject.uid, replica.cluster_name) if cache else None
        notes = told.notes + ((told.keeps,) if told.keeps else ())
        details = tuple(engine_words(engine) for engine in told.engines)
        number = see.number if see is not None else None
        self._lane.say(Said(at, told.headline, notes, details, (), (told.advice,), number))


def engine_words(engine: EngineExplanation) -> str:
    """Say in a line what an engine of a ModelReplica is, why, and what to do."""
    stands = "available" if engine.available else "not available"
    stands = stands if engine.there else "not there"
    told = "; ".join(filter(None, (engine.reason, engine.message)))
    words = f"engine {engine.engine} ({engine.workload}): {stands}"
    words += f": {told}" if told else ""
    return f"{words}. Do: {engine.advice}" if engine.advice else words


class ChartedCluster:
    """An InferenceCluster."""

    def __init__(self, book: Book, history: ClusterHistory) -> None:
        """Keep the lane of the object that `history` is of."""
        self._history = history
        self._lane = book.open(Place(history.cluster, history.subject))

    @property
    def is_over(self) -> bool:
        """Say whether it is gone."""
        return self._history.gone is not None

    def note(self, position: int, state: State) -> None:  # noqa: ARG002 -- as Charted
        """Take in the row at a position, which `state` and the history hold."""
        add_causes(self._lane, self._history.lines, position)
        if self.is_over:
            end((self._lane,), position)

    def say(self, state: State) -> None:
        """Note what is said of it now."""
        served = state.served.get(self._history.subject.name)
        if self.is_over or served is None:
            return
        told = explain_cluster(state, served, self._history)
        tone = REACHABLE_TONES.get(told.reachable, Tone.UNKNOWN)
        self._lane.become(Span(state.position, "", told.reason, "", tone))
        self._lane.say(Said(state.position, told.message, advice=(told.advice,)))
