"""Joint rules: a parent's state as a function of what its children are, not of who moved last.

A rule fires a trigger of the parent's own machine when its condition holds of the children. Rules
are tried in order and again after each move, until none moves the parent: a fixed point, which
the length of the table bounds.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

from engine.machine_tables import MachineTable

S = TypeVar("S", bound=StrEnum)
T = TypeVar("T", bound=StrEnum)
C = TypeVar("C")


class JointRule(NamedTuple, Generic[T, C]):
    """Fire `trigger` when `holds` is true of the children; `says` is the rule for people."""

    trigger: T
    holds: Callable[[C], bool]
    says: str


def settle(table: MachineTable[S, T], rules: Sequence[JointRule[T, C]], state: S, children: C) -> S:
    """Give the state in which no rule moves the parent any more.

    Raises RuntimeError when the rules chase each other, which is a fault of the declaration.
    """
    for _ in range(len(table.states) + 1):
        moved = _first_move(table, rules, state, children)
        if moved is None:
            return state
        state = moved
    msg = f"{table.name}: the joint rules do not come to rest"
    raise RuntimeError(msg)


def _first_move(
    table: MachineTable[S, T], rules: Sequence[JointRule[T, C]], state: S, children: C
) -> S | None:
    for rule in rules:
        dest = table.next(state, rule.trigger)
        if dest is not None and dest != state and rule.holds(children):
            return dest
    return None
