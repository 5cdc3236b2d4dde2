"""What concerns PostgreSQL alone: connections that break, settings, servers that are not there."""

import subprocess
import sys
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.store.databases import End, SqlLog, insert_rows
from adapters.store.opening import open_log
from engine.errors import LogUnavailable, LogUnreachable, LogUnreadable
from tests.store.databases import as_superuser, fresh_database
from tests.store.proxies import losing_proxy
from tests.store.rows import NOON, STARTED, read_all, rows

CLOSED_PORT = "postgresql://warm:secret@127.0.0.1:1/log"

WITHOUT_DRIVER = """
import asyncio, sys
sys.modules["asyncpg"] = None
from adapters.store.opening import open_log
from engine.errors import LogUnreadable
try:
    asyncio.run(open_log("postgresql://localhost/log"))
except LogUnreadable as error:
    print(error)
"""


@pytest.fixture
async def location() -> AsyncIterator[str]:
    """Give the URL of an empty database."""
    async with fresh_database() as url:
        yield url


@pytest.fixture
async def log(location: str) -> AsyncIterator[SqlLog]:
    """Give a new log, closed afterwards."""
    async with await open_log(location, create=True) as log:
        yield log


async def break_connection(connection: AsyncConnection, _end: End) -> None:
    """Let the server end the connection it is asked on."""
    await connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))


@pytest.mark.postgres
async def test_connection_lost_in_a_transaction(log: SqlLog) -> None:
    """A connection that breaks before the commit leaves nothing; the next append has a new one."""

    async def work(connection: AsyncConnection, end: End) -> None:
        await insert_rows(connection, rows(end.position, 5))
        await break_connection(connection, end)

    await log.open_epoch(STARTED, NOON)
    with pytest.raises(LogUnavailable):
        await log.transact(work)
    assert (await log.identify()).position == 1
    await log.append(1, 1, rows(1, 5))
    assert await read_all(log, 1) == rows(1, 5)


@pytest.mark.postgres
async def test_answer_to_a_commit_lost(log: SqlLog, location: str) -> None:
    """Rows whose commit was never answered are given again, and are there once."""
    await log.open_epoch(STARTED, NOON)
    url = make_url(location)
    assert url.host is not None
    async with losing_proxy(url.host, url.port or 5432) as (proxy, port):
        through = url.set(host="127.0.0.1", port=port).render_as_string(hide_password=False)
        async with await open_log(f"{through}?sslmode=disable") as writer:
            await writer.append(1, 1, rows(1, 2))
            proxy.armed = True
            with pytest.raises(LogUnavailable):
                await writer.append(1, 3, rows(3, 4))
            assert await read_all(log, 1) == rows(1, 6)
            await writer.append(1, 3, rows(3, 9))
    assert await read_all(log, 1) == rows(1, 11)


@pytest.mark.postgres
async def test_connections_lost_between_transactions(log: SqlLog) -> None:
    """After a server's restart each connection fails at most once, and nothing is lost."""

    async def break_others(connection: AsyncConnection, _end: End) -> None:
        await connection.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE usename = current_user AND pid <> pg_backend_pid()"
            )
        )

    await log.open_epoch(STARTED, NOON)
    assert await read_all(log, 1) == []
    await log.transact(break_others)
    with pytest.raises(LogUnavailable):
        await read_all(log)
    assert len(await read_all(log)) == 1


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("synchronous_commit", "on"),
        ("transaction_isolation", "read committed"),
        ("lock_timeout", "5s"),
        ("idle_in_transaction_session_timeout", "30s"),
    ],
)
async def test_settings(log: SqlLog, setting: str, value: str) -> None:
    """A writer's commits are on disk when acknowledged, and no wait is for ever."""

    async def work(connection: AsyncConnection, _end: End) -> object:
        return await connection.scalar(text(f"SHOW {setting}"))

    assert await log.transact(work) == value


@pytest.mark.postgres
async def test_missing_rights(location: str) -> None:
    """A user who may not make tables, or may not read one, is told that a right is missing."""
    name = make_url(location).username

    async def revoke(connection: AsyncConnection, _end: End) -> None:
        await connection.execute(text("REVOKE SELECT ON events FROM CURRENT_USER"))

    async with await open_log(location, create=True) as log:
        await log.transact(revoke)
        with pytest.raises(LogUnreadable, match="grant it the schema and tables"):
            await read_all(log)
    await as_superuser(f"DROP SCHEMA {name} CASCADE")
    with pytest.raises(LogUnreadable, match="grant it the schema and tables"):
        await open_log(location, create=True)


@pytest.mark.postgres
async def test_unknown_database_and_user(location: str) -> None:
    """A database or a user that the server does not have is named, with what to do."""
    url = make_url(location)
    nowhere = url.set(database="no_such_database").render_as_string(hide_password=False)
    with pytest.raises(LogUnreadable, match=r"no_such_database does not exist.*createdb"):
        await open_log(nowhere)
    nobody = url.set(username="nobody_here").render_as_string(hide_password=False)
    with pytest.raises(LogUnreadable, match=r"nobody_here.*refused the (user|password)"):
        await open_log(nobody)


@pytest.mark.postgres
@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
async def test_schemes(log: SqlLog, location: str, scheme: str) -> None:
    """A URL may name PostgreSQL as other tools do, with their way to ask for no TLS."""
    url = location.replace("postgresql+asyncpg", scheme) + "?sslmode=disable"
    async with await open_log(url) as again:
        assert await again.identify() == await log.identify()


async def test_unreachable_server() -> None:
    """A server that does not answer is said so, to retry or to give up; no password is shown."""
    for create in (True, False):
        with pytest.raises(
            LogUnreachable, match="does not answer: check that the server"
        ) as caught:
            await open_log(CLOSED_PORT, create=create)
        assert isinstance(caught.value, LogUnreadable)
        assert isinstance(caught.value, LogUnavailable)
        assert "secret" not in str(caught.value)


def test_missing_driver() -> None:
    """Without the extra the command that installs it is named."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_DRIVER], check=False, capture_output=True, text=True
    )
    assert "run pip install 'warmlog[postgres]'" in done.stdout, done.stderr
