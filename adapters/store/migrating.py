"""Bringing a database to the tables of this version, with Alembic and no configuration file."""

import asyncio
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

import migrations
from adapters.store import tables
from adapters.store.dialects import writing_engine
from adapters.store.examining import Contents, examine_at, require_ours
from adapters.store.locations import Location, parse_location
from adapters.store.translating import translated
from engine.errors import LogUnreadable

NEWEST = "head"

# Any number will do, as long as every warmlog takes the same one.
_ADVISORY_LOCK = 0x7761726D6C6F67

_ONE_AT_A_TIME = threading.Lock()

Result = TypeVar("Result")


async def upgrade(location: str | Path, revision: str = NEWEST) -> str | None:
    """Bring the log at `location` to `revision`, all steps in one transaction; give the revision.

    A database that holds no log is left alone. Raises LogUnreadable, LogUnavailable, LogFull.
    """
    return await _change(location, lambda connection: upgrade_within(connection, revision))


async def downgrade(location: str | Path, revision: str) -> str | None:
    """Take the log back to `revision`, all steps in one transaction; give the revision.

    "base" drops the log. Raises LogUnreadable, LogUnavailable.
    """

    def work(connection: Connection) -> None:
        command.downgrade(_config(connection), revision)

    return await _change(location, work)


async def current(location: str | Path) -> str | None:
    """Give the revision of the log at `location`. Raises LogUnreadable, LogUnavailable."""
    place = parse_location(location)
    found = await examine_at(place)
    require_ours(found, place)
    return found.revision


async def _change(location: str | Path, work: Callable[[Connection], None]) -> str | None:
    def change(connection: Connection) -> str | None:
        work(connection)
        return revision_of(connection)

    place = parse_location(location)
    found = await examine_at(place)
    require_ours(found, place)
    require_known_revision(found, place)
    return await transact_alone(place, change)


@cache
def newest_revision() -> str:
    """Give the revision that this version's code works with."""
    newest = _scripts().get_current_head()
    if newest is None:
        msg = "warmlog's migrations are not installed beside it"
        raise RuntimeError(msg)
    return newest


@cache
def known_revisions() -> frozenset[str]:
    """Give every revision that this version can upgrade from, the newest included."""
    return frozenset(each.revision for each in _scripts().walk_revisions())


def require_known_revision(found: Contents, place: Location) -> None:
    """Raise LogUnreadable when a newer warmlog has upgraded the log."""
    if found.revision is not None and found.revision not in known_revisions():
        msg = (
            f"The log {place.name} was upgraded by a newer warmlog (to revision "
            f"{found.revision}): use that version or a later one."
        )
        raise LogUnreadable(msg)


def revision_of(connection: Connection) -> str | None:
    """Give the revision of the connected database; None when no migration ever ran there."""
    options = {"version_table": tables.VERSION_TABLE}
    return MigrationContext.configure(connection, opts=options).get_current_revision()


def upgrade_within(connection: Connection, revision: str = NEWEST) -> None:
    """Upgrade in the caller's transaction. Of two processes the second waits, and finds it done."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"))
    command.upgrade(_config(connection), revision)


async def transact_alone(
    place: Location, work: Callable[[Connection], Result], *, create: bool = False
) -> Result:
    """Run `work`, which may migrate, in a transaction that holds the writers' lock.

    Alembic keeps the connection it works on in module globals, and a task of the same loop could
    start another migration in the middle of one. So each has a thread and a loop of its own, and
    one runs at a time. `create` lets SQLite make the file. Raises LogUnavailable, LogFull.
    """
    return await asyncio.to_thread(_transact_alone, place, work, create=create)


def _transact_alone(
    place: Location, work: Callable[[Connection], Result], *, create: bool
) -> Result:
    async def transact() -> Result:
        engine = writing_engine(place, create=create, answer_seconds=None)
        try:
            with translated(place.name):
                async with engine.begin() as connection:
                    return await connection.run_sync(work)
        finally:
            await engine.dispose()

    with _ONE_AT_A_TIME:
        return asyncio.run(transact())


@cache
def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    folder = str(Path(migrations.__file__).parent)
    # A configuration interpolates per cent signs, which a folder's name may hold.
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
