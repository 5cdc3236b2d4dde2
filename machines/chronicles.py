"""Chronicles: what led every object of a log to where it is, collected in one fold.

A row is shown only to the histories that it can matter to, so that a log of many objects costs no
more a row than a log of few.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from engine.canonical_json import loads
from engine.events import Event, Subject
from machines.caches.explaining import explain_cache, explain_cluster
from machines.caches.finding import CLAIM, JOB, POD
from machines.caches.histories import CacheHistory, ClusterHistory
from machines.caches.indexing import bearer_key
from machines.explaining import explain
from machines.foreign import ExplainedAs, without_promises
from machines.histories import History
from machines.kinds import CACHE, CLUSTER, PUBLISHED, REPLICA, WARMUP
from machines.recorders import Recorders
from machines.replicas.explaining import ReplicaExplanation, explain_replica
from machines.replicas.histories import ReplicaHistory
from machines.replicas.indexing import object_key
from machines.replicas.mounting import cache_of
from machines.states import SERVING_KINDS, State

Told = History | CacheHistory | ClusterHistory | ReplicaHistory

_MADE: dict[str, type[Told]] = {
    WARMUP: History,
    CACHE: CacheHistory,
    CLUSTER: ClusterHistory,
    REPLICA: ReplicaHistory,
}
_BY_NAME = frozenset(
    {CLAIM, JOB, *SERVING_KINDS}
)  # found by the names that caches and replicas give
_OF_JOBS = frozenset({"JobSeen", "PodSeen"})


class Change(NamedTuple):
    """An object about which a row said something; the node or cluster of it, or "" the whole."""

    uid: str
    part: str


class Chronicle:
    """The histories of every object that is wanted, alive or not."""

    def __init__(self, wants: Callable[[Subject], bool] | None = None) -> None:
        """Look out for the objects that `wants` gives true for, or for all."""
        self.recorders = Recorders()
        self.met: dict[tuple[str, str, str], None] = {}  # kind, namespace, name
        self._wants = wants
        self._told: dict[str, Told] = {}  # by uid, as they were first seen
        self._living: dict[str, Told] = {}
        self._clusters: dict[str, ClusterHistory] = {}  # of those, how clusters are reached
        self._before = _Before()
        self._owners = _Owners()

    def note(self, event: Event, state: State) -> tuple[Change, ...]:
        """Take in a row that was just folded into `state`; say of what it said something."""
        subject = Subject.parse(event.subject)
        self.recorders.note(event)
        owners = self._owners.of(event, subject, state)
        self._before.note(event, subject, orphan=not any(map(state.warmups.get, owners or ())))
        if subject.kind in _MADE and subject.uid not in self._told:
            self._begin(event, subject, state)
        changes: list[Change] = []
        for uid in self._concerned(event, owners, state):
            told = self._living.get(uid)
            if told is None:
                continue
            parts = (
                told.note(event, subject, state, self._before.nodes)
                if isinstance(told, History)
                else told.note(event, subject, state)
            )
            changes += (Change(uid, part) for part in parts)
            if told.gone is not None:
                self._living.pop(uid)
                self._clusters.pop(uid, None)
        return tuple(changes)

    def found(self, kind: str, namespace: str, name: str) -> list[Told]:
        """Give the histories of all that ever bore a name, in the order of their first sight."""
        place = (kind, namespace, name)
        return [told for told in self._told.values() if told.subject[:3] == place]

    def living(self) -> tuple[Told, ...]:
        """Give the histories of those that are not gone."""
        return tuple(self._living.values())

    def history(self, uid: str) -> Told | None:
        """Give the history of one object."""
        return self._told.get(uid)

    def explain(self, state: State, told: Told, only: str | None = None) -> ExplainedAs | None:
        """Explain an object at the row noted last, or `only` a node or cluster of it.

        None when it is not there. What no controller recorded is told without promises.
        """
        found = self._explain(state, told, only)
        if found is None or not self.recorders.is_foreign:
            return found
        return without_promises(found)

    def _explain(self, state: State, told: Told, only: str | None) -> ExplainedAs | None:
        uid = told.subject.uid
        if told.gone is not None:
            return None
        if isinstance(told, History):
            warmup = state.warmups.get(uid)
            return None if warmup is None else explain(state, warmup, told, only=only)
        if isinstance(told, CacheHistory):
            cache = state.caches.get(uid)
            return None if cache is None else explain_cache(state, cache, told, only=only)
        if isinstance(told, ClusterHistory):
            served = state.served.get(told.subject.name)
            return None if served is None else explain_cluster(state, served, told)
        return self._explain_replica(state, told)

    def _explain_replica(self, state: State, told: ReplicaHistory) -> ReplicaExplanation | None:
        replica = state.replicas.get(told.subject.uid)
        if replica is None:
            return None
        cache = cache_of(state, replica)
        of_cache = self._told.get(cache.subject.uid) if cache is not None else None
        known = of_cache if isinstance(of_cache, CacheHistory) else None
        return explain_replica(state, replica, told, known)

    def _begin(self, event: Event, subject: Subject, state: State) -> None:
        self.met[subject[:3]] = None
        if self._wants is not None and not self._wants(subject):
            return
        told = _MADE[subject.kind](event.cluster, subject)
        self._told[subject.uid] = self._living[subject.uid] = told
        if isinstance(told, ClusterHistory):
            self._clusters[subject.uid] = told
        if isinstance(told, History):
            self._before.begin(told, state)

    def _concerned(self, event: Event, owners: Iterable[str] | None, state: State) -> Iterable[str]:
        """Give the uids of those that a row can matter to; `owners` are those whose it is."""
        if owners is None:
            return tuple(self._living)
        found = dict.fromkeys(owners)
        found.update(dict.fromkeys(_touched(event, state)))
        found.update(dict.fromkeys(self._clusters))
        return found


class _Before:
    """What was seen before an object was: it belongs to its history, too."""

    def __init__(self) -> None:
        self.nodes: dict[str, Event] = {}  # the last NodeSeen, by uid
        self._namespaces: dict[tuple[str, str], Event] = {}  # by cluster and name
        self._jobs: dict[str, Event] = {}  # last rows of Jobs and Pods of nobody known, by uid

    def note(self, event: Event, subject: Subject, *, orphan: bool) -> None:
        if event.type == "NodeSeen":
            self.nodes[subject.uid] = event
        elif event.type == "NamespaceSeen":
            self._namespaces[event.cluster, subject.name] = event
        elif event.type in _OF_JOBS and orphan:
            self._jobs[subject.uid] = event
        elif event.type == "Gone":
            self._jobs.pop(subject.uid, None)

    def begin(self, told: History, state: State) -> None:
        """Begin a history with what was known already."""
        namespace = self._namespaces.get((told.cluster, told.subject.namespace))
        if namespace is not None:
            told.precede(namespace)
        for early in sorted(self._jobs.values()):
            if told.recall(early, state):
                del self._jobs[Subject.parse(early.subject).uid]


class _Owners:
    """Whose a row is, by the names and uids that it tells."""

    def __init__(self) -> None:
        self._jobs: dict[str, tuple[str, ...]] = {}  # uids of owners, by the Job's
        self._pods: dict[str, str] = {}  # uid of the Job, by the Pod's

    def of(self, event: Event, subject: Subject, state: State) -> Iterable[str] | None:
        """Give the uids of those whose a row is; None when it may be anybody's."""
        kind = subject.kind
        if kind in PUBLISHED:
            self._note_outcome(event, subject)
            return (subject.uid,)
        if kind == "Job":
            return self._of_job(subject.uid, state)
        if kind in {"Pod", POD}:
            if event.type in {"PodSeen", f"{POD}Seen"}:
                self._pods[subject.uid] = loads(event.data)["level"].get("jobUid", "")
            return self._of_job(self._pods.get(subject.uid, ""), state)
        if kind in _BY_NAME:
            found = tuple(_named(subject, state))
            if kind == JOB:
                self._jobs[subject.uid] = found
            return found
        return None

    def _note_outcome(self, event: Event, subject: Subject) -> None:
        if event.type == "IntentDone" and subject.kind == WARMUP:
            self._jobs.setdefault(loads(event.data).get("uid", ""), (subject.uid,))

    def _of_job(self, uid: str, state: State) -> tuple[str, ...]:
        job = state.jobs.get(uid)
        if job is not None and job.warmup_uid:
            self._jobs[uid] = (job.warmup_uid,)
        return self._jobs.get(uid, ())


def _named(subject: Subject, state: State) -> Iterator[str]:
    yield from state.bearers.get(bearer_key(*subject[:3]), ())
    yield from state.replica_index.get(object_key(*subject[:3]), ())


def _touched(event: Event, state: State) -> list[str]:
    return [uid for uid, seq in state.dirty.items() if seq == event.seq]
