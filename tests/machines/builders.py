"""Scenes: a ModelWarmup and its cluster, told to the pure core as observations.

A scene begins with a namespace in pool "p" and every kind listed, unless told otherwise. What is
said of it becomes facts, facts become decisions, and both stand in `rows`; nothing of Kubernetes
and no adapter is involved.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from engine.canonical_json import dumps, loads
from engine.events import Draft, Event, Subject
from engine.instants import SECOND
from engine.stepping import Cursor, step
from machines import labels
from machines.domain import WARMLOG
from machines.ingesting import due_deadlines, ingest
from machines.intents import CreateJob, DeleteJob, Intent, Resolve, intent_from_json
from machines.levels import JobLevel, Level, NamespaceLevel, NodeLevel, PodLevel, WarmupLevel
from machines.observations import (
    Answer,
    Answered,
    Deleted,
    Done,
    Listed,
    Observation,
    Refused,
    Seen,
    StatusStored,
)
from machines.phases import WARMUP_PHASE
from machines.states import WARMUP_KINDS, State, Target, Warmup
from machines.statuses import warmup_status

CLUSTER, NAMESPACE, POOL = "c", "ns", "p"
BEGINNING = 1_767_225_600 * SECOND  # 2026-01-01T00:00:00Z
IMAGES = [{"image": "busybox", "command": ["true"], "imagePullPolicy": "IfNotPresent"}]
FORBIDDEN = Refused(403, "Forbidden", "exceeded quota: pods")
INVALID = Refused(422, "Invalid", "spec.template is wrong", field=True)

Kind = TypeVar("Kind", bound=Intent)


def selecting(**marks: str) -> dict[str, Any]:
    """An entry of spec.targets that selects nodes by labels; all of the pool when none is given."""
    return {"nodeSelector": {"matchLabels": marks or {labels.POOL: POOL}}}


def naming(*names: str) -> dict[str, Any]:
    """An entry of spec.targets that names nodes."""
    return {"nodes": {"names": list(names)}}


def spec_of(*targets: Mapping[str, Any], **policies: int) -> dict[str, Any]:
    """A spec with one image, for these targets and with these policies."""
    return {
        "targets": list(targets),
        "imagePreload": {"images": IMAGES},
        "policies": dict(policies),
    }


def seconds(number: float) -> int:
    """So many seconds, in nanoseconds."""
    return int(number * SECOND)


class Scene:
    """A cluster, at most one ModelWarmup "mw" unless more are made, and the log of it all."""

    def __init__(self, *, synced: bool = True, pool: str = POOL, log_id: str = "log") -> None:
        """Begin with a namespace in the pool, and every kind listed."""
        self.state: State = WARMLOG.initial(log_id)
        self.rows: list[Event] = []
        self.clock = BEGINNING
        self.cursor = Cursor(0, 0, 1, 0)
        self.version = 100
        self.uids: dict[str, str] = {}  # of nodes, by name
        self.namespace(pool)
        if synced:
            self.sync()

    # telling

    def tell(self, *observations: Observation) -> tuple[Event, ...]:
        """Tell what was observed; give the rows that it made."""
        return self.step(ingest(self.state, observations, self.clock))

    def step(self, drafts: Iterable[Draft]) -> tuple[Event, ...]:
        """Fold these facts, and what they have decided."""
        self.state, made = step(WARMLOG, self.state, self.cursor, drafts, self.clock)
        self.cursor = made.cursor
        self.rows += made.events
        return made.events

    def see(
        self, subject: Subject, level: Level, *, status: Any = None, version: int = 0
    ) -> tuple[Event, ...]:
        """Tell that an object is at a level, at its next version unless one is given."""
        return self.tell(Seen(CLUSTER, subject, str(version or self.next()), level, status))

    def next(self) -> int:
        """Give the next resourceVersion."""
        self.version += 1
        return self.version

    # the cluster

    def namespace(self, pool: str = POOL, *, terminating: bool = False) -> tuple[Event, ...]:
        """The namespace of the warmups is in this pool."""
        subject = Subject("Namespace", "", NAMESPACE, "ns-uid")
        return self.see(subject, NamespaceLevel(pool, terminating))

    def node(self, name: str, **changes: Any) -> tuple[Event, ...]:
        """A node is there, in the pool and opted in unless told otherwise."""
        return self.tell(self.seen_node(name, **changes))

    def seen_node(
        self,
        name: str,
        *,
        uid: str = "",
        pool: str = POOL,
        enabled: str | None = "true",
        cordoned: bool = False,
        taints: Sequence[tuple[str, str, str]] = (),
        marks: Mapping[str, str] | None = None,
        created: str = "",
    ) -> Seen:
        """Give the observation that a node is there."""
        given = {labels.POOL: pool, labels.ENABLED: enabled, **(marks or {})}
        kept = tuple(sorted((key, value) for key, value in given.items() if value is not None))
        level = NodeLevel(kept, tuple(taints), "True", cordoned, created)
        self.uids[name] = uid or self.uids.get(name, f"uid-{name}")
        return Seen(CLUSTER, self.node_subject(name), str(self.next()), level)

    def nodes(self, *names: str) -> None:
        """Several nodes are there."""
        for name in names:
            self.node(name)

    def node_subject(self, name: str) -> Subject:
        """Give what a node's facts are about."""
        return Subject("Node", "", name, self.uids[name])

    def node_gone(self, name: str) -> tuple[Event, ...]:
        """A node is gone."""
        return self.tell(Deleted(CLUSTER, self.node_subject(name), str(self.next())))

    def listed(self, kind: str, *, without: Sequence[str] = (), version: int = 0) -> Listed:
        """Give a whole list of a kind: all that is known, but objects of these names."""
        cluster = self.state.clusters.get(CLUSTER)
        known = cluster.objects[kind].values() if cluster else ()
        items = tuple(
            Seen(CLUSTER, one.subject, str(one.version), one.level)
            for one in known
            if one.subject.name not in without
        )
        return Listed(CLUSTER, kind, str(version or self.next()), items)

    def sync(self) -> tuple[Event, ...]:
        """Every kind is listed, as it is known."""
        return self.tell(*map(self.listed, WARMUP_KINDS))

    def restart(self, *, synced: bool = True) -> tuple[Event, ...]:
        """The controller starts anew; give all rows since."""
        draft = Draft("", str(Subject("Session", "", "", "")), "SessionStarted", 1, "{}")
        begun = self.step([draft])
        return begun + (self.sync() if synced else ())

    def wait(self, duration: float) -> tuple[Event, ...]:
        """So many seconds pass, one deadline after the other."""
        end = self.clock + seconds(duration)
        rows: tuple[Event, ...] = ()
        while self.state.timers and self.state.timers[0][0] <= end:
            self.clock = max(self.clock, self.state.timers[0][0])
            passed = self.tell(*due_deadlines(self.state, self.clock))
            if not passed:
                break
            rows += passed
        self.clock = end
        return rows

    # the warmup

    def warmup(
        self,
        spec: Any,
        *,
        name: str = "mw",
        wait: str = "",
        status: Any = None,
        deleting: bool = False,
        generation: int = 1,
    ) -> Warmup:
        """A ModelWarmup is there; give what is known of it."""
        annotations = ((labels.TARGET_WAIT_SECONDS, wait),) if wait else ()
        level = WarmupLevel(generation, dumps(spec), annotations, deleting)
        self.see(self.subject(name), level, status=status)
        return self.state.warmups[self.subject(name).uid]

    def subject(self, name: str = "mw") -> Subject:
        """Give what a warmup's facts are about."""
        return Subject("ModelWarmup", NAMESPACE, name, f"{name}-uid")

    def warmup_gone(self, name: str = "mw") -> tuple[Event, ...]:
        """The ModelWarmup is gone."""
        return self.tell(Deleted(CLUSTER, self.subject(name), str(self.next())))

    @property
    def mw(self) -> Warmup:
        """The warmup "mw"."""
        return self.state.warmups["mw-uid"]

    @property
    def phase(self) -> str:
        """The phase of "mw" as it is published."""
        return WARMUP_PHASE[self.mw.state]

    @property
    def status(self) -> dict[str, Any]:
        """The status of "mw" as it is published."""
        return warmup_status(self.state, self.mw)

    def condition(self, kind: str) -> dict[str, Any]:
        """A condition of "mw"; KeyError when it has none of that type."""
        found: dict[str, Any] = {each["type"]: each for each in self.status["conditions"]}[kind]
        return found

    def target(self, name: str) -> Target:
        """What "mw" knows of a node, or of a name that waits."""
        found = [one for one in self.mw.targets.values() if one.node_name == name]
        assert len(found) == 1, f"{len(found)} targets of the name {name}"
        return found[0]

    def detail(self, name: str) -> dict[str, Any]:
        """What is published of a node."""
        found = [one for one in self.status["targets"] if one["nodeName"] == name]
        assert len(found) == 1, f"{len(found)} details of the name {name}"
        detail: dict[str, Any] = found[0]
        return detail

    # decisions

    def decided(self, kind: type[Kind], rows: Iterable[Event] | None = None) -> list[Kind]:
        """Give the decisions of a sort, among these rows or all of them."""
        found: list[Kind] = []
        for row in self.rows if rows is None else rows:
            if WARMLOG.is_decision(row.type):
                intent = intent_from_json(row.type, loads(row.data))
                if isinstance(intent, kind):
                    found.append(intent)
        return found

    def creating(self) -> list[str]:
        """Give the names of the nodes whose create is open, in the order of the decisions."""
        open_ones = [one.intent for one in self.state.open.values()]
        return [intent.node_name for intent in open_ones if isinstance(intent, CreateJob)]

    def open_intent(self, kind: type[Intent], node: str = "") -> int:
        """Give the seq of the one open intent of a sort, for a node when one is named."""
        found = [
            seq
            for seq, one in self.state.open.items()
            if isinstance(one.intent, kind)
            and (not node or getattr(one.intent, "node_uid", "") == self.uids[node])
        ]
        assert len(found) == 1, f"{len(found)} open {kind.__name__} for {node or 'any'}"
        return found[0]

    def answer(self, kind: type[Intent], answer: Answer, node: str = "") -> tuple[Event, ...]:
        """The one open intent of a sort is answered."""
        return self.tell(Answered(self.open_intent(kind, node), answer))

    def refuse(self, node: str, refused: Refused) -> tuple[Event, ...]:
        """The API server refuses a node's Job."""
        return self.answer(CreateJob, refused, node)

    def accept(self, node: str) -> str:
        """The API server takes a node's Job, which is seen at once; give its uid."""
        seq = self.open_intent(CreateJob, node)
        intent = self.state.open[seq].intent
        assert isinstance(intent, CreateJob)
        uid = f"job-{seq}"
        self.see(Subject("Job", NAMESPACE, intent.job_name, uid), self.job_level(node))
        self.tell(Answered(seq, Done(uid)))
        return uid

    def answer_all_creates(self) -> None:
        """Every open create is taken."""
        for name in self.creating():
            self.accept(name)

    def resolve(self, *more: Observation) -> tuple[Event, ...]:
        """The last look is taken; it finds the nodes as they are known, and more."""
        seq = self.open_intent(Resolve)
        return self.tell(self.listed("Node"), *more, Answered(seq, Done()))

    def deleted(self, node: str) -> tuple[Event, ...]:
        """The deletion of a node's Job is carried out."""
        return self.answer(DeleteJob, Done(), node)

    def store(self) -> tuple[Event, ...]:
        """The server holds the status of "mw"."""
        return self.tell(StatusStored(CLUSTER, self.subject(), self.mw.position))

    # Jobs and Pods

    def foreign_job(self, uid: str, level: JobLevel, *, namespace: str = NAMESPACE) -> None:
        """A Job that this log did not ask for is at a level."""
        self.see(Subject("Job", namespace, f"foreign-{uid}", uid), level)

    def job_level(self, node: str, outcome: str = "", **changes: Any) -> JobLevel:
        """Give a level of the Job that "mw" has for a node."""
        level = JobLevel("mw-uid", "mw-uid", self.uids[node], node, self.mw.revision, outcome)
        return level._replace(**changes)

    def job_level_of(self, warmup_uid: str, node: str, outcome: str = "") -> JobLevel:
        """Give a level of the Job that some warmup has for a node."""
        return JobLevel(warmup_uid, warmup_uid, self.uids[node], node, "", outcome)

    def job_subject(self, node: str) -> Subject:
        """Give what the facts of a node's newest Job are about."""
        uid = self.mw.jobs[self.uids[node]][-1]
        return Subject("Job", NAMESPACE, self.state.jobs[uid].name, uid)

    def job(self, node: str, outcome: str = "", **changes: Any) -> tuple[Event, ...]:
        """A node's newest Job is at this level."""
        return self.see(self.job_subject(node), self.job_level(node, outcome, **changes))

    def job_gone(self, node: str) -> tuple[Event, ...]:
        """A node's newest Job is gone."""
        return self.tell(Deleted(CLUSTER, self.job_subject(node), str(self.next())))

    def pod(self, job_uid: str, name: str, phase: str, node: str, **changes: Any) -> None:
        """A Pod of a Job is at this level."""
        level = PodLevel("mw-uid", job_uid, node, phase)._replace(**changes)
        self.see(Subject("Pod", NAMESPACE, name, f"{name}-uid"), level)

    def pod_gone(self, name: str) -> tuple[Event, ...]:
        """A Pod is gone."""
        subject = Subject("Pod", NAMESPACE, name, f"{name}-uid")
        return self.tell(Deleted(CLUSTER, subject, str(self.next())))

    def finish(self, node: str, outcome: str = "Complete") -> None:
        """A node's Job is taken, and comes to its outcome."""
        self.accept(node)
        self.job(node, outcome, reason="BackoffLimitExceeded" if outcome == "Failed" else "")
