"""The world of one ModelWarmup: nodes, its Jobs with their Pods, and one thing that goes wrong.

What cannot be told apart is one: nothing is decided before all is listed, and Nodes, the Namespace
and the ModelWarmup do not change, so they are listed at once; and a Pod is first seen running.
News of one kind come in order, those of two kinds in any; lists are taken when they are told, and
show all that came before.
"""

from collections.abc import Iterator
from typing import NamedTuple

from engine.canonical_json import dumps
from engine.events import Subject
from machines import labels
from machines.intents import CreateJob, DeleteJob, Resolve, RestoreJob, StampTtl
from machines.levels import JobLevel, NamespaceLevel, NodeLevel, WarmupLevel
from machines.node_jobs import OUTCOMES
from machines.observations import Absent, Answer, Deleted, Done, Listed, Seen, StatusStored
from machines.states import State
from machines.warmups import TERMINAL
from property_tests.exploring.cores import Heard, Opened, TimePasses
from property_tests.exploring.requesting import crashed, requests
from property_tests.exploring.warmup_cluster import (
    CLUSTER,
    NAMESPACE,
    RETRIES,
    WARMUP,
    WATCHED,
    JobThere,
    WarmupWorld,
    job_deleted,
    job_goes_on,
    job_is,
    job_of,
    news,
    news_of,
    pod_goes_on,
    seen,
    ttl_passes,
)
from property_tests.exploring.worlds import ANY, Budget, Move, Order, Reply, Served, Side, bounded

POOL = "p"
NEWEST = str(10**9)  # version of every list: it is later than all that it shows
SPEC = {
    "targets": [{"nodeSelector": {"matchLabels": {labels.POOL: POOL}}}],
    "imagePreload": {"images": [{"image": "busybox", "command": ["true"]}]},
    "policies": {"parallelism": 1, "retryLimit": RETRIES},
}
_RESTING = ("Namespace", "Node", "ModelWarmup")  # kinds in which nothing changes


class WarmupView(NamedTuple):
    """What the world looks at of the core."""

    ended: bool  # the ModelWarmup is terminal
    stored: bool  # and it is known that its status is stored
    outcomes: tuple[str, ...]  # uids of the nodes that have one
    words: tuple[str, ...]  # what the others wait for


