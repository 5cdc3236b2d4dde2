"""A log in a database: reading, following and appending, on SQLite and PostgreSQL alike."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import bindparam, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.sql import Executable

from adapters.store import tables
from adapters.store.checking import check_draft, check_rows
from adapters.store.closing import Closing
from adapters.store.dialects import lock_log
from adapters.store.locations import Location
from adapters.store.readings import Parameters, Readings, Rows, closed_here
from adapters.store.translating import translated
from engine.errors import Fenced, LogUnavailable, LogUnreadable, PositionTaken
from engine.events import Draft, Event
from engine.logs import LogIdentity, Opened

POLL_SECONDS = 0.25
"""How long a follower may take to see what another process appended."""

Result = TypeVar("Result")

_EVENTS = tables.events
_LAST = select(_EVENTS.c.seq, _EVENTS.c.at).order_by(_EVENTS.c.seq.desc()).limit(1).subquery("last")
_IDENTITY = select(
    tables.log.c.log_id,
    func.coalesce(_LAST.c.seq, 0),
    tables.log.c.epoch,
    func.coalesce(_LAST.c.at, 0),
).select_from(tables.log.outerjoin(_LAST, tables.log.c.id == 1))
_PAGE = (
    select(_EVENTS)
    .where(_EVENTS.c.seq > bindparam("after"), _EVENTS.c.seq <= bindparam("until"))
    .order_by(_EVENTS.c.seq)
    .limit(bindparam("rows"))
)
_NO_END = 2**63 - 1


class End(NamedTuple):
    """Where the log ends, seen by the transaction that holds the writers' lock."""

    epoch: int
    position: int
    last_at: int


Work = Callable[[AsyncConnection, End], Awaitable[Result]]
"""What is done within a transaction that holds the writers' lock."""


class SqlReader(Closing):
    """Reads a log in a database (engine.logs.EventReader) and follows it."""

    def __init__(
        self, readings: Readings, location: Location, *, poll_seconds: float = POLL_SECONDS
    ) -> None:
        self.location = location
        self._readings = readings
        self._poll_seconds = poll_seconds
        self._arrival = asyncio.Event()
        self._closed = False

    async def identify(self) -> LogIdentity:
        """Say which log this is, as of one moment. Raises LogUnreadable, LogUnavailable."""
        rows = await self.rows(_IDENTITY)
        if not rows:
            raise LogUnreadable(_lost(self.location))
        return LogIdentity._make(rows[0])

    async def read(
        self, after: int = 0, until: int | None = None, *, batch_rows: int = 1000
    ) -> AsyncGenerator[Sequence[Event], None]:
        """Give the rows with after < seq ≤ until, in order, in batches of at most `batch_rows`.

        Without `until` it ends where the log ends when the last batch is read. Raises
        LogUnavailable and LogUnreadable; a reading may be taken up again after the last seq.
        """
        last = _NO_END if until is None else until
        while after < last:
            page = {"after": after, "until": last, "rows": batch_rows}
            batch = [Event._make(row) for row in await self.rows(_PAGE, page)]
            if batch:
                yield batch
            if len(batch) < batch_rows:
                return
            after = batch[-1].seq

    async def follow(self, after: int = 0) -> AsyncGenerator[Sequence[Event], None]:
        """Give the rows after `after`, then wait for more, in order and without holes.

        What this object appends is given at once, what others append within POLL_SECONDS. Ends
        when the log is closed. Raises LogUnavailable when a server goes away: follow again from
        the last seq.
        """
        while not self._closed:
            # Taken before reading, so that what arrives meanwhile is not waited for.
            arrival = self._arrival
            try:
                async for batch in self.read(after):
                    yield batch
                    after = batch[-1].seq
            except LogUnavailable:
                if self._closed:
                    return
                raise
            try:
                await asyncio.wait_for(arrival.wait(), self._poll_seconds)
            except TimeoutError:
                continue

    async def rows(self, statement: Executable, parameters: Parameters | None = None) -> Rows:
        """Run a SELECT on one state of the log. Raises LogUnavailable, LogUnreadable."""
        return await self._readings.rows(statement, parameters)

    async def close(self) -> None:
        """Let go of the connections and end the followers. May be called twice."""
        self._closed = True
        self._announce()
        await self._readings.close()

    def _announce(self) -> None:
        """Wake the followers."""
        arrived, self._arrival = self._arrival, asyncio.Event()
        arrived.set()


