"""Histories: which rows of the log led a ModelCache or an InferenceCluster to where it is.

Collected while the log is folded, as for ModelWarmups. A row counts when it is about the object or
about what it has, and whatever it is about when it changed what is said of it.
"""

from collections.abc import Iterable
from typing import Any

from engine.canonical_json import loads
from engine.events import Event, Subject
from machines.caches.finding import names_of, namespace_of
from machines.caches.messages import entry_message
from machines.caches.reaching import log_cluster, scope_key, way_in
from machines.caches.states import Cache, ServedCluster
from machines.caches.statuses import cluster_row
from machines.histories import WHOLE, Line
from machines.intents import INTENT_BY_TYPE, CacheIntent, Intent
from machines.states import SECRET, State
from machines.telling import intent_of, tell

_CLUSTER_ROWS = frozenset({"Reachable", "Unreachable", "ClusterRolledBack", "Unread"})


class CacheHistory:
    """How one ModelCache came to be as it is: the rows about it, and about it on each cluster."""

    def __init__(self, cluster: str, subject: Subject) -> None:
        """Begin with the first row that speaks of the object."""
        self.cluster = cluster
        self.subject = subject
        self.lines: list[Line] = []
        self.entries: dict[str, list[Line]] = {}  # by InferenceCluster
        self.gone: Line | None = None
        self._said: dict[str, tuple[str, str]] = {}  # phase and message
        self._nodes: dict[str, str] = {}  # chosen for the claim
        self._intents: dict[int, tuple[Intent, str]] = {}  # and the cluster it is for
        self._jobs: dict[str, bool] = {}  # uids of its Jobs
        self._pods: dict[str, bool] = {}

    def note(self, event: Event, subject: Subject, state: State) -> tuple[str, ...]:
        """Take in a row that was just folded; give the clusters that it is about, or WHOLE."""
        cache = state.caches.get(self.subject.uid)
        about = set(self._about(event, subject, state, cache))
        touched = cache is not None and state.dirty.get(self.subject.uid) == event.seq
        moves = self._moves(state, cache) if cache is not None and touched else {}
        intent, _ = self._intents.get(event.cause or 0, (None, ""))
        if about or moves:
            own = f", of ModelCache {self.subject.namespace}/{self.subject.name}"
            words = tell(event, intent).replace(own, "")
            line = Line(event.seq, event.at, event.type, words, cause=event.cause)
            if WHOLE in about:
                self.lines.append(line)
            for name in sorted((about | moves.keys()) - {WHOLE}):
                self.entries.setdefault(name, []).append(line._replace(moved=moves.get(name, "")))
            if event.type == "Gone" and subject.uid == self.subject.uid:
                self.gone = line
        return tuple(sorted(about | moves.keys()))

    def _about(
        self, event: Event, subject: Subject, state: State, cache: Cache | None
    ) -> Iterable[str]:
        if subject.uid == self.subject.uid:
            return self._about_cache(event, state, cache)
        if subject.kind == "Session":
            return [WHOLE]
        if cache is None:
            return []
        if subject.kind == "InferenceCluster":
            return [name for name in (subject.name,) if name in cache.entries]
        return self._about_there(event, subject, state, cache)

    def _about_there(
        self, event: Event, subject: Subject, state: State, cache: Cache
    ) -> Iterable[str]:
        """Say of which clusters a row is about, when it is about something on one of them."""
        here = _entries_on(state, cache, event.cluster)
        if event.type in _CLUSTER_ROWS:
            return _about_cluster(event, state, cache, here)
        if subject.kind == "Node":
            return [name for name in here if self._nodes.get(name) == subject.name]
        if subject.kind == SECRET and event.cluster == cache.cluster:
            found = _of_home_secret(state, cache, scope_key(subject.namespace, subject.name))
            return found or (here if _is_its(state, cache, subject) else [])
        if subject.kind == "HydrationPod":
            return here if self._is_its_pod(event, subject) else []
        if not _is_its(state, cache, subject):
            return []
        if subject.kind == "HydrationJob":
            self._jobs[subject.uid] = True
        return here

    def _about_cache(self, event: Event, state: State, cache: Cache | None) -> Iterable[str]:
        if event.type == "DeadlinePassed":
            return []  # what it changed says whom it was for
        if event.type in INTENT_BY_TYPE:
            self._intents[event.seq] = intent_of(event), event.cluster
        decided = self._intents.get(event.seq) or self._intents.get(event.cause or 0)
        if decided is None or cache is None:
            return [WHOLE]
        intent, cluster = decided
        if not isinstance(intent, CacheIntent) or intent.kind == self.subject.kind:
            return [WHOLE]
        return _entries_on(state, cache, cluster)

    def _is_its_pod(self, event: Event, subject: Subject) -> bool:
        if event.type == "HydrationPodSeen":
            job_uid = loads(event.data)["level"].get("jobUid", "")
            self._pods[subject.uid] = job_uid in self._jobs
        return self._pods.get(subject.uid, False)

    def _moves(self, state: State, cache: Cache) -> dict[str, str]:
        """Give the entries of which something else is said now, and to which phase each moved."""
        moves = {}
        said = {}
        for name, entry in cache.entries.items():
            said[name] = entry.state.value, entry_message(state, cache, entry)
            old = self._said.get(name)
            if old != said[name]:
                moves[name] = entry.state.value if old is None or old[0] != said[name][0] else ""
        for name in self._said.keys() - said.keys():
            moves[name] = "left"
        self._said = said
        self._nodes = {name: one.chosen.node_name for name, one in cache.entries.items()}
        return moves


