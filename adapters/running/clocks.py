"""Clocks: the one place where a running controller reads the time of day.

Deadlines are instants of this clock, so it never goes back: when the machine's clock is set back,
it goes on at the pace of the monotonic clock until the other one has caught up.
"""

import time
from collections.abc import Callable

Now = Callable[[], int]  # nanoseconds


class SteadyClock:
    """UTC nanoseconds that never go back, and never before `begin`."""

    def __init__(
        self,
        begin: int = 0,
        *,
        wall: Now = time.time_ns,
        monotonic: Now = time.monotonic_ns,
    ) -> None:
        """Begin at the wall clock's instant, or at `begin` when that is later."""
        self._wall = wall
        self._monotonic = monotonic
        self._base = max(begin, wall())
        self._since = monotonic()

    def __call__(self) -> int:
        """Give the instant now."""
        passed = self._base + self._monotonic() - self._since
        wall = self._wall()
        if wall > passed:
            self._base, self._since = wall, self._monotonic()
            return wall
        return passed
