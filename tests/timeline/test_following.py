"""Following: a timeline kept while its log grows is that of the log read at once."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from adapters.store.tailing import Begun, Lost, News, Rested, Rows
from adapters.timeline.following import Follower, Told
from engine.canonical_json import dumps
from engine.errors import LogUnreachable, LogUnreadable, WarmlogError
from engine.events import Event
from engine.logs import LogIdentity
from tests.recordings.reading import reader
from tests.store.rows import read_all
from tests.timeline.test_documents import joined, spelled


async def given(*news: News, error: WarmlogError | None = None) -> AsyncIterator[News]:
    """Give news, and then an error if there is one."""
    for each in news:
        yield each
    if error is not None:
        raise error


def identity(rows: Sequence[Event], log: str = "log-1") -> LogIdentity:
    """Which log rows are of."""
    return LogIdentity(log, rows[-1].seq, 1, rows[-1].at)


def known(told: Told) -> dict[str, Any]:
    """What a reader has of an answer."""
    assert told.code == 200
    return spelled(json.loads(dumps(told.document)))


@pytest.mark.parametrize("name", ["demo", "demo_caches", "one_node_cannot_pull"])
async def test_what_is_added_answer_by_answer_is_the_whole(name: str) -> None:
    """Whoever adds what came after each answer has what somebody has who asks at the end."""
    rows = await read_all(reader(name))
    log, follower, have, after = identity(rows), Follower("a.db"), None, 0
    await follower.follow(given(Begun(log)))
    for begin in range(0, len(rows), 30):
        await follower.follow(given(Rows(rows[begin : begin + 30], log), Rested(log, "")))
        told = follower.answer(after)
        after = told.document["position"]
        have = joined(have, known(told)) if have else known(told)
    assert have == known(follower.answer(0))
    assert follower.answer(after).document["lanes"] == []


async def test_a_log_that_is_still_read_is_no_timeline_yet() -> None:
    """Until its end was seen once it is said how far it is; later rows delay nobody."""
    rows = await read_all(reader("demo"))
    log, follower = identity(rows), Follower("a.db")
    assert follower.answer(0).code == 503
    assert "a.db is opened" in follower.answer(0).words
    await follower.follow(given(Begun(log), Rows(rows[:50], log)))
    assert not follower.ready.is_set()
    still = follower.answer(0)
    assert (still.code, still.document) == (503, {})
    assert f"position 50 of {len(rows)}" in still.words
    await follower.follow(given(Rested(log, "")))
    assert follower.ready.is_set()
    await follower.follow(given(Rows(rows[50:60], log)))
    assert follower.answer(50).document["rows"]["position"] == list(range(51, 61))


async def test_another_log_is_begun_anew() -> None:
    """Nothing of the one before is left."""
    rows, others = await read_all(reader("demo")), await read_all(reader("demo_caches"))
    log, other, follower = identity(rows), identity(others, "log-2"), Follower("a.db")
    await follower.follow(given(Begun(log), Rows(rows, log), Rested(log, "")))
    await follower.follow(given(Begun(other)))
    assert follower.answer(0).code == 503
    await follower.follow(given(Rows(others, other), Rested(other, "")))
    told, alone = follower.answer(0), Follower("a.db")
    await alone.follow(given(Begun(other), Rows(others, other), Rested(other, "")))
    assert told.document["log"] == "log-2"
    assert told == alone.answer(0)


async def test_a_log_that_is_lost_and_back() -> None:
    """While it cannot be read that is said, and then it goes on."""
    rows = await read_all(reader("demo"))
    log, follower = identity(rows), Follower("a.db")
    news = (Begun(log), Rows(rows[:-5], log), Rested(log, ""), Lost("it is away."))
    await follower.follow(given(*news))
    lost = follower.answer(0)
    assert (lost.code, lost.words) == (
        503, "The log cannot be read now, and is tried again: it is away."
    )  # fmt: skip
    await follower.follow(given(Rows(rows[-5:], log), Rested(log, "")))
    assert follower.answer(0).document["position"] == len(rows)


@pytest.mark.parametrize(
    ("error", "code"), [(LogUnreadable("no log"), 500), (LogUnreachable("no server"), 503)]
)
async def test_a_log_that_was_never_read(error: WarmlogError, code: int) -> None:
    """Why is said, and somebody else has to try again."""
    follower = Follower("a.db")
    await follower.follow(given(error=error))
    assert follower.has_ended
    assert follower.ready.is_set()
    assert follower.answer(0) == Told(code, {}, str(error))


async def test_a_log_that_is_too_long() -> None:
    """What does not fit is let go of, and it is said what to do instead."""
    rows = await read_all(reader("demo"))
    log, follower = identity(rows), Follower("a.db", lambda: True)
    await follower.follow(given(Begun(log), Rested(log, ""), Rows(rows, log)))
    told = follower.answer(0)
    assert told.code == 500
    assert "warmlog timeline" in told.words
    assert not follower.has_ended