class WarmupGame:
    """How that world goes on. The API server of it, too."""

    name = "warmup"

    def __init__(
        self, nodes: int, budget: Budget, *, settles: bool = True, farthest: int = ANY
    ) -> None:
        """Begin with so many nodes; without `settles` the edge believes whatever answers show."""
        self.farthest = farthest
        self._settles = settles
        self._nodes = tuple(
            Subject("Node", "", f"n{index}", f"node-{index}") for index in range(nodes)
        )
        self._budget = budget
        self.sentence = (
            f"{nodes} node{'s' * (nodes > 1)}, 1 warmup, parallelism 1, and "
            f"{budget.failures} failure, {budget.losses} lost answer, {budget.crashes} crash"
            f"{bounded(farthest)}"
        )

    def opening(self) -> WarmupWorld:
        """Give the world before the controller has started."""
        return WarmupWorld(self._budget, (0,) * len(self._nodes))

    def listed(self) -> tuple[Listed, ...]:
        """Give the lists of all kinds in which nothing ever changes."""
        return tuple(self._listed(self.opening(), kind) for kind in _RESTING)

    def view(self, state: State) -> WarmupView:
        """Give what the world looks at of a core, beside its decisions."""
        warmup = state.warmups.get(WARMUP.uid)
        if warmup is None:
            return WarmupView(ended=False, stored=False, outcomes=(), words=())
        targets = warmup.targets.values()
        outcomes = tuple(one.key for one in targets if one.state in OUTCOMES)
        words = tuple(one.words.reason for one in targets if one.state not in OUTCOMES)
        return WarmupView(warmup.state in TERMINAL, warmup.stored, outcomes, words)

    def moves(self, heard: Heard, world: WarmupWorld) -> Iterator[Move]:
        """Give all that may happen next."""
        yield from self._told(world)
        yield from requests(self, heard, world)
        yield from self._stored(heard.view, world)
        if heard.waits:
            what = "time passes to the next deadline"
            yield Move(what, world, (TimePasses(),), side=Side.CONTROLLER)
        quiet = not (heard.opened or world.wires.sent or world.wires.replies)
        if quiet and world.listed and not (world.job_news or world.pod_news):
            yield from ttl_passes(world)
        for job in world.jobs:
            yield from job_goes_on(world, job)
        for pod in world.pods:
            yield from pod_goes_on(world, pod)
        forgotten = {"job_news": (), "pod_news": (), "listed": False}
        yield from crashed(self, heard, world, self.listed(), **forgotten)

    def unheard(self, world: WarmupWorld) -> tuple[int, ...]:
        """Give how many news wait in each line in which they are heard in order."""
        return len(world.job_news), len(world.pod_news)

    # the watches

    def _told(self, world: WarmupWorld) -> Iterator[Move]:
        if not world.listed:
            told = tuple(self._listed(world, kind) for kind in WATCHED)
            yield Move("Jobs and Pods are listed", world._replace(listed=True), told)
        if world.job_news:
            first, *rest = world.job_news
            yield _heard(first, world._replace(job_news=tuple(rest)), 0)
        if world.pod_news:
            first, *rest = world.pod_news
            yield _heard(first, world._replace(pod_news=tuple(rest)), 1)

    def _listed(self, world: WarmupWorld, kind: str) -> Listed:
        items: tuple[Seen, ...]
        if kind == "Job":
            items = tuple(map(seen, world.jobs))
        elif kind == "Pod":
            items = tuple(map(seen, world.pods))
        elif kind == "Node":
            items = tuple(map(self._node, self._nodes))
        elif kind == "Namespace":
            items = (self._namespace(),)
        else:
            items = (Seen(CLUSTER, WARMUP, "1", WarmupLevel(1, dumps(SPEC))),)
        return Listed(CLUSTER, kind, NEWEST, items)

    def _node(self, subject: Subject) -> Seen:
        marks = ((labels.ENABLED, "true"), (labels.POOL, POOL))
        return Seen(CLUSTER, subject, "1", NodeLevel(tuple(sorted(marks)), (), "True"))

    def _namespace(self) -> Seen:
        subject = Subject("Namespace", "", NAMESPACE, "ns-uid")
        return Seen(CLUSTER, subject, "1", NamespaceLevel(POOL))

    def _stored(self, view: WarmupView, world: WarmupWorld) -> Iterator[Move]:
        """The status of the end is written, and the controller hears that it was."""
        if view.ended and not view.stored:
            if world.stored:
                told = (StatusStored(CLUSTER, WARMUP, 1),)
                what = "the controller hears that the last status is stored"
                yield Move(what, world, told, side=Side.CONTROLLER)
            else:
                yield Move("the last status is written", world._replace(stored=True))

    # the API server

    def order(self, opened: Opened) -> Order:
        """Give the request of a decision."""
        return Order(opened.cluster, opened.intent)

    def carry_out(self, world: WarmupWorld, order: Order) -> Served:
        """Do what a request says, with what is there now."""
        match order.intent:
            case CreateJob() as create:
                return self._create(world, create)
            case DeleteJob(job_uid=uid):
                job = job_of(world, uid)
                if job is None:
                    return Served(world, (), Done(uid, found=True))
                if job.level.ended:
                    return Served(world, (seen(job),), Absent())
                return Served(job_deleted(world, job), (), Done(uid))
            case StampTtl(job_uid=uid, ttl_seconds=ttl):
                job = job_of(world, uid)
                if job is None:
                    return Served(world, (), Done(uid, found=True))
                return Served(job_is(world, job, ttl_seconds=ttl), (), Done(uid))
            case Resolve():
                looked = (self._listed(world, "Node"), self._namespace())
                return Served(world, looked, Done())
        raise AssertionError(order)

    def look_up(self, world: WarmupWorld, order: Order) -> Served:
        """Find out whether it was done; the world stays."""
        return Served(world, *self._found(world, order))

    def is_soon_over(self, order: Order) -> bool:
        """Say whether it is done before a crash, or makes nothing."""
        return isinstance(order.intent, Resolve)

    def words(self, order: Order) -> str:
        """Say what it is to do."""
        match order.intent:
            case CreateJob(node_name=node):
                return f"create the Job of {node}"
            case DeleteJob(job_uid=uid):
                return f"delete {uid}"
            case StampTtl(job_uid=uid):
                return f"give {uid} its TTL"
            case RestoreJob(job_uid=uid):
                return f"put the marks of {uid} back"
        return "look at the nodes once more"

    def asked_about(self, world: WarmupWorld, reply: Reply) -> WarmupWorld:
        """Ask about what an answer shows and a list since then did not (`SettlingBook`)."""
        if not self._settles or not isinstance(reply.intent, CreateJob):
            return world
        for shown in (one for one in reply.seen if isinstance(one, Seen)):
            gone = job_of(world, shown.subject.uid) is None
            if gone and all(one.subject != shown.subject for one in world.job_news):
                world = news_of(world, Deleted(CLUSTER, shown.subject, NEWEST))
        return world

    def _create(self, world: WarmupWorld, create: CreateJob) -> Served:
        for job in world.jobs:
            if job.subject.name == create.job_name:
                return Served(world, (seen(job),), Done(job.subject.uid, found=True))
        node = int(create.node_name[1:])
        made = list(world.made)
        made[node] += 1
        uid = f"job-{create.node_name}-{made[node]}"
        level = JobLevel(
            create.warmup_uid, create.warmup_uid, create.node_uid, create.node_name, create.revision
        )
        job = JobThere(Subject("Job", NAMESPACE, create.job_name, uid), 1, level)
        world = world._replace(made=tuple(made), jobs=(*world.jobs, job))
        return Served(news_of(world, seen(job)), (seen(job),), Done(uid))

    def _found(self, world: WarmupWorld, order: Order) -> tuple[tuple[Seen, ...], Answer]:
        match order.intent:
            case CreateJob(job_name=name):
                for job in world.jobs:
                    if job.subject.name == name:
                        return (seen(job),), Done(job.subject.uid, found=True)
            case DeleteJob(job_uid=uid):
                if job_of(world, uid) is None:
                    return (), Done(uid, found=True)
            case StampTtl(job_uid=uid, ttl_seconds=ttl):
                stamped = job_of(world, uid)
                if stamped is None or stamped.level.ttl_seconds == ttl:
                    return (), Done(uid, found=True)
        return (), Absent()

    # what must hold

    def broken(self, heard: Heard, world: WarmupWorld) -> Iterator[str]:
        """Give what does not hold of the cluster and should, whatever happens next."""
        busy = {job.level.node_name for job in world.jobs if not job.level.ended}
        pods = [pod for pod in world.pods if not (pod.level.ended or pod.hidden)]
        busy |= {pod.level.node_name for pod in pods}
        if len(busy) > 1:
            yield f"more nodes are at work than parallelism allows: {', '.join(sorted(busy))}"
        nodes = [job.level.node_uid for job in world.jobs]
        if len(nodes) != len(set(nodes)):
            yield "there are two Jobs of one node"
        if any(job.level.ttl_seconds for job in world.jobs) and not world.stored:
            yield "a Job has its TTL before the last status is stored"
        if heard.view.stored and not world.stored:
            yield "the controller takes a status as stored that is not"

    def unsettled(self, heard: Heard, world: WarmupWorld) -> Iterator[str]:
        """Give what is not as it should be although nothing is left to happen but faults."""
        view: WarmupView = heard.view
        if not view.ended and not (view.words and all(view.words)):
            yield "the warmup has not ended, and does not say what it waits for"
        if not view.ended and not heard.waits:
            yield "the warmup has not ended, and nothing will wake it"
        if view.ended and not view.stored:
            yield "the warmup has ended, and its status is not stored"
        if heard.opened:
            yield "a decision has no answer"
        if world.jobs or world.pods:
            yield "something of the warmup is left"


def _heard(first: Seen | Deleted, after: WarmupWorld, line: int) -> Move:
    return Move(f"news: {news(first)}", after, (first,), side=Side.CONTROLLER, line=line)
