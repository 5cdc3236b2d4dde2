"""Words about caches under chaos: nothing that is not done is silent, and nothing is ever torn."""

import re

import pytest
from hypothesis import given, settings

from adapters.running.announcing_caches import CacheAnnouncer
from engine.canonical_json import loads
from engine.events import Event
from machines.caches.advising import entry_advice
from machines.caches.conditions import condition_rows
from machines.caches.entries import EntryState
from machines.caches.explaining import CacheExplanation, ClusterExplanation
from machines.caches.messages import entry_message
from machines.caches.obstacles import blindness
from machines.caches.occasions import cache_occasions, cluster_occasions
from machines.caches.sights import sight_of
from machines.caches.statuses import cache_status
from machines.chronicles import Chronicle
from machines.domain import WARMLOG
from machines.messages import MESSAGE_LENGTH
from machines.states import State
from property_tests.cache_actions import STORIES, Action
from property_tests.cache_chaos import CacheChaos
from property_tests.cache_laws import entries

pytestmark = pytest.mark.timeout(900)

MORE = settings(max_examples=2 * settings().max_examples)
NEXT_TRY = re.compile(r"tried again at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
UNFILLED = re.compile(r"\{\w+\}")


def folded(rows: list[Event]) -> State:
    """The state that rows give."""
    state = WARMLOG.initial("chaos")
    for row in rows:
        state = WARMLOG.fold(state, row)
    return state


@MORE
@given(STORIES)
def test_an_entry_is_silent_exactly_when_all_is_well(story: list[Action]) -> None:
    """A message is empty exactly when Ready, selected and seen; a failure ends in its next try."""
    chaos = CacheChaos()
    for action in story:
        chaos.take(action)
        for cache, entry in entries(chaos.state):
            message = entry_message(chaos.state, cache, entry)
            sight = sight_of(chaos.state, cache, entry)
            well = entry.state is EntryState.READY and entry.selected and not blindness(sight)
            assert (not message) is well, (message, entry)
            assert len(message) <= MESSAGE_LENGTH
            failed = entry.state is EntryState.FAILED and entry.selected and not cache.faults
            if failed and entry.failure.due and "same cluster" not in message:
                assert NEXT_TRY.search(message), message
            assert not UNFILLED.search(entry_advice(sight))


@MORE
@given(STORIES)
def test_a_status_holds_together(story: list[Action]) -> None:
    """The mount is there exactly while Ready, the summary counts, and Ready follows from it."""
    chaos = CacheChaos()
    for action in story:
        chaos.take(action)
        for cache in chaos.state.caches.values():
            status = cache_status(chaos.state, cache)
            shown = status["clusters"]
            assert all(("mount" in one) is (one["phase"] == "Ready") for one in shown)
            counted = [one for one in shown if not one.get("retained")]
            ready = sum(one["phase"] == "Ready" for one in counted)
            assert status["summary"]["ready"] == f"{ready}/{len(counted)}"
            rows = {row["type"]: row["status"] for row in status["conditions"]}
            assert (rows["Ready"] == "True") is (0 < ready == len(counted))
            kinds = [row.type for row in condition_rows(chaos.state, cache)]
            assert len(kinds) == len(set(kinds))


@given(STORIES)
def test_everything_is_explained(story: list[Action]) -> None:
    """Whatever happened, each object that exists is explained, in the order of the log."""
    chaos = CacheChaos()
    for action in story:
        chaos.take(action)
    state = WARMLOG.initial("chaos")
    chronicle = Chronicle()
    for row in chaos.rows:
        state = WARMLOG.fold(state, row)
        chronicle.note(row, state)
    for history in chronicle.living():
        told = chronicle.explain(state, history)
        assert isinstance(told, CacheExplanation | ClusterExplanation)
        entries_told = told.entries if isinstance(told, CacheExplanation) else ()
        chains = [told.causes, *(entry.chain for entry in entries_told)]
        for chain in chains:
            assert [line.position for line in chain] == sorted({line.position for line in chain})
            assert all(line.words for line in chain)


@given(STORIES)
def test_each_cause_is_told_once(story: list[Action]) -> None:
    """Whoever looks twice has no news; a controller that starts anew repeats nothing."""
    chaos = CacheChaos()
    announcer = CacheAnnouncer(chaos.state)
    for action in story:
        chaos.take(action)
        for news in announcer.news(chaos.state):
            assert news.note
            assert re.fullmatch(r"[A-Z][A-Za-z]*", news.reason), news
        assert announcer.news(chaos.state) == []
        for cache in chaos.state.caches.values():
            keys = [one.key for one in cache_occasions(chaos.state, cache)]
            assert len(keys) == len(set(keys))
        for served in chaos.state.served.values():
            assert len(list(cluster_occasions(chaos.state, served))) <= 1
    assert CacheAnnouncer(folded(chaos.rows)).news(chaos.state) == []


@given(STORIES)
def test_no_digest_of_a_token_is_told(story: list[Action]) -> None:
    """Neither a status nor an Event holds what the log has in place of a token."""
    chaos = CacheChaos()
    announcer = CacheAnnouncer(chaos.state)
    told = []
    for action in story:
        chaos.take(action)
        told += [news.note for news in announcer.news(chaos.state)]
        told += [str(cache_status(chaos.state, one)) for one in chaos.state.caches.values()]
    digests = {
        digest
        for row in chaos.rows
        if row.type == "SecretSeen"
        for digest in loads(row.data)["level"].get("keys", {}).values()
        if len(digest) > 4
    }
    assert not [text for text in told if any(digest in text for digest in digests)]
