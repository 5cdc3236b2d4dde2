"""Events, their subjects, and the times in them."""

import pytest

from engine.errors import EventMalformed
from engine.events import Draft, Event, Subject
from engine.instants import SECOND, clock_time, parse_rfc3339, rfc3339


def test_a_draft_becomes_an_event() -> None:
    """A draft gets its place, its term and its instant, and keeps all else."""
    draft = Draft("c", "s", "T", 2, "{}", cause=3, seen=4)
    assert draft.placed(7, 5, 6) == Event(7, 5, 6, "c", "s", "T", 2, "{}", 3, 4)


@pytest.mark.parametrize(
    "subject",
    [Subject("Job", "ns", "name", "uid"), Subject("", "", "", ""), Subject("N", "", "n", "")],
)
def test_a_subject_comes_back(subject: Subject) -> None:
    """A subject's text splits into the same four parts, empty ones included."""
    assert Subject.parse(str(subject)) == subject


@pytest.mark.parametrize("text", ["", "a/b/c", "a/b/c/d/e"])
def test_what_is_no_subject(text: str) -> None:
    """A text of other than four parts is refused, and named."""
    with pytest.raises(EventMalformed, match="is not kind/namespace/name/uid"):
        Subject.parse(text)


def test_times_for_people() -> None:
    """An instant is shown in whole seconds of UTC."""
    at = 1_767_225_661 * SECOND + 999_999_999
    assert rfc3339(at) == "2026-01-01T00:01:01Z"
    assert clock_time(at) == "00:01:01Z"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-01-01T00:00:00Z", 1_767_225_600 * SECOND),
        ("2026-01-01T02:00:00+02:00", 1_767_225_600 * SECOND),
        ("2026-01-01T00:00:00.000001Z", 1_767_225_600 * SECOND + 1000),
        ("1969-12-31T23:59:59.5Z", -SECOND // 2),
    ],
)
def test_times_are_read_exactly(text: str, at: int) -> None:
    """An RFC 3339 time gives its instant to the microsecond, whatever its zone."""
    assert parse_rfc3339(text) == at


@pytest.mark.parametrize("text", ["", "yesterday", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z"])
def test_what_is_no_time(text: str) -> None:
    """A time without a zone, or no time at all, is refused."""
    with pytest.raises(ValueError, match=r"."):
        parse_rfc3339(text)
