"""What a person writes after --at, and which moment it is."""

import pytest

from adapters.explaining.errors import Misasked
from adapters.explaining.moments import parse_moment
from engine.instants import SECOND, parse_rfc3339
from engine.logs import LogIdentity
from engine.replaying import END, Moment

LAST_AT = parse_rfc3339("2026-03-29T12:30:45Z") + 678
IDENTITY = LogIdentity("a-log", 500, 1, LAST_AT)
END_OF_SECOND = SECOND - 1


@pytest.mark.parametrize(
    ("text", "instant", "rest"),
    [
        ("2026-03-29T12:00:00Z", "2026-03-29T12:00:00Z", END_OF_SECOND),
        ("2026-03-29 12:00:00Z", "2026-03-29T12:00:00Z", END_OF_SECOND),
        ("2026-03-29T14:00:00+02:00", "2026-03-29T12:00:00Z", END_OF_SECOND),
        ("2026-03-29T12:00:00", "2026-03-29T12:00:00Z", END_OF_SECOND),
        ("2026-03-29 12:00", "2026-03-29T12:00:00Z", END_OF_SECOND),
        ("2026-03-29", "2026-03-29T00:00:00Z", END_OF_SECOND),
        ("2026-03-29T12:00:00.25Z", "2026-03-29T12:00:00Z", SECOND // 4),
        ("12:00:00", "2026-03-29T12:00:00Z", END_OF_SECOND),
        ("12:00:00Z", "2026-03-29T12:00:00Z", END_OF_SECOND),
        ("9:05", "2026-03-29T09:05:00Z", END_OF_SECOND),
        ("12:00:00.000Z", "2026-03-29T12:00:00Z", 0),
        (" 12:00:00 ", "2026-03-29T12:00:00Z", END_OF_SECOND),
    ],
)
def test_times(text: str, instant: str, rest: int) -> None:
    """A time is UTC unless it says otherwise, of the log's last day without a date.

    Without a fraction it means all of its second.
    """
    assert parse_moment(text, IDENTITY) == Moment(at=parse_rfc3339(instant) + rest)


@pytest.mark.parametrize(
    ("text", "seconds"), [("-90s", 90), ("-5m", 300), ("-2h", 7200), ("-1d", 86400), ("-0s", 0)]
)
def test_spans_count_back_from_the_last_row(text: str, seconds: int) -> None:
    """A span with a minus counts back from the log's last row, to the nanosecond."""
    assert parse_moment(text, IDENTITY) == Moment(at=LAST_AT - seconds * SECOND)


@pytest.mark.parametrize("position", [1, 250, 500])
def test_positions(position: int) -> None:
    """A number is a position of the log, from its first row to its last."""
    assert parse_moment(str(position), IDENTITY) == Moment(position=position)


def test_nothing_is_the_end() -> None:
    """Without --at the log's end is meant."""
    assert parse_moment(None, IDENTITY) == END


@pytest.mark.parametrize("text", ["0", "501", "٣"])
def test_a_number_that_is_no_position(text: str) -> None:
    """A position outside the log is refused, with the positions that there are."""
    with pytest.raises(Misasked, match=r"1 to 500|neither a position nor a time"):
        parse_moment(text, IDENTITY)


def test_an_empty_log_has_no_position() -> None:
    """Of an empty log no position can be looked at, and that is said."""
    with pytest.raises(Misasked, match="which is empty"):
        parse_moment("1", LogIdentity("a-log", 0, 0, 0))


@pytest.mark.parametrize(
    "text", ["", "noon", "-5", "5m", "-5w", "24:61", "2026-02-30T00:00:00Z", "9999999999-01-01"]
)
def test_what_is_neither_position_nor_time(text: str) -> None:
    """Anything else is refused, and the sentence shows the forms that there are."""
    with pytest.raises(Misasked, match="neither a position nor a time: write 118"):
        parse_moment(text, IDENTITY)
