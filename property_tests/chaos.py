"""Chaos: facts in any order, about a handful of objects, told to the pure core alone.

`Chaos` turns each action into observations and steps, as a running controller would, and keeps the
rows. Nothing here is a cluster: Jobs may end before their create is answered, Pods come before
their Jobs, lists hold what they like.
"""

from collections.abc import Callable, Iterator
from typing import Any

from engine.canonical_json import dumps, loads
from engine.events import Event, Subject
from engine.instants import SECOND
from machines import labels
from machines.domain import WARMLOG
from machines.ingesting import due_deadlines
from machines.intents import (
    CreateJob,
    DeleteJob,
    ObjectIntent,
    RestoreJob,
    StampTtl,
    WarmupIntent,
    intent_from_json,
)
from machines.levels import (
    JobPods,
    Level,
    NamespaceLevel,
    NodeLevel,
    PodLevel,
    WarmupLevel,
)
from machines.observations import (
    Absent,
    Answer,
    Answered,
    Contested,
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
)
from machines.pairs import Pairs
from machines.states import WARMUP_KINDS, Known
from property_tests import actions as act
from property_tests.actions import Action
from property_tests.job_levels import CHANGES, job_level
from property_tests.making import LogInTheMaking

CLUSTER = "c"
_SELECTOR = {"nodeSelector": {"matchExpressions": [{"key": "gpu", "operator": "Exists"}]}}
_OTHERS = {
    "nodeSelector": {
        "matchExpressions": [
            {"key": labels.POOL, "operator": "NotIn", "values": ["q"]},
            {"key": "cpu", "operator": "DoesNotExist"},
        ]
    }
}
_NAMES = {"nodes": {"names": ["n0", "n2"]}}
_IMAGES = {"images": [{"image": "busybox", "command": ["true"]}]}
SPECS: tuple[dict[str, Any], ...] = (
    {
        "targets": [_SELECTOR],
        "imagePreload": _IMAGES,
        "policies": {"parallelism": 2, "retryLimit": 1},
    },
    {
        "targets": [_NAMES, _SELECTOR],
        "imagePreload": _IMAGES,
        "policies": {"parallelism": 1, "retryLimit": 0},
    },
    {"targets": [_NAMES], "imagePreload": _IMAGES},
    {"targets": [_NAMES], "imagePreload": {"images": [{"image": "", "command": []}]}},
    {
        "targets": [_OTHERS, _NAMES],
        "imagePreload": _IMAGES,
        "policies": {"parallelism": 3, "retryLimit": 0},
    },
)
ANSWERS: tuple[Answer, ...] = (
    Done(),
    Done(found=True),
    Refused(403, "Forbidden", "exceeded quota"),
    Refused(422, "Invalid", "spec.x: wrong", field=True),
    Refused(409, "AlreadyExists", "exists"),
    Refused(409, "NameTaken", "exists"),
    Refused(409, "JobNameConflict", "Job j is somebody else's"),
    Refused(403, "Forbidden", "namespace is terminating", terminating=True),
    Unknown("timed out"),
    Absent(),
    Refused(413, "RequestEntityTooLarge", "too large"),
    Refused(422, "Invalid", "spec.x: wrong"),
    Refused(400, "", 'admission webhook "x" denied the request: no'),
)


