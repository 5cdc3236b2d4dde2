"""Texts for people: times, spans, counts, and words from outside made safe."""

import pytest

from adapters import texts
from engine.instants import SECOND, parse_rfc3339


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain – ünïcode 漢字", "plain – ünïcode 漢字"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("right\u202eleft", "right\\u202eleft"),
        ("half \ud800", "half \\ud800"),
        ("a\nb\tc", "a\nb\tc"),
        ("a\rb\x00", "a\\rb\\x00"),
    ],
)
def test_no_text_can_move_a_cursor(given: str, shown: str) -> None:
    """Characters that a terminal would obey are shown by their codes; all others stay."""
    assert texts.safe(given) == shown


def test_one_line_is_one_line() -> None:
    """Line ends and blanks in a row become one blank."""
    assert texts.one_line("a\n  b\tc ") == "a b c"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0.0 s"), (0.44, "0.4 s"), (1, "1 s"), (59.9, "59 s"), (60, "1 min"),
        (90, "1 min 30 s"), (3600, "1 h"), (3660, "1 h 1 min"), (90_000, "1 d 1 h"),
    ],
)  # fmt: skip
def test_spans_have_two_units_at_most(seconds: float, shown: str) -> None:
    """A duration is told in its two largest units."""
    assert texts.span(int(seconds * SECOND)) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (5_000_000, "4.8 MiB"),
        (2**40, "1024.0 GiB"),
    ],
)
def test_sizes_have_binary_units(count: int, shown: str) -> None:
    """A number of bytes is told in the largest unit that keeps it above one."""
    assert texts.size(count) == shown


def test_times_are_utc() -> None:
    """Instants are shown in UTC, with or without their date."""
    at = parse_rfc3339("2026-01-31T23:59:59Z") + 5_999_999
    assert texts.moment(at) == "2026-01-31 23:59:59Z"
    assert texts.clock(at) == "23:59:59.005Z"


def test_counts_and_names() -> None:
    """One of a thing has no plural; of many names the first few are told."""
    assert (texts.counted(1, "row"), texts.counted(1234, "row")) == ("1 row", "1,234 rows")
    assert texts.names(["a", "b", "c"]) == "a, b, c"
    assert texts.names(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"
