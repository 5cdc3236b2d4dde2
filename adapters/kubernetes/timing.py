"""The port to time: what waits and what measures, so that tests need neither."""

import asyncio
import time
from typing import Protocol


class Timer(Protocol):
    """Measured time, in seconds that never go back, and waiting."""

    def monotonic(self) -> float:
        """Give seconds since an arbitrary instant."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait that long."""
        ...


class SystemTimer:
    """The machine's own time."""

    def monotonic(self) -> float:
        """Give seconds since an arbitrary instant."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait that long."""
        await asyncio.sleep(seconds)
