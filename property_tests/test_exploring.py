"""Exhaustive search: small worlds have as many states as they have, and what is wrong is found."""

from functools import cache
from typing import Any, NamedTuple

import pytest

from adapters.store.memory_logs import MemoryLog
from machines.caches.settings import DEFAULT_SETTINGS
from machines.domain import WARMLOG
from machines.states import State
from machines.warmups import WarmupState
from property_tests import cache_laws, replica_laws
from property_tests.exploring.cache_cluster import CacheWorld
from property_tests.exploring.cache_world import CacheGame
from property_tests.exploring.cores import Cores, Laws, Telling
from property_tests.exploring.games import SERVING
from property_tests.exploring.judging import CACHE_LAWS, REPLICA_LAWS, WARMUP_LAWS
from property_tests.exploring.reducing import every_turn, reduced
from property_tests.exploring.replica_cluster import ReplicaWorld
from property_tests.exploring.replica_world import ReplicaGame
from property_tests.exploring.searching import Explored, Search, Turns
from property_tests.exploring.storytelling import lines, rows_of
from property_tests.exploring.warmup_world import WarmupGame
from property_tests.exploring.worlds import Budget, Game
from property_tests.laws import divergences
from property_tests.mutating.applying import gather
from property_tests.mutating.faults_of_old import FAULTS, Edit, Fault
from property_tests.mutating.forking import forked
from property_tests.mutating.putting_back import switch
from property_tests.running import run

CRASHING = WarmupGame(1, Budget(crashes=1))
STAGING = CacheGame(1, Budget())
SWITCHING = ReplicaGame(Budget())


def explored(game: WarmupGame, laws: Laws = WARMUP_LAWS) -> Explored:
    """Explore a world of warmups."""
    return Search(game, Cores(Telling(laws), game.view)).run()


class Findings(NamedTuple):
    """What a search has found, and what another order of the same must find, too."""

    explored: Explored
    cores: set[bytes]
    clusters: set[object]  # the objects that there are at once
    resting: set[tuple[bytes, object]]


def findings(game: Game[Any], laws: Laws, turns: Turns, twice_each: int = 0) -> Findings:
    """Explore a world, and give what does not depend on the order in which the same comes about."""
    settings = SERVING if laws is REPLICA_LAWS else DEFAULT_SETTINGS
    cores = Cores(Telling(laws, settings), game.view, twice_each)
    search = Search(game, cores, turns)
    explored = search.run()
    names = cores.names()
    return Findings(
        explored,
        {names[place.core] for place in search.places()},
        {objects_of(place.world) for place in search.places()},
        {(names[place.core], place.world) for place in search.resting()},
    )


@cache
def one_order(game: Game[Any], laws: Laws) -> Findings:
    """Explore a world as usual.

    Every fifth state of a name that there was already goes on as the first one of that name does.
    """
    return findings(game, laws, reduced, twice_each=5)


def objects_of(world: Any) -> object:
    """Give what there is in the clusters of a world, but what is marked for its own judgement."""
    if isinstance(world, CacheWorld | ReplicaWorld):
        return world.objects
    return world.jobs, tuple(pod._replace(hidden=False) for pod in world.pods)


def test_one_node_with_a_crash_at_any_point_is_explored_to_exhaustion() -> None:
    """No state breaks a law, each can only come to rest, and there are exactly so many."""
    found = one_order(CRASHING, WARMUP_LAWS).explored
    assert found == Explored(1323, 3514, 18, 321, 3, 0, None)


def test_a_cache_on_one_cluster_is_explored_to_exhaustion() -> None:
    """No state breaks a law, and each comes to rest with the model staged."""
    found = one_order(STAGING, CACHE_LAWS).explored
    assert found == Explored(117, 321, 11, 66, 1, 0, None)


