"""Hypothesis searches the worlds of `warmup_worlds` for a story that breaks a promise."""

import pytest

from engine.events import Event
from machines.states import State
from property_tests.chaos import intent_in
from property_tests.laws import Rule, rows_keep
from property_tests.playing.searching import case_of, searched
from property_tests.warmup_laws import ALWAYS, BETWEEN, DECIDED
from property_tests.warmup_worlds import WarmupWorlds

# A search has no natural length: on a busy machine it only takes longer.
pytestmark = pytest.mark.timeout(900)


class LawfulWorlds(WarmupWorlds):
    """Those worlds, with each row of their log held against the laws of the state as well."""

    def judge(self) -> None:
        """Check the invariants, and the laws at each row, which costs more than the world."""
        super().judge()
        rows_keep(self.log.rows, ALWAYS, BETWEEN, _broken_by)


def _broken_by(state: State, row: Event) -> list[Rule]:
    return [holds for holds in DECIDED if not holds(state, intent_in(row))]


TestWarmupWorlds = case_of(searched("warmups", world=LawfulWorlds), share=2)
