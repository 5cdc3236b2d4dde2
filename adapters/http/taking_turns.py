"""Taking turns: who asks another process waits for the one before, not for long, nor in a crowd."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Crowded(Exception):
    """So many wait already that one more is turned away; the text says so."""


class Turns:
    """One turn at a time, for so many that wait, each for so long, waiting included."""

    def __init__(self, most_waiting: int, longest_seconds: float) -> None:
        """Let `most_waiting` wait at once, who has the turn included."""
        self._most_waiting = most_waiting
        self._longest_seconds = longest_seconds
        self._turn = asyncio.Lock()
        self._waiting = 0

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        """Have the turn within the context. Raises Crowded, and TimeoutError out of the context."""
        if self._waiting >= self._most_waiting:
            raise Crowded(f"{self._most_waiting} questions wait already: ask again in a moment.")
        self._waiting += 1
        try:
            async with asyncio.timeout(self._longest_seconds), self._turn:
                yield
        finally:
            self._waiting -= 1
