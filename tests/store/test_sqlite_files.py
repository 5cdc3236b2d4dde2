"""What concerns SQLite's files alone: reading without a trace, foreign files, and durability."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlalchemy.sql import Executable

from adapters.store import tables
from adapters.store.databases import SqlReader
from adapters.store.dialects import sqlite_engine
from adapters.store.opening import open_log
from adapters.store.readings import EngineReadings, FileReadings, Parameters, Readings, Rows
from engine.errors import LogUnavailable, LogUnreadable
from tests.store.rows import NOON, STARTED, read_all, rows
from tests.store.suite_following import SHORT_SECONDS, follow_until, reaches
from tests.store.suite_racing import read_acknowledged, writer_process

READ = """
import asyncio, os, sys
from adapters.store.opening import open_log

async def read():
    reader = await open_log(sys.argv[1], read_only=True)
    print((await reader.identify()).position, sum([len(each) async for each in reader.read()]))
    await reader.close()

asyncio.run(read())  # so that nothing need be imported by a user who may read little
if os.getuid() == 0:
    os.setuid(65534)
try:
    os.close(os.open(os.path.dirname(sys.argv[1]) + "/made", os.O_CREAT))
except PermissionError:
    asyncio.run(read())
"""


def names(folder: Path) -> set[str]:
    """List a folder."""
    return {each.name for each in folder.iterdir()}


def look(path: Path) -> tuple[bytes, int]:
    """Give what a file holds and when it was written last."""
    return path.read_bytes(), path.stat().st_mtime_ns


def damage(path: Path) -> None:
    """Overwrite all but the first page."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """Give a log of ten rows that nobody has open, alone in its folder."""
    folder = tmp_path / "logs"
    folder.mkdir()
    path = folder / "log.db"
    async with await open_log(path, create=True) as log:
        await log.open_epoch(STARTED, NOON)
        await log.append(1, 1, rows(1, 9))
    return path


async def test_closing_leaves_one_file(path: Path) -> None:
    """A log that is closed is one file, to be copied as it is."""
    assert names(path.parent) == {"log.db"}


async def test_reading_leaves_no_trace(path: Path) -> None:
    """Reading changes neither the file nor its folder, while it reads and afterwards."""
    before = look(path)
    async with await open_log(path, read_only=True) as reader:
        assert len(await read_all(reader)) == 10
        assert names(path.parent) == {"log.db"}
    assert names(path.parent) == {"log.db"}
    assert look(path) == before


def test_reading_where_nothing_may_be_written(path: Path, tmp_path: Path) -> None:
    """A file that may not be written, in a folder that may not either, can be read."""
    for folder in [tmp_path, *tmp_path.parents]:
        if folder.owner() != path.owner() or folder == folder.parent:
            break
        folder.chmod(folder.stat().st_mode | 0o055)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    done = subprocess.run(
        [sys.executable, "-c", READ, path],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )
    path.parent.chmod(0o755)
    assert (done.returncode, done.stdout.split()) == (0, ["10", "10"] * 2), done.stderr


async def test_a_writer_comes(path: Path) -> None:
    """A reader that found the file at rest follows a writer that comes, goes and comes again."""
    reader = await open_log(path, read_only=True, poll_seconds=SHORT_SECONDS)
    assert isinstance(reader, SqlReader)
    async with reader:
        following = asyncio.create_task(follow_until(reader.follow(), reaches(3010)))
        for position in range(10, 3010, 1000):
            async with await open_log(path) as log:
                for start in range(position, position + 1000, 100):
                    await log.append(1, start, rows(start, 100))
        seen = await following
    assert seen[1:] == rows(1, 3009)


async def test_writers_come_and_go(tmp_path: Path) -> None:
    """Whatever a reader gets while files are opened, written and closed is one whole state."""
    path = tmp_path / "log.db"
    await (await open_log(path, create=True)).close()

    async def write() -> None:
        for _ in range(15):
            async with await open_log(path) as log:
                opened = await log.open_epoch(STARTED, NOON)
                await log.append(
                    opened.epoch, opened.event.seq, rows(opened.event.seq, 99, opened.epoch)
                )

    writing = asyncio.create_task(write())
    lengths = []
    while not writing.done():
        async with await open_log(path, read_only=True) as reader:
            events = await read_all(reader, batch_rows=10_000)
            assert [event.seq for event in events] == list(range(1, len(events) + 1))
            lengths.append(len(events))
    await writing
    assert {length % 100 for length in lengths} <= {0, 1}
    assert lengths == sorted(lengths)


class Overtaken:
    """Readings (adapters.store.readings.Readings) of a file that changes in mid-statement."""

    def __init__(self, path: Path, error: Exception | None) -> None:
        self._path = path
        self._error = error
        self.opened: list[bool] = []

    def __call__(self, path: Path, *, immutable: bool) -> Readings:
        """Be opened: the first time to be overtaken, then as a file is opened in earnest."""
        self.opened.append(immutable)
        if len(self.opened) == 1:
            return self
        return EngineReadings(sqlite_engine(path, "ro", immutable=immutable), "")

    async def rows(self, statement: Executable, parameters: Parameters | None = None) -> Rows:
        """Give what no state of the log ever held, because a writer comes and goes meanwhile."""
        async with await open_log(self._path) as log:
            await log.append(1, 10, rows(10, 5))
        if self._error is not None:
            raise self._error
        return ()

    async def close(self) -> None:
        """Nothing is held."""


@pytest.mark.parametrize("error", [None, LogUnreadable("is damaged")])
async def test_overtaken_statement(path: Path, error: Exception | None) -> None:
    """Rows, or damage, read while a writer came and went are not believed but read again."""
    overtaken = Overtaken(path, error)
    readings = FileReadings(path, overtaken)
    found = await readings.rows(select(func.max(tables.events.c.seq)))
    await readings.close()
    assert found[0][0] == 15
    assert overtaken.opened == [True, True]


async def test_reading_after_a_kill(tmp_path: Path) -> None:
    """What a killed writer was promised can be read before any writer has cleaned up."""
    path = tmp_path / "log.db"
    await (await open_log(path, create=True)).close()
    async with writer_process(str(path), "endless") as process:
        acknowledged = await read_acknowledged(process, 3)
        process.kill()
        assert await process.wait() == -signal.SIGKILL
    assert "log.db-wal" in names(tmp_path)
    async with await open_log(path, read_only=True) as reader:
        events = await read_all(reader, 1)
    assert events == rows(1, len(events))
    assert len(events) + 1 >= acknowledged[-1][1]


async def test_foreign_database_is_untouched(tmp_path: Path) -> None:
    """Somebody else's database is refused without a byte of it changing."""
    path = tmp_path / "theirs.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = path.read_bytes()
    for create in (False, True):
        with pytest.raises(LogUnreadable, match=r"theirs\.db is not a log of warmlog: check"):
            await open_log(path, create=create)
    assert path.read_bytes() == before
    assert names(tmp_path) == {"theirs.db"}


