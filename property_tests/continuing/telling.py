"""Telling on: facts that were recorded reach another state, through the gate of live observations.

What is no news there adds no row, and what is of an older version neither. The code decides for
itself; a recorded answer goes to the equal decision of this run, and to nobody while there is none.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from engine.events import Draft, Event
from machines.contents import KIND_BY_TYPE, Content, content_of
from machines.domain import WARMLOG
from machines.ingesting import due_deadlines, ingest, is_news
from machines.levels import JobPods
from machines.observations import (
    Absent,
    Answer,
    Answered,
    ClaimUsersRead,
    Contested,
    DeadlinePassed,
    Deleted,
    Done,
    EventsRead,
    Listed,
    Observation,
    PodsRead,
    Reachability,
    Refused,
    RolledBack,
    Seen,
    StatusStored,
    Unknown,
    Unread,
)
from machines.recalling import tells_a_past
from machines.states import Known, State
from property_tests.continuing.recordings import ANSWERS, REST, Key, Recording, Row

Deed = Callable[["Run"], None]
Told = int | Deed  # a fact by its place in the recording, a rest, or something that never happened


class Run:
    """A log that goes on: its state, and what is needed to tell it more."""

    def __init__(self, recording: Recording, position: int, state: State) -> None:
        """Begin after a position of a recording, with the state there, which is changed."""
        last = recording.rows[position - 1].event
        self.recording, self.state = recording, state
        self.begun_at, self.position, self.epoch, self.clock = (
            position,
            position,
            last.epoch,
            last.at,
        )
        self.last_fact = position
        self.later = 0  # nanoseconds by which everything comes later than it was recorded
        self.rows: list[Event] = []
        self.judge: Callable[[State, Draft], Iterable[str]] | None = None  # of each decision
        self.broken: list[str] = []  # what it said
        self.opened: dict[Key, int] = {}  # the newest decision of each sort that has no answer
        for seq in state.open:
            key = recording.rows[seq - 1].key
            if key is not None:
                self.opened[key] = seq

    def tell_on(self, story: Iterable[Told]) -> None:
        """Tell what is to be told, and decide wherever that rests."""
        for told in story:
            if not isinstance(told, int):
                told(self)
            elif told == REST:
                self.rest()
            else:
                self.tell(self.recording.rows[told])

    def rest(self) -> None:
        """Wake what waited for an instant that is over, and decide upon all that was told."""
        if self.state.timers and self.state.timers[0][0] <= self.clock:
            self.observe(due_deadlines(self.state, self.clock))
        decided = WARMLOG.decide(self.state)
        WARMLOG.rest(self.state)
        seen = self.last_fact
        for draft in decided:
            if self.judge is not None:
                self.broken += self.judge(self.state, draft)
            self._fold(draft._replace(seen=seen), _read(draft.subject, draft.type, draft.data))
            self.opened[draft.cluster, draft.type, draft.data] = self.position

    def tell(self, row: Row) -> None:
        """Tell one recorded fact, at its time, unless this state has no use for it."""
        event = row.event
        self.clock = max(self.clock, event.at + self.later)
        if event.type in KIND_BY_TYPE:
            self._tell_level(row)
        elif event.type in ANSWERS:
            self.answer(row, answer_in(row))
        elif event.type == "SessionStarted":
            self.restart(row)
        elif event.type == "Recovered":
            self._tell_past(row)
        else:
            self.observe(_OBSERVATIONS[event.type](self.state, row))

    def restart(self, session: Row) -> None:
        """Begin another session: nothing is synced, and what is open has to be looked up."""
        self.epoch += 1
        self._fold(_draft(session.event, None), session.content)

    def answer(self, row: Row, answer: Answer) -> None:
        """Answer this run's decision that is equal to the one which the row answers."""
        seq = self.opened.get(row.key) if row.key is not None else None
        opened = self.state.open.get(seq) if seq is not None else None
        if opened is None or seq is None:
            return
        if opened.uncertain and isinstance(answer, Unknown):
            return
        if not isinstance(answer, Unknown) and row.key is not None:
            del self.opened[row.key]
        if answer == answer_in(row):
            self._fold(_draft(row.event, seq), row.content)
        else:
            self.observe([Answered(seq, answer)])

    def observe(self, observations: Iterable[Observation]) -> None:
        """Tell what was observed, as a running controller does."""
        for draft in ingest(self.state, observations, self.clock):
            self._fold(draft, _read(draft.subject, draft.type, draft.data))

    def _tell_level(self, row: Row) -> None:
        event, content = row.event, row.content
        data = content.data
        seen = Seen(event.cluster, content.subject, data["version"], data["level"])
        if is_news(self.state, seen, self.clock):
            self._fold(_draft(event, None), content)

    def _tell_past(self, row: Row) -> None:
        """Tell of a status that tells of a past, of an object that was seen just before."""
        event, subject = row.event, row.content.subject
        known = self.state.known(event.cluster, subject.kind, subject.uid)
        new = known is not None and known.at == self.clock
        if known is None:
            return
        seen = Seen(event.cluster, subject, str(known.version), known.level, row.content.data)
        if tells_a_past(self.state, seen, None if new else known):
            self._fold(_draft(event, None), row.content)

    def _fold(self, draft: Draft, content: Content) -> None:
        self.position += 1
        if draft.seen is None:
            self.last_fact = self.position
        event = draft.placed(self.position, self.epoch, self.clock)
        self.rows.append(event)
        WARMLOG.fold_read(self.state, event, content)


