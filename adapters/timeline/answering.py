"""A process that follows a log and answers what came after a position, while it is asked.

It reads a line with the log, and then questions (`pipes`). It ends when nobody asked for long.
"""

import asyncio
import resource
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

from adapters.pipes import Output, answer_on_pipes, next_question, packed
from adapters.store.locations import parse_location
from adapters.store.opening import OpenReader, open_log
from adapters.store.tailing import tail
from adapters.timeline.following import OK, Follower, Told
from engine.canonical_json import dumps, loads

IDLE_SECONDS = 300.0  # without a question
PATIENT_SECONDS = 5.0  # for which a question waits while the log is read for the first time
MOST_BYTES = 256 << 20  # of memory: half of what the Deployment lets its container have
_MEMORY = Path("/proc/self/statm")


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
        while question := await next_question(questions, idle_seconds):
            told = await _answer(follower, question["after"])
            answers.write(_packed(told, is_gzip=question["gzip"]))
            answers.flush()
            if follower.has_ended:
                break
        following.cancel()


async def _answer(follower: Follower, after: int) -> Told:
    """A short log is read at once: who asks first need not ask again."""
    try:
        async with asyncio.timeout(PATIENT_SECONDS):
            await follower.ready.wait()
    except TimeoutError:
        pass
    return follower.answer(after)


def _packed(told: Told, *, is_gzip: bool) -> bytes:
    body = dumps(told.document) if told.code == OK else told.words
    return packed(told.code, body.encode(), is_gzip=is_gzip)


if __name__ == "__main__":
    answer_on_pipes(answer_all)
