"""Narrowing: of a timeline what concerns one object, by itself."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from machines.timelines import Lane, Row


class Narrowed(NamedTuple):
    """The lanes that concern one object, numbered anew, and the rows that they tell of."""

    rows: list[Row]
    lanes: list[Lane]
    exact: bool


def narrowed(rows: list[Row], lanes: list[Lane], *named: str, exact: bool = True) -> Narrowed:
    """Give what concerns the objects of this kind, namespace and name; no lane where none was.

    Those are their own lanes, and with a ModelReplica the ModelCache that it waited for, with a
    ModelCache the ModelReplicas that did. The last row stays as well: it is where the log ends.
    """
    own = {lane.number for lane in lanes if lane.parent is None and lane.place.subject[:3] == named}
    if not own:
        return Narrowed([], [], exact)
    wanted = own.union(*(_pair(lanes, lane, own) for lane in lanes))
    kept = [lane for lane in lanes if _whole(lane) in wanted]
    numbers = {lane.number: number for number, lane in enumerate(kept)}
    told = {position for lane in kept for position in _positions(lane)}
    found = [row for row in rows[:-1] if row.position in told]
    return Narrowed(found + rows[-1:], [_renumbered(lane, numbers) for lane in kept], exact)


def _pair(lanes: list[Lane], lane: Lane, own: set[int]) -> Iterable[int]:
    """Give the objects of a lane and of what it waited for, if either is wanted."""
    seen = {_whole(lanes[said.see]) for said in lane.said if said.see is not None}
    pair = {_whole(lane), *seen}
    return pair if pair & own else ()


def _whole(lane: Lane) -> int:
    return lane.number if lane.parent is None else lane.parent


def _positions(lane: Lane) -> Iterator[int]:
    for listed in (lane.spans, lane.said, lane.turns, lane.causes, lane.dropped):
        yield from (one.position for one in listed)


def _renumbered(lane: Lane, numbers: dict[int, int]) -> Lane:
    said = [one if one.see is None else one._replace(see=numbers.get(one.see)) for one in lane.said]
    parent = None if lane.parent is None else numbers[lane.parent]
    return replace(lane, number=numbers[lane.number], parent=parent, said=said)
