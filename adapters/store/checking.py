"""What a row must be like so that no database can refuse it for its content.

`data` is canonical JSON, ASCII only, so nothing in it can offend. The other texts are stored as
they are: PostgreSQL refuses NUL and both refuse half of a surrogate pair. Names in Kubernetes
hold neither, so such a text is a mistake of the code and is said before a transaction begins.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.errors import EventMalformed
from engine.events import Draft, Event

_TEXTS = ("cluster", "subject", "type")
_WIDEST = 2**63 - 1


class Place(NamedTuple):
    """What a row tells about the one after it."""

    position: int
    epoch: int
    at: int


START = Place(0, 0, 0)


def check_draft(draft: Draft) -> None:
    """Raise EventMalformed, naming the field, when a store could refuse `draft`."""
    _check_texts(draft)


def check_rows(epoch: int, expected_position: int, events: Sequence[Event]) -> None:
    """Raise EventMalformed, naming seq and field, when the batch cannot be appended to any log.

    The rows must follow each other from `expected_position` + 1, all of `epoch`, none with an
    `at` before that of the row ahead of it.
    """
    place = Place(expected_position, epoch, 0)
    for event in events:
        if event.epoch != epoch:
            msg = f"event {event.seq}: epoch is {event.epoch}, its writer's is {epoch}"
            raise EventMalformed(msg)
        place = check_next(place, event)


def check_next(place: Place, event: Event) -> Place:
    """Give the place after `event`; EventMalformed when it cannot be the row after `place`."""
    if event.seq != place.position + 1:
        msg = f"event {event.seq}: seq must be {place.position + 1}, one more than the row before"
        raise EventMalformed(msg)
    if event.epoch < place.epoch:
        msg = f"event {event.seq}: epoch {event.epoch} is older than {place.epoch} before it"
        raise EventMalformed(msg)
    if not place.at <= event.at <= _WIDEST:
        msg = f"event {event.seq}: at {event.at} is before {place.at}, the row ahead of it"
        raise EventMalformed(msg)
    _check_texts(event, f"event {event.seq}: ")
    return Place(event.seq, event.epoch, event.at)


def _check_texts(row: Draft | Event, prefix: str = "") -> None:
    # Nearly every row passes this one look; the fields are told apart only when it fails.
    names = row.cluster + row.subject + row.type
    data_fits = row.data.isascii() and "\0" not in row.data
    if data_fits and names.isascii() and "\0" not in names:
        return
    for name in _TEXTS:
        text = getattr(row, name)
        if "\0" in text or not _encodes(text):
            msg = f"{prefix}{name} {text!r} holds a NUL or half of a surrogate pair"
            raise EventMalformed(msg)
    if not data_fits:
        msg = f"{prefix}data is not canonical JSON: it holds a character that is not escaped"
        raise EventMalformed(msg)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
