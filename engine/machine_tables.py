"""State machines as data: declared with `transitions`, run from a table compiled from it.

A declaration is a list of moves. `compile_table` hands it to `transitions.Machine`, which checks
it (unknown states, doubled names) and later draws it, and reads the finished machine back into a
plain dict, which is what the hot path looks up: a trigger through `transitions` costs some 10 µs,
a look-up under 0.2 µs. A test walks every (state, trigger) pair through both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeVar

from transitions import Machine

S = TypeVar("S", bound=StrEnum)
T = TypeVar("T", bound=StrEnum)


class Move(NamedTuple, Generic[S, T]):
    """One row of a declaration: `trigger` takes each of `sources` to `dest`; `why` for people."""

    trigger: T
    sources: tuple[S, ...]
    dest: S
    why: str


@dataclass(frozen=True, slots=True)
class MachineTable(Generic[S, T]):
    """A compiled machine. `moves` holds the legal pairs only."""

    name: str
    states: type[S]
    triggers: type[T]
    initial: S
    declaration: tuple[Move[S, T], ...]
    moves: Mapping[tuple[S, T], S]

    def next(self, state: S, trigger: T) -> S | None:
        """Give the state that `trigger` leads to, or None when the pair is illegal."""
        return self.moves.get((state, trigger))

    def legal_triggers(self, state: S) -> tuple[T, ...]:
        """Give the triggers that mean something in `state`, in the order of their declaration."""
        return tuple(trigger for trigger in self.triggers if (state, trigger) in self.moves)


def declare(table_name: str, states: type[S], initial: S, moves: Sequence[Move[S, T]]) -> Machine:
    """Build the `transitions` machine of a declaration, without a model of its own."""
    return Machine(
        model=None,
        name=table_name,
        states=[state.value for state in states],
        initial=initial.value,
        transitions=[
            {
                "trigger": move.trigger.value,
                "source": [source.value for source in move.sources],
                "dest": move.dest.value,
            }
            for move in moves
        ],
        auto_transitions=False,
        ignore_invalid_triggers=False,
    )


def compile_table(
    name: str, states: type[S], triggers: type[T], initial: S, moves: Sequence[Move[S, T]]
) -> MachineTable[S, T]:
    """Compile a declaration. Raises ValueError when a pair of state and trigger stands twice."""
    machine = declare(name, states, initial, moves)
    table: dict[tuple[S, T], S] = {}
    for trigger_name, event in machine.events.items():
        for source, rows in event.transitions.items():
            if len(rows) != 1:
                msg = f"{name}: {trigger_name} from {source} stands {len(rows)} times"
                raise ValueError(msg)
            table[states(source), triggers(trigger_name)] = states(str(rows[0].dest))
    return MachineTable(name, states, triggers, initial, tuple(moves), MappingProxyType(table))