class Chaos(LogInTheMaking):
    """A log in the making, and the state that its rows give."""

    def __init__(self) -> None:
        """Begin with an empty log."""
        super().__init__()
        self._newest_life = [0, 0, 0]

    def take(self, action: Action) -> tuple[Event, ...]:
        """Do what the action says; give the rows that it made."""
        self.clock += SECOND // 7
        if isinstance(action, act.Restart):
            begun = self.restart()
            self.last = list(_all_listed(self, action)) if action.listed else []
            return begun + self.tell(self.last)
        if isinstance(action, act.TimePasses):
            self.clock += action.seconds * SECOND
            self.last = list(due_deadlines(self.state, self.clock))
        elif not isinstance(action, act.Again):
            self.last = list(_MAKERS[type(action)](self, action))
        return self.tell(self.last)

    def known(self, kind: str) -> list[Known]:
        """Give what the log knows of a kind."""
        cluster = self.state.clusters.get(CLUSTER)
        return list(cluster.objects[kind].values()) if cluster else []

    def version(self, kind: str, uid: str, *, late: bool = False) -> str:
        """Give the next version of an object, or one that it had before."""
        known = [one for one in self.known(kind) if one.subject.uid == uid]
        if late and known:
            return str(max(known[0].version - 1, 1))
        self._version += 1
        return str(self._version)

    def seen(
        self, subject: Subject, level: Level, *, late: bool = False, past: Any = None
    ) -> Observation:
        """Observe an object at a level."""
        version = self.version(subject.kind, subject.uid, late=late)
        return Seen(CLUSTER, subject, version, level, past)

    def newer_life(self, node: int, life: int) -> int:
        """Give a life: a machine whose name another one took is never seen again."""
        self._newest_life[node] = max(self._newest_life[node], life)
        return self._newest_life[node]

    def job(self, index: int) -> tuple[str, CreateJob]:
        """Give one of the Jobs that there may be: asked for in this log, or by another one."""
        made = [
            (f"job-{row.seq}", intent)
            for row in self.rows
            if WARMLOG.is_decision(row.type) and isinstance(intent := intent_in(row), CreateJob)
        ]
        others = [
            (f"other-{node}", CreateJob("mw-0", "ns", f"j{node}", f"n{node}-0", f"n{node}", "", ""))
            for node in range(2)
        ]
        originals = [
            (f"original-{node}", CreateJob("mw-0", "ns", f"o{node}", "", f"n{node}", "", ""))
            for node in range(2)
        ]
        jobs = [*reversed(made[-6:]), *others, *originals]
        return jobs[index % len(jobs)]


def intent_in(row: Event) -> WarmupIntent:
    """Read the intent that a decision's row holds, in a story of ModelWarmups."""
    intent = intent_from_json(row.type, loads(row.data))
    assert not isinstance(intent, ObjectIntent), row
    return intent


def _node(chaos: Chaos, action: act.NodeSeen) -> Iterator[Observation]:
    life = chaos.newer_life(action.node, action.life)
    name = f"n{action.node}"
    marks = {labels.ENABLED: "true", labels.POOL: action.pool, "gpu": "1"}
    wanted = {key: value for key, value in marks.items() if value and (action.gpu or key != "gpu")}
    created = f"2026-01-01T0{2 * life}:00:00Z"
    level = NodeLevel(tuple(sorted(wanted.items())), (), "True", action.cordoned, created)
    yield chaos.seen(Subject("Node", "", name, f"{name}-{life}"), level, late=action.late)


def _node_gone(chaos: Chaos, action: act.NodeGone) -> Iterator[Observation]:
    name = f"n{action.node}"
    subject = Subject("Node", "", name, f"{name}-{action.life}")
    yield Deleted(CLUSTER, subject, chaos.version("Node", subject.uid))


def _namespace(chaos: Chaos, action: act.NamespaceSeen) -> Iterator[Observation]:
    level = NamespaceLevel(action.pool, action.terminating)
    yield chaos.seen(Subject("Namespace", "", "ns", "ns-0"), level)


def _warmup_subject(index: int) -> Subject:
    return Subject("ModelWarmup", "ns", f"mw{index}", f"mw-{index}")


def _warmup(chaos: Chaos, action: act.WarmupSeen) -> Iterator[Observation]:
    marks: Pairs = ((labels.SUSPEND, "true"),) if action.suspended else ()
    marks += ((labels.TARGET_WAIT_SECONDS, action.wait),) if action.wait else ()
    level = WarmupLevel(action.spec + 1, dumps(SPECS[action.spec]), marks, action.deleting)
    subject = _warmup_subject(action.warmup)
    yield chaos.seen(subject, level, past=_past(subject.uid, action.past))


