"""Exporting a log from, and importing it into, any database."""

import io
from pathlib import Path

import pytest

from adapters.store.copying import export_file, export_log, import_log
from adapters.store.databases import SqlLog
from adapters.store.json_lines import JsonLinesReader
from adapters.store.opening import open_log
from engine.errors import Fenced, LogTruncated, LogUnreadable
from engine.logs import EventReader
from tests.store.rows import NOON, STARTED, read_all, rows

DATA = ['{"a":1.0,"b":1e3,"c":-0}', '"\\u0000\\ud800"', "[]", '{"data":{"epoch":1}}']


async def fill(log: SqlLog) -> None:
    """Write a history of two terms with odd data."""
    await log.open_epoch(STARTED, NOON)
    batch = [event._replace(data=data) for event, data in zip(rows(1, 4), DATA, strict=True)]
    await log.append(1, 1, batch)
    await log.open_epoch(STARTED, NOON)
    await log.append(2, 6, rows(6, 94, epoch=2))


async def exported(reader: EventReader, until: int | None = None) -> bytes:
    """Give what `export` writes."""
    stream = io.BytesIO()
    await export_log(reader, stream, until=until)
    return stream.getvalue()


class Copying:
    """Export and import. A mixin: see suite.py."""

    async def test_round_trip(self, log: SqlLog, other_location: str, tmp_path: Path) -> None:
        """A log exported, imported and exported again gives the same bytes."""
        await fill(log)
        first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
        header = await export_file(log, first)
        assert header == ((await log.identify()).log_id, 0, 100, 2, NOON + 100)
        found = await import_log(JsonLinesReader(first), other_location)
        assert found == await log.identify() == await JsonLinesReader(first).identify()
        async with await open_log(other_location) as copy:
            assert await read_all(copy) == await read_all(log)
            await export_file(copy, second)
        assert same(first, second)
        assert sorted(each.name for each in parts(tmp_path) if each.suffix == ".jsonl") == [
            "first.jsonl",
            "second.jsonl",
        ]

    async def test_copy_goes_on(self, log: SqlLog, other_location: str) -> None:
        """An imported log has the epochs of the first and goes on from there, with its own key."""
        await fill(log)
        await import_log(log, other_location)
        async with await open_log(other_location) as copy:
            assert await copy.secret_key() != await log.secret_key()
            with pytest.raises(Fenced):
                await copy.append(1, 100, rows(100, 1))
            opened = await copy.open_epoch(STARTED, NOON)
            assert (opened.epoch, opened.event.seq, opened.event.at) == (3, 101, NOON + 100)

    @pytest.mark.parametrize("until", [0, 1, 5, 6, 99, 100, 500])
    async def test_export_until(self, log: SqlLog, tmp_path: Path, until: int) -> None:
        """An export may end at any row, and then is a whole log that ends there."""
        await fill(log)
        path = tmp_path / "part.jsonl"
        await export_file(log, path, until=until)
        reader = JsonLinesReader(path)
        events = await read_all(reader)
        assert events == await read_all(log, 0, until)
        identity = await reader.identify()
        assert identity.position == min(until, 100)
        last = events[-1] if events else None
        assert (identity.epoch, identity.last_at) == ((last.epoch, last.at) if last else (0, 0))

    async def test_equal_logs_export_equal_bytes(self, log: SqlLog, other_location: str) -> None:
        """The bytes of an export depend on the log alone, not on where it lies or its key."""
        await fill(log)
        log_id = (await log.identify()).log_id
        async with await open_log(other_location, create=True, log_id=log_id) as other:
            await fill(other)
            assert await exported(other) == await exported(log)
            assert await exported(other, 50) == await exported(log, 50) != await exported(log)

    async def test_empty_log(self, log: SqlLog, other_location: str, tmp_path: Path) -> None:
        """An empty log can be carried as well."""
        path = tmp_path / "empty.jsonl"
        await export_file(log, path)
        assert await import_log(JsonLinesReader(path), other_location) == await log.identify()

    async def test_import_into_rows(self, log: SqlLog, other_location: str) -> None:
        """A log that has rows, or is another one, is not imported into."""
        await fill(log)
        await import_log(log, other_location)
        with pytest.raises(LogUnreadable, match="holds rows already: import into a new place"):
            await import_log(log, other_location)

    async def test_import_into_another_log(self, log: SqlLog, other_location: str) -> None:
        """Where another log lies, even an empty one, nothing is imported."""
        await (await open_log(other_location, create=True, log_id="theirs")).close()
        with pytest.raises(LogUnreadable, match="is theirs, not"):
            await import_log(log, other_location)

    async def test_import_of_a_cut_file(
        self, log: SqlLog, other_location: str, tmp_path: Path
    ) -> None:
        """A file that is cut is imported not at all; once it is whole it can be."""
        await fill(log)
        path = tmp_path / "log.jsonl"
        whole = await exported(log)
        write(path, whole[:-20])
        with pytest.raises(LogTruncated, match="is cut at line 101"):
            await import_log(JsonLinesReader(path), other_location)
        async with await open_log(other_location) as copy:
            assert (await copy.identify())[1:] == (0, 0, 0)
        write(path, whole)
        assert (await import_log(JsonLinesReader(path), other_location)).position == 100

    async def test_failed_export(self, log: SqlLog, tmp_path: Path) -> None:
        """An export that fails leaves the file that was there, and nothing beside it."""
        await fill(log)
        folder = tmp_path / "exports"
        path = make(folder) / "log.jsonl"
        write(path, b"before")
        await log.close()
        with pytest.raises(LogUnreadable):
            await export_file(JsonLinesReader(folder / "none.jsonl"), path)
        assert parts(folder) == [path]
        assert path.read_bytes() == b"before"


def write(path: Path, content: bytes) -> None:
    """Write a file."""
    path.write_bytes(content)


def make(folder: Path) -> Path:
    """Make a folder."""
    folder.mkdir()
    return folder


def parts(folder: Path) -> list[Path]:
    """List a folder."""
    return sorted(folder.iterdir())


def same(first: Path, second: Path) -> bool:
    """Tell whether two files hold the same bytes."""
    return first.read_bytes() == second.read_bytes()
