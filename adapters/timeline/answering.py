"""A process that follows a log and answers what came after a position, while it is asked.

On stdin it reads a line with the log, then one with each question; on stdout each answer is a line
with a code and a number of bytes, and those bytes: the document, or of an error a sentence. It has
a low priority, so that a controller is not held up, and ends when nobody asked for long.
"""

import asyncio
import gzip
import os
import resource
import sys
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any, Protocol

from adapters.store.locations import parse_location
from adapters.store.opening import OpenReader, open_log
from adapters.store.tailing import tail
from adapters.timeline.following import OK, Follower, Told
from engine.canonical_json import dumps, loads

IDLE_SECONDS = 300.0  # without a question
PATIENT_SECONDS = 5.0  # for which a question waits while the log is read for the first time
MOST_BYTES = 256 << 20  # of memory: half of what the Deployment lets its container have
_NICENESS = 10
_MEMORY = Path("/proc/self/statm")


class Output(Protocol):
    """Where answers are written."""

    def write(self, text: bytes, /) -> object:
        """Take bytes."""
        ...

    def flush(self) -> object:
        """Hand on what was taken."""
        ...


def memory_bytes() -> int:
    """Say how much memory this process holds; 0 where the system does not tell."""
    try:
        pages = int(_MEMORY.read_text().split()[1])
    except OSError:
        return 0
    return pages * resource.getpagesize()


async def answer_all(
    questions: asyncio.StreamReader,
    answers: Output,
    *,
    memory: Callable[[], int] = memory_bytes,
    idle_seconds: float = IDLE_SECONDS,
) -> None:
    """Answer until nobody asks any more, or the timeline takes more memory than it may."""
    log = loads((await questions.readline()).decode())["log"]

    async def opening() -> OpenReader:
        return await open_log(log, read_only=True)

    follower = Follower(parse_location(log).name, lambda: memory() > MOST_BYTES)
    async with aclosing(tail(opening, asyncio.sleep)) as news, asyncio.TaskGroup() as tasks:
        following = tasks.create_task(follower.follow(news))
        while question := await _next(questions, idle_seconds):
            told = await _answer(follower, question["after"])
            answers.write(packed(told, is_gzip=question["gzip"]))
            answers.flush()
            if follower.has_ended:
                break
        following.cancel()


async def _next(questions: asyncio.StreamReader, idle_seconds: float) -> dict[str, Any]:
    """Give the next question; none when nobody asks for long, or ever again."""
    try:
        async with asyncio.timeout(idle_seconds):
            line = await questions.readline()
    except TimeoutError:
        return {}
    return dict(loads(line.decode())) if line else {}


async def _answer(follower: Follower, after: int) -> Told:
    """A short log is read at once: who asks first need not ask again."""
    try:
        async with asyncio.timeout(PATIENT_SECONDS):
            await follower.ready.wait()
    except TimeoutError:
        pass
    return follower.answer(after)


def packed(told: Told, *, is_gzip: bool) -> bytes:
    """Give an answer as it is written."""
    body = (dumps(told.document) if told.code == OK else told.words).encode()
    if told.code == OK and is_gzip:
        body = gzip.compress(body, compresslevel=6, mtime=0)
    return f"{dumps([told.code, len(body)])}\n".encode() + body


async def _main() -> None:
    questions = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(questions)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    await answer_all(questions, sys.stdout.buffer)


def main() -> None:
    """Answer what is asked on stdin."""
    os.nice(_NICENESS)
    asyncio.run(_main())


if __name__ == "__main__":
    main()
