"""Reasons: the words in a row that name a cause, whatever the row is about."""

import re
from collections.abc import Iterator
from functools import lru_cache

from engine.events import Event

# In canonical JSON; a word of one capitalised piece or a number, never a name or a sentence.
_REASONS = re.compile(
    r'"(reason|code|kind|outcome|phase|what|trigger)":"?([A-Z][A-Za-z]{2,40}|\d{3})\b'
)


def reasons_of(row: Event) -> Iterator[str]:
    """Give each reason, code or kind that a row names, with the type of the row."""
    for name, word in _found(row.data):
        yield f"{row.type} {name}={word}"


@lru_cache(maxsize=4096)
def _found(data: str) -> tuple[tuple[str, str], ...]:
    return tuple(dict.fromkeys(_REASONS.findall(data)))
