"""Moments: what a person writes after `--at`."""

import re
from datetime import UTC, datetime, timedelta

from adapters.explaining.errors import Misasked
from adapters.texts import moment
from engine.instants import SECOND, parse_rfc3339
from engine.logs import LogIdentity
from engine.replaying import END, Moment

HELP = (
    "A position (118) or a time: 2026-01-31T12:00:00Z, 12:00:05 on the log's last day, or -5m "
    "before its end (s, m, h, d). UTC, unless a zone is given; a second counts to its end."
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BEFORE_END = re.compile(r"-(\d{1,9})(ms|s|m|h|d)")
_TIME_OF_DAY = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d{1,9})?)?Z?")
_FRACTION = re.compile(r"\.\d+")
_UNITS = {"ms": SECOND // 1000, "s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND}
_UNITS["d"] = 24 * _UNITS["h"]


def parse_moment(text: str | None, identity: LogIdentity, option: str = "--at") -> Moment:
    """Read what stands after `--at` or another option; None is no bound. Raises Misasked."""
    if text is None:
        return END
    text = text.strip()
    if text.isascii() and text.isdigit():
        return _position(int(text), identity, option)
    before = _BEFORE_END.fullmatch(text)
    if before is not None:
        return Moment(at=identity.last_at - int(before[1]) * _UNITS[before[2]])
    return Moment(at=_instant(text, identity, option))


def _position(position: int, identity: LogIdentity, option: str) -> Moment:
    if not 1 <= position <= identity.position:
        raise Misasked(
            f"{option} {position} is no position of this log, which has 1 to {identity.position}."
            if identity.position
            else f"{option} {position} is no position of this log, which is empty."
        )
    return Moment(position=position)


def _instant(text: str, identity: LogIdentity, option: str) -> int:
    full = text
    if _TIME_OF_DAY.fullmatch(text):
        day = _EPOCH + timedelta(seconds=identity.last_at // SECOND)
        hours, colon, rest = text.partition(":")
        full = f"{day:%Y-%m-%d}T{hours:0>2}{colon}{rest}"
    try:
        at = _parse(full)
    except (ValueError, OverflowError):
        raise Misasked(
            f"{option} {text!r} is neither a position nor a time: write 118, 2026-01-31T12:00:00Z, "
            "12:00:05 or -5m."
        ) from None
    # Times are shown in whole seconds: what happened within the one that was copied is meant too.
    return at if _FRACTION.search(full) else at + SECOND - 1


def _parse(text: str) -> int:
    try:
        return parse_rfc3339(text)
    except ValueError:
        naive = datetime.fromisoformat(text)
        if naive.tzinfo is not None:
            raise
        return parse_rfc3339(naive.replace(tzinfo=UTC).isoformat())


def before_beginning(text: str, first_at: int) -> str:
    """Say that nothing was known yet at the moment asked for."""
    return f"--at {text} is before the log begins, at {moment(first_at)}."
