"""The world of one ModelReplica that switches from one cache to another, on one cluster.

Both caches begin with nothing, and so does the replica. Which of them it refers to may be changed
at any time, once; a claim may be deleted or lose its volume, or the Deployment be deleted.

What cannot be told apart is one, as in the world of a cache: what never changes is listed at once,
replica and caches bear our finalizers, and what is waited for comes when nothing else is on its
way. When the controller starts first there is nothing to be listed but the replica; when it starts
again, the replica, the claims with their Jobs, and what is composed are listed in any order. News
of one kind come in order, those of two kinds in any.

Left out is what the worlds of a cache have whole: a claim is bound when it is made; what is asked
for a cache is done, answered and seen before the controller does anything else, so that no crash
comes between; and the end of a Job is seen at once. That a claim was lost is heard late. A claim
that is deleted goes although Pods mount it. Service and device template are applied in their
order, answered and seen at once, but at any time; only what becomes of the Deployment is heard or
answered late, or looked up. Nobody edits or scales it, and what its Pods say is not read.
"""

from collections.abc import Iterator
from typing import Any

from machines.intents import Apply, Change, Create, Delete
from machines.observations import Absent, Deleted, Observation, Seen
from machines.replicas.levels import WorkloadLevel
from machines.replicas.mounts import mount_of
from machines.states import State
from property_tests.exploring.cores import AnswerTo, Heard, Opened, TimePasses
from property_tests.exploring.replica_cluster import (
    CLAIMS,
    LISTED,
    ReplicaWorld,
    find,
    goes_on,
    news_of,
)
from property_tests.exploring.replica_judging import (
    ReplicaView,
    broken_in,
    unsettled_in,
    view_of,
)
from property_tests.exploring.replica_serving import (
    NEWEST,
    carry_out,
    is_of_cache,
    is_of_deployment,
    listed,
    lists,
    look_up,
    order_of,
)
from property_tests.exploring.requesting import crashed, requests
from property_tests.exploring.worlds import ANY, Budget, Move, Order, Reply, Served, Side, bounded


