"""Things: Jobs, claims, nodes, Pods, workloads … by their own names, and the rows about each.

Nothing of these is an object of warmlog's: a row is about one when it is its own, when it was
decided about it or is what came of that, or when it is about what runs in or on it.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.canonical_json import loads
from engine.events import Event, Subject
from machines.caches.finding import CLAIM
from machines.caches.finding import JOB as HYDRATION_JOB
from machines.caches.finding import POD as HYDRATION_POD
from machines.caches.levels import (
    ClaimLevel,
    HydrationJobLevel,
    HydrationPodLevel,
    SecretLevel,
    StorageClassLevel,
)
from machines.histories import Line
from machines.intents import INTENT_BY_TYPE, Create, CreateJob, Intent, ObjectIntent, Resolve
from machines.levels import LEVEL_BY_KIND, JobLevel, Level, NamespaceLevel, NodeLevel, PodLevel
from machines.replicas.kinds import COMPOSED, NAMESPACE
from machines.replicas.levels import PartLevel, WorkloadLevel
from machines.states import SECRET, State
from machines.telling import intent_of, tell
from machines.tying import STORAGE_CLASS, Tie, ties_by_name, ties_of_row

JOB, NODE, POD = "Job", "Node", "Pod"
KINDS = (JOB, CLAIM, NODE, POD, SECRET, *COMPOSED, NAMESPACE, STORAGE_CLASS)
WITHOUT_NAMESPACE = frozenset({NODE, NAMESPACE, STORAGE_CLASS})
SHARED = frozenset({NAMESPACE, STORAGE_CLASS})  # by all that is there: who was there is left out
_SHOWN = {each: each for each in KINDS} | {HYDRATION_JOB: JOB, HYDRATION_POD: POD}
_OUTCOMES = frozenset({"IntentDone", "IntentRefused", "IntentUnknown", "IntentAbsent"})
_SCOPES = frozenset({"Synced", "Unread"})
_SEEN = frozenset(f"{kind}Seen" for kind in _SHOWN)
_READ = _SEEN | _SCOPES | INTENT_BY_TYPE.keys() | {"IntentDone"}  # their data name something
_NODE_KEYS = ("nodeName", "selectedNode")  # of levels: the name of a node
_CLASS_KEY = "storageClass"  # of a claim's level: the name of its class
_UID_KEYS = ("jobUid", "claimUid", "nodeUid")  # of levels: what it runs in or on


class Name(NamedTuple):
    """A thing as people name it, hydration Jobs and warmup Jobs alike."""

    cluster: str  # as in the log
    kind: str
    namespace: str  # "" where the kind has none
    name: str


class Thing:
    """All that a log tells of whatever bore a name, one after the other."""

    def __init__(self, name: Name) -> None:
        """Begin with the first row that names it."""
        self.name = name
        self.uid = ""  # of the last one that was seen
        self.uids: dict[str, None] = {}
        self.kind = name.kind  # as in the log
        self.level: Level | None = None
        self.lines: list[Line] = []
        self.last: Line | None = None  # the row that tells its last level
        self.gone: Line | None = None
        self.since: Line | None = None  # the row that led to its standing
        self.asked: Line | None = None  # the row by which it was last decided about
        self.ties: dict[Tie, None] = {}  # to the objects that it is of, or that depend on it
        self._standing = ""
        self._listed = False  # by its own name, as Secrets are
        self._intents: dict[int, Intent] = {}
        self._related: dict[str, None] = {}  # uids of what runs in or on it

    @property
    def standing(self) -> str:
        """Say in a word or two how it is, or was last if it is gone."""
        if self.level is not None:
            return _standing(self.level)
        if self._listed:
            return "not there"
        return "asked for" if self.asked is not None else "not seen"

    def note(self, event: Event, subject: Subject, data: Any, state: State) -> None:
        """Take in a row that was just folded, if it is about this."""
        own = _own_name(event, subject) == self.name
        if not own and not self._is_about(event, subject, data):
            return
        line = Line(
            event.seq, event.at, event.type, tell(event, self._intents.get(event.cause or 0)),
            cause=event.cause,
        )  # fmt: skip
        if own:
            self._note_own(event, subject, data, line)
        moved = "gone" if self.gone is not None else self.standing
        if moved != self._standing:
            self._standing = moved
            line = self.since = line._replace(moved=moved)
        self.lines.append(line)
        if self.name.kind not in SHARED:
            self.ties.update(dict.fromkeys(ties_of_row(state, event, subject)))
            self.tie(state)

    def tie(self, state: State) -> None:
        """Take in what it is tied to by its name alone; of what is shared that is all there is."""
        found = dict.fromkeys(ties_by_name(state, self.name, self.uids))
        self.ties = found if self.name.kind in SHARED else self.ties | found

    def _note_own(self, event: Event, subject: Subject, data: Any, line: Line) -> None:
        self.uids[subject.uid] = None
        if event.type == f"{subject.kind}Seen":
            self.uid, self.kind = subject.uid, subject.kind
            self.level = LEVEL_BY_KIND[subject.kind].from_json(data["level"])
            self.last, self.gone = line, None
        elif event.type == "Gone" and self.uid in {"", subject.uid}:
            self.gone = line

    def _is_about(self, event: Event, subject: Subject, data: Any) -> bool:
        if event.type in _OUTCOMES:
            intent = self._intents.get(event.cause or 0)
            uid = data.get("uid") if event.type == "IntentDone" else None
            if uid and isinstance(intent, CreateJob | Create):
                made = self._related if self.name.kind == NODE else self.uids
                made[uid] = None
            return intent is not None
        if event.cluster != self.name.cluster:
            return False
        if event.type in INTENT_BY_TYPE:
            return self._is_decided_about(event, subject, data)
        if self.name in named_in(event, subject, data):
            if event.type in _SEEN:
                self._related[subject.uid] = None
            self._listed |= event.type == "Synced"
            return True
        level = data.get("level", {}) if event.type in _SEEN else {}
        if any(level.get(key) in self.uids for key in _UID_KEYS):
            self._related[subject.uid] = None
        is_related = subject.uid in self._related
        if is_related and event.type == f"{CLAIM}Seen":
            del self._related[subject.uid]  # another node is chosen for it, or none
        return is_related

    def _is_decided_about(self, event: Event, subject: Subject, data: Any) -> bool:
        """Say whether something was decided about it, or about what runs in or on it."""
        named = self.name in named_in(event, subject, data)
        if named and self.name.kind != NODE:
            self.asked = Line(event.seq, event.at, event.type, tell(event))
        about = {data.get("uid"), data.get("job_uid")}
        on_it = not self._related.keys().isdisjoint(about)
        if named or on_it:
            self._intents[event.seq] = intent_of(event)
        return named or on_it


class Watcher:
    """Looks out for whatever bears a name of a kind, in each namespace and cluster or in one."""

    def __init__(self, kind: str, namespace: str, name: str) -> None:
        """Look out for it; with an empty namespace in any."""
        self.things: dict[Name, Thing] = {}
        self.met: dict[Name, None] = {}  # all of its kind
        self._kind = kind
        self._namespace = namespace
        self._name = name

    def note(self, event: Event, state: State) -> None:
        """Take in a row that was just folded into `state`."""
        subject = Subject.parse(event.subject)
        data = loads(event.data) if event.type in _READ else {}
        own = _own_name(event, subject)
        for each in (*([own] if own else []), *named_in(event, subject, data)):
            if each.kind == self._kind:
                self.met[each] = None
                if each not in self.things and self._is_meant(each):
                    self.things[each] = Thing(each)
        for thing in self.things.values():
            thing.note(event, subject, data, state)

    def _is_meant(self, name: Name) -> bool:
        return name.name == self._name and self._namespace in {"", name.namespace}


def _own_name(event: Event, subject: Subject) -> Name | None:
    kind = _SHOWN.get(subject.kind)
    return Name(event.cluster, kind, subject.namespace, subject.name) if kind else None


def named_in(event: Event, subject: Subject, data: Any) -> Iterator[Name]:
    """Give the things that a row names, other than the one that it is of."""
    if event.type in _SEEN:
        level = data["level"]
        for key in _NODE_KEYS:
            if level.get(key):
                yield Name(event.cluster, NODE, "", level[key])
        if subject.kind == CLAIM and level.get(_CLASS_KEY):
            yield Name(event.cluster, STORAGE_CLASS, "", level[_CLASS_KEY])
    elif event.type in _SCOPES:
        kind, slash, rest = data.get("kind", "").partition("/")
        namespace, _, name = rest.partition("/")
        if slash and kind == SECRET:
            yield Name(event.cluster, SECRET, namespace, name)
    elif event.type in INTENT_BY_TYPE:
        yield from _named_by(event.cluster, intent_of(event))


def _named_by(cluster: str, intent: Intent) -> Iterator[Name]:
    if isinstance(intent, ObjectIntent):
        if intent.kind in _SHOWN:
            yield Name(cluster, _SHOWN[intent.kind], intent.namespace, intent.name)
    elif not isinstance(intent, Resolve):
        yield Name(cluster, JOB, intent.namespace, intent.job_name)
        if isinstance(intent, CreateJob):
            yield Name(cluster, NODE, "", intent.node_name)


def _standing(level: Level) -> str:
    match level:
        case NodeLevel():
            ready = {"True": "ready", "False": "not ready"}.get(level.ready, "readiness unknown")
            return f"{ready}, cordoned" if level.unschedulable else ready
        case JobLevel() | HydrationJobLevel():
            return {"": "unfinished", "Finishing": "finishing"}.get(level.outcome, level.outcome)
        case ClaimLevel() | PodLevel() | HydrationPodLevel():
            return level.phase or "without a phase"
        case WorkloadLevel():
            how = "available" if level.available == "True" else "not available"
            return f"{how}, being deleted" if level.deleting else how
        case NamespaceLevel():
            how = f"in pool {level.pool}" if level.pool else "there"
            return f"{how}, being deleted" if level.terminating else how
        case PartLevel():
            return "there, being deleted" if level.deleting else "there"
        case SecretLevel() | StorageClassLevel():
            return "there"
    msg = f"nothing of kind {type(level).__name__} is explained by its name"
    raise TypeError(msg)
