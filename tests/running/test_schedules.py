"""Schedules: looks that come ever more seldom, and begin anew with another standing."""

import pytest

from adapters.running.schedules import Schedule
from engine.instants import SECOND
from tests.running.stories import NOON

SINCE = [("job", NOON)]


def looks(schedule: Schedule, begin: int, count: int) -> list[int]:
    """When so many looks come, in seconds after `begin`, if each is taken once it is due."""
    found: list[int] = []
    now = begin
    for _ in range(count):
        now = max(schedule.next_due(SINCE) or 0, now)
        assert schedule.take(SINCE, now) == {"job"}
        assert schedule.take(SINCE, now) == set()
        found.append((now - begin) // SECOND)
    return found


@pytest.mark.parametrize(
    ("first", "then", "expected"),
    [(2, 4, [2, 6, 14, 30, 62, 122, 182, 242]), (0, 1, [0, 1, 3, 7, 15, 31, 63, 123])],
)
def test_looks_come_more_and_more_seldom(first: int, then: int, expected: list[int]) -> None:
    """Each wait is twice the one before, and none is longer than a minute."""
    assert looks(Schedule(first_seconds=first, then_seconds=then), NOON, 8) == expected


def test_what_has_long_been_so_is_not_looked_at_in_a_row() -> None:
    """A session that begins a day later looks once, and makes up for no look that it missed."""
    day = 24 * 3600 * SECOND
    schedule = Schedule(first_seconds=2, then_seconds=4)
    assert looks(schedule, NOON + day, 7) == [0, 4, 12, 28, 60, 120, 180]


def test_another_standing_begins_anew() -> None:
    """What is as it is since another instant is looked at as at first, and so is what came back."""
    schedule = Schedule(first_seconds=2, then_seconds=4)
    looks(schedule, NOON, 5)
    later = [("job", NOON + 3600 * SECOND)]
    assert schedule.next_due(later) == NOON + 3602 * SECOND
    assert schedule.take([], NOON + 3600 * SECOND) == set()
    assert schedule.next_due(SINCE) == NOON + 2 * SECOND


def test_nothing_is_due_where_nothing_stands() -> None:
    """Without anything to look at there is no next time."""
    assert Schedule(first_seconds=2, then_seconds=4).next_due([]) is None