def _past(uid: str, past: str) -> dict[str, Any] | None:
    if not past:
        return None
    ours: dict[str, Any] = {"uid": uid, "log": "chaos", "position": 1}
    if past == "original":
        return {"phase": "Succeeded", "desiredNodes": 3, "succeededNodes": 3}
    if past == "somebody else's":
        ours["uid"] = "another"
    elif past == "other log":
        ours["log"] = "older"
    elif past == "later":
        ours["position"] = 10**9
    return {"phase": "Degraded", "failedNodes": 1, "targets": [{"nodeName": "n9"}], "warmlog": ours}


def _warmup_gone(chaos: Chaos, action: act.WarmupGone) -> Iterator[Observation]:
    subject = _warmup_subject(action.warmup)
    yield Deleted(CLUSTER, subject, chaos.version("ModelWarmup", subject.uid))


def _job(chaos: Chaos, action: act.JobSeen) -> Iterator[Observation]:
    uid, intent = chaos.job(action.job)
    level = job_level(intent, action.outcome, foreign=action.foreign)
    level = level._replace(
        failed_attempts=action.attempts, ttl_seconds=3600 if action.ttl else None
    )
    level = level._replace(**CHANGES[action.changed])  # type: ignore[arg-type]  # its own fields
    yield chaos.seen(Subject("Job", "ns", intent.job_name, uid), level, late=action.late)


def _job_gone(chaos: Chaos, action: act.JobGone) -> Iterator[Observation]:
    uid, intent = chaos.job(action.job)
    subject = Subject("Job", "ns", intent.job_name, uid)
    last = job_level(intent, action.outcome) if action.outcome else None
    yield Deleted(CLUSTER, subject, chaos.version("Job", uid), last)


def _pod(chaos: Chaos, action: act.PodSeen) -> Iterator[Observation]:
    uid, intent = chaos.job(action.job)
    name = f"{uid}-p{action.pod}"
    level = PodLevel(
        warmup_uid=intent.warmup_uid,
        job_uid=uid,
        node_name=f"n{action.node}" if action.node >= 0 else "",
        phase=action.phase,
        reason=action.reason,
        message="words" if action.reason else "",
        exit_code=3 if action.phase == "Failed" else None,
        deleting=action.deleting,
    )
    yield chaos.seen(Subject("Pod", "ns", name, name), level)


def _pods_read(chaos: Chaos, action: act.PodsRead) -> Iterator[Observation]:
    uid, intent = chaos.job(action.job)
    live = tuple(f"{uid}-h{index}" for index in range(action.live))
    newest = PodLevel("", uid, intent.node_name, "Pending", action.reason) if live else None
    failed = PodLevel("", uid, intent.node_name, "Failed", exit_code=3) if action.failed else None
    subject = Subject("Job", "ns", intent.job_name, uid)
    yield PodsRead(CLUSTER, subject, JobPods(live, newest, failed))


def _pod_gone(chaos: Chaos, action: act.PodGone) -> Iterator[Observation]:
    uid, _ = chaos.job(action.job)
    name = f"{uid}-p{action.pod}"
    yield Deleted(CLUSTER, Subject("Pod", "ns", name, name), chaos.version("Pod", name))


def _events(chaos: Chaos, action: act.EventsSay) -> Iterator[Observation]:
    uid, intent = chaos.job(action.job)
    subject = Subject("Job", "ns", intent.job_name, uid)
    words = "words" if action.reason else ""
    yield EventsRead(CLUSTER, subject, uid, action.reason, words)


def _answer(chaos: Chaos, action: act.AnswerComes) -> Iterator[Observation]:
    opened = list(chaos.state.open.values())
    if not opened:
        return
    one, answer = opened[action.intent % len(opened)], ANSWERS[action.answer]
    if isinstance(answer, Done) and isinstance(one.intent, CreateJob):
        answer = answer._replace(uid=f"job-{one.seq}")
    elif isinstance(answer, Done) and isinstance(one.intent, DeleteJob | RestoreJob | StampTtl):
        answer = answer._replace(uid=one.intent.job_uid)
    yield Answered(one.seq, answer)


