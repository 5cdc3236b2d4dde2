"""A log as a file of JSON Lines: what `export` writes, `import` and `replay` read, and git keeps.

The first line is a header, every other one a row, each a canonical JSON object in ASCII:

    {"after":0,"epoch":1,"format":1,"lastAt":…,"logId":"…","position":2,"warmlog":"log"}
    {"at":…,"cause":null,"cluster":"","data":{…},"epoch":1,"seen":null,"seq":1,"subject":…

The header says which log it is, that it holds the rows with after < seq ≤ position, and the
epoch and `at` of the last one, so that a cut file is told from a whole one and nobody need read
it all to identify it. A file that grows (`growing_files`) has a header without an end, of format 2:

    {"after":0,"format":2,"logId":"…","warmlog":"log"}

Its last row is its end, and what stands behind that without a line's end was being written when
somebody stopped it. `data` stands in its line as the JSON it is, byte for byte: neither writing
nor reading parses and prints it again, so nothing about its numbers or escapes can change.
"""

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from os import SEEK_END, fstat
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from adapters.store.checking import Place, check_next
from adapters.store.closing import Closing
from adapters.store.mistaking import LOG, what_helps
from adapters.store.row_lines import row_of, subject_in
from engine.canonical_json import dumps, loads
from engine.errors import EventMalformed, LogTruncated, LogUnreadable
from engine.events import Event
from engine.logs import LogIdentity

FORMAT = 1
"""What `format` says in the header of a file that is whole."""
GROWING_FORMAT = 2
"""What it says where the end is open; a higher number was written by a newer warmlog."""
OPEN_END = 2**63 - 1

_MAGIC = "log"
_HEADER_BYTES = 4096
_BLOCK_BYTES = 65536


class Header(NamedTuple):
    """The first line: which rows of which log the file holds."""

    log_id: str
    after: int
    position: int
    epoch: int
    last_at: int

    @property
    def is_open(self) -> bool:
        """Say whether the file may grow: its end is where its rows end."""
        return self.position == OPEN_END

    @property
    def remedy(self) -> str:
        """Say what can be done about a cut."""
        if self.is_open:
            return "The next row was being written when that was stopped."
        return "Export it again for the rest."

    def line(self, **more: Any) -> bytes:
        """Give the line, its end included; `more` are fields that readers of files pass over."""
        told = {"after": self.after, "logId": self.log_id, "warmlog": _MAGIC, **more}
        if self.is_open:
            told |= {"format": GROWING_FORMAT}
        else:
            told |= {"epoch": self.epoch, "format": FORMAT}
            told |= {"lastAt": self.last_at, "position": self.position}
        return dumps(told).encode("ascii") + b"\n"


class _Mark:
    """Where in a file a reading is: behind which row, at which byte and line."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        """Begin behind the header."""
        self.inode = fstat(file.fileno()).st_ino
        self.header = read_header(file, path)
        self.place = Place(self.header.after, 0, 0)
        self.offset = file.tell()
        self.number = 1

    def fits(self, file: BinaryIO, path: Path, after: int) -> bool:
        """Go there, if the file is the same still and the row `after` is not before it."""
        same = self.inode == fstat(file.fileno()).st_ino and self.place.position <= after
        if not same or self.header != read_header(file, path):
            return False
        file.seek(self.offset - 1)
        return file.read(1) == b"\n"


class JsonLinesReader(Closing):
    """Reads a file (engine.logs.EventReader) line by line, holding one batch at a time.

    Who reads on from where a reading ended, reads what was appended since and nothing else.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mark: _Mark | None = None

    async def identify(self) -> LogIdentity:
        """Say which log this is, from its header, and its last row when its end is open.

        Raises LogUnreadable, LogTruncated.
        """
        with _opened(self._path) as file:
            header = read_header(file, self._path)
            if header.is_open:
                last = _last_row(file, self._path)
                place = Place(last.seq, last.epoch, last.at) if last else Place(header.after, 0, 0)
                return LogIdentity(header.log_id, *place)
        return LogIdentity(header.log_id, header.position, header.epoch, header.last_at)

    async def read(
        self,
        after: int = 0,
        until: int | None = None,
        *,
        batch_rows: int = 1000,
        wants: Callable[[bytes], bool] | None = None,
    ) -> AsyncGenerator[Sequence[Event], None]:
        """Give the rows with after < seq ≤ until, in order, in batches of at most `batch_rows`.

        Of a damaged or cut file the rows before the damage are given first; then it raises
        LogUnreadable, or LogTruncated when the file ends too early, with the line's number. Rows
        whose subject nobody `wants` are left out before they are decoded.
        """
        batch: list[Event] = []
        try:
            for event in self._events(after, until, wants):
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

    def blocks(self) -> Iterator[tuple[int, Sequence[bytes]]]:
        """Give the lines behind the header, some at a time, whatever is wrong with them.

        Each with the position of the row that the first line should be.
        """
        with _opened(self._path) as file:
            first = read_header(file, self._path).after + 1
            while lines := file.readlines(_BLOCK_BYTES):
                yield first, lines
                first += len(lines)

    async def close(self) -> None:
        """Nothing is held between two calls."""

    def _events(
        self, after: int, until: int | None, wants: Callable[[bytes], bool] | None
    ) -> Iterator[Event]:
        """Give rows from where the last reading ended, if nothing wanted is before that."""
        with _opened(self._path) as file:
            mark, self._mark = self._mark, None  # two readings at a time have one each
            if mark is None or not mark.fits(file, self._path, after):
                file.seek(0)
                mark = _Mark(file, self._path)
            try:
                yield from _read_events(file, self._path, until, mark, wants)
            finally:
                self._mark = mark


