"""Histories: which rows of the log led an object to where it is, collected while it is folded."""

from typing import Any, NamedTuple

from engine.canonical_json import loads
from engine.events import Event, Subject
from machines.crowds import Crowds, Sightings
from machines.intents import INTENT_BY_TYPE, CreateJob, Intent, ObjectIntent, Resolve
from machines.node_jobs import NodeJobState
from machines.phases import WARMUP_PHASE
from machines.states import State, Target, Warmup
from machines.telling import intent_of, tell
from machines.warmups import WarmupState

WHOLE = ""  # stands for the object itself among the names of its parts
_CLUSTER_ROWS = frozenset({"Reachable", "Unreachable", "ClusterRolledBack"})


class Line(NamedTuple):
    """One row that matters here, in words; `moved` says which state it led to."""

    position: int
    at: int
    type: str
    words: str
    moved: str = ""
    cause: int | None = None


class Whole(NamedTuple):
    """What is said of a ModelWarmup as a whole, whichever node of it is asked about."""

    status: dict[str, Any]  # without its details
    notes: tuple[str, ...]
    waits_for: tuple[str, ...]
    advice: tuple[str, ...]


class History:
    """How one ModelWarmup came to be as it is: the rows about it, and about each node of it."""

    def __init__(self, cluster: str, subject: Subject) -> None:
        """Begin with the first row that speaks of the object."""
        self.cluster = cluster
        self.subject = subject
        self.lines: list[Line] = []
        self.nodes: dict[str, list[Line]] = {}  # by the target's key
        self.jobs: dict[str, str] = {}  # name of the Job last asked for, by the target's key
        self.left: dict[str, Event] = {}  # the row by which a node left, by the node's name
        self.since: Line | None = None  # the row that led to the present phase
        self.gone: Line | None = None
        self.told: tuple[str, ...] = ()  # keys of the targets that the last row is about
        self.whole: tuple[int, Whole] | None = None  # as explained last, and at which position
        self.dropped: tuple[Target, ...] = ()  # targets that the last row took away
        self.crowds = Crowds()
        self._phase: WarmupState | None = None
        self._sightings = Sightings()
        self._targets = self._sightings.known
        self._intents: dict[int, Intent] = {}
        self._job_nodes: dict[str, str] = {}
        self._pod_jobs: dict[str, str] = {}

    def note(
        self, event: Event, subject: Subject, state: State, seen: dict[str, Event]
    ) -> tuple[str, ...]:
        """Take in a row that was just folded; `seen` holds the last row of each node, by uid.

        Gives the names of the nodes that it says something of, and "" for the whole.
        """
        about = self._about(event, subject, state)
        warmup = state.warmups.get(self.subject.uid)
        touched = warmup is not None and state.dirty.get(self.subject.uid) == event.seq
        self.dropped = ()
        changed = self._changes(event, warmup, seen) if warmup and touched else {}
        moved = self._moved(warmup)
        self.told = (*changed, *filter(None, [about]))
        if about is None and not changed and not moved:
            return ()
        line = Line(
            event.seq, event.at, event.type, tell(event, self._intents.get(event.cause or 0)),
            cause=event.cause,
        )  # fmt: skip
        parts = [WHOLE] if about == WHOLE or moved else []
        if parts:
            self.lines.append(line._replace(moved=moved))
        if moved:
            self.since = self.lines[-1]
        if event.type == "Gone" and subject.uid == self.subject.uid:
            self.gone = line
        if about:
            changed.setdefault(about, "")
        for key, change in changed.items():
            self.nodes.setdefault(key, []).append(line._replace(moved=change))
        parts += [self._targets[key].node_name for key in changed if key in self._targets]
        return tuple(parts)

    def moved_at(self, key: str, otherwise: int) -> int:
        """Give the instant at which a target came to its present state."""
        for line in reversed(self.nodes.get(key, [])):
            if line.moved:
                return line.at
        return otherwise

    def _about(self, event: Event, subject: Subject, state: State) -> str | None:
        """Say what a row is about: "" the whole, the key of one target, or None of it."""
        match subject.kind:
            case "Job":
                return self._about_job(subject.uid, state)
            case "Pod":
                return self._about_pod(event, subject.uid)
            case "Node":
                name = f"name:{subject.name}"
                return next((key for key in (subject.uid, name) if key in self._targets), None)
            case "Namespace":
                return "" if subject.name == self.subject.namespace else None
            case "ModelWarmup":
                return self._about_warmup(event) if subject.uid == self.subject.uid else None
            case "Session":
                return ""
        here = event.type in _CLUSTER_ROWS and event.cluster == self.cluster
        return "" if here else None

    def _about_warmup(self, event: Event) -> str | None:
        if event.type == "DeadlinePassed":
            return None  # what it changed says whom it was for
        if event.type in INTENT_BY_TYPE:
            decided = self._intents[event.seq] = intent_of(event)
            if isinstance(decided, CreateJob):
                self.jobs[decided.node_uid] = decided.job_name
        intent = self._intents.get(event.seq) or self._intents.get(event.cause or 0)
        if intent is None or isinstance(intent, Resolve | ObjectIntent):
            return ""
        if event.type == "IntentDone":
            uid = loads(event.data).get("uid", "")
            self._job_nodes.setdefault(uid, intent.node_uid)
        return intent.node_uid

    def _about_job(self, uid: str, state: State) -> str | None:
        job = state.jobs.get(uid)
        if job is not None and job.warmup_uid == self.subject.uid:
            self._job_nodes[uid] = job.node_uid
        return self._job_nodes.get(uid)

    def _about_pod(self, event: Event, uid: str) -> str | None:
        if uid not in self._pod_jobs and event.type == "PodSeen":
            self._pod_jobs[uid] = loads(event.data)["level"].get("jobUid", "")
        return self._job_nodes.get(self._pod_jobs.get(uid, ""))

    def _changes(self, event: Event, warmup: Warmup, seen: dict[str, Event]) -> dict[str, str]:
        """Give the targets that the row changed visibly, and which state it led each to."""
        known = self._targets
        found = self._sightings.changes(warmup.targets)
        self.dropped = tuple(known[key] for key, target in found.items() if target is None)
        changed = {}
        for key, target in found.items():
            if target is None:
                continue
            old = known.get(key)
            if old is None:
                self._admit(key, target, event, seen)
            if old is None or (old.state, old.words) != (target.state, target.words):
                moved = old is None or old.state is not target.state
                changed[key] = target.state.value if moved else ""
                if moved and target.state is NodeJobState.WITHDRAWN:
                    self.left[target.node_name] = event
        self._sightings.keep(found)
        self.crowds.follow(warmup, found)
        return changed

    def _admit(self, key: str, target: Target, event: Event, seen: dict[str, Event]) -> None:
        """Begin a target's lines with those of the name it was waited for under, or its Node's."""
        for old_key, old in self._targets.items():
            if old.node_name == target.node_name and f"name:{old.node_name}" in {key, old_key}:
                self.nodes[key] = list(self.nodes.get(old_key, ()))
                return
        known = seen.get(key)
        if known is not None and known.seq != event.seq:
            line = Line(known.seq, known.at, known.type, tell(known))
            lines = self.nodes.setdefault(key, [])
            lines.append(line)
            lines.sort(key=lambda each: each.position)

    def precede(self, event: Event) -> None:
        """Take in a row about the whole that came before the ModelWarmup itself."""
        self.lines.append(Line(event.seq, event.at, event.type, tell(event)))

    def recall(self, event: Event, state: State) -> bool:
        """Take in a row that came before the ModelWarmup itself, if it is about a Job of it."""
        about = self._about(event, Subject.parse(event.subject), state)
        if about:
            line = Line(event.seq, event.at, event.type, tell(event))
            self.nodes.setdefault(about, []).append(line)
        return bool(about)

    def _moved(self, warmup: Warmup | None) -> str:
        if warmup is None or warmup.state is self._phase:
            return ""
        self._phase = warmup.state
        return WARMUP_PHASE[warmup.state]
