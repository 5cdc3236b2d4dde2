"""Hypothesis searches the worlds of `cache_worlds` for a story that breaks a promise."""

import pytest
from hypothesis import settings

from property_tests.cache_worlds import CacheWorlds

# A search has no natural length: on a busy machine it only takes longer.
pytestmark = pytest.mark.timeout(900)

TestCacheWorlds = CacheWorlds.TestCase
# A world costs as much as some dozens of the other tests' examples.
TestCacheWorlds.settings = settings(max_examples=settings().max_examples // 2)
