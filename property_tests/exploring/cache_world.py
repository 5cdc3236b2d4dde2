"""The world of one ModelCache on two clusters, and one claim that is lost or deleted.

What cannot be told apart is one: the home and what a cluster is do not change, so they are listed
at once; the cache bears our finalizer from the start, and its namespace is there. Of a hydration
Job the Pods are left out. What is waited for comes when nothing else is on its way: each wait is
longer than that takes. News of one kind and cluster come in order, all others in any. Of two
clusters the second is a prompt one: what is asked of it is done, answered and seen at once; how its
entry stands is any of its states while all that may happen does on the first one.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.canonical_json import dumps
from engine.events import Subject
from machines.caches.entries import EntryState
from machines.caches.levels import (
    CacheLevel,
    ClusterLevel,
    SecretLevel,
    StorageClassLevel,
)
from machines.caches.settings import CachingSettings
from machines.caches.statuses import cache_status
from machines.intents import Change, Create, Delete
from machines.levels import NamespaceLevel
from machines.observations import Absent, Deleted, Done, Listed, Observation, Seen
from machines.states import SECRET, State
from property_tests.exploring.cache_cluster import (
    CLAIM,
    JOB,
    WATCHED,
    CacheWorld,
    Feed,
    added,
    changed,
    find,
    goes_on,
    news_of,
    place,
    removed,
    seen,
    shown_by,
    with_feed,
)
from property_tests.exploring.cores import AnswerTo, Heard, Opened, TimePasses
from property_tests.exploring.requesting import crashed, requests
from property_tests.exploring.worlds import ANY, Budget, Move, Order, Reply, Served, Side, bounded
from tests.caches.builders import HOME, NAME, NAMESPACE, UID, WORKLOAD, spec_of
from tests.caches.willing import created_level

NEWEST = str(10**9)  # version of every list: it is later than all that it shows
PROMPT = "ic/two"
CACHE = Subject("ModelCache", NAMESPACE, NAME, UID)


class EntryView(NamedTuple):
    """What the world looks at of an entry."""

    name: str
    state: EntryState
    claim_uid: str
    message: str


class CacheGame:
    """How that world goes on. The API servers of it, too."""

    name = "cache"

    def __init__(self, clusters: int, budget: Budget, *, farthest: int = ANY) -> None:
        """Begin with so many clusters, of two at most."""
        self.farthest = farthest
        self._clusters = ("ic/one", "ic/two")[:clusters]
        self._budget = budget
        self.sentence = (
            f"1 cache, {clusters} cluster{'s' * (clusters > 1)}, and {budget.failures} claim lost, "
            f"{budget.losses} lost answer, {budget.crashes} crash"
            f"{bounded(farthest)}"
        )

    def opening(self) -> CacheWorld:
        """Give the world before the controller has started."""
        count = len(self._clusters)
        return CacheWorld(self._budget, (Feed(),) * count, (0,) * count)

    def listed(self) -> tuple[Observation, ...]:
        """Give the lists of all kinds in which nothing ever changes."""
        return (*self._home(), *(one for name in self._clusters for one in _still(name)))

    def view(self, state: State) -> tuple[EntryView, ...]:
        """Give what the world looks at of a core, beside its decisions."""
        cache = state.caches.get(UID)
        if cache is None:
            return ()
        rows = cache_status(state, cache).get("clusters", [])
        messages = {row["name"]: row.get("message", "") for row in rows}
        return tuple(
            EntryView(one.cluster, one.state, one.claim_uid, messages.get(one.cluster, ""))
            for one in cache.entries.values()
        )

    def moves(self, heard: Heard, world: CacheWorld) -> Iterator[Move]:
        """Give all that may happen next."""
        for move in self._moves(heard, world):
            yield self._promptly(world, move) if len(world.feeds) > 1 else move

    def _promptly(self, before: CacheWorld, move: Move) -> Move:
        """Have done, answered and seen at once what is on its way to the second cluster or back."""
        world, told = move.world, move.told
        for reply in world.wires.replies:
            if reply.cluster == PROMPT:
                wires = world.wires._replace(
                    replies=tuple(one for one in world.wires.replies if one is not reply)
                )
                told += (*reply.seen, AnswerTo(PROMPT, reply.intent, reply.answer))
                world = world._replace(wires=wires)
        feed = world.feeds[1]
        told += (*feed.claims, *feed.jobs)
        world = with_feed(world, 1, Feed(listed=feed.listed))
        mine = _of_first(move.world) != _of_first(before) or _of_first(world) != _of_first(before)
        return move._replace(world=world, told=told, side=move.side if mine else Side.CONTROLLER)

    def _moves(self, heard: Heard, world: CacheWorld) -> Iterator[Move]:
        yield from self._told(world)
        yield from requests(self, heard, world)
        if heard.waits and self._is_quiet(heard, world):
            what = "time passes to the next deadline"
            yield Move(what, world, (TimePasses(),), side=Side.CONTROLLER)
        for there in world.objects:
            yield from goes_on(world, there)
        feeds = (Feed(),) * len(world.feeds)
        yield from crashed(self, heard, world, self.listed(), feeds=feeds)

    def unheard(self, world: CacheWorld) -> tuple[int, ...]:
        """Give how many news wait in each line in which they are heard in order."""
        return tuple(len(line) for feed in world.feeds for line in (feed.claims, feed.jobs))

    def _is_quiet(self, heard: Heard, world: CacheWorld) -> bool:
        on_its_way = heard.opened or world.wires.sent or world.wires.replies
        still = (Feed(listed=True),) * len(world.feeds)
        return not on_its_way and world.feeds == still

    # the watches

    def _told(self, world: CacheWorld) -> Iterator[Move]:
        for index, feed in enumerate(world.feeds):
            cluster = self._clusters[index]
            if not feed.listed:
                told = tuple(_listed(world, cluster, kind) for kind in WATCHED)
                after = with_feed(world, index, Feed(listed=True))
                yield Move(f"what is on {cluster} is listed", after, told)
            if feed.claims:
                after = with_feed(world, index, feed._replace(claims=feed.claims[1:]))
                yield _heard(feed.claims[0], after, 2 * index)
            if feed.jobs:
                after = with_feed(world, index, feed._replace(jobs=feed.jobs[1:]))
                yield _heard(feed.jobs[0], after, 2 * index + 1)

    def _home(self) -> Iterator[Listed]:
        level = CacheLevel(spec=dumps(spec_of()), held=True)
        yield _list(HOME, "ModelCache", (Seen(HOME, CACHE, "1", level),))
        yield _list(HOME, "Namespace", (Seen(HOME, _named("Namespace", "home"), "1", _SPACE),))
        clusters = []
        for name in self._clusters:
            secret = {"secretRef": {"name": f"{name[3:]}-kubeconfig"}}
            spec = dumps({"cluster": {"source": "Existing", "existing": secret}})
            subject = _named("InferenceCluster", name[3:])
            clusters.append(Seen(HOME, subject, "1", ClusterLevel(spec=spec)))
        yield _list(HOME, "InferenceCluster", tuple(clusters))
        for name in self._clusters:
            scope = CachingSettings().own_namespace, f"{name[3:]}-kubeconfig"
            subject = Subject(SECRET, *scope, f"{scope[1]}-uid")
            secret_level = SecretLevel((("kubeconfig", "k1"),))
            items = (Seen(HOME, subject, "1", secret_level),)
            yield Listed(HOME, SECRET, NEWEST, items, scope=scope)

    # the API servers

    def order(self, opened: Opened) -> Order:
        """Give the request of a decision, with what it makes of the object."""
        made = None
        if isinstance(opened.intent, Create) and opened.body:
            made = created_level(opened.body, opened.intent.kind)
        elif isinstance(opened.intent, Change) and opened.body:
            made = opened.body["annotations"]["warmlog.dev/hydrated"]
        return Order(opened.cluster, opened.intent, made)

    def carry_out(self, world: CacheWorld, order: Order) -> Served:
        """Do what a request says, with what is there now."""
        intent, cluster = order.intent, order.cluster
        assert isinstance(intent, Create | Change | Delete), order
        if isinstance(intent, Create):
            there = find(world, cluster, intent.kind)
            found = there is not None
            if there is None:
                subject = Subject(intent.kind, intent.namespace, intent.name, "")
                world = added(world, cluster, subject, order.made)
                there = find(world, cluster, intent.kind)
            assert there is not None
            return Served(world, (seen(there),), Done(there.subject.uid, found=found))
        there = find(world, cluster, intent.kind, intent.uid)
        if there is None:
            return self._missing(world, order)
        if isinstance(intent, Delete):
            return Served(removed(world, there), (), Done(intent.uid))
        world = changed(world, there, hydrated=order.made)
        there = find(world, cluster, intent.kind, intent.uid)
        assert there is not None
        return Served(world, (seen(there),), Done(intent.uid))

    def look_up(self, world: CacheWorld, order: Order) -> Served:
        """Find out whether it was done; the world stays."""
        intent = order.intent
        assert isinstance(intent, Create | Change | Delete), order
        uid = "" if isinstance(intent, Create) else intent.uid
        there = find(world, order.cluster, intent.kind, uid)
        if there is None:
            return self._missing(world, order)
        landed = isinstance(intent, Create)
        if isinstance(intent, Change):
            landed = getattr(there.level, "hydrated", "") == order.made
        answer = Done(there.subject.uid, found=True) if landed else Absent()
        return Served(world, (seen(there),), answer)

    def _missing(self, world: CacheWorld, order: Order) -> Served:
        intent = order.intent
        if not isinstance(intent, Change | Delete):
            return Served(world, (), Absent())
        subject = Subject(intent.kind, intent.namespace, intent.name, intent.uid)
        gone = Deleted(order.cluster, subject, "", settled=True)
        done = isinstance(intent, Delete)
        return Served(world, (gone,), Done(intent.uid, found=True) if done else Absent())

    def asked_about(self, world: CacheWorld, reply: Reply) -> CacheWorld:
        """Ask about what an answer shows and a list since then did not (`SettlingBook`)."""
        for shown in shown_by(reply.seen):
            feed = world.feeds[place(reply.cluster)]
            pending = {one.subject for one in (*feed.claims, *feed.jobs)}
            uid = shown.subject.uid
            gone = find(world, reply.cluster, shown.subject.kind, uid) is None
            if gone and shown.subject not in pending:
                world = news_of(world, Deleted(reply.cluster, shown.subject, NEWEST))
        return world

    def is_soon_over(self, order: Order) -> bool:
        """Say whether it is done before a crash, or makes nothing."""
        return order.cluster == PROMPT

    def words(self, order: Order) -> str:
        """Say what it is to do."""
        intent = order.intent
        assert isinstance(intent, Create | Change | Delete), order
        verb = intent.change.lower() if isinstance(intent, Change) else type(intent).__name__
        return f"{verb.lower()} the {intent.kind} on {order.cluster[3:]}"

    # what must hold

    def broken(self, heard: Heard, world: CacheWorld) -> Iterator[str]:
        """Give what does not hold of the clusters and should, whatever happens next."""
        for entry in heard.view:
            if entry.state is EntryState.READY and entry.claim_uid not in world.whole:
                yield f"the mount on {entry.name} is published, and its claim was never filled"
        for there in world.objects:
            hydrated = getattr(there.level, "hydrated", "")
            if hydrated and hydrated.partition("/")[0] not in world.whole:
                yield f"{there.subject.uid} is marked as filled, and was not"
        for order in (*world.wires.sent, *world.wires.late):
            if isinstance(order.intent, Delete) and order.intent.kind == CLAIM:
                yield f"the claim on {order.cluster} is to be deleted, and the cache wants it"

    def unsettled(self, heard: Heard, world: CacheWorld) -> Iterator[str]:
        """Give what is not as it should be although nothing is left to happen but faults."""
        if len(heard.view) != len(self._clusters):
            yield "a cluster has no entry"
        for entry in heard.view:
            claim = find(world, f"ic/{entry.name}", CLAIM)
            lost = claim is not None and getattr(claim.level, "phase", "") == "Lost"
            if lost and entry.state is EntryState.READY:
                yield f"the mount on {entry.name} is published, and its claim is lost"
            if lost and "lost" not in entry.message.lower():
                yield f"the entry on {entry.name} does not say that its claim is lost"
            if not lost and entry.state is not EntryState.READY:
                yield f"the entry on {entry.name} is {entry.state}: {entry.message}"
            if not lost and find(world, f"ic/{entry.name}", JOB):
                yield f"the finished Job on {entry.name} is left"
        if heard.opened:
            yield "a decision has no answer"


_SPACE = NamespaceLevel()


def _of_first(world: CacheWorld) -> tuple[Any, ...]:
    """Give all that is of the first cluster: who leaves it as it was has not looked at it."""
    objects = tuple(one for one in world.objects if one.cluster != PROMPT)
    replies = tuple(one for one in world.wires.replies if one.cluster != PROMPT)
    return world.feeds[0], objects, world.wires._replace(replies=replies)


def _named(kind: str, name: str, place_name: str = "") -> Subject:
    return Subject(kind, "", name, f"{place_name[3:]}{name}-uid")


def _list(cluster: str, kind: str, items: tuple[Seen, ...]) -> Listed:
    return Listed(cluster, kind, NEWEST, items)


def _listed(world: CacheWorld, cluster: str, kind: str) -> Listed:
    there = find(world, cluster, kind)
    return _list(cluster, kind, (seen(there),) if there else ())


def _still(cluster: str) -> Iterator[Listed]:
    """List what never changes on a cluster."""
    names = WORKLOAD, "kube-system"
    spaces = tuple(Seen(cluster, _named("Namespace", one, cluster), "1", _SPACE) for one in names)
    yield _list(cluster, "Namespace", spaces)
    yield _list(cluster, "Node", ())
    level = StorageClassLevel("nfs", "Immediate")
    subject = _named("StorageClass", "modelplane-rwx")
    yield _list(cluster, "StorageClass", (Seen(cluster, subject, "1", level),))


def _news(news: Seen | Deleted) -> str:
    what = f"{news.subject.kind} {news.subject.uid}"
    if isinstance(news, Deleted):
        return f"{what} is gone"
    level = news.level
    state = getattr(level, "outcome", "") or getattr(level, "phase", "") or "at work"
    return f"{what} is {state}"


def _heard(first: Seen | Deleted, after: CacheWorld, line: int) -> Move:
    return Move(f"news: {_news(first)}", after, (first,), side=Side.CONTROLLER, line=line)
