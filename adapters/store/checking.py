"""What a row must be like so that no database can refuse it for its content.

`data` is canonical JSON, ASCII only, so nothing in it can offend. The other texts are stored as
they are: PostgreSQL refuses NUL and both refuse half of a surrogate pair. Names in Kubernetes
hold neither, so such a text is a mistake of the code and is said before a transaction begins.
"""

from collections.abc import Sequence

from engine.errors import EventMalformed
from engine.events import Draft, Event

_TEXTS = ("cluster", "subject", "type")
_WIDEST = 2**63 - 1


def check_draft(draft: Draft) -> None:
    """Raise EventMalformed, naming the field, when a store could refuse `draft`."""
    _check_texts(draft)


def check_rows(epoch: int, expected_position: int, events: Sequence[Event]) -> None:
    """Raise EventMalformed, naming seq and field, when the batch cannot belong to any log.

    The rows must follow each other from `expected_position` + 1, all of `epoch`, none with an
    `at` before that of the row ahead of it.
    """
    last_at = 0
    for seq, event in enumerate(events, expected_position + 1):
        if event.seq != seq:
            msg = f"event {event.seq}: seq must be {seq}, one more than the row before"
            raise EventMalformed(msg)
        if event.epoch != epoch:
            msg = f"event {seq}: epoch is {event.epoch}, its writer's is {epoch}"
            raise EventMalformed(msg)
        if not last_at <= event.at <= _WIDEST:
            msg = f"event {seq}: at {event.at} is before {last_at}, the row ahead of it"
            raise EventMalformed(msg)
        last_at = event.at
        _check_texts(event, f"event {seq}: ")


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
