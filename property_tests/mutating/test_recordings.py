"""Verifying the recordings notices each change of a row of a machine's table, where it matters.

Rows are left out, lose one of their states, or lead elsewhere. A recording that meets such a row
must part from what was decided and expected of it (`tests/recordings`) at the very row of the log
at which it is met first: so it is known which kept logs a change of a machine breaks, and where.
"""

import asyncio
import importlib
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import pytest

from adapters.cli.expectations import read_expectations
from engine.errors import WarmlogError
from engine.events import Event
from engine.joint_rules import compile_rules
from engine.machine_tables import MachineTable
from engine.verifying import Verification
from machines import warmups
from machines.attesting import Attesting
from machines.domain import WARMLOG
from machines.expecting import Expecting
from property_tests.mutating.applying import apply, gather
from property_tests.mutating.forking import forked
from property_tests.mutating.modules import TABLES, module_name, source_of
from property_tests.mutating.mutants import Mutant, mutants_of
from tests.recordings import reading

pytestmark = pytest.mark.prove

Pair = tuple[str, str, str]  # machine, state, trigger
Uses = dict[Pair, int]  # the row of a log at which each was met first


class Recorded(NamedTuple):
    """A recording, read."""

    log_id: str
    rows: list[Event]


class Verdict(NamedTuple):
    """What came of a mutant."""

    pairs: frozenset[Pair]  # that lead elsewhere, or nowhere
    found: dict[str, tuple[int, int]]  # by recording: where it is met first, and where it is told


class Spy(dict[Any, Any]):
    """A machine's moves, which notes those that are made."""

    def __init__(self, table: MachineTable[Any, Any]) -> None:
        """Stand in for the moves of a table."""
        super().__init__(table.moves)
        self.name = table.name
        self.met: Uses = {}
        self.position = 0
        object.__setattr__(table, "moves", self)

    def get(self, pair: Any, default: Any = None) -> Any:
        """Give where a move leads, and note it."""
        if pair in self:
            self.met.setdefault((self.name, pair[0].value, pair[1].value), self.position)
        return super().get(pair, default)


@cache
def recordings() -> Mapping[str, Recorded]:
    """All of them, by name."""
    return {name: asyncio.run(_read(name)) for name in reading.names()}


async def _read(name: str) -> Recorded:
    source = reading.reader(name)
    rows = [event async for batch in source.read() for event in batch]
    return Recorded((await source.identify()).log_id, rows)


def tables() -> list[MachineTable[Any, Any]]:
    """The machines' tables, as they are now."""
    modules = [importlib.import_module(module_name(path)) for path in TABLES]
    return [one for module in modules for one in vars(module).values() if _is_table(one)]


def _is_table(value: object) -> bool:
    return isinstance(value, MachineTable)


def moves() -> dict[Pair, str]:
    """Where each pair leads; of a warmup those that a joint rule makes."""
    ruled = {rule.trigger for rule in warmups.WARMUP_RULES}
    return {
        (table.name, state.value, trigger.value): dest.value
        for table in tables()
        for (state, trigger), dest in table.moves.items()
        if table.name != warmups.WARMUPS.name or trigger in ruled
    }


HONEST = moves()
_GOES = "the target is dropped, and its name waits anew, whatever became of it"
_COMES = "a target without a Job is Pending again at once"
HARMLESS = {
    ("named_node_left", "_S.PENDING", "_S.HYDRATING"): _GOES,
    ("named_node_left", "_S.PENDING", "_S.READY"): _GOES,
    ("named_node_left", "_S.PENDING", "_S.FAILED"): _GOES,
    ("named_node_left", "_S.PENDING", "_S.WITHDRAWN"): _GOES,
    ("node_returned", "_S.PENDING", "_S.HYDRATING"): _COMES,
}
EXPECTED = read_expectations(reading.COURSES)


def uses(name: str) -> Uses:
    """Which pairs a recording meets, and where: run in a process of its own."""
    spies = [Spy(table) for table in tables()]
    joint: Uses = {}
    position = [0]
    object.__setattr__(warmups.WARMUPS_JOINTLY, "moves", _watched(joint, position))
    state = WARMLOG.initial(recordings()[name].log_id)
    for event in recordings()[name].rows:
        position[0] = event.seq
        for spy in spies:
            spy.position = event.seq
        state = WARMLOG.fold(state, event)
    return joint | {pair: at for spy in spies for pair, at in spy.met.items()}