@lru_cache(maxsize=1 << 14)
def _read(subject: str, name: str, data: str) -> Content:
    """Read a row that this run makes: many runs make the same ones."""
    return content_of(Event(0, 0, 0, "", subject, name, 1, data))


def _draft(event: Event, cause: int | None) -> Draft:
    return Draft(event.cluster, event.subject, event.type, event.version, event.data, cause)


def answer_in(row: Row) -> Answer:
    """Give what an answer says."""
    data = row.content.data
    match row.event.type:
        case "IntentDone":
            return Done(data.get("uid", ""), data.get("found", False))
        case "IntentRefused":
            return Refused(**data)
        case "IntentUnknown":
            return Unknown(data["words"])
    return Absent()


def listing(state: State, cluster: str, key: str, without: str = "") -> Listed:
    """List a kind, or a named object, as it is known, but for one object."""
    kind, scope = _scoped(key)
    known = [one for one in _known(state, cluster, kind) if one.subject.uid != without]
    items = tuple(Seen(cluster, one.subject, str(one.version), one.level) for one in known)
    newest = max((one.version for one in _known(state, cluster, kind)), default=1)
    return Listed(cluster, kind, str(newest), items, scope=scope)


def _scoped(key: str) -> tuple[str, tuple[str, str]]:
    """Read under what a kind, or a named object, counts as synced."""
    kind, _, name = key.partition("/")
    namespace, _, bare = name.partition("/")
    return kind, (namespace, bare)


def _known(state: State, cluster: str, kind: str) -> Iterator[Known]:
    there = state.clusters.get(cluster)
    yield from there.objects[kind].values() if there is not None else ()


def _gone(state: State, row: Row) -> Iterator[Observation]:
    data = row.content.data
    inferred = data.get("inferred", False)
    yield Deleted(row.event.cluster, row.content.subject, data["version"], inferred=inferred)


def _synced(state: State, row: Row) -> Iterator[Observation]:
    """Every kind was listed as it is known: what is not there any more has rows of its own."""
    kind, scope = _scoped(row.content.data["kind"])
    known = frozenset(one.subject.uid for one in _known(state, row.event.cluster, kind))
    yield Listed(row.event.cluster, kind, "0", (), known, scope)


def _reachability(state: State, row: Row) -> Iterator[Observation]:
    words = row.content.data.get("words", "")
    yield Reachability(row.event.cluster, row.event.type == "Reachable", words)


def _rolled_back(state: State, row: Row) -> Iterator[Observation]:
    yield RolledBack(row.event.cluster, row.content.data["words"])


def _unread(state: State, row: Row) -> Iterator[Observation]:
    data = row.content.data
    kind, scope = _scoped(data["kind"])
    served = data.get("served", True)
    yield Unread(row.event.cluster, kind, data["words"], scope, served=served)


def _users_read(state: State, row: Row) -> Iterator[Observation]:
    pods = tuple(row.content.data.get("pods", ()))
    ended = tuple(row.content.data.get("ended", ()))
    yield ClaimUsersRead(row.event.cluster, row.content.subject, pods, ended)


def _events_read(state: State, row: Row) -> Iterator[Observation]:
    data = row.content.data
    said = data.get("jobUid", ""), data.get("reason", ""), data.get("message", "")
    yield EventsRead(row.event.cluster, row.content.subject, *said)


def _pods_read(state: State, row: Row) -> Iterator[Observation]:
    pods = JobPods.from_json(row.content.data)
    yield PodsRead(row.event.cluster, row.content.subject, pods)


def _deadline(state: State, row: Row) -> Iterator[Observation]:
    deadline = row.content.data["deadline"]
    yield DeadlinePassed(row.event.cluster, row.content.subject, deadline)


def _stored(state: State, row: Row) -> Iterator[Observation]:
    position = row.content.data["position"]
    yield StatusStored(row.event.cluster, row.content.subject, position)


def _contested(state: State, row: Row) -> Iterator[Observation]:
    editor = row.content.data.get("manager", "")
    yield Contested(row.event.cluster, row.content.subject, editor)


_OBSERVATIONS: dict[str, Callable[[State, Row], Iterator[Observation]]] = {
    "Gone": _gone,
    "Synced": _synced,
    "Reachable": _reachability,
    "Unreachable": _reachability,
    "ClusterRolledBack": _rolled_back,
    "Unread": _unread,
    "ClaimUsersRead": _users_read,
    "EventsRead": _events_read,
    "JobPodsRead": _pods_read,
    "DeadlinePassed": _deadline,
    "StatusStored": _stored,
    "Contested": _contested,
    "Uncontested": _contested,
}
