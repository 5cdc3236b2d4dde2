"""A file of JSON Lines that grows: whole rows, whatever stops whoever writes it."""

import subprocess
import sys
from pathlib import Path

import pytest

from adapters.store.growing_files import GrowingFile, key_beside
from adapters.store.json_lines import Header
from adapters.store.opening import open_log
from adapters.store.row_lines import event_line
from engine.errors import Fenced, LogTruncated, LogUnavailable, LogUnreadable, PositionTaken
from engine.events import Event
from engine.logs import LogIdentity
from tests.repository import ROOT
from tests.store.rows import NOON, STARTED, read_all, row, rows

KEY = b"k" * 32
FULL = """
import asyncio, resource, sys
from pathlib import Path
from adapters.store.growing_files import GrowingFile
from engine.errors import LogFull
from tests.store.rows import NOON, STARTED, row

async def main():
    log = await GrowingFile.open(Path(sys.argv[1]), lambda: b"k")
    await log.open_epoch(STARTED, NOON)
    resource.setrlimit(resource.RLIMIT_FSIZE, (900, resource.RLIM_INFINITY))
    for seq in range(2, 100):
        try:
            await log.append(1, seq - 1, [row(seq)])
        except LogFull as error:
            print(seq - 1, error)
            break
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await log.append(1, seq - 1, [row(seq)])

asyncio.run(main())
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a log is to be."""
    return tmp_path / "log.jsonl"


def content(path: Path) -> bytes:
    """Read a file."""
    return path.read_bytes()


def fill(path: Path, written: bytes) -> None:
    """Write a file."""
    path.write_bytes(written)


async def opened(path: Path) -> GrowingFile:
    """Open it to write."""
    return await GrowingFile.open(path, lambda: KEY)


async def written(path: Path, count: int = 3) -> list[Event]:
    """Write a session and rows after it; give them all."""
    log = await opened(path)
    first = (await log.open_epoch(STARTED, NOON)).event
    more = rows(1, count)
    await log.append(1, 1, more)
    await log.close()
    return [first, *more]


async def test_rows_come_back_identical(path: Path) -> None:
    """What was appended is read, by this log and by any reader, and the end is known."""
    told = await written(path)
    async with await open_log(path, read_only=True) as log:
        assert await read_all(log) == told
        assert await read_all(log, 1, 3) == told[1:3]
        identity = await log.identify()
    assert identity == LogIdentity(identity.log_id, 4, 1, told[-1].at)
    again = await opened(path)
    assert await again.identify() == identity
    await again.close()


async def test_a_log_without_rows_has_no_end(path: Path) -> None:
    """A file that was only just made is an empty log."""
    log = await opened(path)
    assert (await log.identify())[1:] == (0, 0, 0)
    async with await open_log(path, read_only=True) as reader:
        assert await read_all(reader) == []
    await log.close()


async def test_long_rows_are_found_from_the_end(path: Path) -> None:
    """The end of a log is known also when its last row is longer than one look at the file."""
    log = await opened(path)
    await log.open_epoch(STARTED, NOON)
    await log.append(1, 1, [row(2, data=f'"{"x" * 300_000}"')])
    await log.close()
    async with await open_log(path, read_only=True) as reader:
        assert (await reader.identify()).position == 2


async def test_a_reader_may_come_while_it_grows(path: Path) -> None:
    """What is in the file by then is read, and no more is expected."""
    log = await opened(path)
    for seq in range(1, 4):
        event = (await log.open_epoch(STARTED, NOON + seq)).event
        async with await open_log(path, read_only=True) as reader:
            assert (await read_all(reader))[-1] == event
    await log.close()


@pytest.mark.parametrize("cut", [1, 2, 40])
async def test_a_cut_row_is_cut_off(path: Path, cut: int) -> None:
    """Whoever was killed in the middle of a row loses that row alone."""
    told = await written(path)
    whole = content(path)
    fill(path, whole[:-cut])
    async with await open_log(path, read_only=True) as reader:
        with pytest.raises(LogTruncated, match="The next row was being written"):
            await read_all(reader)
        assert (await reader.identify()).position == 3
    log = await opened(path)
    assert log.cut_bytes == len(event_line(told[-1])) - cut
    assert await read_all(log) == told[:-1]
    await log.append(1, 3, told[3:])
    assert content(path) == whole
    await log.close()


async def test_terms_and_positions_are_held(path: Path) -> None:
    """As in any log: an older term may not append, and rows follow each other."""
    log = await opened(path)
    await log.open_epoch(STARTED, NOON)
    opened_again = await log.open_epoch(STARTED, NOON - 5)
    assert (opened_again.epoch, opened_again.event.at) == (2, NOON)
    with pytest.raises(Fenced):
        await log.append(1, 2, rows(2, 1))
    with pytest.raises(PositionTaken):
        await log.append(2, 5, [each._replace(epoch=2) for each in rows(5, 1)])
    assert (await log.identify()).position == 2
    await log.close()


async def test_one_process_writes_at_a_time(path: Path) -> None:
    """A second writer is told so, and changes nothing."""
    log = await opened(path)
    with pytest.raises(LogUnavailable, match="is being written by another process"):
        await opened(path)
    await log.close()
    await (await opened(path)).close()


async def test_an_export_is_whole(path: Path) -> None:
    """Nothing is appended to a file whose header says where it ends, or that is none of ours."""
    fill(path, Header("log", 0, 1, 1, NOON).line() + event_line(rows(0, 1)[0]))
    before = content(path)
    with pytest.raises(LogUnreadable, match="is an export, which is whole"):
        await opened(path)
    assert content(path) == before
    fill(path, b"what somebody wrote, without an end of its line")
    with pytest.raises(LogUnreadable, match="is not a log of warmlog"):
        await opened(path)
    assert content(path).startswith(b"what somebody wrote, without")


async def test_a_damaged_last_row_is_said(path: Path) -> None:
    """A whole line that is no row is not cut off: it is somebody's to look at."""
    await written(path)
    with path.open("ab") as file:
        file.write(b"{}\n")
    with pytest.raises(LogUnreadable, match=r"The last line of .* is damaged"):
        await opened(path)


def test_a_full_volume_leaves_whole_rows(path: Path) -> None:
    """What does not fit is taken back, said, and written when there is room again."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, path], cwd=ROOT, capture_output=True, check=True, text=True
    )
    assert "cannot be written" in done.stdout
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == int(done.stdout.split()[0]) + 2
    assert all(line.endswith(b"\n") for line in lines)


def test_a_key_is_made_once_and_for_its_owner_alone(path: Path) -> None:
    """It lies beside the file, not in it."""
    key = key_beside(path)
    assert len(key) == 32
    assert key_beside(path) == key
    place = path.with_name("log.jsonl.key")
    assert place.stat().st_mode & 0o777 == 0o600
    assert not path.exists()
