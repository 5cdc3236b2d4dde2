"""Who appends while a commit is in flight shares the next one."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from adapters.store.group_commits import GroupCommits
from adapters.store.opening import open_log
from engine.errors import EventMalformed, Fenced, LogUnavailable
from engine.events import Draft, Event
from engine.logs import LogIdentity, Opened
from tests.store.rows import NOON, STARTED, read_all

IDENTITY = LogIdentity("log", 10, 3, NOON)


def draft(name: str) -> Draft:
    """Give a draft that can be told from others."""
    return Draft("east", f"Job/models/{name}/u", "JobSeen", 1, "{}")


class GatedLog:
    """A log (engine.logs.EventLog) whose every commit waits until it is let through."""

    def __init__(self) -> None:
        self.commits: list[tuple[int, int, list[Event]]] = []
        self.started = asyncio.Semaphore(0)
        self.gate = asyncio.Semaphore(0)
        self.error: Exception | None = None

    async def append(self, epoch: int, expected_position: int, events: Sequence[Event]) -> None:
        """Wait at the gate, then fail once or keep the rows."""
        self.started.release()
        await self.gate.acquire()
        error, self.error = self.error, None
        if error is not None:
            raise error
        self.commits.append((epoch, expected_position, list(events)))

    async def identify(self) -> LogIdentity:
        """Not used here."""
        return IDENTITY

    def read(
        self, after: int = 0, until: int | None = None, *, batch_rows: int = 1000
    ) -> AsyncIterator[Sequence[Event]]:
        """Not used here."""
        raise NotImplementedError

    def follow(self, after: int = 0) -> AsyncIterator[Sequence[Event]]:
        """Not used here."""
        raise NotImplementedError

    async def open_epoch(self, draft: Draft, at: int) -> Opened:
        """Not used here."""
        raise NotImplementedError

    async def secret_key(self) -> bytes:
        """Not used here."""
        return b""

    async def close(self) -> None:
        """Nothing is held."""


async def submitted(
    commits: GroupCommits, *names: str, at: int = NOON
) -> list[asyncio.Task[Sequence[Event]]]:
    """Let a task each append one draft, and let all of them begin."""
    tasks = [asyncio.create_task(commits.append([draft(name)], at)) for name in names]
    await asyncio.sleep(0)
    return tasks


async def test_one_commit_for_all_who_wait() -> None:
    """What comes while a commit is in flight goes into one next commit, in the order it came."""
    log = GatedLog()
    commits = GroupCommits(log, IDENTITY)
    first = await submitted(commits, "a")
    await log.started.acquire()
    rest = await submitted(commits, *"bcdefgh")
    log.gate.release()
    log.gate.release()
    results = await asyncio.gather(*first, *rest)
    assert [[event.seq for event in each] for each in results] == [[seq] for seq in range(11, 19)]
    assert [(epoch, position, len(events)) for epoch, position, events in log.commits] == [
        (3, 10, 1),
        (3, 11, 7),
    ]
    assert [event.subject[11] for event in log.commits[1][2]] == list("bcdefgh")


async def test_nobody_waits_alone() -> None:
    """Without load each append is committed at once by itself."""
    log = GatedLog()
    commits = GroupCommits(log, IDENTITY)
    for name in "abc":
        log.gate.release()
        await commits.append([draft(name), draft(name)], NOON)
    assert [position for _, position, _ in log.commits] == [10, 12, 14]


async def test_rows_are_placed() -> None:
    """Rows get the epoch, the next seq, and a time that never goes back."""
    log = GatedLog()
    commits = GroupCommits(log, IDENTITY)
    for at in (NOON + 5, NOON - 5, NOON + 6):
        log.gate.release()
        await commits.append([draft("a")], at)
    events = [event for _, _, events in log.commits for event in events]
    assert [event.at for event in events] == [NOON + 5, NOON + 5, NOON + 6]
    assert {event.epoch for event in events} == {3}


@pytest.mark.parametrize("error", [Fenced("newer"), LogUnavailable("locked"), KeyError("bug")])
async def test_failure(error: Exception) -> None:
    """All whose rows were in a commit that failed hear of it; the next one takes their place."""
    log = GatedLog()
    commits = GroupCommits(log, IDENTITY)
    log.error = error
    failing = await submitted(commits, "a", "b")
    await log.started.acquire()
    later = await submitted(commits, "c")
    log.gate.release()
    log.gate.release()
    results = await asyncio.gather(*failing, *later, return_exceptions=True)
    assert results[:2] == [error, error]
    assert log.commits == [(3, 10, [draft("c").placed(11, 3, NOON)])]


async def test_bad_draft_stops_nobody_else() -> None:
    """A draft that no database can hold is refused alone."""
    log = GatedLog()
    commits = GroupCommits(log, IDENTITY)
    tasks = await submitted(commits, "a", "\0", "b")
    log.gate.release()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(results[1], EventMalformed)
    assert [event.subject[11] for event in log.commits[0][2]] == ["a", "b"]


async def test_cancelled_caller() -> None:
    """A caller that stops waiting takes nothing away from the others."""
    log = GatedLog()
    commits = GroupCommits(log, IDENTITY)
    tasks = await submitted(commits, "a", "b", "c")
    await log.started.acquire()
    tasks[1].cancel()
    log.gate.release()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(results[1], asyncio.CancelledError)
    assert [len(events) for _, _, events in log.commits] == [3]
    log.gate.release()
    assert (await commits.append([draft("d")], NOON))[0].seq == 14


async def test_on_a_database(tmp_path: Path) -> None:
    """Many tasks at once get all their rows onto disk, each its own, in one order."""
    async with await open_log(tmp_path / "log.db", create=True) as log:
        await log.open_epoch(STARTED, NOON)
        commits = GroupCommits(log, await log.identify())
        results = await asyncio.gather(
            *(commits.append([draft(f"{n}-{m}") for m in range(3)], NOON) for n in range(100))
        )
        assert await read_all(log, 1) == [event for events in results for event in events]
