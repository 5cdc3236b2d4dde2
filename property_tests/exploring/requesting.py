"""Requesting: how decisions reach the API servers, and all that may become of them on the way.

As `adapters.running.effecting` does it: what is open is sent while it is still wanted, what has no
sure outcome is looked up. A request may be overtaken by everything else; its answer may get lost
before or after it was carried out; and it may be carried out when nobody waits for it any more.
"""

from collections.abc import Iterator
from typing import Any

from machines.intents import Resolve
from machines.observations import Absent, Observation, Unknown
from property_tests.exploring.cores import AnswerTo, Heard, Restart
from property_tests.exploring.worlds import Move, Order, Reply, Server, Wires

LOST = Unknown("no answer came")


def requests(server: Server[Any], heard: Heard, world: Any) -> Iterator[Move]:
    """Give all that may happen next to what is open, sent, or answered."""
    yield from _leaving(server, heard, world)
    for order in world.wires.sent:
        yield from _arriving(server, world, order)
    for order in world.wires.late:
        rest = world._replace(wires=_without(world.wires, late=order))
        what = f"the request to {server.words(order)}"
        served = server.carry_out(rest, order)
        yield Move(f"{what} is carried out after all", served.world, fault=True)
    for reply in world.wires.replies:
        rest = world._replace(wires=_without(world.wires, reply=reply))
        what = server.words(Order(reply.cluster, reply.intent))
        answer = type(reply.answer).__name__
        told = (*reply.seen, AnswerTo(reply.cluster, reply.intent, reply.answer))
        after = server.asked_about(rest, reply)
        yield Move(f"the answer to {what} arrives: {answer}", after, told)


def crashed(world: Any, still: tuple[Observation, ...], **forgotten: Any) -> Iterator[Move]:
    """Give the crash, if there may be one: what was sent may still be carried out."""
    budget = world.budget
    if budget.crashes:
        late = (*world.wires.late, *world.wires.sent)
        wires = Wires(late=_ordered(tuple(one for one in late if not _only_reads(one))))
        left = budget._replace(crashes=budget.crashes - 1)
        again = (Restart(), *still)
        after = world._replace(wires=wires, budget=left, **forgotten)
        yield Move("the controller crashes, and starts again", after, again, fault=True)


def _leaving(server: Server[Any], heard: Heard, world: Any) -> Iterator[Move]:
    """Send what is open and not on its way, or look it up."""
    wires = world.wires
    on_its_way = {(one.cluster, one.intent) for one in (*wires.sent, *wires.replies)}
    for opened in heard.opened:
        if (opened.cluster, opened.intent) in on_its_way:
            continue
        order = server.order(opened)
        what = server.words(order)
        if opened.uncertain:
            found = server.look_up(world, order)
            reply = Reply(order.cluster, order.intent, found.seen, found.answer)
            after = world._replace(wires=_with(wires, reply=reply))
            yield Move(f"it is looked up whether it was done to {what}", after)
        elif opened.sendable:
            after = world._replace(wires=_with(wires, sent=order))
            yield Move(f"the request to {what} is sent", after)
        else:
            told = (AnswerTo(order.cluster, order.intent, Absent()),)
            yield Move(f"the request to {what} is not sent, as it is not wanted", world, told)


def _arriving(server: Server[Any], world: Any, order: Order) -> Iterator[Move]:
    what = f"the request to {server.words(order)}"
    rest = world._replace(wires=_without(world.wires, sent=order)._replace(late=()))
    served = server.carry_out(rest, order)
    reply = Reply(order.cluster, order.intent, served.seen, served.answer)
    answered = served.world._replace(wires=_with(served.world.wires, reply=reply))
    yield Move(f"{what} is carried out", answered)
    budget = world.budget
    if budget.losses:
        left = budget._replace(losses=budget.losses - 1)
        told = (AnswerTo(order.cluster, order.intent, LOST),)
        lost = served.world._replace(budget=left)
        yield Move(f"{what} is carried out, and its answer lost", lost, told, fault=True)
        late = rest._replace(wires=_with(rest.wires, late=order), budget=left)
        yield Move(f"{what} takes too long: it is not waited for", late, told, fault=True)


def _only_reads(order: Order) -> bool:
    return isinstance(order.intent, Resolve)


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
