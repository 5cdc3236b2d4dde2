"""What differs between the databases: how each is connected to, locked and set up.

SQLite. Python's driver begins transactions by itself, late and deferred, so that two writers
could both read the epoch before either locks. Here the driver begins none (`isolation_level` is
None) and SQLAlchemy's own `begin` sends BEGIN IMMEDIATE, which locks before the first read.

PostgreSQL. `SELECT … FOR UPDATE` on the one row of `log` is the lock. It is held until the rows
are visible, so that the next writer's seq is never readable before this one's.
"""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from sqlalchemy import URL, event, select
from sqlalchemy.engine import Connection
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from adapters.store import tables
from adapters.store.locations import Kind, Location
from adapters.store.translating import translated
from engine.errors import LogUnreadable

LOCK_SECONDS = 5
"""How long an append waits for another writer's lock before it says LogUnavailable."""

CONNECT_SECONDS = 10
ANSWER_SECONDS = 60

# A writer that vanished in mid-transaction must not hold the lock of a half-open connection.
IDLE_SECONDS = 30

# libpq's names, which every tool uses in URLs, to asyncpg's.
_OPTIONS = {"sslmode": "ssl", "ssl": "ssl"}

_LOCKED = select(tables.log.c.epoch).with_for_update()


def writing_engine(
    location: Location,
    *,
    create: bool = False,
    lock_seconds: float = LOCK_SECONDS,
    answer_seconds: float | None = ANSWER_SECONDS,
) -> AsyncEngine:
    """Give an engine of one connection whose every transaction takes the writers' lock.

    `create` lets SQLite make the file; a lock held by another is waited for `lock_seconds`, and a
    server's answer to one statement for `answer_seconds` (for ever when None). Raises
    LogUnreadable when the driver is not installed.
    """
    if location.kind is Kind.POSTGRES:
        return _postgres_engine(location, lock_seconds, answer_seconds, pool_size=1, max_overflow=0)
    mode = "rwc" if create else "rw"
    engine = sqlite_engine(location.path, mode, lock_seconds, pool_size=1, max_overflow=0)
    event.listen(engine.sync_engine, "connect", _prepare_writer)
    event.listen(engine.sync_engine, "begin", _begin_immediate)
    return engine


def reading_engine(location: Location) -> AsyncEngine:
    """Give an engine whose statements each see one state of the log, and lock no writer out."""
    if location.kind is Kind.POSTGRES:
        return _postgres_engine(location, isolation_level="AUTOCOMMIT")
    engine = sqlite_engine(location.path, "rw", isolation_level="AUTOCOMMIT")
    event.listen(engine.sync_engine, "connect", _prepare_reader)
    return engine


def sqlite_engine(
    path: Path,
    mode: str,
    lock_seconds: float = LOCK_SECONDS,
    *,
    immutable: bool = False,
    **options: Any,
) -> AsyncEngine:
    """Give an engine on a file, opened as SQLite's `mode` says (ro, rw, rwc).

    Raises LogUnavailable when the file cannot be opened.
    """
    name = f"file:{quote(str(path.absolute()))}"
    query = {"mode": mode} | ({"immutable": "1"} if immutable else {})
    # Tried here first, because a connect that fails in aiosqlite leaves a thread behind which
    # answers a loop that may be closed by then.
    with translated(str(path)):
        sqlite3.connect(f"{name}?{urlencode(query)}", uri=True).close()
    url = URL.create("sqlite+aiosqlite", database=name, query=query | {"uri": "true"})
    return create_async_engine(url, connect_args={"timeout": lock_seconds}, **options)


async def lock_log(connection: AsyncConnection) -> int | None:
    """Give the newest epoch, locked until the transaction ends; None when the row is missing.

    SQLite has taken its lock at BEGIN IMMEDIATE and leaves FOR UPDATE out.
    """
    epoch: int | None = await connection.scalar(_LOCKED)
    return epoch


def _prepare_writer(connection: DBAPIConnection, _record: object) -> None:
    connection.isolation_level = None
    _run(connection, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL")


def _prepare_reader(connection: DBAPIConnection, _record: object) -> None:
    _run(connection, "PRAGMA query_only = ON")


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _run(connection: DBAPIConnection, *statements: str) -> None:
    try:
        cursor = connection.cursor()
        for statement in statements:
            cursor.execute(statement)
        cursor.close()
    except BaseException:
        # The pool does not know this connection yet and would only forget it.
        connection.close()
        raise


def _postgres_engine(
    location: Location,
    lock_seconds: float = LOCK_SECONDS,
    answer_seconds: float | None = ANSWER_SECONDS,
    *,
    isolation_level: str = "READ COMMITTED",
    **options: Any,
) -> AsyncEngine:
    if location.url is None:
        msg = f"{location.name} is no server"
        raise TypeError(msg)
    url = location.url.set(drivername="postgresql+asyncpg", query={})
    arguments = {
        "timeout": CONNECT_SECONDS,
        "command_timeout": answer_seconds,
        "server_settings": {
            "application_name": "warmlog",
            # Below `on` a commit may be acknowledged before it is on disk.
            "synchronous_commit": "on",
            "lock_timeout": f"{lock_seconds * 1000:.0f}ms",
            "idle_in_transaction_session_timeout": f"{IDLE_SECONDS}s",
        },
    } | _asyncpg_arguments(location.url.query)
    try:
        return create_async_engine(
            url, connect_args=arguments, isolation_level=isolation_level, **options
        )
    except ModuleNotFoundError as error:
        msg = "PostgreSQL support is not installed: run pip install 'warmlog[postgres]'."
        raise LogUnreadable(msg) from error


def _asyncpg_arguments(query: Mapping[str, object]) -> dict[str, object]:
    unknown = sorted(set(query) - set(_OPTIONS))
    if unknown:
        msg = (
            f"The database URL's option {unknown[0]!r} is not known here: leave it out; "
            f"known are {', '.join(sorted(_OPTIONS))}."
        )
        raise LogUnreadable(msg)
    return {_OPTIONS[name]: value for name, value in query.items()}
