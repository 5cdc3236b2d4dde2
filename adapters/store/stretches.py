"""Stretches: what a long log is cut into, so that a database looks through several at once."""

import asyncio
import os
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

CORES = min(4, os.cpu_count() or 1)
"""How many stretches are looked through at once: who looks on is not alone on a machine."""

LEAST_ROWS = 20_000
"""A shorter stretch takes less time than another connection does."""

Found = TypeVar("Found")


class Ends(NamedTuple):
    """Where the rows of a log are: before < seq ≤ last."""

    before: int
    last: int


class Stretch(NamedTuple):
    """The rows with after < seq ≤ until; without `until` to the log's end."""

    after: int
    until: int | None


def stretches(ends: Ends, until: int | None, *, most: int, rows: int) -> Sequence[Stretch]:
    """Cut a log up to `until` into at most `most` stretches of about as many rows, or one.

    None is shorter than `rows` where there are several. Without `until` the last has no end, as a
    log may grow meanwhile.
    """
    after, last = ends.before, ends.last if until is None else min(until, ends.last)
    many = max(1, min(most, (last - after) // rows))
    cuts = [after + (last - after) * number // many for number in range(many)]
    return [Stretch(*piece) for piece in zip(cuts, [*cuts[1:], until], strict=True)]


async def ahead(
    works: Iterable[Callable[[], Coroutine[Any, Any, Found]]], at_once: int
) -> AsyncGenerator[Found, None]:
    """Give what the works give, in order; some of those that come next are done meanwhile.

    What was begun is waited for, also when nobody asks for it any more.
    """
    begun: deque[asyncio.Task[Found]] = deque()
    try:
        for work in works:
            begun.append(asyncio.ensure_future(work()))
            if len(begun) >= at_once:
                yield await begun.popleft()
        while begun:
            yield await begun.popleft()
    finally:
        await asyncio.gather(*begun, return_exceptions=True)
