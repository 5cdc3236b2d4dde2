"""Planning: what is done with a ModelWarmup, read off a state in which it has been applied.

Which nodes are targets, which come first and what each Job is like was decided by the controller's
own fold and decide (`supposing`); here it is only put into words.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.events import Subject
from machines.advising import NO_POOL, NOTHING_TO_DO, advice
from machines.annotations import ignored_annotations, wait_seconds
from machines.deciding import intended_job
from machines.intents import CreateJob
from machines.job_bodies import job_body
from machines.job_names import UNKNOWN_UID
from machines.levels import NodeLevel
from machines.node_jobs import UNFINISHED, NodeJobState
from machines.phases import WARMUP_PHASE
from machines.progressing import nodes, progress
from machines.reviewing import nodes_outside, pool_of
from machines.selecting import Asking, askings, demanded_names, refusal
from machines.spec_parts import MAX_TARGETS
from machines.specs import WarmupSpec
from machines.states import WARMUP_KINDS, Cluster, State, Target, Warmup, Words
from machines.warmups import TERMINAL


class PlannedNode(NamedTuple):
    """A node that is a target, and the Job that it has or would get."""

    name: str
    uid: str
    asked_by: tuple[Asking, ...]
    state: NodeJobState
    words: Words  # empty while nothing has been done for it
    job: str
    first: bool  # its Job is among the first that are created
    shunned: str  # why its Job comes after all others


class WaitingName(NamedTuple):
    """A name that no node bears which may be warmed: it waits, and then fails."""

    name: str
    asked_by: tuple[Asking, ...]
    words: Words
    deadline: int  # UTC nanoseconds; counted from the first sight of the ModelWarmup


class SkippedNode(NamedTuple):
    """A node that a selector matches outside the boundary."""

    name: str
    asked_by: tuple[Asking, ...]
    why: str


class Plan(NamedTuple):
    """What would be done, in the order in which nodes would get their Jobs."""

    subject: Subject
    phase: str
    ended: bool
    headline: str
    spec: WarmupSpec
    revision: str
    pool: str
    wait_seconds: int
    notes: tuple[str, ...]
    advice: tuple[str, ...]
    nodes: tuple[PlannedNode, ...]
    waiting: tuple[WaitingName, ...]
    skipped: tuple[SkippedNode, ...]

    @property
    def is_new(self) -> bool:
        """Say whether the ModelWarmup does not exist yet."""
        return self.subject.uid == UNKNOWN_UID


def plan(state: State, warmup: Warmup, spec: WarmupSpec) -> Plan:
    """Read off a state that was folded and decided upon what is done with a warmup.

    `spec` is the warmup's own, which can work.
    """
    cluster = state.clusters[warmup.cluster]
    planned = tuple(_nodes(cluster, warmup, spec))
    waiting = tuple(_waiting(warmup, spec))
    skipped = tuple(_skipped(cluster, warmup, spec))
    return Plan(
        subject=warmup.subject,
        phase=WARMUP_PHASE[warmup.state],
        ended=warmup.state in TERMINAL,
        headline=_headline(cluster, warmup, spec, planned),
        spec=spec,
        revision=warmup.revision,
        pool=pool_of(cluster, warmup),
        wait_seconds=wait_seconds(warmup),
        notes=tuple(_notes(warmup, spec)),
        advice=tuple(_advice(cluster, warmup, skipped)),
        nodes=planned,
        waiting=waiting,
        skipped=skipped,
    )


class Example(NamedTuple):
    """One Job as it would be created: the first, or a stand-in where no node gets one."""

    intent: CreateJob
    body: dict[str, Any]
    gets_it: bool  # the node really gets a Job of this plan


def example(state: State, warmup: Warmup, told: Plan) -> Example | None:
    """Give the Job of the first node that gets one, else as if for a node that is asked for."""
    found = _example_node(state.clusters[warmup.cluster], told)
    if found is None:
        return None
    uid, name, gets_it = found
    target = warmup.targets.get(uid)
    intent = intended_job(warmup, uid, name, target.salt if target else 0)
    return Example(intent, job_body(told.spec, warmup.subject, told.pool, intent), gets_it)


def _example_node(cluster: Cluster, told: Plan) -> tuple[str, str, bool] | None:
    if told.ended:
        return None
    for node in told.nodes:
        if node.state is NodeJobState.PENDING:
            return node.uid, node.name, True
    if told.nodes:
        return None  # every node has its Job, or needs none any more
    names = [each.name for each in told.waiting] + [each.name for each in told.skipped]
    names += demanded_names(told.spec.targets)
    return (cluster.node_uids.get(names[0], UNKNOWN_UID), names[0], False) if names else None


def _nodes(cluster: Cluster, warmup: Warmup, spec: WarmupSpec) -> Iterator[PlannedNode]:
    targets = [
        target
        for target in warmup.targets.values()
        if not target.waiting.reason and target.state is not NodeJobState.WITHDRAWN
    ]
    for target in sorted(targets, key=lambda each: _place(warmup, each)):
        known = cluster.objects["Node"].get(target.key)
        marks = dict(known.level.labels) if known and isinstance(known.level, NodeLevel) else {}
        pending = target.state is NodeJobState.PENDING
        intent = intended_job(warmup, target.key, target.node_name, target.salt)
        yield PlannedNode(
            name=target.node_name,
            uid=target.key,
            asked_by=askings(spec.targets, target.node_name, marks),
            state=target.state,
            words=Words() if pending and not target.refusal.reason else target.words,
            job=target.job_name or intent.job_name,
            first=pending and target.key in warmup.creating,
            shunned=target.shunned,
        )


def _place(warmup: Warmup, target: Target) -> tuple[bool, bool, bool, str]:
    """Order by who gets a Job first; those that have, or had one, come last."""
    pending = target.state is NodeJobState.PENDING
    later = pending and target.key not in warmup.creating
    return not pending, later, bool(target.shunned), target.node_name


def _waiting(warmup: Warmup, spec: WarmupSpec) -> Iterator[WaitingName]:
    waiting = [each for each in warmup.targets.values() if each.waiting.reason]
    for target in sorted(waiting, key=lambda each: each.node_name):
        if target.state in UNFINISHED:
            asked_by = (each for each in askings(spec.targets, target.node_name, {}) if each.named)
            yield WaitingName(target.node_name, tuple(asked_by), target.waiting, target.deadline)


def _skipped(cluster: Cluster, warmup: Warmup, spec: WarmupSpec) -> Iterator[SkippedNode]:
    for name, marks, why in nodes_outside(cluster, warmup):
        yield SkippedNode(name, askings(spec.targets, name, marks), why)


def _headline(
    cluster: Cluster, warmup: Warmup, spec: WarmupSpec, planned: tuple[PlannedNode, ...]
) -> str:
    phase = WARMUP_PHASE[warmup.state]
    if not cluster.is_synced:
        unknown = [kind for kind in WARMUP_KINDS if kind not in cluster.synced]
        return f"which nodes get a Job is not known, for want of {' and '.join(unknown)}"
    if warmup.overflowed and warmup.oversized:
        return (
            f"ends at once as Failed, TargetLimitExceeded, and no Job is made: "
            f"{nodes(_wanted(cluster, warmup, spec))} are wanted, and {MAX_TARGETS} may be"
        )
    if warmup.state in TERMINAL:
        return (
            f"has ended, {phase} ({_outcomes(warmup)}): what ended never runs again, so nothing is"
            " done"
        )
    if not warmup.blocked and warmup.subject.namespace not in cluster.namespace_uids:
        return f"nothing can be done: namespace {warmup.subject.namespace} does not exist"
    pending = [node for node in planned if node.state is NodeJobState.PENDING]
    if pending and not warmup.blocked:
        if warmup.suspended_at:
            return f"is suspended: {nodes(len(pending))} would get a Job once it is not"
        first = sum(node.first for node in pending)
        gets = "gets" if len(pending) == 1 else "get"
        return f"{nodes(len(pending))} {gets} a Job, {first} at first"
    if planned and not warmup.blocked:
        return "no node gets a Job: each has one, or has ended"
    return f"no node gets a Job now: {progress(warmup).message}"


def _outcomes(warmup: Warmup) -> str:
    """Count what became of the nodes; where only its status tells, as that does."""
    past, count = warmup.recovered, warmup.counts.get
    ready = past.succeeded if past else count(NodeJobState.READY.value, 0)
    failed = past.failed if past else count(NodeJobState.FAILED.value, 0)
    return f"{nodes(ready)} succeeded, {failed} failed"


def _wanted(cluster: Cluster, warmup: Warmup, spec: WarmupSpec) -> int:
    """Count the names that are demanded, and the nodes selected within the boundary."""
    names = set(demanded_names(spec.targets))
    pool = pool_of(cluster, warmup)
    for known in cluster.objects["Node"].values():
        marks = dict(known.level.labels) if isinstance(known.level, NodeLevel) else {}
        if askings(spec.targets, known.subject.name, marks) and not refusal(marks, pool):
            names.add(known.subject.name)
    return len(names)


def _notes(warmup: Warmup, spec: WarmupSpec) -> Iterator[str]:
    if spec.capped:
        yield f"policies are capped: {'; '.join(spec.capped)}"
    if ignored := ignored_annotations(warmup.level.annotations):
        yield ignored
    if warmup.overflowed and not warmup.oversized:
        yield f"more than {MAX_TARGETS} nodes are asked for: no more are admitted"
    if warmup.level.deleting:
        yield "it is being deleted: nothing is created for it any more"


def _advice(cluster: Cluster, warmup: Warmup, skipped: tuple[SkippedNode, ...]) -> Iterator[str]:
    subject = warmup.subject
    about = {"namespace": subject.namespace, "name": subject.name}
    if not cluster.is_synced:
        return
    if warmup.overflowed and warmup.oversized:
        yield advice("TargetLimitExceeded", **about)
        return
    if warmup.state in TERMINAL:
        yield "delete it first, or give the new one another name"
        return
    if subject.namespace not in cluster.namespace_uids:
        yield f"`kubectl create namespace {subject.namespace}`, and give it its pool label"
        return
    reason = progress(warmup).reason
    if not warmup.pooled:
        reason = NO_POOL
    told = advice(reason, **about)
    if reason != "JobsRunning" and told != NOTHING_TO_DO:
        yield told
    if skipped and not warmup.targets and warmup.pooled:
        yield f"label the skipped nodes if they should be warmed: {skipped[0].why}"
