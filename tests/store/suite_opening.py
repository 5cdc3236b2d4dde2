"""How a log is made, opened and upgraded, and what is said when it cannot be."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.store import tables
from adapters.store.databases import End, SqlLog, SqlReader
from adapters.store.locations import parse_location
from adapters.store.migrating import (
    current,
    downgrade,
    known_revisions,
    newest_revision,
    transact_alone,
    upgrade,
)
from adapters.store.opening import open_log
from engine.errors import LogUnavailable, LogUnreadable
from tests.store.rows import NOON, STARTED, read_all, rows


async def change(log: SqlLog, statement: Any) -> None:
    """Run a statement of a test on the log's tables."""

    async def work(connection: AsyncConnection, _end: End) -> None:
        await connection.execute(statement)

    await log.transact(work)


async def on_database(location: str, work: Callable[[Connection], Any]) -> Any:
    """Run `work` on the database at `location`, whatever it holds."""
    return await transact_alone(parse_location(location), work, create=True)


class Opening:
    """Making, opening, migrating. A mixin: see suite.py."""

    async def test_ids(self, log: SqlLog, other_location: str) -> None:
        """A new log has a random id or the one it is given."""
        async with await open_log(other_location, create=True, log_id="demo-7") as named:
            assert (await named.identify()).log_id == "demo-7"
            assert len((await log.identify()).log_id) == 36

    async def test_existing_log_is_opened(self, log: SqlLog, location: str) -> None:
        """`create` leaves a log that is there as it is, and another id is refused."""
        await log.open_epoch(STARTED, NOON)
        identity = await log.identify()
        async with await open_log(location, create=True) as again:
            assert await again.identify() == identity
        async with await open_log(location, create=True, log_id=identity.log_id) as again:
            assert await again.identify() == identity
        with pytest.raises(LogUnreadable, match=f"is {identity.log_id}, not demo-8"):
            await open_log(location, create=True, log_id="demo-8")

    async def test_made_at_once(self, location: str, other_location: str) -> None:
        """Logs may be made at the same moment; in one place it becomes one log."""
        places = [location, other_location, location, other_location, location]
        logs = await asyncio.gather(*(open_log(place, create=True) for place in places))
        ids = [(await log.identify()).log_id for log in logs]
        for log in logs:
            await log.close()
        assert ids == [ids[0], ids[1], ids[0], ids[1], ids[0]]
        assert ids[0] != ids[1]

    async def test_reading_only(self, log: SqlLog, location: str) -> None:
        """A log opened to be read gives what is there, also while it is written."""
        await log.open_epoch(STARTED, NOON)
        reader = await open_log(location, read_only=True)
        assert isinstance(reader, SqlReader)
        assert not isinstance(reader, SqlLog)
        async with reader:
            for position in range(1, 30, 3):
                await log.append(1, position, rows(position, 3))
                assert await read_all(reader, 1) == rows(1, position + 2)
                assert await reader.identify() == await log.identify()

    async def test_nothing_there(self, location: str) -> None:
        """A place without a log is named, and the sentence tells what to check."""
        with pytest.raises(LogUnreadable, match=r"(no log at|holds no log yet).*check the"):
            await open_log(location)
        with pytest.raises(LogUnreadable, match=r"(no log at|holds no log yet).*check the"):
            await upgrade(location)

    async def test_foreign_database(self, location: str) -> None:
        """A database with somebody else's table of our name is refused and left alone."""

        def make(connection: Connection) -> None:
            connection.execute(text("CREATE TABLE events (theirs TEXT)"))
            connection.execute(text("INSERT INTO events VALUES ('kept')"))

        await on_database(location, make)
        for use in (
            open_log(location),
            open_log(location, create=True),
            open_log(location, read_only=True),
            upgrade(location),
            downgrade(location, "base"),
        ):
            with pytest.raises(LogUnreadable, match="is not a log of warmlog"):
                await use
        kept = await on_database(
            location, lambda connection: connection.scalar(text("SELECT theirs FROM events"))
        )
        assert kept == "kept"

    async def test_newer_format(self, log: SqlLog, location: str) -> None:
        """A log of a format that this code does not know is refused with both numbers."""
        await change(log, update(tables.log).values(format=tables.FORMAT + 1))
        with pytest.raises(LogUnreadable, match=r"format 2, written by a newer warmlog.* up to 1"):
            await open_log(location, read_only=True)

    async def test_newer_revision(self, log: SqlLog, location: str) -> None:
        """A log that a newer warmlog upgraded is refused; nothing else is tried on it."""
        await change(log, text("UPDATE warmlog_schema SET version_num = 'future'"))
        for create in (False, True):
            with pytest.raises(LogUnreadable, match=r"newer warmlog .to revision future.: use"):
                await open_log(location, create=create)
        with pytest.raises(LogUnreadable, match="newer warmlog"):
            await upgrade(location)

    async def test_missing_migration(self, log: SqlLog, location: str) -> None:
        """A log that is not upgraded is not opened; the command that upgrades it is named."""
        await log.close()
        await downgrade(location, "base")
        with pytest.raises(LogUnreadable, match="run `warmlog db upgrade "):
            await open_log(location, read_only=True)

    async def test_lost_identity(self, log: SqlLog, location: str) -> None:
        """A log without its own row is refused, to readers and to a writer that has it open."""
        await log.open_epoch(STARTED, NOON)
        await change(log, tables.log.delete())
        with pytest.raises(LogUnreadable, match="holds no log yet"):
            await open_log(location)
        with pytest.raises(LogUnreadable, match="lost its identity row"):
            await log.append(1, 1, rows(1, 1))
        with pytest.raises(LogUnreadable, match="lost its identity row"):
            await log.identify()

    async def test_closed(self, log: SqlLog) -> None:
        """A closed log says so; it opens no connection again."""
        await log.open_epoch(STARTED, NOON)
        await log.close()
        with pytest.raises(LogUnavailable, match="was closed here"):
            await log.append(1, 1, rows(1, 1))
        with pytest.raises(LogUnavailable, match="was closed here"):
            await log.identify()

    async def test_upgrade_and_downgrade(
        self, location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each revision can be taken and taken back, in whatever folder the command runs."""
        await (await open_log(location, create=True)).close()
        monkeypatch.chdir(tmp_path)
        assert await current(location) == newest_revision() == tables.REVISION
        assert await downgrade(location, "base") is None
        assert await on_database(location, _our_tables) == {tables.VERSION_TABLE}
        for revision in sorted(known_revisions()):
            assert await upgrade(location, revision) == revision
        assert await downgrade(location, "-1") is None
        assert await upgrade(location) == newest_revision() == await current(location)
        async with await open_log(location, create=True) as log:
            assert (await log.identify()).position == 0

    async def test_upgrade_keeps_rows(self, log: SqlLog, location: str) -> None:
        """Upgrading a log that is up to date changes nothing in it."""
        await log.open_epoch(STARTED, NOON)
        await log.append(1, 1, rows(1, 9))
        before = await read_all(log)
        assert await upgrade(location) == newest_revision()
        assert await read_all(log) == before

    async def test_migrations_make_the_tables(self, log: SqlLog, location: str) -> None:
        """The migrations make exactly the tables that the code describes."""
        await log.close()

        def compare(connection: Connection) -> list[Any]:
            options = {"version_table": tables.VERSION_TABLE, "compare_type": True}
            context = MigrationContext.configure(connection, opts=options)
            return list(compare_metadata(context, tables.metadata))

        assert await on_database(location, compare) == []


def _our_tables(connection: Connection) -> set[str]:
    names = [tables.VERSION_TABLE, *tables.metadata.tables]
    return {name for name in names if connection.dialect.has_table(connection, name)}
