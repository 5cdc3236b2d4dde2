"""A tail without time: at each of its rests something is done, and then it ends."""

import asyncio
from collections.abc import Awaitable, Callable
from inspect import isawaitable

from adapters.store.opening import OpenReader
from adapters.store.tailing import News, tail

Deed = Callable[[], object]  # what is awaitable is awaited


class Turns:
    """Sleeps no time, does one deed after the other instead, and then ends the tail."""

    def __init__(self, *deeds: Deed) -> None:
        """Do these."""
        self._deeds = list(deeds)

    async def __call__(self, seconds: float) -> None:
        """Do the next one."""
        if not self._deeds:
            raise asyncio.CancelledError
        done = self._deeds.pop(0)()
        if isawaitable(done):
            await done


async def followed(opening: Callable[[], Awaitable[OpenReader]], *deeds: Deed) -> list[News]:
    """Follow a log while these deeds are done, one at each rest."""
    news: list[News] = []
    try:
        async for each in tail(opening, Turns(*deeds)):
            news.append(each)  # noqa: PERF401 -- what came before the end is wanted
    except asyncio.CancelledError:
        pass
    return news
