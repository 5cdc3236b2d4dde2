"""Carrying a log from one place to another: `export` and `import`."""

import os
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.store import tables
from adapters.store.checking import START, Place, check_next
from adapters.store.databases import End, SqlLog, insert_rows
from adapters.store.json_lines import Header
from adapters.store.opening import open_log
from adapters.store.row_lines import event_line
from engine.errors import LogUnreadable
from engine.logs import EventReader, LogIdentity


async def export_log(reader: EventReader, stream: BinaryIO, *, until: int | None = None) -> Header:
    """Write the log as JSON Lines up to the seq `until`, or to where it ends now; give the header.

    Equal logs give equal bytes. Raises what reading raises, and OSError of the stream.
    """
    header = await _header(reader, until)
    stream.write(header.line())
    async for batch in reader.read(until=header.position):
        stream.write(b"".join(map(event_line, batch)))
    return header


async def export_file(reader: EventReader, path: Path, *, until: int | None = None) -> Header:
    """Write the log into the file `path`, which appears, or is replaced, only when it is whole."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with _created(unfinished) as stream:
            header = await export_log(reader, stream, until=until)
            stream.flush()
            os.fsync(stream.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return header


async def import_log(reader: EventReader, location: str | Path) -> LogIdentity:
    """Make a log at `location` that holds the rows, epochs and id of `reader`'s, and a new key.

    One transaction: it is there whole or, when reading or writing fails, has no row. An empty
    log of the same id is filled. Raises LogUnreadable when `location` holds another log or rows
    already, EventMalformed for rows no log can hold, LogUnavailable, LogFull.
    """
    source = await reader.identify()
    async with await open_log(location, create=True, log_id=source.log_id) as log:
        await _fill(log, reader)
        return await log.identify()


async def _fill(log: SqlLog, reader: EventReader) -> None:
    async def work(connection: AsyncConnection, end: End) -> None:
        if end != End(0, 0, 0):
            msg = f"The log {log.location.name} holds rows already: import into a new place."
            raise LogUnreadable(msg)
        place = START
        async for batch in reader.read():
            for event in batch:
                place = check_next(place, event)
            await insert_rows(connection, batch)
        await connection.execute(update(tables.log).values(epoch=place.epoch))

    await log.transact(work)


async def _header(reader: EventReader, until: int | None) -> Header:
    identity = await reader.identify()
    if until is None or until >= identity.position:
        return Header(identity.log_id, 0, identity.position, identity.epoch, identity.last_at)
    last = await _row_at(reader, until)
    return Header(identity.log_id, 0, until, last.epoch, last.at)


async def _row_at(reader: EventReader, seq: int) -> Place:
    found = START
    async for batch in reader.read(seq - 1, seq):
        found = Place(seq, batch[0].epoch, batch[0].at)
    return found


def _created(path: Path) -> BinaryIO:
    return path.open("xb")
