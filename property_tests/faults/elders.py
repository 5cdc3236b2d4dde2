"""Elders: controllers that lost the lease, and with it the log, to another one, and live on.

Nothing can call back what an elder has sent already. What it would send now it must not, for it
holds no lease, and what it would record now the log refuses: it is fenced.
"""

from collections.abc import Coroutine
from typing import Any

from adapters.simulator.clock import SECOND
from adapters.simulator.driving import Driver
from adapters.simulator.faults import SenderDied
from engine.errors import Fenced, PositionTaken

SOON_SECONDS = 30  # what is due later is not waited for
TURNS = 30  # in which an elder that has news comes to its log

Turn = Coroutine[Any, Any, bool]


class Lease:
    """A guard that lets writes out while it is held."""

    def __init__(self) -> None:
        """Begin held."""
        self.held = True

    def outlives(self, seconds: float) -> bool:
        """Say whether it is held for so long."""
        return self.held and seconds >= 0


class Elder:
    """A controller that was in the middle of a turn, or between two, when it lost the lease."""

    def __init__(self, driver: Driver, lease: Lease) -> None:
        """Take the life of `driver`, which still holds `lease`."""
        self.driver = driver
        self._lease = lease
        self._halted: Turn | None = None
        self._is_over = False

    def work(self, turns: int) -> None:
        """Go on until a request is under way that halts, at most so many turns.

        Time passes as far as the next thing is due, if that is soon.
        """
        driver = self.driver
        for _ in range(turns):
            if self._halted is not None or self._is_over:
                return
            if not self._step(driver.turn()) and self._halted is None:
                due = driver.next_at()
                if due is None or due > driver.now + SOON_SECONDS * SECOND:
                    return
                driver.advance(due)

    def lose_lease(self) -> None:
        """Send nothing from now on."""
        self._lease.held = False

    def go_on(self) -> bool:
        """Hear of what was sent, then try to do more; say whether it is over: it was fenced."""
        if self._halted is not None:
            self._step(self._halted)
        self.work(TURNS)
        return self._is_over

    def _step(self, turn: Turn) -> bool:
        """Take a turn as far as it goes; say whether it did anything."""
        self._halted = None
        try:
            turn.send(None)
        except StopIteration as end:
            return bool(end.value)
        except (Fenced, PositionTaken, SenderDied):
            self._is_over = True
            return True
        self._halted = turn
        return True
