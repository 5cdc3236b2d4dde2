"""Hypothesis searches the worlds of `warmup_worlds` for a story that breaks a promise."""

import pytest
from hypothesis import settings

from property_tests.warmup_worlds import WarmupWorlds

# A search has no natural length: on a busy machine it only takes longer.
pytestmark = pytest.mark.timeout(900)

TestWarmupWorlds = WarmupWorlds.TestCase
# A world costs as much as some dozens of the other tests' examples.
TestWarmupWorlds.settings = settings(max_examples=settings().max_examples // 2)
