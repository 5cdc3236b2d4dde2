"""Pipes: how a process is asked one question after the other by the process that began it.

On stdin each question is a line of JSON; on stdout each answer is a line with a code, as HTTP has
them, and a number of bytes, and those bytes: a document, or of an error a sentence.
"""

import asyncio
import gzip
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from engine.canonical_json import dumps, loads

OK = 200
_NICENESS = 10  # so that a controller is not held up


class Output(Protocol):
    """Where answers are written."""

    def write(self, text: bytes, /) -> object:
        """Take bytes."""
        ...

    def flush(self) -> object:
        """Hand on what was taken."""
        ...


AnswerAll = Callable[[asyncio.StreamReader, Output], Awaitable[None]]


async def begin(command: Sequence[str]) -> asyncio.subprocess.Process:
    """Begin a process that is asked on its stdin, where nobody else reads what it is told.

    A log's URL may hold a password, and arguments are there for all to see.
    """
    pipe, nowhere = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    return await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=nowhere)


async def end(process: asyncio.subprocess.Process) -> None:
    """End a process, if it has not ended."""
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()


async def next_question(questions: asyncio.StreamReader, idle_seconds: float) -> dict[str, Any]:
    """Give the next question; none when nobody asks for long, or ever again."""
    try:
        async with asyncio.timeout(idle_seconds):
            line = await questions.readline()
    except TimeoutError:
        return {}
    return dict(loads(line.decode())) if line else {}


def packed(code: int, body: bytes, *, is_gzip: bool) -> bytes:
    """Give an answer as it is written."""
    if code == OK and is_gzip:
        body = gzip.compress(body, compresslevel=6, mtime=0)
    return f"{dumps([code, len(body)])}\n".encode() + body


def answer_on_pipes(answer_all: AnswerAll) -> None:
    """Answer what is asked on stdin, with a low priority."""
    os.nice(_NICENESS)
    asyncio.run(_answer(answer_all))


async def _answer(answer_all: AnswerAll) -> None:
    questions = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(questions)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    await answer_all(questions, sys.stdout.buffer)
