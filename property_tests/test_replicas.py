"""Replicas under chaos: whatever comes in, and in whatever order, these things hold."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from engine.canonical_json import dumps, loads
from engine.events import Event
from machines.domain import WARMLOG
from machines.intents import ObjectIntent, intent_from_json
from machines.kinds import REPLICA
from machines.replicas.settling import settle_replicas
from machines.replicas.statuses import replica_status
from machines.replicas.stirring import stir_replica
from machines.states import State
from property_tests.laws import (
    Rule,
    deciding_rests,
    log_alone_gives_all_again,
    nothing_is_news_twice,
    pieces_are_the_whole,
    positions_move_with_statuses,
    rows_keep,
)
from property_tests.replica_actions import STORIES, Action
from property_tests.replica_chaos import ReplicaChaos
from property_tests.replica_endings import come_to_rest, unfinished
from property_tests.replica_laws import (
    ALWAYS,
    BETWEEN,
    DECIDED,
    claims_of_replicas_are_kept,
)

# A search has no natural length: on a busy machine it only takes longer.
pytestmark = pytest.mark.timeout(900)

# Stories are long, and most of what they are made of is searched for caches already.
FEW = settings(max_examples=settings().max_examples // 3)
FEWEST = settings(max_examples=settings().max_examples // 15)


@FEW
@given(STORIES)
def test_every_row_keeps_the_invariants(story: list[Action]) -> None:
    """After every row of every story `ALWAYS` holds, across it `BETWEEN`, of decisions `DECIDED`"""
    rows_keep(rows_of(story), ALWAYS, BETWEEN, broken_by)


def broken_by(state: State, row: Event) -> Iterator[Rule]:
    """Give what a decision breaks."""
    intent = intent_from_json(row.type, loads(row.data))
    assert isinstance(intent, ObjectIntent)
    rules = DECIDED if intent.owner_uid in state.replicas else (claims_of_replicas_are_kept,)
    yield from (one for one in rules if not one(state, row.cluster, intent))


@FEW
@given(STORIES)
def test_deciding_comes_to_rest(story: list[Action]) -> None:
    """Once its decisions are folded, nothing more is decided, whatever is looked at."""
    chaos = ReplicaChaos()
    for action in story:
        chaos.take(action)
        deciding_rests(chaos.state, action)


@FEW
@given(STORIES)
def test_position_moves_exactly_with_the_status(story: list[Action]) -> None:
    """A status that changes names the event that changed it; one that does not, stays to a byte."""
    positions_move_with_statuses(rows_of(story), statuses)


@FEWEST
@given(STORIES)
def test_folding_in_pieces_is_folding_at_once(story: list[Action]) -> None:
    """A state dumped and loaded, or copied, after any row goes on as if it had not been."""
    pieces_are_the_whole(rows_of(story))


@FEW
@given(STORIES)
def test_the_log_alone_gives_state_and_decisions_again(story: list[Action]) -> None:
    """Folding the rows gives the live state's statuses, and deciding again the same decisions."""
    chaos = ReplicaChaos()
    for action in story:
        chaos.take(action)
    log_alone_gives_all_again(chaos.rows, chaos.state)


@FEW
@given(STORIES)
def test_what_is_not_looked_at_would_not_move(story: list[Action]) -> None:
    """Settling the replicas that an event may have moved gives what settling each of them gives."""
    state = WARMLOG.initial("chaos")
    for row in rows_of(story):
        state = WARMLOG.fold(state, row)
        assert settled(state, row) == settled(state, row, whole=True), row


def settled(state: State, row: Event, *, whole: bool = False) -> State:
    """Settle every replica once more after a row, or none; but for those whose instant has come."""
    copied = WARMLOG.copy(state)
    for uid, one in copied.replicas.items():
        if whole and all(due > row.at for due in one.waits.values()):
            stir_replica(copied, uid)
    settle_replicas(copied, row._replace(seq=row.seq + 1))
    copied.dirty.clear()
    return copied


@FEW
@given(STORIES)
def test_nothing_is_news_twice(story: list[Action]) -> None:
    """What was just told adds no row when it is told again."""
    chaos = ReplicaChaos()
    for action in story:
        chaos.take(action)
        nothing_is_news_twice(chaos, action)


@FEW
@given(STORIES)
def test_all_ends_well_when_the_faults_stop(story: list[Action]) -> None:
    """In a world that does what is asked every replica runs, waits for good reason, or is gone."""
    chaos = ReplicaChaos()
    for action in story:
        chaos.take(action)
    come_to_rest(chaos)
    assert list(unfinished(chaos.state)) == []


def rows_of(story: list[Action]) -> Iterator[Event]:
    """Give the rows that a story makes."""
    chaos = ReplicaChaos()
    for action in story:
        yield from chaos.take(action)


def statuses(state: State) -> Iterator[tuple[str, str, int]]:
    """Give (uid, status without its position, position) of every published replica."""
    for uid, replica in state.replicas.items():
        if not replica.told:
            assert not replica.position
            continue
        status = replica_status(state, replica)
        position = status["warmlog"].pop("position")
        assert replica.subject.kind == REPLICA
        yield uid, dumps(status), position
