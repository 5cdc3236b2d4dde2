"""A log as a file of JSON Lines: what `export` writes, `import` and `replay` read, and git keeps.

The first line is a header, every other one a row, each a canonical JSON object in ASCII:

    {"after":0,"epoch":1,"format":1,"lastAt":…,"logId":"…","position":2,"warmlog":"log"}
    {"at":…,"cause":null,"cluster":"","data":{…},"epoch":1,"seen":null,"seq":1,"subject":…

The header says which log it is, that it holds the rows with after < seq ≤ position, and the
epoch and `at` of the last one, so that a cut file is told from a whole one and nobody need read
it all to identify it. `data` stands in its line as the JSON it is, byte for byte: neither writing
nor reading parses and prints it again, so nothing about its numbers or escapes can change.
"""

import json
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

from adapters.store.checking import Place, check_next
from engine.canonical_json import Number, dumps, loads
from engine.errors import EventMalformed, LogTruncated, LogUnreadable
from engine.events import Event
from engine.logs import LogIdentity

FORMAT = 1
"""What `format` says in the header; a higher number was written by a newer warmlog."""

_MAGIC = "log"
_HEADER_BYTES = 4096
_COUNT = r"(0|[1-9][0-9]{0,18})"
_COUNT_OR_NULL = r"(null|0|[1-9][0-9]{0,18})"
_TEXT = r'("[^"\\]*(?:\\.[^"\\]*)*")'
_ROW = re.compile(
    rf'\{{"at":{_COUNT},"cause":{_COUNT_OR_NULL},"cluster":{_TEXT},"data":(.*),"epoch":{_COUNT},'
    rf'"seen":{_COUNT_OR_NULL},"seq":{_COUNT},"subject":{_TEXT},"type":{_TEXT},'
    rf'"version":{_COUNT}\}}'
)

# Number keeps texts that int cannot: "-0", and integers of thousands of digits.
_EXACT = json.JSONDecoder(parse_float=Number, parse_int=Number)


class Header(NamedTuple):
    """The first line: which rows of which log the file holds."""

    log_id: str
    after: int
    position: int
    epoch: int
    last_at: int

    def line(self) -> bytes:
        """Give the line, its end included."""
        header = {
            "after": self.after,
            "epoch": self.epoch,
            "format": FORMAT,
            "lastAt": self.last_at,
            "logId": self.log_id,
            "position": self.position,
            "warmlog": _MAGIC,
        }
        return dumps(header).encode("ascii") + b"\n"


def event_line(event: Event) -> bytes:
    """Give a row's line, its end included. `data` must be canonical JSON."""
    text = (
        f'{{"at":{event.at},"cause":{dumps(event.cause)},"cluster":{dumps(event.cluster)},'
        f'"data":{event.data},"epoch":{event.epoch},"seen":{dumps(event.seen)},'
        f'"seq":{event.seq},"subject":{dumps(event.subject)},"type":{dumps(event.type)},'
        f'"version":{event.version}}}\n'
    )
    return text.encode("ascii")


