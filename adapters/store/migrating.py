"""Bringing a database to the tables of this version, with Alembic and no configuration file."""

from collections.abc import Callable
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

import migrations
from adapters.store import tables
from adapters.store.dialects import writing_engine
from adapters.store.examining import examine_at, require_ours
from adapters.store.locations import parse_location
from adapters.store.translating import translated

NEWEST = "head"

# Any number will do, as long as every warmlog takes the same one.
_ADVISORY_LOCK = 0x7761726D6C6F67


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


def newest_revision() -> str:
    """Give the revision that this version's code works with."""
    newest = ScriptDirectory.from_config(_config()).get_current_head()
    if newest is None:
        msg = "warmlog's migrations are not installed beside it"
        raise RuntimeError(msg)
    return newest


def known_revisions() -> set[str]:
    """Give every revision that this version can upgrade from, the newest included."""
    return {each.revision for each in ScriptDirectory.from_config(_config()).walk_revisions()}


def revision_of(connection: Connection) -> str | None:
    """Give the revision of the connected database; None when no migration ever ran there."""
    options = {"version_table": tables.VERSION_TABLE}
    return MigrationContext.configure(connection, opts=options).get_current_revision()


def upgrade_within(connection: Connection, revision: str = NEWEST) -> None:
    """Upgrade in the caller's transaction. Of two processes the second waits, and finds it done."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"))
    command.upgrade(_config(connection), revision)


async def _change(location: str | Path, work: Callable[[Connection], None]) -> str | None:
    place = parse_location(location)
    require_ours(await examine_at(place), place)
    engine = writing_engine(place)
    try:
        with translated(place.name):
            async with engine.begin() as connection:
                await connection.run_sync(work)
                return await connection.run_sync(revision_of)
    finally:
        await engine.dispose()


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    folder = str(Path(migrations.__file__).parent)
    # A configuration interpolates per cent signs, which a folder's name may hold.
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
