"""Failing logs: a store that is locked, full, or does what it was asked and cannot say so."""

from collections.abc import AsyncIterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from adapters.simulator.faults import SenderDied
from engine.errors import LogFull, LogUnavailable
from engine.events import Draft, Event
from engine.logs import EventLog, LogIdentity, Opened


class StoreTrouble(StrEnum):
    """What befalls who writes to the store, or begins to read it."""

    LOCKED = "locked"  # nothing was done: try again
    FULL = "full"  # nothing was done, for there is no space
    UNSAID = "unsaid"  # it was done, but the answer got lost
    DEATH_BEFORE = "death before"  # the writer dies before anything was done
    DEATH_AFTER = "death after"  # it dies when all was done, before it heard so


class _Plan(NamedTuple):
    trouble: StoreTrouble
    times: int
    skipped: int


class StoreTroubles:
    """The troubles that stand ready; the oldest comes first, and is used up by what it befalls."""

    def __init__(self) -> None:
        """Begin with none."""
        self._plans: list[_Plan] = []

    def add(self, trouble: StoreTrouble, *, times: int = 1, skipped: int = 0) -> None:
        """Have `trouble` befall the next `times` commits, after `skipped` of them."""
        self._plans.append(_Plan(trouble, times, skipped))

    def clear(self) -> None:
        """Make the store well again."""
        self._plans = []

    def befalling(self) -> StoreTrouble | None:
        """Give what befalls this commit, and count it."""
        if not self._plans:
            return None
        plan = self._plans[0]
        if plan.skipped:
            self._plans[0] = plan._replace(skipped=plan.skipped - 1)
            return None
        if plan.times > 1:
            self._plans[0] = plan._replace(times=plan.times - 1)
        else:
            del self._plans[0]
        return plan.trouble

    def is_locked(self) -> bool:
        """Say whether the store cannot even be read; that counts as one of the times."""
        locked = bool(self._plans) and self._plans[0][::2] == (StoreTrouble.LOCKED, 0)
        return locked and self.befalling() is not None


class FailingLog:
    """An `EventLog` that keeps its rows in another, and its promises whatever befalls it."""

    def __init__(self, log: EventLog, troubles: StoreTroubles) -> None:
        """Write to `log`, as far as `troubles` let it."""
        self._log = log
        self._troubles = troubles

    async def identify(self) -> LogIdentity:
        """Say which log this is. Raises LogUnavailable."""
        if self._troubles.is_locked():
            raise LogUnavailable("the database is locked")
        return await self._log.identify()

    def read(
        self, after: int = 0, until: int | None = None, *, batch_rows: int = 1000
    ) -> AsyncIterator[Sequence[Event]]:
        """Give rows in batches."""
        return self._log.read(after, until, batch_rows=batch_rows)

    async def open_epoch(self, draft: Draft, at: int) -> Opened:
        """Start the next term. Raises what `append` raises."""
        trouble = self._begin()
        opened = await self._log.open_epoch(draft, at)
        _end(trouble)
        return opened

    async def append(self, epoch: int, expected_position: int, events: Sequence[Event]) -> None:
        """Append rows. Raises LogUnavailable, LogFull, SenderDied, and what the log raises."""
        trouble = self._begin()
        await self._log.append(epoch, expected_position, events)
        _end(trouble)

    def follow(self, after: int = 0) -> AsyncIterator[Sequence[Event]]:
        """Give the rows after `after`, and every later one as it comes."""
        return self._log.follow(after)

    async def secret_key(self) -> bytes:
        """Give the log's own key."""
        return await self._log.secret_key()

    async def close(self) -> None:
        """Let go of the log."""
        await self._log.close()

    def _begin(self) -> StoreTrouble | None:
        trouble = self._troubles.befalling()
        match trouble:
            case StoreTrouble.LOCKED:
                raise LogUnavailable("the database is locked")
            case StoreTrouble.FULL:
                raise LogFull("no space left for the log")
            case StoreTrouble.DEATH_BEFORE:
                raise SenderDied("before its rows were written")
        return trouble


def _end(trouble: StoreTrouble | None) -> None:
    """Keep from the writer that all was done."""
    if trouble is StoreTrouble.UNSAID:
        raise LogUnavailable("the server went away while it committed")
    if trouble is StoreTrouble.DEATH_AFTER:
        raise SenderDied("when its rows were written")