def test_a_replica_that_switches_caches_is_explored_to_exhaustion() -> None:
    """No state breaks a law, and each comes to rest with the mount that the replica is to have."""
    found = one_order(SWITCHING, REPLICA_LAWS).explored
    assert found == Explored(1171, 2266, 24, 600, 69, 0, None)


def test_one_order_of_what_happens_to_a_warmup_finds_what_all_orders_find() -> None:
    """The cores and clusters met, and where all comes to rest, are the same without `reducing`."""
    every = findings(CRASHING, WARMUP_LAWS, every_turn)
    assert every[1:] == one_order(CRASHING, WARMUP_LAWS)[1:]
    assert every.explored.wrong is None


def test_one_order_of_what_happens_to_a_cache_finds_what_all_orders_find() -> None:
    """The cores and clusters met, and where all comes to rest, are the same without `reducing`."""
    every = findings(STAGING, CACHE_LAWS, every_turn)
    assert every[1:] == one_order(STAGING, CACHE_LAWS)[1:]
    assert every.explored.wrong is None


@pytest.mark.prove
def test_one_order_of_what_happens_to_a_replica_finds_what_all_orders_find() -> None:
    """The cores and clusters met, and where all comes to rest, are the same without `reducing`."""
    every = findings(SWITCHING, REPLICA_LAWS, every_turn)
    assert every[1:] == one_order(SWITCHING, REPLICA_LAWS)[1:]
    assert every.explored.wrong is None


def sentences_with(fault: Fault) -> tuple[str, ...]:
    """Put a fault into this process, and give what it breaks where a replica switches caches."""
    switch(fault, on=True)
    wrong = findings(SWITCHING, REPLICA_LAWS, reduced).explored.wrong
    return wrong.broken if wrong is not None else ()


[BOUND_IS_READY] = [one for one in FAULTS if one.name == "publishing the mount at claim-Bound"]
DROPPING = Fault(
    "dropping the kept mount at a switch",
    "engines were composed without a mount until the other cache was Ready",
    "replicas",
    "",
    "",
    (Edit("machines/replicas/mounting.py", "return before.kept\n", "return NO_MOUNT\n"),),
)


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (BOUND_IS_READY, cache_laws.ready_means_staged.__doc__),
        (DROPPING, replica_laws.mounts_are_published_or_kept.__doc__),
    ],
)
def test_a_wrong_core_is_found_where_a_replica_switches(fault: Fault, sentence: str) -> None:
    """What it breaks is told by the law of the core that speaks of it."""
    gather()
    ((_, broken),) = forked([fault], sentences_with, 1)
    assert broken is not None
    assert any(one.startswith(sentence) for one in broken)


def never_ready(state: State) -> bool:
    """No warmup is ever Ready."""
    return all(one.state is not WarmupState.READY for one in state.warmups.values())


def test_a_broken_law_is_told_by_its_shortest_story() -> None:
    """The story has a line for each move, the sentence, and a log in which all of it happens."""
    laws = WARMUP_LAWS._replace(always=(never_ready,))
    way = explored(WarmupGame(1, Budget()), laws).wrong
    assert way is not None
    story = lines(way)
    assert story[0] == "  1. the controller starts"
    assert story[-1].startswith("     BROKEN: No warmup is ever Ready.")
    assert len(way.moves) == 11
    rows = rows_of(way, CRASHING, Telling(laws))
    state = WARMLOG.initial("explored")
    for row in rows:
        state = WARMLOG.fold(state, row)
    assert not never_ready(state)
    log = MemoryLog("explored")
    log.rows = rows
    assert run(divergences(log)) == []


def test_an_answer_that_a_list_overtook_is_found_to_be_waited_on_for_ever() -> None:
    """An edge that believes whatever an answer shows waits for a Job that is no more."""
    way = explored(WarmupGame(1, Budget(1, 1), settles=False)).wrong
    assert way is not None
    assert "nothing will wake it" in way.broken[0]
    assert [move.words for move in way.moves][-1].startswith("the answer to create")
