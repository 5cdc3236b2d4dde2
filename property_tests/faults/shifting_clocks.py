"""Shifting clocks: the time of day of the machine on which a driven controller runs."""

from collections.abc import Callable

from adapters.simulator.clock import SECOND


class ShiftingClock:
    """A clock that goes as the clusters' does, and is set by somebody now and then."""

    def __init__(self, now: Callable[[], int]) -> None:
        """Begin with the instant that `now` gives."""
        self._now = now
        self._shift = 0

    def __call__(self) -> int:
        """Give the instant, UTC nanoseconds."""
        return self._now() + self._shift

    def jump(self, seconds: float) -> None:
        """Be set forward, or back."""
        self._shift += int(seconds * SECOND)

    def mend(self) -> None:
        """Be set right."""
        self._shift = 0
