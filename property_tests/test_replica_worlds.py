"""Hypothesis searches the worlds of `replica_worlds` for a story that breaks a promise."""

import pytest

from property_tests.playing.searching import case_of, searched
from property_tests.replica_worlds import ReplicaWorlds

# A search has no natural length: on a busy machine it only takes longer.
pytestmark = pytest.mark.timeout(900)

TestReplicaWorlds = case_of(searched("replicas"), share=3)


def test_an_older_log_ends_where_a_batch_of_its_own_ended() -> None:
    """What a lost log held, or the part of one that was cut off, says nothing of the next rows."""
    world = ReplicaWorlds()
    world.begin(seed=0, gangs=False, ready=False, wants=[("chat", "one", "one")])
    world.work(12)
    assert len(world.lengths) > 1
    world.log_is_lost()
    assert world.lengths == []
    world.work(12)
    kept, *_ = world.lengths
    world.log_is_older(len(world.logs[-1].rows) - kept)
    assert world.lengths == [kept]
    assert all(length <= len(world.logs[-1].rows) for length in world.lengths)