class ClusterHistory:
    """How one InferenceCluster came to be reached, or not."""

    def __init__(self, cluster: str, subject: Subject) -> None:
        """Begin with the first row that speaks of the object."""
        self.cluster = cluster
        self.subject = subject
        self.lines: list[Line] = []
        self.gone: Line | None = None
        self._said: tuple[str, str, str] | None = None

    def note(self, event: Event, subject: Subject, state: State) -> tuple[str, ...]:
        """Take in a row that was just folded; give WHOLE if it says something of the cluster."""
        served = state.served.get(self.subject.name)
        replaced = served is not None and served.subject.uid != self.subject.uid
        if replaced:
            served = None
        mine = subject.uid == self.subject.uid
        said = cluster_row(state, served) if served is not None else self._said
        moved = said[1] if said is not None and said != self._said else ""
        self._said = said
        about = served is not None and _is_about(event, served, state)
        if not (mine or moved or replaced or about):
            return ()
        line = Line(event.seq, event.at, event.type, tell(event), moved, event.cause)
        self.lines.append(line)
        if replaced or (event.type == "Gone" and mine):
            self.gone = line  # two of one name never are there at once
        return (WHOLE,)

    @property
    def since(self) -> Line | None:
        """Give the row that led to how it is reached now."""
        return next((line for line in reversed(self.lines) if line.moved), None)


def _is_about(event: Event, served: ServedCluster, state: State) -> bool:
    if event.cluster == log_cluster(served) and event.type in _CLUSTER_ROWS:
        return True
    secret, subject = way_in(state, served).kubeconfig, Subject.parse(event.subject)
    named = secret is not None and subject[:3] == (SECRET, secret.namespace, secret.name)
    return named and event.cluster == served.home


def _about_cluster(event: Event, state: State, cache: Cache, here: list[str]) -> Iterable[str]:
    """Say of what a row about a cluster as a whole is: the home's own are of the whole."""
    kind: Any = loads(event.data).get("kind", "") if event.type == "Unread" else ""
    if kind.startswith(f"{SECRET}/") and event.cluster == cache.cluster:
        return _of_home_secret(state, cache, kind)
    return here or ([WHOLE] if event.cluster == cache.cluster else [])


def _of_home_secret(state: State, cache: Cache, scope: str) -> list[str]:
    """Give what a Secret of home is about: the token the whole, a kubeconfig its cluster."""
    spec, found = cache.spec, []
    if spec and spec.secret_name and scope == scope_key(cache.subject.namespace, spec.secret_name):
        found.append(WHOLE)
    for name in cache.entries:
        served = state.served.get(name)
        secret = way_in(state, served).kubeconfig if served is not None else None
        if secret is not None and scope == scope_key(secret.namespace, secret.name):
            found.append(name)
    return found


def _entries_on(state: State, cache: Cache, cluster: str) -> list[str]:
    served = ((name, state.served.get(name)) for name in cache.entries)
    return [name for name, one in served if one is not None and log_cluster(one) == cluster]


def _is_its(state: State, cache: Cache, subject: Subject) -> bool:
    namespace = namespace_of(state, cache)
    if subject.kind == "Namespace":
        return subject.name == namespace
    return (subject.namespace, subject.name) == (namespace, names_of(cache).get(subject.kind))
