"""Asking a process that follows the log: begun with the first question, and anew when it ended.

The controller's loop hands bytes on, and neither folds nor makes JSON of a whole log.
"""

import asyncio
import sys
from contextlib import suppress
from typing import NamedTuple

from adapters.http.taking_turns import Crowded, Turns
from adapters.pipes import begin, end
from engine.canonical_json import dumps, loads

FOLLOWER = (sys.executable, "-m", "adapters.timeline.answering")
HANDING_OUT = (sys.executable, "-m", "adapters.store.handing_out")
LONGEST_SECONDS = 30.0  # that an answer may take
MOST_WAITING = 16  # questions, the one under way included
OK, BUSY, LATE, FAILED = 200, 503, 504, 500


class Told(NamedTuple):
    """A code as HTTP has them, and the bytes of the document; of an error those of a sentence."""

    code: int
    body: bytes
    is_gzip: bool = False


class _Ended(Exception):
    """The process is there no longer."""


class Following:
    """Has a process follow one log, and asks it."""

    def __init__(
        self,
        log: str,
        command: tuple[str, ...] = FOLLOWER,
        *,
        longest_seconds: float = LONGEST_SECONDS,
    ) -> None:
        """Ask `command`, which reads the log's place and then questions."""
        self._log = log
        self._command = command
        self._longest_seconds = longest_seconds
        self._turns = Turns(MOST_WAITING, longest_seconds)
        self._process: asyncio.subprocess.Process | None = None

    async def ask(self, after: int, *, is_gzip: bool = False) -> Told:
        """Give what came after a position, or why that cannot be said."""
        try:
            async with self._turns.take():
                return await self._asked(after, is_gzip=is_gzip)
        except Crowded as crowd:
            return Told(BUSY, str(crowd).encode())
        except TimeoutError:
            words = f"There was no answer within {self._longest_seconds:g} s: ask again, or read"
            return Told(LATE, f"{words} the log itself.".encode())

    async def close(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            await end(process)

    async def _asked(self, after: int, *, is_gzip: bool) -> Told:
        # One that was there may have ended since: for want of questions, or of memory.
        for _ in range(2 if self._process else 1):
            with suppress(_Ended):
                return await self._exchange(after, is_gzip=is_gzip)
        return Told(FAILED, b"The process that follows the log ended without an answer: ask again.")

    async def _exchange(self, after: int, *, is_gzip: bool) -> Told:
        is_whole = False
        try:
            process = self._process = self._process or await self._begun()
            told = await _told(process, {"after": after, "gzip": is_gzip})
            is_whole = True
        except (OSError, EOFError) as error:
            raise _Ended from error
        finally:
            if not is_whole:
                await self.close()
        return told._replace(is_gzip=is_gzip and told.code == OK)

    async def _begun(self) -> asyncio.subprocess.Process:
        process = await begin(self._command)
        _stdin(process).write(_line({"log": self._log}))
        return process


async def _told(process: asyncio.subprocess.Process, question: dict[str, object]) -> Told:
    """Exchange a question for its answer. Raises OSError, EOFError when the process ended."""
    _stdin(process).write(_line(question))
    await _stdin(process).drain()
    answers = process.stdout
    if answers is None or not (head := await answers.readline()):
        raise EOFError
    code, length = loads(head.decode())
    return Told(code, await answers.readexactly(length))


def _stdin(process: asyncio.subprocess.Process) -> asyncio.StreamWriter:
    if process.stdin is None:
        raise EOFError
    return process.stdin


def _line(document: dict[str, object]) -> bytes:
    return f"{dumps(document)}\n".encode()
