"""The log port: what any store of events must offer, and the rules it keeps.

A store holds exactly one log. Its rules, which the conformance suite proves for every store:

1. `seq` runs from 1 without a gap, in the order in which rows become readable.
2. Only the writer of the newest epoch appends; whoever holds an older one gets `Fenced`, checked
   in the same transaction as the rows.
3. A batch is appended whole or not at all, and is durable when `append` returns.
4. What was written comes back identical, whatever characters it holds.
"""

from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple, Protocol

from engine.events import Draft, Event


class LogIdentity(NamedTuple):
    """Which log this is, and where it ends."""

    log_id: str
    position: int  # seq of the last row; 0 when empty
    epoch: int  # the newest epoch ever opened; 0 before the first
    last_at: int  # `at` of the last row in nanoseconds; 0 when empty


class Opened(NamedTuple):
    """What `open_epoch` gives: the term of this writer and the row that announced it."""

    epoch: int
    event: Event


class EventReader(Protocol):
    """Reading a log, whatever it is stored in."""

    async def identify(self) -> LogIdentity:
        """Say which log this is. Raises LogUnreadable when it is not a log of ours."""
        ...

    def read(
        self, after: int = 0, until: int | None = None, *, batch_rows: int = 1000
    ) -> AsyncIterator[Sequence[Event]]:
        """Give the rows with after < seq ≤ until, in order, in batches of at most `batch_rows`."""
        ...


class EventLog(EventReader, Protocol):
    """Reading, following and appending: the store of a running controller."""

    async def open_epoch(self, draft: Draft, at: int) -> Opened:
        """Start a term: last epoch + 1, taken in the transaction that appends `draft`.

        `at` is raised to the last row's `at` when the clock went back. Every older writer is
        fenced from here on. Raises LogUnavailable, LogFull.
        """
        ...

    async def append(self, epoch: int, expected_position: int, events: Sequence[Event]) -> None:
        """Append rows that are already placed: the first has seq expected_position + 1.

        Durable when it returns; all or nothing. Raises Fenced, PositionTaken, LogUnavailable,
        LogFull.
        """
        ...

    def follow(self, after: int = 0) -> AsyncIterator[Sequence[Event]]:
        """Give the rows after `after`, then wait for more, for ever, in order and without holes."""
        ...

    async def secret_key(self) -> bytes:
        """Give the store's own digest key, made once, never exported (32 bytes)."""
        ...

    async def close(self) -> None:
        """Let go of the store's connections. May be called twice."""
        ...
