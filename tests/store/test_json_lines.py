"""JSON Lines: what is written is read back identical, and what is wrong is named by its line."""

import json
from pathlib import Path

import pytest

from adapters.store.json_lines import FORMAT, Header, JsonLinesReader
from adapters.store.opening import open_log
from adapters.store.row_lines import event_line
from engine.canonical_json import dumps, loads
from engine.errors import LogTruncated, LogUnreadable
from engine.events import Event
from engine.logs import LogIdentity
from tests.store.rows import NOON, read_all, read_batches, row, rows

HEADER = Header("log-1", 0, 9, 1, NOON + 9)

DATA = [
    "null",
    "1.0",
    "1e3",
    "-0",
    "-0.0",
    "9" * 5000,
    "0.1000000000000000000001",
    '"\\u0000"',
    '"\\ud800"',
    '"\\udbff\\udc00\\\\\\""',
    '{"a":[1,2.50,{"b":null}],"epoch":1}',
    '[{"at":1,"epoch":1,"seen":null,"seq":1,"subject":"","type":"","version":1}]',
    '"},\\"epoch\\":1,\\"seen\\":null}"',
]


def write(path: Path, *lines: bytes) -> None:
    """Write a file."""
    path.write_bytes(b"".join(lines))


def lines_in(path: Path) -> list[bytes]:
    """Read a file's lines, their ends included."""
    return path.read_bytes().splitlines(keepends=True)


def path_size(path: Path) -> int:
    """Give a file's size in bytes."""
    return path.stat().st_size


def cut_at(path: Path, size: int) -> None:
    """Cut a file to `size` bytes."""
    path.write_bytes(path.read_bytes()[:size])


