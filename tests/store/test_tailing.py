"""Tailing: rows as they come, and a log that is away for a while, grows, or is another one."""

from pathlib import Path

import pytest

from adapters.store.json_lines import OPEN_END, Header
from adapters.store.opening import OpenReader, open_log
from adapters.store.row_lines import event_line
from adapters.store.tailing import Begun, Lost, News, Rested, Rows
from engine.errors import LogUnreadable
from tests.store.resting import Deed, followed
from tests.store.rows import NOON, STARTED, rows

HEADER = Header("log-1", 0, OPEN_END, 0, 0).line()
OTHER = Header("log-2", 0, OPEN_END, 0, 0).line()


async def told(path: Path, *deeds: Deed) -> list[News]:
    """Follow a file while these deeds are done, one at each rest."""

    async def opening() -> OpenReader:
        return await open_log(path, read_only=True)

    return await followed(opening, *deeds)


def seqs(news: list[News]) -> list[list[int]]:
    """Give the positions of the rows that came together."""
    return [[event.seq for event in each.events] for each in news if isinstance(each, Rows)]


def append(path: Path, text: bytes) -> None:
    """Append to a file."""
    with path.open("ab") as file:
        file.write(text)


def lines(after: int, count: int) -> bytes:
    """Give the lines of rows."""
    return b"".join(map(event_line, rows(after, count)))


async def test_a_file_that_grows_is_read_on(tmp_path: Path) -> None:
    """Rows that are appended come once each, and half a row only when its end is there."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(HEADER + lines(0, 3))
    half = lines(5, 1)
    news = await told(
        path,
        lambda: append(path, lines(3, 2) + half[:40]),
        lambda: append(path, half[40:]),
    )
    assert seqs(news) == [[1, 2, 3], [4, 5], [6]]
    rested = [each.words for each in news if isinstance(each, Rested)]
    assert [bool(words) for words in rested] == [False, True, False]
    assert "cut at line 7" in rested[1]


async def test_only_what_was_appended_is_read(tmp_path: Path) -> None:
    """What was read once is not looked at again: it may even be destroyed."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(HEADER + lines(0, 3))

    def spoil_and_append() -> None:
        content = path.read_bytes()
        first = len(HEADER)
        with path.open("r+b") as file:
            file.seek(first)
            file.write(b"#" * (len(content) - first - 1))
        append(path, lines(3, 1))

    assert seqs(await told(path, spoil_and_append)) == [[1, 2, 3], [4]]


async def test_a_log_that_is_away_is_lost_and_found(tmp_path: Path) -> None:
    """While the file is away that is told at each look; then it goes on with the next row."""
    path, aside = tmp_path / "log.jsonl", tmp_path / "aside"
    path.write_bytes(HEADER + lines(0, 2))

    def bring_back() -> None:
        append(aside, lines(2, 1))
        aside.rename(path)

    news = await told(path, lambda: path.rename(aside), lambda: None, bring_back)
    assert seqs(news) == [[1, 2], [3]]
    lost = [each.words for each in news if isinstance(each, Lost)]
    assert len(lost) == 2
    assert all("There is no log at" in words for words in lost)
    assert isinstance(news[-1], Rested)


@pytest.mark.parametrize("header", [OTHER, HEADER])
async def test_another_log_in_its_place_is_read_from_its_beginning(
    header: bytes, tmp_path: Path
) -> None:
    """A log of another name, or one that is shorter than what was read, is begun with anew."""
    path, other = tmp_path / "log.jsonl", tmp_path / "other"
    path.write_bytes(HEADER + lines(0, 3))
    other.write_bytes(header + lines(0, 2))
    news = await told(path, lambda: other.rename(path))
    assert seqs(news) == [[1, 2, 3], [1, 2]]
    begun = [each.identity.log_id for each in news if isinstance(each, Begun)]
    assert begun == ["log-1", "log-1" if header is HEADER else "log-2"]


async def test_a_place_without_a_log_is_refused(tmp_path: Path) -> None:
    """What never was there is no loss, but a wrong place."""
    with pytest.raises(LogUnreadable, match="There is no log at"):
        await told(tmp_path / "log.jsonl")


async def test_a_database_replaced_while_it_is_read_is_noticed(tmp_path: Path) -> None:
    """A SQLite file that is deleted and made anew between two looks is the new log."""
    path, other = tmp_path / "log.db", tmp_path / "other.db"
    log = await open_log(path, create=True, log_id="first")
    await log.open_epoch(STARTED, NOON)
    second = await open_log(other, create=True, log_id="second")
    await second.open_epoch(STARTED, NOON)

    def replace() -> None:
        for end in ("", "-wal", "-shm"):
            path.with_name(path.name + end).unlink()
            other.with_name(other.name + end).rename(path.with_name(path.name + end))

    try:
        news = await told(path, replace)
    finally:
        await log.close()
        await second.close()
    begun = [each.identity.log_id for each in news if isinstance(each, Begun)]
    assert begun == ["first", "second"]
