"""Histories: which rows of the log led a ModelReplica to where it is.

Collected while the log is folded, as for ModelCaches. A row counts when it is about the replica, or
about what it has on its cluster, and whatever it is about when it changed what is said of it.
"""

from engine.canonical_json import loads
from engine.events import Event, Subject
from machines.caches.reaching import log_cluster, scope_key, way_in
from machines.histories import WHOLE, Line
from machines.intents import INTENT_BY_TYPE, Intent
from machines.replicas.conditions import condition_rows
from machines.replicas.indexing import namespace_of
from machines.replicas.kinds import NAMESPACE
from machines.replicas.part_names import part_names
from machines.replicas.placing import served_of
from machines.replicas.states import Replica
from machines.states import SECRET, State
from machines.telling import intent_of, tell

_CLUSTER_ROWS = frozenset({"Reachable", "Unreachable", "ClusterRolledBack", "Unread"})


class ReplicaHistory:
    """How one ModelReplica came to be as it is."""

    def __init__(self, cluster: str, subject: Subject) -> None:
        """Begin with the first row that speaks of the object."""
        self.cluster = cluster
        self.subject = subject
        self.lines: list[Line] = []
        self.gone: Line | None = None
        self._said: tuple[str, str] = ("", "")  # where it stands, and the words of that
        self._intents: dict[int, Intent] = {}

    @property
    def since(self) -> Line | None:
        """Give the row that led to where it stands now."""
        return next((line for line in reversed(self.lines) if line.moved), None)

    def note(self, event: Event, subject: Subject, state: State) -> tuple[str, ...]:
        """Take in a row that was just folded; give WHOLE if it says something of the replica."""
        replica = state.replicas.get(self.subject.uid)
        if subject.uid == self.subject.uid and event.type in INTENT_BY_TYPE:
            self._intents[event.seq] = intent_of(event)
        touched = replica is not None and state.dirty.get(self.subject.uid) == event.seq
        changed, moved = self._changes(state, replica) if touched and replica else (False, "")
        if not (changed or self._is_about(event, subject, state, replica)):
            return ()
        own = f", of ModelReplica {self.subject.namespace}/{self.subject.name}"
        words = tell(event, self._intents.get(event.cause or 0)).replace(own, "")
        line = Line(event.seq, event.at, event.type, words, moved, event.cause)
        self.lines.append(line)
        if event.type == "Gone" and subject.uid == self.subject.uid:
            self.gone = line
        return (WHOLE,)

    def _changes(self, state: State, replica: Replica) -> tuple[bool, str]:
        """Say whether something else is said of it now, and where it stands, if that is new."""
        said = standing(state, replica)
        old, self._said = self._said, said
        return said != old, said[0] if said[0] != old[0] else ""

    def _is_about(
        self, event: Event, subject: Subject, state: State, replica: Replica | None
    ) -> bool:
        if subject.uid == self.subject.uid:
            return event.type != "DeadlinePassed"  # what it changed says whom it was for
        if subject.kind == "Session":
            return True
        if replica is None:
            return False
        if subject.kind == "InferenceCluster":
            return subject.name == replica.cluster_name
        return _is_about_cluster(event, subject, state, replica)


def standing(state: State, replica: Replica) -> tuple[str, str]:
    """Say in one word where a replica stands, and what is said beside it.

    `Serving` while it serves, whatever else is said; else why it is not accepted, or ModelStarting.
    """
    rows = {row.type: row for row in condition_rows(state, replica)}
    if "Terminating" in rows:
        return "Terminating", rows["Terminating"].message
    accepted, ready = rows["ModelAccepted"], rows["ModelReady"]
    if ready.status == "True":
        return ready.reason, rows["Ready"].message or accepted.message
    if accepted.status != "True":
        return accepted.reason, accepted.message
    told = (ready.message, accepted.message)
    return ready.reason, "; ".join(filter(None, told))


def _is_about_cluster(event: Event, subject: Subject, state: State, replica: Replica) -> bool:
    """Say whether a row is about the replica's cluster, or about something of it there."""
    served = served_of(state, replica)
    if served is None:
        return False
    secret = way_in(state, served).kubeconfig
    if secret is not None and event.cluster == served.home:
        kind = loads(event.data).get("kind", "") if event.type == "Unread" else ""
        if kind == scope_key(secret.namespace, secret.name):
            return True
        if subject[:3] == (SECRET, secret.namespace, secret.name):
            return True
    if event.cluster != log_cluster(served):
        return False
    if event.type in _CLUSTER_ROWS:
        return True
    namespace = namespace_of(state, replica)
    if subject.kind == NAMESPACE:
        return subject.name == namespace
    names = part_names(replica.subject.name, replica.spec) if replica.spec else ()
    return subject.namespace == namespace and (subject.kind, subject.name) in names