def _read_events(
    file: BinaryIO,
    path: Path,
    until: int | None,
    mark: _Mark,
    wants: Callable[[bytes], bool] | None,
) -> Iterator[Event]:
    """Give the rows behind the mark that somebody wants, and have it keep up with all."""
    header = mark.header
    end = header.position if until is None else min(until, header.position)
    while mark.place.position < end:
        line = _next_wanted(file, mark, end, wants) if wants else file.readline()
        if mark.place.position == end:  # nobody wants what is left
            break
        if header.is_open and not line:
            return
        if header.is_open and not line.endswith(b"\n"):
            line = b""  # no row counts before its end is there
        event = _parse(line, mark.place, (path, mark.number + 1), header.remedy)
        mark.place = Place(event.seq, event.epoch, event.at)
        mark.offset += len(line)
        mark.number += 1
        yield event
    if end == header.position and file.read(1):
        msg = (
            f"{path}, line {mark.number + 1}: the header ends the log at {header.position}, but "
            "more lines follow: export the log again."
        )
        raise LogUnreadable(msg)


class Damaged(NamedTuple):
    """A line that is no row, and why; `whole` says whether its end is there."""

    line: int
    words: str
    whole: bool


def read_each(path: Path) -> Iterator[Header | Event | Damaged]:
    """Give the header and each line after it, whatever is wrong with it or with their order.

    Raises LogUnreadable for what is no log at all.
    """
    with _opened(path) as file:
        yield read_header(file, path)
        yield from read_rows(file)


def read_rows(file: BinaryIO) -> Iterator[Event | Damaged]:
    """Give each line behind the header, whatever is wrong with it or with their order."""
    for number, line in enumerate(file, start=2):
        try:
            yield row_of(line)
        except (ValueError, RecursionError) as error:
            yield Damaged(number, str(error), line.endswith(b"\n"))


def end_of_rows(file: BinaryIO) -> int:
    """Give where the last whole line of a file ends."""
    end = file.seek(0, SEEK_END)
    while end:
        begin = max(0, end - _BLOCK_BYTES)
        file.seek(begin)
        found = file.read(end - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0


def _last_row(file: BinaryIO, path: Path) -> Event | None:
    """Give the last whole row of a growing file; None while there is none."""
    header_bytes = file.tell()
    end, size = end_of_rows(file), 0
    if end <= header_bytes:
        return None
    while True:  # until the end of the line before is in sight
        size = min(end, max(2 * size, _BLOCK_BYTES))
        file.seek(end - size)
        _, found, line = file.read(size - 1).rpartition(b"\n")
        if found or size == end:
            break
    try:
        return row_of(line)
    except (ValueError, RecursionError) as error:
        msg = f"The last line of {path} is damaged: {error}. Read the log for what is before it."
        raise LogUnreadable(msg) from error


def _next_wanted(file: BinaryIO, mark: _Mark, end: int, wants: Callable[[bytes], bool]) -> bytes:
    """Give the next line that somebody wants, or that is no row; the mark goes before it."""
    (position, epoch, at), offset, line = mark.place, mark.offset, b""
    while position < end:
        line = file.readline()
        subject = subject_in(line, position + 1)
        if subject is None or wants(subject):
            break
        position += 1
        offset += len(line)
    mark.number += position - mark.place.position
    # Of rows that were not decoded nothing is known but that they follow each other.
    mark.place, mark.offset = Place(position, epoch, at), offset
    return line


def _parse(line: bytes, place: Place, where: tuple[Path, int], remedy: str) -> Event:
    whole, (path, number) = line.endswith(b"\n"), where
    try:
        event = row_of(line)
        check_next(place, event)
    except (EventMalformed, ValueError, RecursionError) as error:
        if whole:
            msg = f"{path}, line {number} is damaged: {error}. Export the log again."
            raise LogUnreadable(msg) from error
        msg = (
            f"{path} is cut at line {number}: the log was read up to position {place.position}. "
            f"{remedy}"
        )
        raise LogTruncated(msg) from error
    return event


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        msg = f"There is no log at {path}: check the path."
        raise LogUnreadable(msg) from None
    except OSError as error:
        msg = f"The log {path} cannot be read: {error.strerror}. Check the path."
        raise LogUnreadable(msg) from error


def read_header(file: BinaryIO, path: Path | str) -> Header:
    """Read the first line of a file. Raises LogUnreadable, LogTruncated."""
    line = file.readline(_HEADER_BYTES)
    try:
        found = loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("warmlog") != _MAGIC:
        if line.startswith(LOG) and not line.endswith(b"\n"):
            msg = f"{path} is cut at line 1: nothing of the log is left. Export it again."
            raise LogTruncated(msg)
        msg = (
            f"{path} is not a log of warmlog, for its first line is no header: "
            f"{what_helps(path, line)}."
        )
        raise LogUnreadable(msg)
    return _header(found, path)


def _header(found: dict[str, Any], path: Path | str) -> Header:
    version = found.get("format")
    if not isinstance(version, int) or version > GROWING_FORMAT:
        msg = (
            f"The log {path} has format {version}, written by a newer warmlog; this one knows "
            f"formats up to {GROWING_FORMAT}: use that version or a later one."
        )
        raise LogUnreadable(msg)
    log_id = found.get("logId")
    if version == GROWING_FORMAT:
        found = {**found, "position": OPEN_END, "epoch": 0, "lastAt": 0}
    numbers = [found.get(name) for name in ("after", "position", "epoch", "lastAt")]
    counts = [each for each in numbers if isinstance(each, int) and each >= 0]
    if not isinstance(log_id, str) or len(counts) < len(numbers):
        msg = f"{path}, line 1 is damaged: the header lacks a field. Export the log again."
        raise LogUnreadable(msg)
    after, position, epoch, last_at = counts
    return Header(log_id, after, position, epoch, last_at)
