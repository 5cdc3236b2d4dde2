"""The pure core under chaos: whatever comes in, and in whatever order, these things hold."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from engine.canonical_json import dumps
from engine.events import Event
from machines.domain import WARMLOG
from machines.states import State
from machines.statuses import warmup_status
from property_tests.actions import STORIES, Action
from property_tests.chaos import Chaos, intent_in
from property_tests.laws import (
    deciding_rests,
    log_alone_gives_all_again,
    nothing_is_news_twice,
    pieces_are_the_whole,
    positions_move_with_statuses,
)
from property_tests.warmup_laws import ALWAYS, BETWEEN, DECIDED, disagreements

# A search has no natural length: on a busy machine it only takes longer.
pytestmark = pytest.mark.timeout(900)

MORE = settings(max_examples=4 * settings().max_examples)


@MORE
@given(STORIES)
def test_every_state_keeps_the_invariants(story: list[Action]) -> None:
    """After every row of every story, each of `ALWAYS` holds."""
    state = WARMLOG.initial("chaos")
    for row in rows_of(story):
        state = WARMLOG.fold(state, row)
        broken = [holds.__doc__ for holds in ALWAYS if not holds(state)]
        assert not broken, [f"after {row}", *disagreements(state)]


@MORE
@given(STORIES)
def test_every_event_keeps_what_must_stay(story: list[Action]) -> None:
    """Across every row of every story, each of `BETWEEN` holds."""
    state = WARMLOG.initial("chaos")
    for row in rows_of(story):
        before = WARMLOG.copy(state)
        state = WARMLOG.fold(state, row)
        broken = [holds.__doc__ for holds in BETWEEN if not holds(before, row, state)]
        assert not broken, f"by {row}"


@MORE
@given(STORIES)
def test_every_decision_is_right(story: list[Action]) -> None:
    """Each decision keeps each of `DECIDED`, those before it in the same batch included."""
    state = WARMLOG.initial("chaos")
    for row in rows_of(story):
        if WARMLOG.is_decision(row.type):
            broken = [holds.__doc__ for holds in DECIDED if not holds(state, intent_in(row))]
            assert not broken, f"by {row}"
        state = WARMLOG.fold(state, row)


@MORE
@given(STORIES)
def test_deciding_comes_to_rest(story: list[Action]) -> None:
    """Once its decisions are folded, nothing more is decided, whichever warmup is looked at."""
    chaos = Chaos()
    for action in story:
        chaos.take(action)
        deciding_rests(chaos.state, action)


@MORE
@given(STORIES)
def test_position_moves_exactly_with_the_status(story: list[Action]) -> None:
    """A status that changes names the event that changed it; one that does not, stays to a byte."""
    positions_move_with_statuses(rows_of(story), statuses)


@given(STORIES)
def test_folding_in_pieces_is_folding_at_once(story: list[Action]) -> None:
    """A state dumped and loaded, or copied, after any row goes on as if it had not been."""
    pieces_are_the_whole(rows_of(story))


@MORE
@given(STORIES)
def test_the_log_alone_gives_state_and_decisions_again(story: list[Action]) -> None:
    """Folding the rows gives the live state's statuses, and deciding again the same decisions."""
    chaos = Chaos()
    for action in story:
        chaos.take(action)
    log_alone_gives_all_again(chaos.rows, chaos.state)


@given(STORIES)
def test_nothing_is_news_twice(story: list[Action]) -> None:
    """What was just told adds no row when it is told again, unless its answer was awaited."""
    chaos = Chaos()
    for action in story:
        chaos.take(action)
        nothing_is_news_twice(chaos, action)


def rows_of(story: list[Action]) -> Iterator[Event]:
    """Give the rows that a story makes."""
    chaos = Chaos()
    for action in story:
        yield from chaos.take(action)


def statuses(state: State) -> Iterator[tuple[str, str, int]]:
    """Give (uid, status without its position, position) of every warmup, gone ones included."""
    for uid, warmup in state.warmups.items():
        status = warmup_status(state, warmup)
        position = status["warmlog"].pop("position")
        yield uid, dumps(status), position
