"""Waking: a task rests until something is said to it, or until an instant has come."""

import asyncio

from engine.instants import SECOND


async def woken_or_due(woken: asyncio.Event, due: int | None, now: int) -> None:
    """Wait until `woken` is set, which is taken note of, or until `due` (UTC nanoseconds)."""
    try:
        async with asyncio.timeout(None if due is None else max(due - now, 0) / SECOND):
            await woken.wait()
    except TimeoutError:
        return
    woken.clear()
