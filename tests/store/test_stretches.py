"""Stretches: a log cut into pieces, looked through at once, told in order."""

import asyncio
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.store.copying import import_log
from adapters.store.databases import SqlReader
from adapters.store.opening import open_log
from adapters.store.sifting import Sieve
from adapters.store.sifting_rows import RowSifter
from adapters.store.stretches import Ends, Stretch, ahead, stretches
from engine.errors import LogUnavailable
from engine.events import Event
from machines.concerning import KINDS, uids_of
from tests.recordings import reading


@given(st.integers(0, 100), st.integers(0, 100), st.integers(1, 9), st.integers(1, 50))
def test_stretches_follow_upon_each_other(before: int, rows: int, most: int, least: int) -> None:
    """Each row is in one of them, and what is appended meanwhile in the last."""
    last = before + rows
    found = stretches(Ends(before, last), None, most=most, rows=least)
    assert [piece.until for piece in found] == [*(piece.after for piece in found[1:]), None]
    assert len(found) <= most
    assert found[0].after == before
    lengths = [end - begin for begin, end in pairwise([*(each.after for each in found), last])]
    assert min(lengths) >= min(least, rows)
    assert max(lengths) - min(lengths) <= 1
    assert stretches(Ends(before, 2**40), last, most=most, rows=least) == [
        *found[:-1],
        Stretch(found[-1].after, last),
    ]


@pytest.mark.parametrize("name", ["demo", "demo_caches", "a_staged_claim_is_lost_with_a_backup"])
async def test_a_log_is_looked_through_in_stretches_as_in_one(name: str, tmp_path: Path) -> None:
    """What is found, and the rows that are let through, are the same however it is cut."""
    path = tmp_path / "log.db"
    await import_log(reading.reader(name), path)
    async with await open_log(path, read_only=True) as whole:
        assert isinstance(whole, SqlReader)
        rows = (await whole.identify()).position
        plain = await looked_through(RowSifter(whole, cores=1, least_rows=rows), rows)
        for cores, least in ((2, 1), (3, 7), (4, rows // 5)):
            cut = RowSifter(whole, cores=cores, least_rows=least)
            assert await looked_through(cut, rows) == plain


async def looked_through(sifter: RowSifter, rows: int) -> list[object]:
    """Give all that a sifter finds in a log of so many rows."""
    spans = [await sifter.spans((), until) for until in (None, rows // 2)]
    subjects = sorted({span.subject for span in spans[0]})
    uids = uids_of(subjects)
    let_through = Sieve(KINDS, frozenset(subjects[::2]))
    return [
        *(sorted(each) for each in spans),
        await sifter.of_types("SessionStarted", "Synced"),
        await sifter.below("M"),
        await sifter.saying(("PersistentVolumeClaim",), '"owner"'),
        await sifter.linked("Job", "warmupUid", uids, {}),
        await sifter.linked("HydrationPod", "jobUid", uids, {}),
        await sifter.ending("Job", uids),
        *[await sifted(sifter, let_through, batch_rows) for batch_rows in (1, 3, rows)],
    ]


async def sifted(sifter: RowSifter, sieve: Sieve, batch_rows: int) -> list[Event]:
    """Give the rows that are let through, read in batches of at most so many."""
    found: list[Event] = []
    async for batch in sifter.sift(sieve, 2, None, batch_rows=batch_rows):
        assert 0 < len(batch) <= batch_rows
        found += batch
    return found


async def test_what_comes_next_is_done_while_something_is_looked_at() -> None:
    """As much of it as is allowed, and no more; it is given in order."""
    begun: list[int] = []
    following = [asyncio.Event() for _ in range(7)]

    async def work(number: int) -> int:
        begun.append(number)
        following[number].set()
        if number % 2 == 0:
            await following[number + 1].wait()
        return number

    numbers = ahead((partial(work, each) for each in range(6)), 2)
    async for number in numbers:
        assert number <= len(begun) - 1 <= number + 1
    assert begun == [*range(6)]


async def test_what_was_begun_is_through_when_nobody_looks_any_more() -> None:
    """One that fails is told where it stands, and leaves no other at work."""
    through: list[int] = []

    async def work(number: int) -> int:
        await asyncio.sleep(0)
        through.append(number)
        if number == 1:
            raise LogUnavailable("gone away")
        return number

    pages = ahead((partial(work, each) for each in range(9)), 3)
    assert await anext(pages) == 0
    with pytest.raises(LogUnavailable):
        await anext(pages)
    assert through == [0, 1, 2, 3]
    pages = ahead((partial(work, each) for each in range(2, 9)), 3)
    assert await anext(pages) == 2
    await pages.aclose()
    assert through == [0, 1, 2, 3, 2, 3, 4]
