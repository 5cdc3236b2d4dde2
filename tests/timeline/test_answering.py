"""The process that follows a log: over a file that grows, is replaced, or is not there."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from adapters.http.following import Following, Told
from adapters.timeline.answering import MOST_BYTES, answer_all, memory_bytes
from tests.store.memory_pipes import Written, asked
from tests.timeline.growing import growing

NAME = "one_node_cannot_pull"


def document(told: Told) -> dict[str, Any]:
    """What an answer holds."""
    assert told.code == 200, told.body
    return dict(json.loads(gzip.decompress(told.body) if told.is_gzip else told.body))


async def until(following: Following, position: int, *, after: int = 0, log: str = "") -> Any:
    """Ask until a log is read up to a position, as whoever looks at it does."""
    while True:
        told = await following.ask(after, is_gzip=True)
        if told.code == 200:
            found = document(told)
            if found["position"] == position and found["log"] != log:
                return found


async def test_a_log_that_grows_is_folded_once(tmp_path: Path) -> None:
    """What is appended later is told by the same process, from the position asked for on."""
    log = await growing(tmp_path / "log.db", NAME)
    await log.begin(20)
    following = Following(str(log.path))
    first = await until(following, 20)
    assert first["rows"]["position"] == list(range(1, 21))
    await log.grow(20, 52)
    then = await until(following, 52, after=20)
    assert then["rows"]["position"] == list(range(21, 53))
    assert (then["log"], then["machines"]) == (first["log"], [])
    await following.close()
    alone = Following(str(log.path))
    assert await until(alone, 52) == document(await alone.ask(0))
    await alone.close()


async def test_another_log_in_its_place(tmp_path: Path) -> None:
    """Then that one is told, from its beginning."""
    log = await growing(tmp_path / "log.db", NAME)
    await log.begin(30)
    following = Following(str(log.path))
    first = await until(following, 30)
    await log.begin(10, anew=True)
    other = await until(following, 10, after=30, log=first["log"])
    assert other["rows"]["position"] == []
    assert document(await following.ask(0))["rows"]["position"] == list(range(1, 11))
    await following.close()


async def test_a_log_that_comes_later(tmp_path: Path) -> None:
    """While there is none that is said each time, and then it is told."""
    log = await growing(tmp_path / "log.db", NAME)
    following = Following(str(log.path))
    for _ in range(2):
        told = await following.ask(0)
        assert told.code == 500
        assert b"There is no log at" in told.body
    await log.begin(5)
    await until(following, 5)
    await following.close()


async def test_it_ends_when_nobody_asks(tmp_path: Path) -> None:
    """After its time without a question, though whoever may ask is still there."""
    log = await growing(tmp_path / "log.db", NAME)
    await log.begin(52)
    written = Written()
    questions = asked(log.path, 0, is_gzip=True)
    await answer_all(questions, written, memory=lambda: 0, idle_seconds=0.01)
    assert written.text.startswith(b"[200,")


@pytest.mark.parametrize("taken_bytes", [MOST_BYTES, MOST_BYTES + 1])
async def test_its_memory_has_a_bound(tmp_path: Path, taken_bytes: int) -> None:
    """Beyond it the timeline is let go of, and it is said what else to do."""
    log = await growing(tmp_path / "log.db", NAME)
    await log.begin(52)
    questions, written = asked(log.path, 50), Written()
    questions.feed_eof()
    await answer_all(questions, written, memory=lambda: taken_bytes)
    head, _, body = written.text.partition(b"\n")
    code, length = json.loads(head)
    assert length == len(body)
    assert code == (500 if taken_bytes > MOST_BYTES else 200)
    assert (b"too long to be shown live" in body) is (taken_bytes > MOST_BYTES)


def test_memory_is_what_the_process_holds() -> None:
    """More once more is held: what a bound is set to is measured."""
    before = memory_bytes()
    held = bytearray(b"x") * (64 << 20)
    assert memory_bytes() - before > len(held) // 2
