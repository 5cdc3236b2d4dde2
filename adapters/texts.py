"""Texts for people: times, counts, and words from outside made safe for a terminal."""

from datetime import UTC, datetime, timedelta

from engine.instants import SECOND

_MILLISECOND = SECOND // 1000
_KIB = 1024


def safe(text: str) -> str:
    """Give `text` without characters that could move a cursor: each is shown by its code.

    Line ends and tabs stay; words from a cluster may hold anything else.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in "\n\t" else char.encode("unicode_escape").decode()
        for char in text
    )


def one_line(text: str) -> str:
    """Give `text` safe and on one line."""
    return " ".join(safe(text).split())


def moment(at: int) -> str:
    """Give an instant (UTC nanoseconds) with its date: 2026-01-31 12:00:00Z."""
    return _date_time(at).strftime("%Y-%m-%d %H:%M:%SZ")


def clock(at: int) -> str:
    """Give the time of day of an instant to the millisecond: 12:00:00.123Z."""
    return f"{_date_time(at):%H:%M:%S}.{at % SECOND // _MILLISECOND:03}Z"


def span(nanoseconds: int) -> str:
    """Give a duration in its two largest units: 1 h 5 min, 18 s, 0.4 s."""
    if nanoseconds < SECOND:
        return f"{nanoseconds / SECOND:.1f} s"
    seconds = nanoseconds // SECOND
    for size, unit, lower, lower_unit in _UNITS:
        if seconds >= size:
            whole, rest = divmod(seconds, size)
            tail = f" {rest // lower} {lower_unit}" if rest // lower else ""
            return f"{whole} {unit}{tail}"
    return f"{seconds} s"


def counted(count: int, noun: str) -> str:
    """Give a count with its noun: 1 node, 2 nodes."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def size(count: int) -> str:
    """Give a number of bytes: 812 B, 4.2 KiB, 1.3 MiB."""
    amount = float(count)
    for unit in ("B", "KiB", "MiB"):
        if amount < _KIB:
            return f"{amount:.0f} B" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= _KIB
    return f"{amount:.1f} GiB"


def names(found: list[str], shown: int = 3) -> str:
    """Give a few names and how many more there are."""
    more = f" and {len(found) - shown} more" if len(found) > shown else ""
    return ", ".join(found[:shown]) + more


_UNITS = ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s"))


def _date_time(at: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=at // SECOND)
