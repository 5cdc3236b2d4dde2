"""Pieces: a log as a running controller hands it out, a bounded part at a time.

A piece is JSON Lines as `export` writes them (`json_lines`), with the rows that follow a position,
and one field more in its header: `end`, where the whole log ended when the piece was made.

    {"after":0,"end":{"epoch":1,"lastAt":…,"position":9000},"epoch":1,…,"position":2100,…}

Who reads on asks for what follows the piece's `position`, until that is the end's.
"""

import re
from collections.abc import Sequence
from io import BytesIO
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from adapters.store.checking import Place, check_next
from adapters.store.json_lines import Damaged, Header, read_header, read_rows
from adapters.store.row_lines import event_line
from engine.errors import EventMalformed, LogUnreadable
from engine.events import Event
from engine.logs import EventReader, LogIdentity

PATH = "/log"
"""Where a controller answers with the piece `?after=POSITION`."""
KIND = "application/x-ndjson"
MOST_BYTES = 1 << 20  # of the rows of a piece; one row may be longer, and then stands alone
_BATCH_ROWS = 100  # read at once: rows may be as large as 1 MiB
_HEADER = re.compile(rb'\{"after":[^\n]*"warmlog":"log"\}\n')

_Count = Annotated[int, Field(ge=0)]


class _End(BaseModel):
    """Where the whole log ends."""

    model_config = ConfigDict(strict=True)

    position: _Count
    epoch: _Count
    lastAt: _Count  # noqa: N815 -- as the header spells it


class _Told(BaseModel):
    """What the header of a piece has and that of a file has not."""

    end: _End


class Piece(NamedTuple):
    """Some rows of a log that follow each other, and where the log ends."""

    header: Header
    end: LogIdentity
    events: Sequence[Event]


async def piece_after(reader: EventReader, after: int, *, most_bytes: int = MOST_BYTES) -> bytes:
    """Give the piece that follows a position; beyond the log's end it has no row.

    Raises what reading raises.
    """
    end = await reader.identify()
    after = min(after, end.position)
    last, lines = await _rows_between(reader, after, end.position, most_bytes)
    place = Place(last.seq, last.epoch, last.at) if last else Place(after, end.epoch, end.last_at)
    told = {"epoch": end.epoch, "lastAt": end.last_at, "position": end.position}
    return Header(end.log_id, after, *place).line(end=told) + b"".join(lines)


async def _rows_between(
    reader: EventReader, after: int, until: int, most_bytes: int
) -> tuple[Event | None, list[bytes]]:
    """Give the lines of as many rows as there is room for, at least one, and the last of them."""
    last, lines, used = None, list[bytes](), 0
    while after < until:
        batches = reader.read(after, min(after + _BATCH_ROWS, until))
        events = [event async for batch in batches for event in batch]
        for event in events:
            line = event_line(event)
            used += len(line)
            if lines and used > most_bytes:
                return last, lines
            last = event
            lines.append(line)
        after = events[-1].seq if events else until
    return last, lines


def read_piece(body: bytes, place: str) -> Piece:
    """Read what the controller at `place` answered. Raises LogUnreadable."""
    if not _HEADER.match(body):
        msg = f"{place} answers, but not as a controller of warmlog does: check the address."
        raise LogUnreadable(msg)
    file = BytesIO(body)
    header = read_header(file, place)
    try:
        end = _Told.model_validate_json(body[: file.tell()]).end
        events = _checked(header, file)
    except ValidationError as error:
        raise _damaged(place, "its header does not say where the log ends") from error
    except EventMalformed as error:
        raise _damaged(place, str(error)) from error
    return Piece(header, LogIdentity(header.log_id, end.position, end.epoch, end.lastAt), events)


def _checked(header: Header, file: BytesIO) -> Sequence[Event]:
    """Give the rows. Raises EventMalformed when they are not those that the header tells of."""
    place, events = Place(header.after, 0, 0), list[Event]()
    for row in read_rows(file):
        if isinstance(row, Damaged):
            raise EventMalformed(f"line {row.line}: {row.words}")
        place = check_next(place, row)
        events.append(row)
    if place.position != header.position:
        raise EventMalformed(f"it ends at {place.position}, its header at {header.position}")
    return events


def _damaged(place: str, words: str) -> LogUnreadable:
    return LogUnreadable(f"What {place} answers is damaged: {words}. Ask again.")