class SqlLog(SqlReader):
    """Also appends (engine.logs.EventLog). `engine` has one connection, for writing."""

    def __init__(
        self,
        engine: AsyncEngine,
        readings: Readings,
        location: Location,
        *,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        super().__init__(readings, location, poll_seconds=poll_seconds)
        self._engine = engine
        self._writing = asyncio.Lock()
        self._unfinished: set[asyncio.Task[Any]] = set()

    async def open_epoch(self, draft: Draft, at: int) -> Opened:
        """Start a term: last epoch + 1, taken in the transaction that appends `draft`.

        `at` (UTC nanoseconds) is raised to the last row's when the clock went back. Every older
        writer is fenced from here on. Raises EventMalformed, LogUnavailable, LogFull.
        """
        check_draft(draft)

        async def work(connection: AsyncConnection, end: End) -> Opened:
            epoch = end.epoch + 1
            event = draft.placed(end.position + 1, epoch, max(at, end.last_at))
            await connection.execute(update(tables.log).values(epoch=epoch))
            await insert_rows(connection, [event])
            return Opened(epoch, event)

        return await self.transact(work)

    async def append(self, epoch: int, expected_position: int, events: Sequence[Event]) -> None:
        """Append rows that are already placed: the first has seq expected_position + 1.

        Durable when it returns; all or nothing, also when the caller is cancelled. After
        LogUnavailable nothing was appended, unless a server took the rows and its answer was
        lost. Nobody can tell, so what this epoch has appended last may be given again, with or
        without rows behind it: what is there identically is not appended twice.

        Raises EventMalformed for rows that fit no log, Fenced, PositionTaken, LogUnavailable,
        LogFull.
        """
        check_rows(epoch, expected_position, events)

        async def work(connection: AsyncConnection, end: End) -> None:
            if end.epoch != epoch:
                msg = (
                    f"Epoch {epoch} may not append to the log {self.location.name}: its newest "
                    f"epoch is {end.epoch}. Stop this writer; a new start takes over."
                )
                raise Fenced(msg)
            landed = end.position - expected_position
            if landed and not await _are_there(connection, events[: max(0, landed)], end):
                msg = (
                    f"The log {self.location.name} ends at {end.position}, not at "
                    f"{expected_position} as this writer expected: read it again."
                )
                raise PositionTaken(msg)
            if landed < len(events):
                await insert_rows(connection, events[landed:])

        if events:
            await self.transact(work)

    async def secret_key(self) -> bytes:
        """Give the store's own digest key, made once, never exported (32 bytes)."""
        rows = await self.rows(select(tables.log.c.secret_key))
        return bytes(rows[0][0])

    async def close(self) -> None:
        """Finish the append that runs, refuse those behind it, let go of the connections."""
        await super().close()
        if self._unfinished:
            await asyncio.wait(self._unfinished)
        await self._engine.dispose()

    async def transact(self, work: Work[Result]) -> Result:
        """Run `work` in a transaction that holds the writers' lock, and commit.

        It runs to its end even when the caller is cancelled while it waits; what it raises rolls
        everything back. Raises LogUnavailable, LogFull and what `work` raises.
        """
        task = asyncio.ensure_future(self._transact(work))
        self._unfinished.add(task)
        task.add_done_callback(self._forget)
        return await asyncio.shield(task)

    async def _transact(self, work: Work[Result]) -> Result:
        async with self._writing:
            if self._closed:
                raise closed_here(self.location.name)
            with translated(self.location.name):
                async with self._engine.begin() as connection:
                    result = await work(connection, await self._lock(connection))
            self._announce()
        return result

    async def _lock(self, connection: AsyncConnection) -> End:
        epoch = await lock_log(connection)
        if epoch is None:
            raise LogUnreadable(_lost(self.location))
        # A statement of its own: on PostgreSQL it sees what was committed while the lock was
        # waited for, which the locking statement does not.
        last = (await connection.execute(select(_LAST))).first()
        return End(epoch, *(last or (0, 0)))

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._unfinished.discard(task)
        if not task.cancelled():
            # Looked at, so that a failure nobody waits for any more is no warning.
            task.exception()


async def insert_rows(connection: AsyncConnection, events: Sequence[Event]) -> None:
    """Insert placed rows within the caller's transaction."""
    await connection.execute(insert(_EVENTS), [event._asdict() for event in events])


async def _are_there(connection: AsyncConnection, events: Sequence[Event], end: End) -> bool:
    """Tell whether the log ends with exactly these rows; none are never there."""
    if not events or events[-1].seq != end.position:
        return False
    page = {"after": events[0].seq - 1, "until": end.position, "rows": len(events)}
    rows = (await connection.execute(_PAGE, page)).all()
    return [Event._make(row) for row in rows] == list(events)


def _lost(location: Location) -> str:
    return f"The log {location.name} has lost its identity row: restore it from a backup."