def _watched(joint: Uses, position: list[int]) -> dict[Any, Any]:
    triggers = {rule.holds: rule.trigger.value for rule in warmups.WARMUP_RULES}

    def watch(state: str, holds: Any) -> Any:
        def held(children: Any) -> bool:
            if holds(children):
                pair = warmups.WARMUPS.name, state, triggers[holds]
                joint.setdefault(pair, position[0])
                return True
            return False

        return held

    return {
        state: tuple((dest, watch(state.value, holds)) for dest, holds in ways)
        for state, ways in warmups.WARMUPS_JOINTLY.moves.items()
    }


@cache
def all_uses() -> Mapping[str, Uses]:
    """Which pairs each recording meets."""
    return {name: met or {} for name, met in forked(sorted(recordings()), uses, 2)}


def told_at(name: str) -> int:
    """Where verifying a recording tells of the first difference; 0 when of none."""
    log_id, rows = recordings()[name]
    expected = EXPECTED[log_id]
    judge = Expecting(Attesting("as recorded"), expected.courses, expected.position)
    verification = Verification(WARMLOG, log_id, judge)
    for event in rows:
        try:
            found = verification.take(event)
        except (WarmlogError, RuntimeError):
            return event.seq
        if found is not None:
            return found.position
    return 0


def judge(change: Mutant | int) -> Verdict:
    """Change the code, and verify what meets the change: run in a process of its own."""
    pairs = _leave_out(change) if isinstance(change, int) else _change(change)
    found = {}
    for name, met in all_uses().items():
        at = min((met[pair] for pair in pairs if pair in met), default=0)
        if at:
            found[name] = at, told_at(name)
    return Verdict(pairs, found)


def _change(mutant: Mutant) -> frozenset[Pair]:
    source = source_of(mutant.path)
    apply(mutant.path, source, mutant.applied(source))
    now = moves()
    return frozenset(pair for pair in HONEST if now.get(pair) != HONEST[pair])


def _leave_out(index: int) -> frozenset[Pair]:
    """Have the joint rules of a warmup's targets lack one."""
    rules = list(warmups.WARMUP_RULES)
    rule = rules.pop(index)
    fewer = compile_rules(warmups.WARMUPS, rules).moves
    object.__setattr__(warmups.WARMUPS_JOINTLY, "moves", fewer)
    named = warmups.WARMUPS.name, rule.trigger.value
    return frozenset(pair for pair in HONEST if (pair[0], pair[2]) == named)


def changes_of(path: str) -> list[Mutant]:
    """The changes of a machine's rows: what leads elsewhere, or nowhere, and nothing else."""
    return [
        mutant
        for mutant in mutants_of(path, source_of(path))
        if not (mutant.function or mutant.wide or "JointRule(" in mutant.old)
    ]


def judged(changes: list[Any]) -> dict[Any, Verdict | None]:
    """Judge each change."""
    gather()
    recordings()
    all_uses()
    return dict(forked(changes, judge, 2))


def is_told(verdict: Verdict | None) -> bool:
    """Whether a recording is told of it, at the row at which it meets the change first."""
    return verdict is not None and any(at == told for at, told in verdict.found.values())


@pytest.mark.parametrize("path", TABLES)
def test_each_change_of_a_row_is_told_where_it_is_met(path: str) -> None:
    """For every row of every table: left out, without one of its states, or leading elsewhere."""
    verdicts = judged(changes_of(path))
    missed = [
        f"{mutant}: {sorted(verdict.pairs) if verdict else 'no answer'}"
        for mutant, verdict in verdicts.items()
        if not (is_told(verdict) or is_harmless(mutant, verdict))
    ]
    assert missed == []


def is_harmless(mutant: Mutant, verdict: Verdict | None) -> bool:
    """Whether a change is of no move, or of one that is known to do the same."""
    triggers = {pair[2] for pair in verdict.pairs} if verdict else {"?"}
    return all((trigger, mutant.old, mutant.new) in HARMLESS for trigger in triggers)


def test_each_joint_rule_that_is_left_out_is_told() -> None:
    """A warmup that does not come to a phase any more parts from its recording at that row."""
    verdicts = judged(list(range(len(warmups.WARMUP_RULES))))
    missed = [
        warmups.WARMUP_RULES[index].trigger
        for index, verdict in verdicts.items()
        if not is_told(verdict)
    ]
    assert missed == []


def test_every_row_is_met_by_a_recording() -> None:
    """No row of a table is there of which no recording tells."""
    met = {pair for each in all_uses().values() for pair in each}
    rows = [
        (table.name, move.trigger.value, {state.value for state in move.sources})
        for table in tables()
        for move in table.declaration
    ]
    assert [
        (name, trigger)
        for name, trigger, states in rows
        if not any((name, state, trigger) in met for state in states)
    ] == []
