"""Hypothesis searches the worlds of `replica_worlds` for a story that breaks a promise."""

import pytest
from hypothesis import settings

from property_tests.replica_worlds import ReplicaWorlds

# A search has no natural length: on a busy machine it only takes longer.
pytestmark = pytest.mark.timeout(900)

TestReplicaWorlds = ReplicaWorlds.TestCase
# A world costs as much as some dozens of the other tests' examples.
TestReplicaWorlds.settings = settings(max_examples=settings().max_examples // 3)
