"""Foreign logs: what no controller recorded is explained without what only one could promise."""

import pytest

from machines import advising
from machines.caches import advising as cache_advising
from machines.foreign import WHAT_IF, honest
from machines.replicas import advising as replica_advising

PROMISES = ("by itself", "is tried again", "; tried again", "lets it go on", "is made anew")
TOLD = {
    *advising.BY_REASON.values(),
    *cache_advising.BY_CAUSE.values(),
    *replica_advising.BY_CAUSE.values(),
}


@pytest.mark.parametrize("words", sorted(TOLD))
def test_no_advice_promises_what_only_a_controller_does(words: str) -> None:
    """Of whatever can be advised nothing is left by which something happens by itself."""
    told = honest(words)
    assert not [promise for promise in PROMISES if promise in told]
    assert told == words or "warmlog" in told or "Kubernetes" in told


def test_promises_are_what_is_looked_for() -> None:
    """The advice of a controller's own log does hold them, each one."""
    for promise in ("by itself", "is tried again", "lets it go on", "is made anew"):
        assert any(promise in words for words in TOLD)


def test_what_asks_nothing_names_what_warmlog_would_do() -> None:
    """Where a controller goes on by itself, the command is named that shows what one would do."""
    assert honest(advising.NOTHING_TO_DO) == WHAT_IF
    words = "quota is full; tried again at 2026-01-31T12:00:00Z"
    assert honest(words) == "quota is full; warmlog would try again at 2026-01-31T12:00:00Z"
