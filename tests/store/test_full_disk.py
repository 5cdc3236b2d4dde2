"""A volume without space: a clear error, nothing half-done, nothing acknowledged lost."""

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.store.databases import End, SqlLog
from adapters.store.opening import open_log
from adapters.store.snapshots import load_snapshot, save_snapshot
from engine.canonical_json import dumps
from engine.errors import LogFull
from engine.events import Event
from engine.snapshots import Snapshot
from tests.store.rows import NOON, STARTED, read_all, row

FILL = """
import asyncio, resource, sys
from pathlib import Path
from adapters.store.opening import open_log
from engine.errors import LogFull
from tests.store.rows import NOON, STARTED, read_all
from tests.store.test_full_disk import fill, large

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

async def main():
    async with await open_log(sys.argv[1], create=True) as log:
        await log.open_epoch(STARTED, NOON)
        limit(500_000)
        kept = await fill(log, 1)
        assert await read_all(log, 1) == kept
        limit(resource.RLIM_INFINITY)
        more = large(len(kept) + 1, 20)
        await log.append(1, len(kept) + 1, more)
        assert await read_all(log, 1) == kept + more
        print(len(kept) + len(more))

asyncio.run(main())
"""


def large(position: int, count: int) -> list[Event]:
    """Give rows of 4 KiB."""
    return [row(seq, data=dumps("x" * 4096)) for seq in range(position + 1, position + count + 1)]


async def fill(log: SqlLog, position: int) -> list[Event]:
    """Append until the log is full; give what was acknowledged. Fails if it never is."""
    acknowledged: list[Event] = []
    for _ in range(1000):
        batch = large(position, 7)
        try:
            await log.append(1, position, batch)
        except LogFull as error:
            assert "make room" in str(error)  # noqa: PT017 -- said each time it is met
            return acknowledged
        acknowledged += batch
        position += len(batch)
    pytest.fail("the log never became full")


async def allow_pages(log: SqlLog, pages: int) -> None:
    """Let SQLite behave as if the volume had room for so many pages."""

    async def work(connection: AsyncConnection, _end: End) -> None:
        await connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    await log.transact(work)


@pytest.mark.parametrize("pages", [40, 41, 60, 100])
async def test_no_space(tmp_path: Path, pages: int) -> None:
    """SQLITE_FULL is LogFull; what was acknowledged stays; with space appending goes on."""
    path = tmp_path / "log.db"
    async with await open_log(path, create=True) as log:
        await log.open_epoch(STARTED, NOON)
        await allow_pages(log, pages)
        kept = await fill(log, 1)
        assert await read_all(log, 1) == kept
        assert (await log.identify()).position == len(kept) + 1
        with pytest.raises(LogFull):
            await log.append(1, len(kept) + 1, large(len(kept) + 1, 7))
        with pytest.raises(LogFull):
            await save_snapshot(log, Snapshot("log", 1, "", "", "x" * 10**6))
        await allow_pages(log, 10**6)
        more = large(len(kept) + 1, 20)
        await log.append(1, len(kept) + 1, more)
    async with await open_log(path) as again:
        assert await read_all(again, 1) == kept + more
        assert await load_snapshot(again) is None


def test_failing_writes(tmp_path: Path) -> None:
    """When the system refuses the bytes themselves, the same holds, in the same process."""
    path = tmp_path / "log.db"
    done = subprocess.run(
        [sys.executable, "-c", FILL, path], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20
