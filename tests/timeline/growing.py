"""Growing: logs that get the rows of a recording, some at a time, as a controller appends them."""

from collections.abc import Sequence
from pathlib import Path

from adapters.store.opening import open_log
from engine.events import Draft, Event
from tests.recordings.reading import reader
from tests.store.rows import read_all


class Growing:
    """A SQLite file that gets the rows of one session."""

    def __init__(self, path: Path, rows: Sequence[Event]) -> None:
        """Append these rows, of which the first one begins the session."""
        self.path = path
        self._rows = rows

    async def begin(self, until: int, *, anew: bool = False) -> None:
        """Make a log that holds the rows up to a position, also in place of another one."""
        if anew:
            for suffix in ("", "-wal", "-shm"):
                self.path.with_name(f"{self.path.name}{suffix}").unlink(missing_ok=True)
        first = self._rows[0]
        async with await open_log(self.path, create=True) as log:
            await log.open_epoch(Draft(*first[3:]), first.at)
        await self.grow(1, until)

    async def grow(self, after: int, until: int) -> None:
        """Append the rows behind a position."""
        async with await open_log(self.path) as log:
            await log.append(1, after, self._rows[after:until])


async def growing(path: Path, name: str) -> Growing:
    """Give a log that gets the rows of a recording."""
    return Growing(path, await read_all(reader(name)))
