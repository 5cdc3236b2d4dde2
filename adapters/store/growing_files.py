"""A log as a file of JSON Lines that grows: each batch is in the file when its append returns.

Whoever is killed in the middle of a line leaves a cut one behind. Opening the file to write cuts
that off; no whole row is ever touched. One process writes at a time.
"""

import asyncio
import fcntl
import os
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import NoReturn, Self
from uuid import uuid4

from adapters.store.checking import check_draft, check_rows
from adapters.store.json_lines import (
    OPEN_END,
    Header,
    JsonLinesReader,
    end_of_rows,
    read_header,
)
from adapters.store.row_lines import event_line
from engine.errors import Fenced, LogFull, LogUnavailable, LogUnreadable, PositionTaken
from engine.events import Draft, Event
from engine.logs import LogIdentity, Opened

KEY_BYTES = 32

Key = Callable[[], bytes]


class GrowingFile(JsonLinesReader):
    """Reads and appends (engine.logs.EventLog but for `follow`). Use `open` to get one."""

    def __init__(self, path: Path, descriptor: int, identity: LogIdentity, key: Key) -> None:
        super().__init__(path)
        self.cut_bytes = 0  # of a row that was not whole
        self._path = path
        self._descriptor = descriptor
        self._end = identity
        self._bytes = os.fstat(descriptor).st_size
        self._key = key

    @classmethod
    async def open(cls, path: Path, key: Key, *, log_id: str | None = None) -> Self:
        """Open the log at `path`, made when nothing is there; `key` gives its digest key.

        Raises LogUnreadable when it is something else or a file that is whole; LogUnavailable.
        """
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise LogUnavailable(_refused(path, error)) from error
        try:
            _lock(path, descriptor)
            if not os.fstat(descriptor).st_size:
                header = Header(log_id or str(uuid4()), 0, OPEN_END, 0, 0)
                os.write(descriptor, header.line())
            cut = _mend(path, descriptor)
            opened = cls(path, descriptor, await JsonLinesReader(path).identify(), key)
        except BaseException:
            os.close(descriptor)
            raise
        opened.cut_bytes = cut
        return opened

    async def identify(self) -> LogIdentity:
        """Say which log this is, and where it ends."""
        return self._end

    async def open_epoch(self, draft: Draft, at: int) -> Opened:
        """Start a term: last epoch + 1. Raises LogUnavailable, LogFull."""
        check_draft(draft)
        end = self._end
        event = draft.placed(end.position + 1, end.epoch + 1, max(at, end.last_at))
        await self._write([event])
        return Opened(event.epoch, event)

    async def append(self, epoch: int, expected_position: int, events: Sequence[Event]) -> None:
        """Append placed rows. Raises Fenced, PositionTaken, LogUnavailable, LogFull."""
        check_rows(epoch, expected_position, events)
        if epoch != self._end.epoch:
            msg = f"Epoch {epoch} may not append to {self._path}: its newest is {self._end.epoch}."
            raise Fenced(msg)
        if expected_position != self._end.position:
            msg = f"The log {self._path} ends at {self._end.position}, not at {expected_position}."
            raise PositionTaken(msg)
        if events:
            await self._write(events)

    def follow(self, after: int = 0) -> AsyncIterator[Sequence[Event]]:
        """Nobody follows a file: what is in it is read again."""
        raise NotImplementedError(after)

    async def secret_key(self) -> bytes:
        """Give the key that lies beside the file. Raises LogUnavailable."""
        return self._key()

    async def close(self) -> None:
        """Let go of the file. May be called twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    async def _write(self, events: Sequence[Event]) -> None:
        lines = b"".join(map(event_line, events))
        await asyncio.to_thread(self._put, lines)
        last = events[-1]
        self._end = self._end._replace(position=last.seq, epoch=last.epoch, last_at=last.at)

    def _put(self, lines: bytes) -> None:
        """Write lines whole, or not at all."""
        try:
            written = 0
            while written < len(lines):
                written += os.write(self._descriptor, lines[written:])
            os.fsync(self._descriptor)
        except OSError as error:
            self._take_back(error)
        self._bytes += len(lines)

    def _take_back(self, error: OSError) -> NoReturn:
        try:
            os.ftruncate(self._descriptor, self._bytes)
        except OSError as worse:
            raise LogUnreadable(_refused(self._path, worse)) from worse
        raise LogFull(_refused(self._path, error)) from error


def key_beside(path: Path) -> bytes:
    """Give the key with which the digests in a recording are made, made when there is none.

    It lies in a file of its own, so that no copy of the recording holds it. Raises LogUnavailable.
    """
    place = path.with_name(f"{path.name}.key")
    try:
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    except OSError as error:
        raise LogUnavailable(_refused(place, error)) from error
    else:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
    try:
        return place.read_bytes()
    except OSError as error:
        raise LogUnavailable(_refused(place, error)) from error


def _lock(path: Path, descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        msg = f"{path} is being written by another process: stop that, or name another file."
        raise LogUnavailable(msg) from error


def _mend(path: Path, descriptor: int) -> int:
    """Cut off a line that is not whole; say how many bytes. Raises LogUnreadable."""
    with os.fdopen(os.dup(descriptor), "rb") as file:
        file.seek(0)
        if not read_header(file, path).is_open:
            msg = f"{path} is an export, which is whole: name another file."
            raise LogUnreadable(msg)
        size, end = os.fstat(descriptor).st_size, end_of_rows(file)
    os.ftruncate(descriptor, end)
    return size - end


def _refused(path: Path, error: OSError) -> str:
    return f"{path} cannot be written: {error.strerror}. Make room, or name another file."
