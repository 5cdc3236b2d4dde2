"""Running a reading statement: on a database in use, or on a SQLite file that nobody writes.

A SQLite file in WAL mode cannot be read in the ordinary way without a `-wal` and a `-shm` file
beside it: SQLite makes them, and a read-only connection leaves them behind; where the folder
cannot be written, it refuses. A file given only for reading is therefore opened `immutable`,
which makes nothing and locks nothing, as long as no `-wal` lies beside it, for then nobody has
it open. Since a writer may come at any moment, the file is looked at before and after every
statement: when it changed in between, the rows are thrown away and read again. While a `-wal` is
there (a writer is at work, or was killed) the file is opened in the ordinary way, read-only,
and uses those two files.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.sql import Executable

from adapters.store.dialects import sqlite_engine
from adapters.store.translating import translated
from engine.errors import LogUnavailable, LogUnreadable, WarmlogError

Parameters = Mapping[str, Any]
Rows = Sequence[Row[*tuple[Any, ...]]]


class Readings(Protocol):
    """Something that answers statements, each from one state of the log."""

    async def rows(self, statement: Executable, parameters: Parameters | None = None) -> Rows:
        """Run a SELECT. Raises LogUnavailable, LogUnreadable."""
        ...

    async def close(self) -> None:
        """Let go of the connections. May be called twice."""
        ...


class EngineReadings:
    """Reads through an engine in autocommit; `place` names the log in errors."""

    def __init__(self, engine: AsyncEngine, place: str) -> None:
        self._engine = engine
        self._place = place
        self._closed = False
        self._running = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def rows(self, statement: Executable, parameters: Parameters | None = None) -> Rows:
        """Run a SELECT. Raises LogUnavailable, also once it is closed, and LogUnreadable."""
        if self._closed:
            raise closed_here(self._place)
        self._running += 1
        self._idle.clear()
        try:
            with translated(self._place):
                async with self._engine.connect() as connection:
                    return (await connection.execute(statement, parameters)).all()
        finally:
            self._running -= 1
            if not self._running:
                self._idle.set()

    async def close(self) -> None:
        """Let go of the connections, once the statements that run are through."""
        self._closed = True
        # An engine would forget, not close, a connection that is in use.
        await self._idle.wait()
        await self._engine.dispose()


def closed_here(place: str) -> LogUnavailable:
    """Give the error for a use after closing."""
    return LogUnavailable(f"The log {place} was closed here: open it again.")


class OpenFile(Protocol):
    """Opens a SQLite file to be read."""

    def __call__(self, path: Path, *, immutable: bool) -> Readings:
        """Open `path`. Raises LogUnavailable."""
        ...


class _Look(NamedTuple):
    """What a file looks like from outside; equal looks at a file mean that nobody wrote it."""

    inode: int
    size_bytes: int
    modified_ns: int
    in_use: bool


def _serves(used: _Look, look: _Look) -> bool:
    """Tell whether what was opened at the look `used` reads the file that is there at `look`."""
    return look == used or (used.in_use and used.inode == look.inode)


def _open_file(path: Path, *, immutable: bool) -> Readings:
    engine = sqlite_engine(path, "ro", immutable=immutable, isolation_level="AUTOCOMMIT")
    return EngineReadings(engine, str(path))


class FileReadings:
    """Reads a SQLite file without leaving a trace, also while another process starts to write.

    `open_file` opens it, `immutable` or in the ordinary way.
    """

    def __init__(self, path: Path, open_file: OpenFile = _open_file) -> None:
        self._path = path
        self._open_file = open_file
        self._closed = False
        self._opening = asyncio.Lock()  # statements run at once, what they read is changed for all
        self._look: _Look | None = None
        self._readings: Readings | None = None

    async def rows(self, statement: Executable, parameters: Parameters | None = None) -> Rows:
        """Run a SELECT. Raises LogUnavailable, LogUnreadable."""
        while not self._closed:
            async with self._opening:
                readings, look = await self._current()
            try:
                rows = await readings.rows(statement, parameters)
            except WarmlogError:
                # Half of a change may look like a damaged file.
                if self._holds(look):
                    raise
            else:
                if self._holds(look):
                    return rows
        raise closed_here(str(self._path))

    async def close(self) -> None:
        """Let go of the connections, once the statements that run are through."""
        self._closed = True
        async with self._opening:
            await self._let_go()

    async def _let_go(self) -> None:
        readings, self._readings = self._readings, None
        if readings is not None:
            await readings.close()

    async def _current(self) -> tuple[Readings, _Look]:
        look = self._see()
        used = self._look
        if self._readings is None or used is None or not _serves(used, look):
            await self._let_go()
            self._readings = self._open_file(self._path, immutable=not look.in_use)
            self._look = used = look
        return self._readings, used

    def _holds(self, look: _Look) -> bool:
        """Tell whether what was read since `look` is whole: SQLite's locks or nobody wrote."""
        return look.in_use or look == self._see()

    def _see(self) -> _Look:
        try:
            found = self._path.stat()
        except OSError as error:
            msg = f"The log {self._path} cannot be read: {error.strerror}. Check the path."
            raise LogUnreadable(msg) from error
        journals = (self._path.with_name(self._path.name + end) for end in ("-wal", "-journal"))
        in_use = any(journal.exists() for journal in journals)
        return _Look(found.st_ino, found.st_size, found.st_mtime_ns, in_use)
