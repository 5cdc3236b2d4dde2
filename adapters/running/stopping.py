"""Stopping: work that goes on until it ends by itself, or a signal comes."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


async def until_signalled(
    work: Coroutine[Any, Any, None], tell: Callable[[], None] = lambda: None
) -> bool:
    """Do `work` until SIGTERM or Ctrl-C, which cancels it; say whether one came.

    `tell` is called when one comes. Raises what the work raises.
    """
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, stopping.set)
    task = asyncio.create_task(work)
    waiting = asyncio.create_task(stopping.wait())
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if not task.done():
        tell()
        task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return True
    return False
