"""Pieces: a log handed out a bounded part at a time, and what is none."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from adapters.store.json_lines import JsonLinesReader
from adapters.store.memory_logs import MemoryLog
from adapters.store.pieces import Piece, piece_after, read_piece
from adapters.store.row_lines import event_line
from engine.canonical_json import dumps, loads
from engine.errors import LogUnreadable
from engine.events import Event
from engine.logs import EventReader
from tests.recordings.reading import reader
from tests.store.rows import read_all, row, rows

PLACE = "http://localhost:8080"


def log_of(events: Sequence[Event]) -> MemoryLog:
    """A log with these rows."""
    log = MemoryLog("log-1")
    log.rows = list(events)
    return log


async def pieces(log: EventReader, most_bytes: int) -> list[Piece]:
    """A whole log, piece by piece."""
    found = [read_piece(await piece_after(log, 0, most_bytes=most_bytes), PLACE)]
    while found[-1].header.position < found[-1].end.position:
        after = found[-1].header.position
        found.append(read_piece(await piece_after(log, after, most_bytes=most_bytes), PLACE))
    return found


@pytest.mark.parametrize("most_bytes", [1, 5_000, 1 << 20])
async def test_pieces_are_the_log(most_bytes: int) -> None:
    """Together they are its rows, each piece tells where the log ends, and none is too large."""
    log = reader("demo")
    found = await pieces(log, most_bytes)
    assert [event for piece in found for event in piece.events] == await read_all(log)
    assert {piece.end for piece in found} == {await log.identify()}
    sizes = [sum(len(event_line(event)) for event in piece.events) for piece in found]
    alone = [len(piece.events) == 1 for piece in found]
    assert all(size <= most_bytes or one for size, one in zip(sizes, alone, strict=True))
    assert (len(found) > 1) == (most_bytes < 1 << 20)


async def test_a_row_that_is_larger_than_a_piece_stands_alone() -> None:
    """It is given whole, and so are those around it."""
    large = row(3, data=dumps({"words": "x" * 5_000}))
    log = log_of([*rows(0, 2), large, *rows(3, 2)])
    found = await pieces(log, 1_000)
    assert [[event.seq for event in piece.events] for piece in found] == [[1, 2], [3], [4, 5]]


@pytest.mark.parametrize("after", [5, 6, 10**17])
async def test_behind_the_end_there_is_no_row(after: int) -> None:
    """What is asked for at the end or beyond it is a piece without rows that says where it is."""
    log = log_of(rows(0, 5))
    piece = read_piece(await piece_after(log, after), PLACE)
    assert piece.events == []
    assert piece.header.after == piece.header.position == piece.end.position == 5
    assert piece.end == await log.identify()


async def test_the_first_piece_is_a_file_that_every_command_reads(tmp_path: Path) -> None:
    """It is JSON Lines as `export` writes them: the field more in its header is passed over."""
    path = tmp_path / "piece.jsonl"
    path.write_bytes(await piece_after(reader("demo"), 0, most_bytes=5_000))
    found = await read_all(JsonLinesReader(path))
    assert 1 < len(found) < (await reader("demo").identify()).position
    assert found == (await read_all(reader("demo")))[: len(found)]


async def spoilt(what: str) -> bytes:
    """A piece with something wrong in it."""
    header, first, *more = (await piece_after(reader("demo"), 0)).splitlines(keepends=True)
    told = loads(header.decode())
    match what:
        case "format":
            told["format"] = 99
        case "end":
            del told["end"]
        case "negative":
            told["end"]["position"] = -1
        case "row":
            more[0] = b"garbage\n"
        case "gap":
            del more[0]
        case "cut":
            more = more[:-1]
    return b"".join([f"{dumps(told)}\n".encode(), first, *more])


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("format", "format 99, written by a newer warmlog"),
        ("end", "does not say where the log ends"),
        ("negative", "does not say where the log ends"),
        ("row", "line 3: it is no row of a log"),
        ("gap", "seq must be 2"),
        ("cut", "its header at"),
    ],
)
async def test_what_is_no_piece(what: str, words: str) -> None:
    """It is refused whole, with the address and what is wrong with it."""
    with pytest.raises(LogUnreadable, match=PLACE) as error:
        read_piece(await spoilt(what), PLACE)
    assert words in str(error.value)


@pytest.mark.parametrize("body", [b"", b"<html>hello</html>", b'{"a":1}', b'{"after":0}\n'])
def test_what_another_server_says(body: bytes) -> None:
    """It is no log, and the address is to be looked at."""
    with pytest.raises(LogUnreadable, match="check the address"):
        read_piece(body, PLACE)
