"""Requesting: how decisions reach the API servers, and all that may become of them on the way.

As `adapters.running.effecting` does it: what is open is sent while it is still wanted, what has no
sure outcome is looked up. A request may be overtaken by everything else; its answer may get lost
before or after it was carried out; and it may be carried out when nobody waits for it any more.

What cannot be told apart is one:

- A request is sent in the moment in which it is carried out: until then the controller may as well
  have waited, as long as it wants the same. Where it comes to want it no more, it may have been
  sent a moment before (`overtaken`). At a crash all that could have been sent was: what is late
  need not ever be carried out.
- What a look-up finds is heard at once, as long as a later one would find the same. Before a move
  after which it would not, it may have been looked up (`looked_up`).
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from machines.intents import Intent
from machines.observations import Absent, Observation, Unknown
from property_tests.exploring.cores import AnswerTo, Heard, Opened, Restart
from property_tests.exploring.worlds import Game, Move, Order, Reply, Server, Side, Wires

LOST = Unknown("no answer came")


def requests(server: Server[Any], heard: Heard, world: Any) -> Iterator[Move]:
    """Give all that may happen next to what is open, sent, or answered."""
    yield from _leaving(server, heard, world)
    for order in world.wires.sent:
        yield from _arriving(server, world._replace(wires=_without(world.wires, sent=order)), order)
    for order in world.wires.late:
        rest = world._replace(wires=_without(world.wires, late=order))
        what = f"the request to {server.words(order)} is carried out after all"
        served = server.carry_out(rest, order)
        yield Move(what, served.world, fault=True, side=Side.CLUSTER)
    for reply in world.wires.replies:
        rest = world._replace(wires=_without(world.wires, reply=reply))
        what = server.words(Order(reply.cluster, reply.intent))
        answer = type(reply.answer).__name__
        told = (*reply.seen, AnswerTo(reply.cluster, reply.intent, reply.answer))
        after = server.asked_about(rest, reply)
        side = Side.CONTROLLER if after is rest else Side.BOTH
        asked = reply.cluster, reply.intent
        yield Move(f"the answer to {what} arrives: {answer}", after, told, side=side, answers=asked)


def crashed(
    server: Server[Any],
    heard: Heard,
    world: Any,
    still: tuple[Observation, ...],
    **forgotten: Any,
) -> Iterator[Move]:
    """Give the crash, if there may be one: what was sent may still be carried out."""
    budget = world.budget
    if budget.crashes:
        sent = (server.order(opened) for opened in _sendable(heard, world.wires))
        orders: tuple[Order, ...] = (*world.wires.late, *world.wires.sent, *sent)
        distinct = {repr(one): one for one in orders if not server.is_soon_over(one)}
        left = budget._replace(crashes=budget.crashes - 1)
        after = world._replace(
            wires=Wires(late=_ordered(tuple(distinct.values()))), budget=left, **forgotten
        )
        what, told = "the controller crashes, and starts again", (Restart(), *still)
        yield Move(what, after, told, fault=True, side=Side.CONTROLLER)


def overtaken(game: Game[Any], before: Heard, after: Heard, world: Any) -> Iterator[Any]:
    """Give the world, and those in which what is wanted no more had been sent a moment before."""
    yield world
    wanted = {(one.cluster, one.intent): one for one in _sendable(before, world.wires)}
    for opened in after.opened if wanted else ():
        sent = wanted.get((opened.cluster, opened.intent))
        if sent is not None and not (opened.sendable or opened.uncertain):
            wires = _with(world.wires, sent=game.order(sent))
            yield world._replace(wires=wires)


def looked_up(game: Game[Any], heard: Heard, before: Any, after: Any) -> Iterator[Any]:
    """Give the world after a move, and those in which it was looked up before what it shows not.

    What is found as long as nothing changes is heard at once; else its answer is on its way.
    """
    stale = []
    for opened in _waiting(heard, before.wires):
        if opened.uncertain:
            order = game.order(opened)
            reply = _found(game, before, order)
            if reply != _found(game, after, order):
                stale.append(reply)
    for count in range(len(stale) + 1):
        for some in combinations(stale, count):
            wires = after.wires
            for reply in some:
                wires = _with(wires, reply=reply)
            yield after._replace(wires=wires)


def _found(server: Server[Any], world: Any, order: Order) -> Reply:
    found = server.look_up(world, order)
    return Reply(order.cluster, order.intent, found.seen, found.answer)


def wants(heard: Heard, asked: tuple[str, Intent]) -> bool:
    """Say whether a request could be sent now, as far as the core wants it."""
    return any((one.cluster, one.intent) == asked and one.sendable for one in heard.opened)


def _sendable(heard: Heard, wires: Wires) -> Iterator[Opened]:
    for opened in _waiting(heard, wires):
        if opened.sendable and not opened.uncertain:
            yield opened


def _waiting(heard: Heard, wires: Wires) -> Iterator[Opened]:
    """Give what is open and not on its way."""
    on_its_way = {(one.cluster, one.intent) for one in wires.sent}
    on_its_way |= {(one.cluster, one.intent) for one in wires.replies}
    for opened in heard.opened:
        if (opened.cluster, opened.intent) not in on_its_way:
            yield opened


def _leaving(server: Server[Any], heard: Heard, world: Any) -> Iterator[Move]:
    """Send what is open and not on its way, or look it up."""
    for opened in _waiting(heard, world.wires):
        order = server.order(opened)
        what = server.words(order)
        if opened.uncertain:
            reply = _found(server, world, order)
            told = (*reply.seen, AnswerTo(order.cluster, order.intent, reply.answer))
            answer = type(reply.answer).__name__
            what = f"it is looked up whether it was done to {what}: {answer}"
            yield Move(what, server.asked_about(world, reply), told)
        elif opened.sendable:
            yield from _arriving(server, world, order)
        else:
            told = (AnswerTo(order.cluster, order.intent, Absent()),)
            what = f"the request to {what} is not sent, as it is not wanted"
            yield Move(what, world, told, side=Side.CONTROLLER)


def _arriving(server: Server[Any], world: Any, order: Order) -> Iterator[Move]:
    what = f"the request to {server.words(order)}"
    rest = world._replace(wires=world.wires._replace(late=()))
    served = server.carry_out(rest, order)
    reply = Reply(order.cluster, order.intent, served.seen, served.answer)
    answered = served.world._replace(wires=_with(served.world.wires, reply=reply))
    asked = order.cluster, order.intent
    yield Move(f"{what} is sent and carried out", answered, asked=asked)
    budget = world.budget
    if budget.losses:
        left = budget._replace(losses=budget.losses - 1)
        told = (AnswerTo(order.cluster, order.intent, LOST),)
        lost = served.world._replace(budget=left)
        yield Move(f"{what} is carried out, and its answer lost", lost, told, fault=True)
        late = rest._replace(wires=_with(rest.wires, late=order), budget=left)
        yield Move(f"{what} takes too long: it is not waited for", late, told, fault=True)


def _with(
    wires: Wires,
    *,
    sent: Order | None = None,
    reply: Reply | None = None,
    late: Order | None = None,
) -> Wires:
    if sent is not None:
        return wires._replace(sent=_ordered((*wires.sent, sent)))
    if reply is not None:
        return wires._replace(replies=_ordered((*wires.replies, reply)))
    return wires._replace(late=_ordered((*wires.late, late)))


def _without(
    wires: Wires,
    *,
    sent: Order | None = None,
    reply: Reply | None = None,
    late: Order | None = None,
) -> Wires:
    return Wires(
        tuple(one for one in wires.sent if one is not sent),
        tuple(one for one in wires.replies if one is not reply),
        tuple(one for one in wires.late if one is not late),
    )


def _ordered(things: tuple[Any, ...]) -> tuple[Any, ...]:
    """Order what has no order, so that equal collections are equal values."""
    return tuple(sorted(things, key=repr)) if len(things) > 1 else things