class JsonLinesReader:
    """Reads a file (engine.logs.EventReader) line by line, holding one batch at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def identify(self) -> LogIdentity:
        """Say which log this is, from the header alone. Raises LogUnreadable, LogTruncated."""
        with _opened(self._path) as file:
            header = _read_header(file, self._path)
        return LogIdentity(header.log_id, header.position, header.epoch, header.last_at)

    async def read(
        self, after: int = 0, until: int | None = None, *, batch_rows: int = 1000
    ) -> AsyncGenerator[Sequence[Event], None]:
        """Give the rows with after < seq ≤ until, in order, in batches of at most `batch_rows`.

        Of a damaged or cut file the rows before the damage are given first; then it raises
        LogUnreadable, or LogTruncated when the file ends too early, with the line's number.
        """
        batch: list[Event] = []
        try:
            for event in _read_events(self._path, until):
                if event.seq > after:
                    batch.append(event)
                if len(batch) == batch_rows:
                    yield batch
                    batch = []
        except LogUnreadable:
            if batch:
                yield batch
            raise
        if batch:
            yield batch

    async def close(self) -> None:
        """Nothing is held between two calls."""


def _read_events(path: Path, until: int | None) -> Iterator[Event]:
    with _opened(path) as file:
        header = _read_header(file, path)
        place = Place(header.after, 0, 0)
        end = header.position if until is None else min(until, header.position)
        number = 1
        while place.position < end:
            number += 1
            event = _parse(file.readline(), place, path, number)
            place = Place(event.seq, event.epoch, event.at)
            yield event
        if end == header.position and file.read(1):
            msg = (
                f"{path}, line {number + 1}: the header ends the log at {header.position}, but "
                "more lines follow: export the log again."
            )
            raise LogUnreadable(msg)


def _parse(line: bytes, place: Place, path: Path, number: int) -> Event:
    whole = line.endswith(b"\n")
    try:
        event = _event(line)
        check_next(place, event)
    except (EventMalformed, ValueError, RecursionError) as error:
        if whole:
            msg = f"{path}, line {number} is damaged: {error}. Export the log again."
            raise LogUnreadable(msg) from error
        msg = (
            f"{path} is cut at line {number}: the log was read up to position {place.position}. "
            "Export it again for the rest."
        )
        raise LogTruncated(msg) from error
    return event


def _event(line: bytes) -> Event:
    """Parse a line; ValueError, UnicodeDecodeError included, when it is no row."""
    found = _ROW.fullmatch(line.removesuffix(b"\n").decode("ascii"))
    if found is None:
        msg = "it is no row of a log"
        raise ValueError(msg)
    at, cause, cluster, data, epoch, seen, seq, subject, kind, version = found.groups()
    if not _is_canonical(data):
        msg = "its data is not canonical JSON"
        raise ValueError(msg)
    return Event(
        int(seq),
        int(epoch),
        int(at),
        _text(cluster),
        _text(subject),
        _text(kind),
        int(version),
        data,
        _count(cause),
        _count(seen),
    )


def _is_canonical(data: str) -> bool:
    try:
        if dumps(loads(data)) == data:
            return True
    except ValueError:
        pass
    return dumps(_EXACT.decode(data)) == data


def _text(quoted: str) -> str:
    text: str = json.loads(quoted) if "\\" in quoted else quoted[1:-1]
    return text


def _count(text: str) -> int | None:
    return None if text == "null" else int(text)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        msg = f"There is no log at {path}: check the path."
        raise LogUnreadable(msg) from None
    except OSError as error:
        msg = f"The log {path} cannot be read: {error.strerror}. Check the path."
        raise LogUnreadable(msg) from error


def _read_header(file: BinaryIO, path: Path) -> Header:
    line = file.readline(_HEADER_BYTES)
    try:
        found = loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("warmlog") != _MAGIC:
        if line.startswith(b'{"after":') and not line.endswith(b"\n"):
            msg = f"{path} is cut at line 1: nothing of the log is left. Export it again."
            raise LogTruncated(msg)
        msg = f"{path} is not a log of warmlog: its first line is no header. Check the path."
        raise LogUnreadable(msg)
    return _header(found, path)


def _header(found: dict[str, Any], path: Path) -> Header:
    version = found.get("format")
    if not isinstance(version, int) or version > FORMAT:
        msg = (
            f"The log {path} has format {version}, written by a newer warmlog; this one knows "
            f"formats up to {FORMAT}: use that version or a later one."
        )
        raise LogUnreadable(msg)
    log_id = found.get("logId")
    numbers = [found.get(name) for name in ("after", "position", "epoch", "lastAt")]
    counts = [each for each in numbers if isinstance(each, int) and each >= 0]
    if not isinstance(log_id, str) or len(counts) < len(numbers):
        msg = f"{path}, line 1 is damaged: the header lacks a field. Export the log again."
        raise LogUnreadable(msg)
    after, position, epoch, last_at = counts
    return Header(log_id, after, position, epoch, last_at)
