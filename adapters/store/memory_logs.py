"""A log in memory, for simulations that crash and restart thousands of times a minute.

It keeps every rule of the port but durability, and survives the controller that writes it.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence

from adapters.store.checking import check_draft, check_rows
from engine.errors import Fenced, PositionTaken
from engine.events import Draft, Event
from engine.logs import LogIdentity, Opened


class MemoryLog:
    """An `EventLog` whose rows are a list."""

    def __init__(self, log_id: str) -> None:
        """Begin an empty log."""
        self.rows: list[Event] = []
        self.log_id = log_id
        self._epoch = 0
        self._grown = asyncio.Event()

    async def identify(self) -> LogIdentity:
        """Say which log this is."""
        last_at = self.rows[-1].at if self.rows else 0
        return LogIdentity(self.log_id, len(self.rows), self._epoch, last_at)

    async def read(
        self, after: int = 0, until: int | None = None, *, batch_rows: int = 1000
    ) -> AsyncIterator[Sequence[Event]]:
        """Give the rows with after < seq ≤ until, in batches."""
        end = len(self.rows) if until is None else min(until, len(self.rows))
        for start in range(after, end, batch_rows):
            yield self.rows[start : min(start + batch_rows, end)]

    async def open_epoch(self, draft: Draft, at: int) -> Opened:
        """Start the next term."""
        check_draft(draft)
        self._epoch += 1
        last_at = self.rows[-1].at if self.rows else 0
        event = draft.placed(len(self.rows) + 1, self._epoch, max(at, last_at))
        self._extend([event])
        return Opened(self._epoch, event)

    async def append(self, epoch: int, expected_position: int, events: Sequence[Event]) -> None:
        """Append placed rows, or those of them that are not there yet, as any store does.

        Raises EventMalformed, Fenced, PositionTaken.
        """
        check_rows(epoch, expected_position, events)
        if epoch != self._epoch:
            msg = f"epoch {epoch} may not append: the newest epoch is {self._epoch}"
            raise Fenced(msg)
        landed = len(self.rows) - expected_position
        if events and landed and not self._ends_with(events[: max(landed, 0)], expected_position):
            msg = f"the log ends at {len(self.rows)}, not at {expected_position}"
            raise PositionTaken(msg)
        if landed < len(events):
            self._extend(events[landed:])

    async def follow(self, after: int = 0) -> AsyncIterator[Sequence[Event]]:
        """Give the rows after `after`, and every later one as it comes."""
        while True:
            if after < len(self.rows):
                batch = self.rows[after:]
                after = len(self.rows)
                yield batch
            else:
                grown = self._grown
                await grown.wait()

    async def secret_key(self) -> bytes:
        """Give a key that is the log's own, the same at each call."""
        return hashlib.sha256(self.log_id.encode()).digest()

    async def close(self) -> None:
        """Nothing is held."""

    def _ends_with(self, events: Sequence[Event], position: int) -> bool:
        return bool(events) and self.rows[position:] == list(events)

    def _extend(self, events: Sequence[Event]) -> None:
        self.rows.extend(events)
        grown, self._grown = self._grown, asyncio.Event()
        grown.set()