@pytest.mark.parametrize(
    ("content", "helps"),
    [
        (b"x", "check the path"),
        (b"kind: ModelWarmup\n", "it is YAML, so have kubectl write it with -o json"),
        (b"\0" * 5000, "check the path"),
        (b"\x1f\x8b\x08\0", "it is compressed, so unpack it first: `gunzip "),
        (b'\xef\xbb\xbf\n {\n"kind": "List"}', "it looks like what kubectl or an audit log wrote"),
        (
            b'{"after":0,"epoch":1',
            r"it is a log in JSON Lines, so give it a name that ends in \.jsonl",
        ),
    ],
)
async def test_foreign_file(tmp_path: Path, content: bytes, helps: str) -> None:
    """A file that is no database is refused with what helps, and left alone."""
    path = tmp_path / "warmup.yaml"
    path.write_bytes(content)
    for create in (False, True):
        with pytest.raises(LogUnreadable, match=rf"no SQLite database, nor named \.jsonl: {helps}"):
            await open_log(path, create=create)
    assert path.read_bytes() == content


async def test_damaged_file(path: Path) -> None:
    """A log whose pages were overwritten is said to be damaged, with what to do."""
    damage(path)
    with pytest.raises(LogUnreadable, match="is damaged: restore it"):
        async with await open_log(path, read_only=True) as reader:
            await read_all(reader)


async def test_empty_file(tmp_path: Path) -> None:
    """An empty file holds no log, and may become one."""
    path = tmp_path / "log.db"
    path.touch()
    with pytest.raises(LogUnreadable, match="holds no log yet"):
        await open_log(path)
    async with await open_log(path, create=True) as log:
        assert (await log.identify()).position == 0


async def test_missing_folder(tmp_path: Path) -> None:
    """A log cannot be made in a folder that is not there; the sentence says what to check."""
    with pytest.raises(LogUnavailable, match="check that the file and its folder exist"):
        await open_log(tmp_path / "nowhere" / "log.db", create=True)


async def test_folder(tmp_path: Path) -> None:
    """A folder is no log."""
    with pytest.raises(LogUnreadable, match="is a folder: name the log's file in it"):
        await open_log(tmp_path)


async def test_odd_names(tmp_path: Path) -> None:
    """A path may hold what a URL would take for something else."""
    for name in ("a b.db", "50%.db", "what?.db", "#1.db", "é.db", "a&mode=ro.db"):
        async with await open_log(tmp_path / name, create=True) as log:
            await log.open_epoch(STARTED, NOON)
        async with await open_log(f"{tmp_path}/{name}", read_only=True) as reader:
            assert (await reader.identify()).position == 1
        assert name in names(tmp_path)


async def test_file_that_vanishes(path: Path) -> None:
    """A file that is removed while it is read is said to be gone."""
    reader = await open_log(path, read_only=True)
    os.remove(path)  # noqa: PTH107 -- pathlib's is forbidden in a coroutine
    with pytest.raises(LogUnreadable, match="cannot be read: No such file"):
        await reader.identify()
    await reader.close()


async def test_settings(path: Path) -> None:
    """A writer's connection commits to disk before it answers (FULL is 2), in WAL mode."""
    async with await open_log(path) as log:
        found = await log.transact(
            lambda connection, _end: connection.run_sync(
                lambda sync: (
                    sync.exec_driver_sql("PRAGMA synchronous").scalar(),
                    sync.exec_driver_sql("PRAGMA journal_mode").scalar(),
                )
            )
        )
    assert found == (2, "wal")
