"""Schedules: when each of some things is looked at next, ever more seldom the longer it stays.

What a schedule remembers is of one session: after a restart everything is looked at once, and then
as seldom as at the beginning, however long it has been as it is.
"""

from collections.abc import Iterable

from engine.instants import SECOND
from machines.backoffs import growing_seconds

Standing = tuple[str, int]  # a thing's key, and since when it is as it is (UTC nanoseconds)


class Schedule:
    """The looks of one session. A thing that is as it is since another instant begins anew."""

    def __init__(self, *, first_seconds: int, then_seconds: int) -> None:
        """Look first after `first_seconds`, then after `then_seconds`, twice that … 60 seconds."""
        self._first_seconds = first_seconds
        self._then_seconds = then_seconds
        self._looks: dict[str, tuple[int, int, int]] = {}  # since, next due, looks so far

    def take(self, standing: Iterable[Standing], now: int) -> set[str]:
        """Give the keys that are due, and take them as looked at; what is left out is forgotten."""
        ready, kept = set(), {}
        for key, since in standing:
            _, due, times = self._known(key, since)
            if due <= now:
                ready.add(key)
                due = now + growing_seconds(times, self._then_seconds) * SECOND
                times += 1
            kept[key] = (since, due, times)
        self._looks = kept
        return ready

    def next_due(self, standing: Iterable[Standing]) -> int | None:
        """Give when the next of these is due, or None when there is none."""
        return min((self._known(key, since)[1] for key, since in standing), default=None)

    def _known(self, key: str, since: int) -> tuple[int, int, int]:
        known = self._looks.get(key)
        if known is not None and known[0] == since:
            return known
        return since, since + self._first_seconds * SECOND, 0
