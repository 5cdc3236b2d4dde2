"""What must hold when several write: in tasks, in processes, and when one is killed."""

import asyncio
import random
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.store.databases import End, SqlLog, SqlReader
from adapters.store.dialects import reading_engine, writing_engine
from adapters.store.locations import parse_location
from adapters.store.opening import open_log
from adapters.store.readings import EngineReadings
from engine.errors import Fenced, LogUnavailable
from engine.events import Event
from engine.logs import Opened
from tests.store.rows import NOON, STARTED, read_all, rows
from tests.store.suite_following import SHORT_SECONDS, follow_until
from tests.store.writing import BATCH_ROWS, BATCHES, TERMS

NO_PATIENCE_SECONDS = 0.02


class Outcome(NamedTuple):
    """What a writer reached before it was fenced, or before its batches were used up."""

    fenced: bool
    acknowledged: list[Event]


async def write(
    log: SqlLog, epoch: int, position: int, batches: int, chance: random.Random
) -> Outcome:
    """Append batches of random size until done or fenced."""
    acknowledged: list[Event] = []
    for _ in range(batches):
        batch = rows(position, chance.randint(1, 5), epoch)
        try:
            await log.append(epoch, position, batch)
        except Fenced:
            return Outcome(fenced=True, acknowledged=acknowledged)
        acknowledged += batch
        position = batch[-1].seq
    return Outcome(fenced=False, acknowledged=acknowledged)


@asynccontextmanager
async def writer_process(location: str, mode: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run tests/store/writing.py in a process of its own, which never outlives the test."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.store.writing",
        location,
        mode,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def read_acknowledged(process: asyncio.subprocess.Process, count: int) -> list[list[int]]:
    """Read up to `count` lines of epoch and position; fewer when the process ended."""
    assert process.stdout is not None
    lines = [await process.stdout.readline() for _ in range(count)]
    return [[int(word) for word in line.split()] for line in lines if line]


def is_end(event: Event) -> bool:
    """Tell the row by which a test ends its followers."""
    return event.type == "Ended"


class Racing:
    """Fencing, locking and dying. A mixin: see suite.py."""

    @pytest.mark.parametrize("seed", range(6))
    async def test_two_writers(self, log: SqlLog, location: str, seed: int) -> None:
        """Of writers with epochs n and n+1 only the older is fenced; followers see no hole."""
        chance = random.Random(seed)
        reader = await open_log(location, read_only=True, poll_seconds=SHORT_SECONDS)
        assert isinstance(reader, SqlReader)

        async def take_over() -> Outcome:
            for _ in range(chance.randint(0, 60)):
                await asyncio.sleep(0)
            newer = await other.open_epoch(STARTED, NOON)
            return await write(other, newer.epoch, newer.event.seq, 10, chance)

        async with await open_log(location) as other, reader:
            following = asyncio.create_task(follow_until(reader.follow(), is_end))
            older = await log.open_epoch(STARTED, NOON)
            first, second = await asyncio.gather(
                write(log, older.epoch, 1, 10_000, chance), take_over()
            )
            position = second.acknowledged[-1].seq
            end = rows(position, 1, epoch=2)[0]._replace(type="Ended")
            await other.append(2, position, [end])
            seen = await following
        assert (first.fenced, second.fenced) == (True, False)
        assert [event.seq for event in seen] == list(range(1, end.seq + 1))
        assert [event.epoch for event in seen] == sorted(event.epoch for event in seen)
        written = [event for event in seen if event.type not in {STARTED.type, "Ended"}]
        assert written == first.acknowledged + second.acknowledged

    async def test_every_place_of_an_append(self, log: SqlLog, location: str) -> None:
        """An append at the very moment of a take-over is whole before it, or fenced after it."""
        async with await open_log(location) as other:
            writers = [log, other]
            opened = await log.open_epoch(STARTED, NOON)
            for turn in range(40):
                older, newer = writers[turn % 2], writers[1 - turn % 2]
                batch = rows(opened.event.seq, 3, opened.epoch)
                appending = older.append(opened.epoch, opened.event.seq, batch)
                opening = newer.open_epoch(STARTED, NOON)
                pair = [appending, opening] if turn % 4 < 2 else [opening, appending]
                results = await asyncio.gather(*pair, return_exceptions=True)
                fenced = any(isinstance(result, Fenced) for result in results)
                before, opened = opened, next(each for each in results if isinstance(each, Opened))
                assert opened.event.seq == before.event.seq + (1 if fenced else 4)
                with pytest.raises(Fenced):
                    await older.append(before.epoch, before.event.seq, batch)
        events = await read_all(log)
        assert [event.seq for event in events] == list(range(1, len(events) + 1))

    async def test_terms_of_processes(self, log: SqlLog, location: str) -> None:
        """Racing processes get terms of their own, and what each was promised is in the log."""
        following = asyncio.create_task(follow_until(log.follow(), is_end))
        async with (
            writer_process(location, "race") as one,
            writer_process(location, "race") as two,
        ):
            lines = await asyncio.gather(
                read_acknowledged(one, TERMS * BATCHES), read_acknowledged(two, TERMS * BATCHES)
            )
            assert [await one.wait(), await two.wait()] == [0, 0]
        opened = await log.open_epoch(STARTED._replace(type="Ended"), NOON)
        seen = await following
        assert opened.epoch == 2 * TERMS + 1
        assert [event.seq for event in seen] == list(range(1, opened.event.seq + 1))
        assert [event.epoch for event in seen] == sorted(event.epoch for event in seen)
        for epoch, position in lines[0] + lines[1]:
            batch = rows(position - BATCH_ROWS, BATCH_ROWS, epoch)
            assert seen[position - BATCH_ROWS : position] == batch

    @pytest.mark.parametrize("lines", [1, 4, 15])
    async def test_killed_writer(self, log: SqlLog, location: str, lines: int) -> None:
        """A writer killed in mid-append leaves whole batches only, and all it was promised."""
        async with writer_process(location, "endless") as process:
            acknowledged = await read_acknowledged(process, lines)
            process.kill()
            assert await process.wait() == -signal.SIGKILL
        # Taking the lock waits for whatever the server still does for the dead.
        opened = await log.open_epoch(STARTED, NOON)
        written = await read_all(log, 1, opened.event.seq - 1)
        assert len(written) % BATCH_ROWS == 0
        assert written == rows(1, len(written))
        assert opened.event.seq - 1 >= acknowledged[-1][1]
        assert len(acknowledged) == lines
        await log.append(opened.epoch, opened.event.seq, rows(opened.event.seq, 1, opened.epoch))

    async def test_locked(self, log: SqlLog, location: str) -> None:
        """A lock that another writer keeps is said to be one, and appending works afterwards."""
        held, release = asyncio.Event(), asyncio.Event()

        async def hold(_connection: AsyncConnection, _end: End) -> None:
            held.set()
            await release.wait()

        await log.open_epoch(STARTED, NOON)
        holding = asyncio.create_task(log.transact(hold))
        await held.wait()
        place = parse_location(location)
        async with SqlLog(
            writing_engine(place, lock_seconds=NO_PATIENCE_SECONDS),
            EngineReadings(reading_engine(place), place.name),
            place,
        ) as impatient:
            with pytest.raises(LogUnavailable, match="locked by another"):
                await impatient.append(1, 1, rows(1, 3))
            assert (await impatient.identify()).position == 1
            release.set()
            await holding
            await impatient.append(1, 1, rows(1, 3))
        assert await read_all(log, 1) == rows(1, 3)