def lines_of(events: list[Event]) -> list[bytes]:
    """Give the lines of rows."""
    return [event_line(event) for event in events]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a file of nine rows."""
    path = tmp_path / "log.jsonl"
    write(path, HEADER.line(), *lines_of(rows(0, 9)))
    return path


@pytest.mark.parametrize("batch_rows", [1, 4, 9, 1000])
async def test_reading(path: Path, batch_rows: int) -> None:
    """The rows come back identical, in batches of at most the size asked for."""
    batches = await read_batches(JsonLinesReader(path), batch_rows=batch_rows)
    assert [event for batch in batches for event in batch] == rows(0, 9)
    assert all(1 <= len(batch) <= batch_rows for batch in batches)


async def test_ranges(path: Path) -> None:
    """A reading gives exactly the rows with after < seq ≤ until."""
    reader = JsonLinesReader(path)
    assert await read_all(reader, 3, 7, batch_rows=3) == rows(3, 4)
    assert await read_all(reader, 8, 99) == rows(8, 1)
    assert await read_all(reader, 9) == []


async def test_identity(path: Path) -> None:
    """The header alone tells which log it is and where it ends."""
    write(path, HEADER.line())
    assert await JsonLinesReader(path).identify() == LogIdentity("log-1", 9, 1, NOON + 9)


async def test_opening(path: Path) -> None:
    """A file is opened like any log, to be read; it cannot be appended to."""
    async with await open_log(path, read_only=True) as reader:
        assert await read_all(reader) == rows(0, 9)
    with pytest.raises(
        LogUnreadable, match=r"can only be read: .*`warmlog import .*log\.jsonl LOG`"
    ):
        await open_log(path)


@pytest.mark.parametrize("data", DATA)
async def test_data(path: Path, data: str) -> None:
    """`data` comes back byte for byte, whatever numbers, escapes or look-alikes it holds."""
    event = row(1, data=data)
    write(path, Header("log-1", 0, 1, 1, NOON + 1).line(), event_line(event))
    assert await read_all(JsonLinesReader(path)) == [event]


@pytest.mark.parametrize("text", ["\0", "\ud800", 'a"b', "a\\b", "a,\n\t", "é\U0001f525", ""])
async def test_texts(path: Path, text: str) -> None:
    """The other texts come back as well; those that no database can hold are refused."""
    event = row(1)._replace(cluster=text, subject=text, type=text)
    write(path, Header(text, 0, 1, 1, NOON + 1).line(), event_line(event))
    reader = JsonLinesReader(path)
    assert (await reader.identify()).log_id == text
    if text in {"\0", "\ud800"}:
        with pytest.raises(LogUnreadable, match="line 2 is damaged: event 1: cluster"):
            await read_all(reader)
    else:
        assert await read_all(reader) == [event]


def test_lines_are_canonical_json() -> None:
    """Each line is canonical JSON by itself, for whatever tool reads it."""
    for data in DATA:
        line = event_line(row(1, data=data)).decode("ascii")
        parsed = json.loads(line, parse_int=str, parse_float=str)
        assert list(parsed) == sorted(parsed)
        assert parsed["data"] == json.loads(data, parse_int=str, parse_float=str)
    line = HEADER.line().decode("ascii")
    assert dumps(loads(line)) + "\n" == line


async def gather(path: Path, into: list[Event]) -> None:
    """Read a file into a list, which keeps what came before an error."""
    async for batch in JsonLinesReader(path).read(batch_rows=4):
        into += batch


@pytest.mark.parametrize("whole", range(1, 10))
async def test_cut_between_lines(path: Path, whole: int) -> None:
    """Of a file that ends after a whole line the rows are given, then the cut is named."""
    cut_at(path, sum(map(len, lines_in(path)[:whole])))
    seen: list[Event] = []
    words = rf"is cut at line {whole + 1}: .* up to position {whole - 1}\."
    with pytest.raises(LogTruncated, match=words):
        await gather(path, seen)
    assert seen == rows(0, whole - 1)


@pytest.mark.parametrize("share", [0.01, 0.3, 0.5, 0.99])
@pytest.mark.parametrize("line", range(2, 11))
async def test_cut_in_a_line(path: Path, line: int, share: float) -> None:
    """Of a file that ends in the middle of a line the rows before are given, then it is named."""
    lines = lines_in(path)
    cut_at(path, sum(map(len, lines[: line - 1])) + int(share * (len(lines[line - 1]) - 1)))
    seen: list[Event] = []
    with pytest.raises(LogTruncated, match=rf"is cut at line {line}: .*Export it again"):
        await gather(path, seen)
    assert seen == rows(0, line - 2)


async def test_cut_after_what_is_read(path: Path) -> None:
    """Rows before a cut can be read by themselves without an error."""
    cut_at(path, sum(map(len, lines_in(path)[:6])))
    assert await read_all(JsonLinesReader(path), 0, 5) == rows(0, 5)


async def test_last_newline_missing(path: Path) -> None:
    """An editor that took the last line's end away took no row."""
    cut_at(path, path_size(path) - 1)
    assert await read_all(JsonLinesReader(path)) == rows(0, 9)