def _goes_well(chaos: Chaos, action: act.GoesWell) -> Iterator[Observation]:
    opened = list(chaos.state.open.values())
    if not opened:
        return
    one = opened[action.intent % len(opened)]
    match one.intent:
        case CreateJob():
            uid = f"job-{one.seq}"
            subject = Subject("Job", "ns", one.intent.job_name, uid)
            yield chaos.seen(subject, job_level(one.intent, action.outcome))
            yield Answered(one.seq, Done(uid))
        case DeleteJob():
            yield Answered(one.seq, Done(one.intent.job_uid))
            subject = Subject("Job", "ns", one.intent.job_name, one.intent.job_uid)
            yield Deleted(CLUSTER, subject, chaos.version("Job", subject.uid))
        case RestoreJob():
            yield from _restored(chaos, one.intent)
            yield Answered(one.seq, Done(one.intent.job_uid))
        case _:
            yield Answered(one.seq, Done())


def _restored(chaos: Chaos, intent: RestoreJob) -> Iterator[Observation]:
    job = chaos.state.jobs.get(intent.job_uid)
    if job is not None and job.level is not None and job.marks is not None:
        level = job.level._replace(
            warmup_uid=intent.warmup_uid,
            controller_uid=intent.warmup_uid,
            node_uid=job.marks.node_uid,
            node_name=job.marks.node_name,
        )
        yield chaos.seen(Subject("Job", "ns", intent.job_name, intent.job_uid), level)


def _list(chaos: Chaos, action: act.ListComes) -> Iterator[Observation]:
    yield _listed(chaos, action.kind, without=action.without, stale=action.stale)


def _listed(chaos: Chaos, kind: str, *, without: int = 7, stale: bool = False) -> Listed:
    """List a kind as it is known, but for one object, which is gone, or one that is old."""
    items = tuple(
        Seen(CLUSTER, known.subject, str(known.version), known.level)
        for index, known in enumerate(chaos.known(kind))
        if index != without
    )
    version = "1" if stale else chaos.version(kind, "")
    return Listed(CLUSTER, kind, version, items)


def _all_listed(chaos: Chaos, action: act.AllListed | act.Restart) -> Iterator[Observation]:
    for kind in WARMUP_KINDS:
        yield _listed(chaos, kind)


def _stored(chaos: Chaos, action: act.StatusIsStored) -> Iterator[Observation]:
    subject = _warmup_subject(action.warmup)
    warmup = chaos.state.warmups.get(subject.uid)
    if warmup is not None:
        yield StatusStored(CLUSTER, subject, warmup.position)


def _edited(chaos: Chaos, action: act.StatusIsEdited) -> Iterator[Observation]:
    yield Contested(CLUSTER, _warmup_subject(action.warmup), action.editor)


def _answers(chaos: Chaos, action: act.ClusterAnswers) -> Iterator[Observation]:
    yield Reachability(CLUSTER, action.reachable, "" if action.reachable else "no route to host")


def _goes_back(chaos: Chaos, action: act.ClusterGoesBack) -> Iterator[Observation]:
    yield RolledBack(CLUSTER, "restored")
    for kind in WARMUP_KINDS:
        yield _listed(chaos, kind, without=0)


_MAKERS: dict[type, Callable[[Chaos, Any], Iterator[Observation]]] = {
    act.NodeSeen: _node,
    act.NodeGone: _node_gone,
    act.NamespaceSeen: _namespace,
    act.WarmupSeen: _warmup,
    act.WarmupGone: _warmup_gone,
    act.JobSeen: _job,
    act.JobGone: _job_gone,
    act.PodSeen: _pod,
    act.PodGone: _pod_gone,
    act.PodsRead: _pods_read,
    act.EventsSay: _events,
    act.AnswerComes: _answer,
    act.GoesWell: _goes_well,
    act.ListComes: _list,
    act.AllListed: _all_listed,
    act.StatusIsStored: _stored,
    act.StatusIsEdited: _edited,
    act.ClusterAnswers: _answers,
    act.ClusterGoesBack: _goes_back,
}
