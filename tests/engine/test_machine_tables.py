"""Machine tables: the compiled table does what the declaration says, pair by pair."""

from enum import StrEnum
from typing import Any

import pytest
from transitions import MachineError

from engine.machine_tables import MachineTable, Move, compile_table, declare
from machines.drawing import MACHINES

PAIRS = [
    pytest.param(table, state, trigger, id=f"{table.name}: {state.value} {trigger.value}")
    for table in MACHINES
    for state in table.states
    for trigger in table.triggers
]


class Thing:
    """A model for `transitions`, which writes its state here."""

    state: str = ""


@pytest.mark.parametrize(("table", "state", "trigger"), PAIRS)
def test_every_pair_through_both(table: MachineTable[Any, Any], state: Any, trigger: Any) -> None:
    """Each state and trigger, legal or not, goes to one place by `transitions` and by the table."""
    machine = declare(table.name, table.states, table.initial, table.declaration)
    thing = Thing()
    machine.add_model(thing, initial=state.value)
    expected = table.next(state, trigger)
    if expected is None:
        with pytest.raises((MachineError, AttributeError)):
            thing.trigger(trigger.value)  # type: ignore[attr-defined]  # added by transitions
        assert thing.state == state.value
    else:
        thing.trigger(trigger.value)  # type: ignore[attr-defined]  # added by transitions
        assert thing.state == expected.value


@pytest.mark.parametrize("table", MACHINES, ids=lambda table: table.name)
def test_the_table_is_whole(table: MachineTable[Any, Any]) -> None:
    """Every state can be reached, every trigger means something, and each row tells when."""
    reached, fresh = {table.initial}, {table.initial}
    while fresh:
        fresh = {dest for (source, _), dest in table.moves.items() if source in fresh} - reached
        reached |= fresh
    assert not [state for state in table.states if state not in reached]
    meant = {trigger for _, trigger in table.moves}
    assert not [trigger for trigger in table.triggers if trigger not in meant]
    assert all(move.why for move in table.declaration)
    assert len(table.moves) == sum(len(move.sources) for move in table.declaration)


@pytest.mark.parametrize(
    ("name", "ends"),
    [("node Job", {"Ready", "Failed"}), ("ModelWarmup", {"Ready", "Degraded", "Failed"})],
)
def test_ends_have_no_way_out(name: str, ends: set[str]) -> None:
    """An outcome and a terminal phase are states that no trigger leaves, and no others are."""
    (table,) = [table for table in MACHINES if table.name == name]
    stuck = {state.value for state in table.states if not table.legal_triggers(state)}
    assert stuck == ends


class Light(StrEnum):
    """States of a toy."""

    ON = "on"
    OFF = "off"


class Push(StrEnum):
    """Triggers of a toy."""

    PRESS = "press"
    PULL = "pull"


PRESSES: list[Move[Light, Push]] = [
    Move(Push.PRESS, (Light.OFF,), Light.ON, "lit"),
    Move(Push.PRESS, (Light.ON,), Light.OFF, "unlit"),
    Move(Push.PULL, (Light.ON,), Light.ON, "stays"),
]


def test_looking_up() -> None:
    """A legal pair gives its state, an illegal one None; legal triggers come as declared."""
    table = compile_table("light", Light, Push, Light.OFF, PRESSES)
    assert table.next(Light.OFF, Push.PRESS) is Light.ON
    assert table.next(Light.OFF, Push.PULL) is None
    assert table.legal_triggers(Light.ON) == (Push.PRESS, Push.PULL)
    assert table.legal_triggers(Light.OFF) == (Push.PRESS,)


def test_a_table_cannot_be_changed() -> None:
    """Nobody adds a move to a compiled table."""
    table = compile_table("light", Light, Push, Light.OFF, PRESSES)
    with pytest.raises(TypeError):
        table.moves[Light.OFF, Push.PULL] = Light.ON  # type: ignore[index]  # that is the point


def test_a_pair_stands_once() -> None:
    """A declaration that says two things of one pair is refused, and the pair is named."""
    twice = [*PRESSES, Move(Push.PRESS, (Light.ON,), Light.ON, "or not")]
    with pytest.raises(ValueError, match="light: press from on stands 2 times"):
        compile_table("light", Light, Push, Light.OFF, twice)
