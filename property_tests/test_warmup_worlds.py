"""Hypothesis searches the worlds of `warmup_worlds` for a story that breaks a promise."""

import pytest

from property_tests.playing.searching import case_of, searched

# A search has no natural length: on a busy machine it only takes longer.
pytestmark = pytest.mark.timeout(900)

TestWarmupWorlds = case_of(searched("warmups"), share=2)