class ReplicaGame:
    """How that world goes on. The API servers of it, too."""

    name = "replica"

    def __init__(self, budget: Budget, *, farthest: int = ANY) -> None:
        """Begin with so many faults to come."""
        self.farthest = farthest
        self._budget = budget
        self.sentence = (
            f"1 replica that switches caches, and {budget.failures} claim lost or Deployment "
            f"deleted, {budget.losses} lost answer, {budget.crashes} crash{bounded(farthest)}"
        )

    def opening(self) -> ReplicaWorld:
        """Give the world before the controller has started."""
        return ReplicaWorld(self._budget)

    def listed(self) -> tuple[Observation, ...]:
        """Give the lists of all kinds in which nothing ever changes."""
        return tuple(lists())

    def moves(self, heard: Heard, world: ReplicaWorld) -> Iterator[Move]:
        """Give all that may happen next."""
        yield from goes_on(world)
        for opened in heard.opened:
            if is_of_cache(opened.intent):
                yield self._done(world, opened)
                return
        yield from self._told(world)
        yield from map(_promptly, requests(self, _in_turn(heard), world))
        if heard.waits and self._is_quiet(heard, world):
            what = "time passes to the next deadline"
            yield Move(what, world, (TimePasses(),), side=Side.CONTROLLER)
        fresh = ReplicaWorld(self._budget)
        forgotten = {"listed": fresh.listed, "lines": fresh.lines}
        yield from crashed(self, heard, world, self.listed(), **forgotten)

    def unheard(self, world: ReplicaWorld) -> tuple[int, ...]:
        """Give how many news wait in each line in which they are heard in order."""
        return tuple(map(len, world.lines))

    def _is_quiet(self, heard: Heard, world: ReplicaWorld) -> bool:
        on_its_way = heard.opened or world.wires.sent or world.wires.replies
        return all(world.listed) and not on_its_way and not any(world.lines)

    def _done(self, world: ReplicaWorld, opened: Opened) -> Move:
        """Do at once what is asked for a cache; it is answered and seen in the same moment."""
        order = self.order(opened)
        served = self.carry_out(world, order) if opened.sendable else Served(world, (), Absent())
        told = (*served.seen, AnswerTo(order.cluster, order.intent, served.answer))
        return Move(f"it is done at once to {self.words(order)}", served.world, told)

    # the watches

    def _told(self, world: ReplicaWorld) -> Iterator[Move]:
        if not (any(world.listed) or world.objects or world.switched):
            told = tuple(listed(world, kind) for kinds in LISTED for kind in kinds)
            words = "the replica is listed, and nothing else is there"
            yield Move(words, world._replace(listed=(True,) * len(LISTED)), told)
            return
        for index, kinds in enumerate(LISTED):
            if not world.listed[index]:
                by_now = tuple(one or place == index for place, one in enumerate(world.listed))
                told = tuple(listed(world, kind) for kind in kinds)
                words = f"{' and '.join(kinds)} are listed"
                yield Move(words, world._replace(listed=by_now), told)
        for index, line in enumerate(world.lines):
            if line:
                lines = (*world.lines[:index], line[1:], *world.lines[index + 1 :])
                after, what = world._replace(lines=lines), f"news: {_news(line[0])}"
                yield Move(what, after, line[:1], side=Side.CONTROLLER, line=index)

    # the API servers

    def order(self, opened: Opened) -> Order:
        """Give the request of a decision, with what it makes of the object."""
        return order_of(opened)

    def carry_out(self, world: ReplicaWorld, order: Order) -> Served:
        """Do what a request says, with what is there now."""
        return carry_out(world, order)

    def look_up(self, world: ReplicaWorld, order: Order) -> Served:
        """Find out whether it was done; the world stays."""
        return look_up(world, order)

    def asked_about(self, world: ReplicaWorld, reply: Reply) -> ReplicaWorld:
        """Ask about what an answer shows and a list since then did not (`SettlingBook`)."""
        for shown in (one for one in reply.seen if isinstance(one, Seen)):
            subject = shown.subject
            gone = find(world, subject.kind, subject.name, subject.uid) is None
            if gone and all(one.subject != subject for line in world.lines for one in line):
                world = news_of(world, Deleted(reply.cluster, subject, NEWEST))
        return world

    def is_soon_over(self, order: Order) -> bool:
        """Say whether it is done before a crash, or makes nothing."""
        return not is_of_deployment(order.intent)

    def words(self, order: Order) -> str:
        """Say what it is to do."""
        intent = order.intent
        assert isinstance(intent, Create | Change | Delete | Apply), order
        verb = intent.change.lower() if isinstance(intent, Change) else type(intent).__name__
        made = f" with the claim of {_claim(order.made)}" if _claim(order.made) else ""
        return f"{verb.lower()} {intent.kind} {intent.name}{made}"

    # what must hold

    def view(self, state: State) -> ReplicaView | None:
        """Give what the world looks at of a core, beside its decisions."""
        return view_of(state)

    def broken(self, heard: Heard, world: ReplicaWorld) -> Iterator[str]:
        """Give what does not hold of the cluster and should, whatever happens next."""
        return broken_in(heard, world)

    def unsettled(self, heard: Heard, world: ReplicaWorld) -> Iterator[str]:
        """Give what is not as it should be although nothing is left to happen but faults."""
        return unsettled_in(heard, world)


def _claim(level: Any) -> str:
    """Give the cache whose claim is mounted by what a request makes; "" for none."""
    return CLAIMS.get(mount_of(level.mount).claim_name, "") if getattr(level, "mount", "") else ""


def _in_turn(heard: Heard) -> Heard:
    """Leave out what is to be done beside the Deployment, but for the first of it."""
    first = [one for one in heard.opened if not is_of_deployment(one.intent)][:1]
    opened = tuple(one for one in heard.opened if one in first or is_of_deployment(one.intent))
    return heard._replace(opened=opened)


def _promptly(move: Move) -> Move:
    """Have answered and seen at once what is sent beside the Deployment."""
    if move.asked is None or is_of_deployment(move.asked[1]):
        return move
    wires = move.world.wires
    mine = [one for one in wires.replies if (one.cluster, one.intent) == move.asked]
    [reply] = mine
    others = tuple(one for one in wires.replies if one is not reply)
    told = (*reply.seen, AnswerTo(reply.cluster, reply.intent, reply.answer))
    return Move(move.words, move.world._replace(wires=wires._replace(replies=others)), told)


def _news(news: Seen | Deleted) -> str:
    what = f"{news.subject.kind} {news.subject.uid}"
    if isinstance(news, Deleted):
        return f"{what} is gone"
    level = news.level
    if isinstance(level, WorkloadLevel):
        serves = "available" if level.available == "True" else "not available"
        return f"{what} is {serves}{', and has old Pods' * level.rolling}"
    return f"{what} is {getattr(level, 'phase', '') or 'there'}"
