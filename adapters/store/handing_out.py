"""A process that hands out a log in pieces, while it is asked.

It reads a line with the log, and then questions (`pipes`): after which position. It holds one piece
at a time, and ends when nobody asked for long.
"""

import asyncio
from contextlib import AsyncExitStack

from adapters.pipes import OK, Output, answer_on_pipes, next_question, packed
from adapters.store.opening import OpenReader, open_log
from adapters.store.pieces import piece_after
from engine.canonical_json import loads
from engine.errors import LogUnavailable, WarmlogError

IDLE_SECONDS = 300.0  # without a question
FAILED, UNAVAILABLE = 500, 503


class HandingOut:
    """Reads one log, opened when it is asked for, and anew after whatever went wrong."""

    def __init__(self, log: str) -> None:
        """Hand out the log at this place."""
        self._log = log
        self._reader: OpenReader | None = None

    async def answer(self, after: int) -> tuple[int, bytes]:
        """Give the piece after a position with OK, or another code and a sentence."""
        try:
            if self._reader is None:
                self._reader = await open_log(self._log, read_only=True)
            return OK, await piece_after(self._reader, after)
        except WarmlogError as error:
            await self.close()
            code = UNAVAILABLE if isinstance(error, LogUnavailable) else FAILED
            return code, str(error).encode()

    async def close(self) -> None:
        """Let go of the log."""
        reader, self._reader = self._reader, None
        if reader is not None:
            await reader.close()


async def answer_all(
    questions: asyncio.StreamReader, answers: Output, *, idle_seconds: float = IDLE_SECONDS
) -> None:
    """Answer until nobody asks any more."""
    handing_out = HandingOut(loads((await questions.readline()).decode())["log"])
    async with AsyncExitStack() as stack:
        stack.push_async_callback(handing_out.close)
        while question := await next_question(questions, idle_seconds):
            code, body = await handing_out.answer(question["after"])
            answers.write(packed(code, body, is_gzip=question["gzip"]))
            answers.flush()


if __name__ == "__main__":
    answer_on_pipes(answer_all)
