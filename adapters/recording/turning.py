"""Turning pages: a recording goes on in the next file when the one that is written is full.

The next one begins with a session and with all that is known by then, told once more, so that it
can be replayed on its own; and nothing has to be asked of a cluster for that.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Self

import structlog

from adapters.recording.opening import RecordingLog, open_recording
from adapters.recording.restating import restated
from adapters.recording.series import Series
from adapters.recording.witnesses import WITNESSING
from adapters.running.writing import Identity, Writer, open_writer
from adapters.store.growing_files import GrowingFile
from engine.errors import LogUnavailable
from engine.events import Event
from engine.replaying import Replayed, replay
from machines.states import State

MEBIBYTE = 1 << 20

Turned = Callable[[Path, Sequence[Event]], None]  # is shown the next file, and what it begins with

_log = structlog.get_logger(__name__)


class Bounds(NamedTuple):
    """How large a file may grow (0: without end), and how many are kept (0: all)."""

    most_bytes: int = 0
    kept_files: int = 0

    def is_full(self, size_bytes: int, begun_bytes: int) -> bool:
        """Say whether a file is full that began with so much that was known before.

        It takes half of what it may hold in news at least: else, where what is known is larger
        than a file may grow, each batch would have all of it told once more.
        """
        news = (self.most_bytes + 1) // 2
        return bool(self.most_bytes) and size_bytes >= max(self.most_bytes, begun_bytes + news)


class Pages:
    """The files of a recording, one of which is being written."""

    def __init__(
        self, series: Series, log: RecordingLog, identity: Identity, bounds: Bounds, turned: Turned
    ) -> None:
        """Go on in `log`, the newest file of the series."""
        self.log = log
        self.first_number = self.number = series.newest()
        self._series = series
        self._identity = identity
        self._bounds = bounds
        self._turned = turned
        self._begun_at = 0  # position in the file that is written
        self._rows = 0  # of this session in files before that
        self._begun_bytes = 0  # of the file that is written, as it was turned to

    @classmethod
    async def open(cls, series: Series, identity: Identity, bounds: Bounds, turned: Turned) -> Self:
        """Open the newest file of a recording. Raises what `open_recording` does."""
        log = await open_recording(series.path(series.newest()), series.first)
        return cls(series, log, identity, bounds, turned)

    @property
    def path(self) -> Path:
        """The file that is written now."""
        return self._series.path(self.number)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that were written in this session, as far as they are kept."""
        numbers = self._series.numbers()
        return tuple(self._series.path(one) for one in numbers if one >= self.first_number)

    @property
    def cut_bytes(self) -> int:
        """How much of a row that was not whole was cut off the file as it was opened."""
        return self.log.cut_bytes if isinstance(self.log, GrowingFile) else 0

    async def begin(self, clock: int, check: Callable[[State], None]) -> Writer:
        """Fold what is in the file, and begin a session, unless `check` raises something.

        Raises what `open_writer` does, too.
        """

        async def fold_all() -> Replayed[State]:
            replayed = await replay(WITNESSING, self.log)
            check(replayed.state)
            self._begun_at = replayed.cursor.position
            return replayed

        return await open_writer(self.log, self._identity, clock, fold_all, WITNESSING)

    async def turn(self, writer: Writer, now: int) -> Writer:
        """Go on in another file when this one is full; give the writer to go on with.

        A file that cannot be opened or written is tried again after the next batch.
        """
        if not self._bounds.is_full(self._series.size_bytes(self.number), self._begun_bytes):
            return writer
        path = self._series.path(self.number + 1)
        try:
            log = await open_recording(path, self._series.first, await self.log.secret_key())
        except LogUnavailable as error:
            _log.error("the next file cannot be opened", words=str(error))
            return writer
        try:
            next_writer = await open_writer(log, self._identity, now, domain=WITNESSING)
            next_writer.fold_in(tuple(restated(writer.state)), now)
            rows = await next_writer.flush()
        except LogUnavailable as error:
            _log.error("the next file takes no rows", words=str(error))
            await log.close()
            self._series.remove(self.number + 1)
            return writer
        self._rows, self._begun_at = self._rows_by(writer.cursor.position), 0
        await self.log.close()
        self.log, self.number = log, self.number + 1
        self._begun_bytes = self._series.size_bytes(self.number)
        self._turned(path, rows)
        self._drop_oldest()
        return next_writer

    async def rows(self) -> int:
        """Count the rows of this session, those included that were told once more."""
        return self._rows_by((await self.log.identify()).position)

    def _rows_by(self, position: int) -> int:
        return self._rows + position - self._begun_at

    async def close(self) -> None:
        """Let go of the file."""
        await self.log.close()

    def _drop_oldest(self) -> None:
        if self._bounds.kept_files:
            for number in self._series.numbers()[: -self._bounds.kept_files]:
                self._series.remove(number)