async def test_cut_header(path: Path) -> None:
    """A file that ends within its header is a cut log, not a foreign file."""
    cut_at(path, 30)
    with pytest.raises(LogTruncated, match="is cut at line 1"):
        await open_log(path, read_only=True)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b'"seq":5', b'"seq":6', "seq must be 5"),
        (b'"seq":5', b'"seq":05', "no row"),
        (b'"seq":5', b'"sex":5', "no row"),
        (b'"seq":5', b'"seq":99999999999999999999', "no row"),
        (b'"seq":5,', b'"seq":5, ', "no row"),
        (b'"epoch":1,"seen"', b'"epoch":0,"seen"', "epoch 0 is older than 1"),
        (b'{"at":1700000000000000005', b'{"at":1600000000000000005', "is before"),
        (b'{"at":1700000000000000005', b'{"at":9999999999999999999', "is before"),
        (b'{"epoch":1,"seq":5}', b'{"seq":5,"epoch":1}', "not canonical"),
        (b'{"epoch":1,"seq":5}', b'{"epoch":1, "seq":5}', "not canonical"),
        (b'{"epoch":1,"seq":5}', b'{"epoch":1,"seq":5', "Expecting"),
        (b'{"epoch":1,"seq":5}', b'"\xc3\xa9"', "ascii"),
        (b'{"epoch":1,"seq":5}', b"[" * 100_000 + b"]" * 100_000, "recursion"),
        (b'{"epoch":1,"seq":5}', b"NaN", "not JSON compliant"),
        (b"uid-5", b"uid-\n5", "no row"),
        (b"uid-5", b"uid-\\x5", "Invalid"),
    ],
)
async def test_damage(path: Path, old: bytes, new: bytes, why: str) -> None:
    """A damaged line is named, with why, after the rows before it were given."""
    lines = lines_in(path)
    assert old in lines[5]
    lines[5] = lines[5].replace(old, new)
    write(path, *lines)
    seen: list[Event] = []
    with pytest.raises(LogUnreadable, match=rf"line 6 is damaged: .*{why}") as caught:
        await gather(path, seen)
    assert not isinstance(caught.value, LogTruncated)
    assert seen == rows(0, 4)


async def test_rows_too_many(path: Path) -> None:
    """Rows after the end that the header names are an error, once that end is reached."""
    write(path, *lines_in(path), event_line(row(10)))
    seen: list[Event] = []
    with pytest.raises(LogUnreadable, match="line 11: the header ends the log at 9"):
        await gather(path, seen)
    assert seen == rows(0, 9)


@pytest.mark.parametrize(
    ("header", "why"),
    [
        (b"", "its first line is no header: its rows are there and the header before them is not"),
        (b"\n", "its first line is no header: check the path"),
        (b"kind: Job\n", "its first line is no header: it is YAML, so have kubectl write it with"),
        (
            b'{"kind":"Job"}\n',
            r"first line is no header: .* `warmlog import \S+ NEW\.db` makes one",
        ),
        (b"{\n", r"first line is no header: .* `warmlog import \S+ NEW\.db` makes one"),
        (b'[{"kind":"Job"}]\n', r"no header: .* `warmlog import \S+ NEW\.db` makes one"),
        (b"[1]\n", "its first line is no header: check the path"),
        (b"\xff\xfe\n", "its first line is no header: check the path"),
        (b"\x1f\x8b\x08\n", r"no header: it is compressed, so unpack it first: `gunzip \S+`"),
        (b"[" * 100_000, "its first line is no header: check the path"),
        (
            b'{"format":3,"warmlog":"log"}\n',
            "format 3, written by a newer warmlog; .* up to 2: use",
        ),
        (b'{"format":"1","warmlog":"log"}\n', "format 1, written by a newer"),
        (b'{"format":1,"warmlog":"log"}\n', "line 1 is damaged: the header lacks a field"),
        (HEADER.line().replace(b'"log-1"', b"7"), "line 1 is damaged"),
        (HEADER.line().replace(b'"after":0', b'"after":-1'), "line 1 is damaged"),
    ],
)
async def test_headers(path: Path, header: bytes, why: str) -> None:
    """A file of something else, of a newer format, or without a whole header is refused."""
    write(path, header, *lines_of(rows(0, 9)))
    with pytest.raises(LogUnreadable, match=why):
        await open_log(path, read_only=True)
    with pytest.raises(LogUnreadable, match=why):
        await read_all(JsonLinesReader(path))
    assert FORMAT == 1


async def test_missing_file(tmp_path: Path) -> None:
    """A file that is not there, or a folder, is named."""
    with pytest.raises(LogUnreadable, match=r"There is no log at .*none\.jsonl: check the path"):
        await open_log(tmp_path / "none.jsonl", read_only=True)
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(LogUnreadable, match=r"folder\.jsonl cannot be read: Is a directory"):
        await open_log(tmp_path / "folder.jsonl", read_only=True)
