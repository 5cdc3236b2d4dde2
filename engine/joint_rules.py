"""Joint rules: a parent's state as a function of what its children are, not of who moved last.

A rule fires a trigger of the parent's own machine when its condition holds of the children. Rules
are tried in order and again after each move, until none moves the parent: a fixed point, which
the length of the table bounds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
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


@dataclass(frozen=True, slots=True)
class JointTable(Generic[S, C]):
    """Joint rules compiled: by state, in their order, where each rule leads and when it holds."""

    name: str
    moves: Mapping[S, tuple[tuple[S, Callable[[C], bool]], ...]]

    def settle(self, state: S, children: C) -> S:
        """Give the state in which no rule moves the parent any more.

        Raises RuntimeError when the rules chase each other, which is a fault of the declaration.
        """
        for _ in range(len(self.moves) + 1):
            for dest, holds in self.moves[state]:
                if holds(children):
                    state = dest
                    break
            else:
                return state
        msg = f"{self.name}: the joint rules do not come to rest"
        raise RuntimeError(msg)


def compile_rules(table: MachineTable[S, T], rules: Sequence[JointRule[T, C]]) -> JointTable[S, C]:
    """Compile the joint rules of a machine: a rule that does not move a state is none of its."""
    moves = {
        state: tuple(
            (dest, rule.holds)
            for rule in rules
            if (dest := table.next(state, rule.trigger)) not in (None, state)
        )
        for state in table.states
    }
    return JointTable(table.name, MappingProxyType(moves))
