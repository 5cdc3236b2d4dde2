"""Stretches: a log cut into pieces, looked through at once, told in order."""

import asyncio
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.store.stretches import Ends, Stretch, ahead, stretches
from engine.errors import LogUnavailable


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
