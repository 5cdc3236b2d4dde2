"""What a follower of a log must see, and when."""

import asyncio
import gc
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress

import pytest

from adapters.store.databases import SqlLog, SqlReader
from adapters.store.opening import open_log
from engine.errors import LogUnavailable
from engine.events import Event
from tests.store.rows import NOON, STARTED, read_all, rows

NEVER_SECONDS = 3600.0
"""A poll interval that cannot be what woke a follower within a test."""

SHORT_SECONDS = 0.002


async def follow_until(
    followed: AsyncGenerator[Sequence[Event], None], is_last: Callable[[Event], bool]
) -> list[Event]:
    """Gather what a follower gives, up to the batch whose end `is_last`."""
    seen: list[Event] = []
    async with aclosing(followed):
        async for batch in followed:
            seen += batch
            if is_last(seen[-1]):
                break
    return seen


def reaches(seq: int) -> Callable[[Event], bool]:
    """Give the question whether a row is at or after `seq`."""
    return lambda event: event.seq >= seq


class Following:
    """A follower gets every row, in order, however it is appended. A mixin: see suite.py."""

    async def test_own_appends_at_once(self, log: SqlLog, location: str) -> None:
        """What a log appends wakes its own followers without a poll."""
        await log.open_epoch(STARTED, NOON)
        async with await open_log(location, poll_seconds=NEVER_SECONDS) as unpolled:
            followed = unpolled.follow()
            assert [event.seq for event in await anext(followed)] == [1]
            for position in range(1, 10, 3):
                waiting = asyncio.ensure_future(anext(followed))
                # The follower has read to the end, and waits, once a later reading is through.
                await unpolled.identify()
                await unpolled.append(1, position, rows(position, 3))
                assert list(await waiting) == rows(position, 3)
            await followed.aclose()

    async def test_appends_of_others(self, log: SqlLog, location: str) -> None:
        """What another writer appends reaches a follower that only reads, by polling."""
        await log.open_epoch(STARTED, NOON)
        reader = await open_log(location, read_only=True, poll_seconds=SHORT_SECONDS)
        assert isinstance(reader, SqlReader)
        async with reader:
            following = asyncio.create_task(follow_until(reader.follow(1), reaches(201)))
            for position in range(1, 201, 10):
                await log.append(1, position, rows(position, 10))
            assert await following == rows(1, 200)

    async def test_several_followers(self, log: SqlLog) -> None:
        """Each follower gets all rows after its own start."""
        starts = [0, 1, 5, 99]
        tasks = [
            asyncio.create_task(follow_until(log.follow(after), reaches(100))) for after in starts
        ]
        await log.open_epoch(STARTED, NOON)
        for position in range(1, 100, 9):
            await log.append(1, position, rows(position, 9))
        for after, seen in zip(starts, await asyncio.gather(*tasks), strict=True):
            assert [event.seq for event in seen] == list(range(after + 1, 101))

    async def test_closing_ends_followers(self, location: str) -> None:
        """A follower that waits ends when its log is closed."""
        log = await open_log(location, create=True, poll_seconds=NEVER_SECONDS)
        await log.open_epoch(STARTED, NOON)
        following = asyncio.create_task(_count(log.follow()))
        await log.identify()
        await log.close()
        assert await following <= 1
        await log.close()

    @pytest.mark.parametrize("turns", [0, 1, 3, 10])
    async def test_closing_while_reading(self, log: SqlLog, turns: int) -> None:
        """A log that is closed while it is read, lets the statement end and its connection go."""
        await log.open_epoch(STARTED, NOON)
        await log.append(1, 1, rows(1, 999))
        reading = asyncio.create_task(read_all(log, batch_rows=999))
        for _ in range(turns):
            await asyncio.sleep(0)
        await log.close()
        with suppress(LogUnavailable):
            assert len(await reading) == 1000
        # A connection that was forgotten is a ResourceWarning, which fails the test.
        gc.collect()


async def _count(followed: AsyncGenerator[Sequence[Event], None]) -> int:
    return sum([len(batch) async for batch in followed])
