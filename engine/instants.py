"""Instants: UTC nanoseconds in the log, RFC 3339 seconds for people and for Kubernetes."""

from datetime import UTC, datetime
from functools import lru_cache

SECOND = 1_000_000_000  # nanoseconds


def rfc3339(at: int) -> str:
    """Give `at` (UTC nanoseconds) as Kubernetes writes times: whole seconds, `Z`."""
    return _rfc3339_of_second(at // SECOND)


@lru_cache(maxsize=4096)  # a status says the same instants again and again
def _rfc3339_of_second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def clock_time(at: int) -> str:
    """Give the time of day of `at` for a message, whole seconds, `Z`."""
    return datetime.fromtimestamp(at // SECOND, UTC).strftime("%H:%M:%SZ")


def parse_rfc3339(text: str) -> int:
    """Read an RFC 3339 time with zone as UTC nanoseconds (microseconds are kept).

    Raises ValueError for anything else, a time without a zone included.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        msg = f"{text!r} has no time zone; write 2026-01-31T12:00:00Z"
        raise ValueError(msg)
    whole = int((moment.replace(microsecond=0) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds())
    return whole * SECOND + moment.microsecond * 1000
