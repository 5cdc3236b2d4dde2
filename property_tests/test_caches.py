"""Caches under chaos: whatever comes in, and in whatever order, these things hold."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from adapters.kubernetes.kinds import Kind
from adapters.running.cluster_books import Wants, Way, moves_wants, wanted_ways, wants_of
from engine.canonical_json import dumps, loads
from engine.events import Event
from engine.instants import SECOND
from machines.caches.settling import settle_caches
from machines.caches.statuses import cache_status
from machines.caches.stirring import ALL, stir
from machines.domain import WARMLOG
from machines.intents import CacheIntent, intent_from_json
from machines.states import State
from property_tests.cache_actions import STORIES, Action
from property_tests.cache_chaos import CacheChaos
from property_tests.cache_endings import come_to_rest, unfinished
from property_tests.cache_laws import ALWAYS, BETWEEN, DECIDED
from property_tests.laws import (
    Rule,
    deciding_rests,
    log_alone_gives_all_again,
    nothing_is_news_twice,
    pieces_are_the_whole,
    positions_move_with_statuses,
    rows_keep,
)

# A search has no natural length: on a busy machine it only takes longer.
pytestmark = pytest.mark.timeout(900)

MORE = settings(max_examples=2 * settings().max_examples)


@MORE
@given(STORIES)
def test_every_row_keeps_the_invariants(story: list[Action]) -> None:
    """After every row of every story `ALWAYS` holds, across it `BETWEEN`, of decisions `DECIDED`"""
    rows_keep(rows_of(story), ALWAYS, BETWEEN, broken_by)


def broken_by(state: State, row: Event) -> Iterator[Rule]:
    """Give what a decision breaks."""
    intent = intent_from_json(row.type, loads(row.data))
    assert isinstance(intent, CacheIntent)
    yield from (one for one in DECIDED if not one(state, row.cluster, intent))


@MORE
@given(STORIES)
def test_deciding_comes_to_rest(story: list[Action]) -> None:
    """Once its decisions are folded, nothing more is decided, whichever cache is looked at."""
    chaos = CacheChaos()
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
    chaos = CacheChaos()
    for action in story:
        chaos.take(action)
    log_alone_gives_all_again(chaos.rows, chaos.state)


@MORE
@given(STORIES)
def test_what_is_not_looked_at_would_not_move(story: list[Action]) -> None:
    """Settling the entries that an event may have moved gives what settling every entry gives."""
    state = WARMLOG.initial("chaos")
    for row in rows_of(story):
        state = WARMLOG.fold(state, row)
        for later in (0, 7 * SECOND):
            assert settled(state, row, later) == settled(state, row, later, whole=True), row


def settled(state: State, row: Event, later: int, *, whole: bool = False) -> State:
    """Settle every cache again, some time after a row: what is noted as touched, or all of it."""
    copied = WARMLOG.copy(state)
    copied.now = row.at + later
    for uid in copied.caches:
        stir(copied, uid, (ALL,) if whole else ())
    settle_caches(copied, row._replace(seq=row.seq + 1, at=copied.now))
    for cache in copied.caches.values():
        cache.settled.clear()
    return copied


@given(STORIES)
def test_nothing_is_news_twice(story: list[Action]) -> None:
    """What was just told adds no row when it is told again."""
    chaos = CacheChaos()
    for action in story:
        chaos.take(action)
        nothing_is_news_twice(chaos, action)


@MORE
@given(STORIES)
def test_all_ends_well_when_the_faults_stop(story: list[Action]) -> None:
    """In a world that does what is asked every entry is Ready or gone, and no finalizer is left."""
    chaos = CacheChaos()
    for action in story:
        chaos.take(action)
    come_to_rest(chaos)
    assert list(unfinished(chaos.state)) == []


@given(STORIES)
def test_nobody_goes_without_what_is_wanted_now(story: list[Action]) -> None:
    """A row after which more is to be watched, or other ways are there, is one that counts."""
    state = WARMLOG.initial("chaos")
    wanted, ways = wants_of(state), list[Way]()
    for row in rows_of(story):
        state = WARMLOG.fold(state, row)
        now, there = wants_of(state), list(wanted_ways(state))
        more = set(secrets_in(now)) - set(secrets_in(wanted))
        news = more or there != ways or not now.told <= wanted.told or now.works != wanted.works
        assert moves_wants(wanted, [row]) or not news, f"{row} brought {news}"
        wanted, ways = now, there


def rows_of(story: list[Action]) -> Iterator[Event]:
    """Give the rows that a story makes."""
    chaos = CacheChaos()
    for action in story:
        yield from chaos.take(action)


def secrets_in(wants: Wants) -> Iterator[tuple[str, Kind]]:
    """Give each Secret that is to be watched, with its cluster."""
    for cluster, kinds in wants.secrets.items():
        yield from ((cluster, kind) for kind in kinds)


def statuses(state: State) -> Iterator[tuple[str, str, int]]:
    """Give (uid, status without its position, position) of every published cache, gone or not."""
    for uid, cache in state.caches.items():
        if not cache.enrolled:
            assert not cache.position
            continue
        status = cache_status(state, cache)
        position = status["warmlog"].pop("position")
        yield uid, dumps(status), position
