"""Opening a log wherever it lies, or saying in one sentence why not and what to do."""

import secrets
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol, Self, overload
from uuid import uuid4

from sqlalchemy import Connection, insert, select

from adapters.store import tables
from adapters.store.credentials import Credentials
from adapters.store.databases import POLL_SECONDS, SqlLog, SqlReader
from adapters.store.dialects import reading_engine, writing_engine
from adapters.store.examining import (
    Contents,
    examine,
    no_log_yet,
    open_readings,
    require_ours,
)
from adapters.store.json_lines import JsonLinesReader
from adapters.store.locations import Kind, Location, parse_location
from adapters.store.readings import EngineReadings
from engine.errors import LogUnreadable
from engine.logs import EventReader

_KEY_BYTES = 32


class OpenReader(EventReader, Protocol):
    """A log that was opened to be read, and is to be closed."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...

    async def close(self) -> None:
        """Let go of the file or the connections. May be called twice."""
        ...


@overload
async def open_log(
    location: str | Path,
    *,
    create: bool = False,
    log_id: str | None = None,
    secret_key: bytes | None = None,
    read_only: Literal[False] = False,
    poll_seconds: float = POLL_SECONDS,
) -> SqlLog: ...


@overload
async def open_log(
    location: str | Path, *, read_only: Literal[True], poll_seconds: float = POLL_SECONDS
) -> OpenReader: ...


async def open_log(
    location: str | Path,
    *,
    create: bool = False,
    log_id: str | None = None,
    secret_key: bytes | None = None,
    read_only: bool = False,
    poll_seconds: float = POLL_SECONDS,
) -> SqlLog | OpenReader:
    """Open the log at a database URL, in a SQLite file or (only to read) in a `.jsonl` file.

    `create` makes the log where none is; an existing one is opened as it is. `log_id` names a new
    log (a random UUID without it) and must be that of an existing one; `secret_key` is a new log's,
    where its digests are to be those of an older one. `read_only` changes nothing, works on a file
    that may not be written and leaves no file beside it, except while another process writes (see
    `readings`). What other processes append is followed every `poll_seconds`.

    Raises LogUnreadable when nothing is there, or something else, or of a version that is newer
    or not upgraded, or PostgreSQL's driver is not installed; LogUnreachable (a LogUnreadable and a
    LogUnavailable) when the server does not answer; LogUnavailable, LogFull.
    """
    place = parse_location(location)
    if place.kind in {Kind.JSON_LINES, Kind.CONTROLLER}:
        return await _open_no_database(place, read_only=read_only)
    if create and not read_only:
        await _create_if_missing(place, log_id, secret_key)
    readings = open_readings(place)
    try:
        found = await examine(readings, place.kind)
        require_ours(found, place)
        _require_version(found, place)
        if read_only:
            return SqlReader(readings, place, poll_seconds=poll_seconds)
        if log_id is not None:
            await _require_identity(SqlReader(readings, place), log_id)
    except BaseException:
        await readings.close()
        raise
    await readings.close()
    return _log_at(place, poll_seconds)


async def open_to_read(location: str | Path, credentials: Credentials) -> OpenReader:
    """Open a log as `open_log` does to read it, or that of the controller at an address.

    A controller is asked with the first reading, which raises what is wrong there.
    """
    place = parse_location(location)
    if place.kind is Kind.CONTROLLER:
        from adapters.store.controllers import ControllerReader  # noqa: PLC0415 -- aiohttp is slow

        return ControllerReader(place.name, credentials)
    return await open_log(location, read_only=True)


def _log_at(place: Location, poll_seconds: float) -> SqlLog:
    writing, reading = writing_engine(place), EngineReadings(reading_engine(place), place.name)
    return SqlLog(writing, reading, place, poll_seconds=poll_seconds)


async def _open_no_database(place: Location, *, read_only: bool) -> JsonLinesReader:
    if place.kind is Kind.CONTROLLER:
        msg = f"{place.name} is a running controller, whose log can only be read: name another."
        raise LogUnreadable(msg)
    if not read_only:
        msg = (
            f"{place.name} is a JSON Lines file, which can only be read: make a database of it "
            f"with `warmlog import {place.name} LOG`."
        )
        raise LogUnreadable(msg)
    reader = JsonLinesReader(place.path)
    # Read for its errors: a file that is no log is refused now, not at the first row.
    await reader.identify()
    return reader


async def _create_if_missing(place: Location, log_id: str | None, key: bytes | None) -> None:
    if place.kind is not Kind.SQLITE or (place.path.exists() and place.path.stat().st_size):
        readings = open_readings(place)
        try:
            found = await examine(readings, place.kind)
        finally:
            await readings.close()
        if found.format is not None:
            return
        if found.foreign:
            require_ours(found, place)
    await _create(place, log_id, key or secrets.token_bytes(_KEY_BYTES))


async def _create(place: Location, log_id: str | None, key: bytes) -> None:
    from adapters.store.migrating import transact_alone, upgrade_within  # noqa: PLC0415 -- Alembic

    def work(connection: Connection) -> None:
        upgrade_within(connection)
        # Another process may have been quicker: then the log is there, and stays as it is.
        if connection.execute(select(tables.log.c.id)).first() is None:
            connection.execute(
                insert(tables.log).values(
                    id=1,
                    log_id=str(uuid4()) if log_id is None else log_id,
                    epoch=0,
                    secret_key=key,
                    format=tables.FORMAT,
                )
            )

    await transact_alone(place, work, create=True)


def _require_version(found: Contents, place: Location) -> None:
    if found.revision != tables.REVISION:
        from adapters.store.migrating import require_known_revision  # noqa: PLC0415 -- slow

        require_known_revision(found, place)
    if found.format is not None and found.format > tables.FORMAT:
        msg = (
            f"The log {place.name} has format {found.format}, written by a newer warmlog; this "
            f"one knows formats up to {tables.FORMAT}: use that version or a later one."
        )
        raise LogUnreadable(msg)
    if found.revision != tables.REVISION:
        msg = (
            f"The log {place.name} lacks a migration: run `warmlog db upgrade {place.name}` "
            "with no controller running on it."
        )
        raise LogUnreadable(msg)
    if found.format is None:
        raise LogUnreadable(no_log_yet(place))


async def _require_identity(reader: SqlReader, log_id: str) -> None:
    found = (await reader.identify()).log_id
    if found != log_id:
        msg = f"The log {reader.location.name} is {found}, not {log_id}: give another location."
        raise LogUnreadable(msg)
