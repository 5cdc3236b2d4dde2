"""Writing: rows are durable before anything is acted upon, and none is lost or doubled."""

from collections.abc import AsyncIterator, Sequence

import pytest

from adapters.running.writing import Writer, open_writer
from adapters.store.memory_logs import MemoryLog
from engine.errors import Fenced, LogFull, LogUnavailable, PositionTaken
from engine.events import Draft, Event
from engine.replaying import replay
from machines.caches.settings import CachingSettings
from machines.domain import WARMLOG
from machines.observations import Reachability
from tests.running.fakes import WRITER, StubbornLog
from tests.running.stories import CLUSTER, NOON, node_seen, synced, warmup_seen

UNREACHABLE = Reachability(CLUSTER, reachable=False, words="no answer")


async def begun() -> tuple[StubbornLog, Writer]:
    """A writer on a new log."""
    log = StubbornLog(MemoryLog("log"))
    return log, await open_writer(log, WRITER, NOON)


async def test_a_session_begins_with_its_row() -> None:
    """The first row says who writes, and the writer stands right behind it."""
    log, writer = await begun()
    [row] = log.rows
    assert (row.type, row.seq, row.epoch, row.at) == ("SessionStarted", 1, 1, NOON)
    assert WRITER.code_digest in row.data
    assert (writer.cursor.position, writer.cursor.epoch) == (1, 1)


@pytest.mark.parametrize("difference", [-(10**9), 0, 1, 10**9])
async def test_time_in_the_log_never_goes_back(difference: int) -> None:
    """Rows are stamped with the clock, or with the last row's time when the clock is behind it."""
    log, writer = await begun()
    writer.fold_in(synced(), NOON + 5)
    writer.fold_in([UNREACHABLE], NOON + 5 + difference)
    rows = await writer.flush()
    assert {row.at for row in rows[:-1]} == {NOON + 5}
    assert rows[-1].at == NOON + 5 + max(difference, 0)
    assert list(rows) == log.rows[1:]


async def test_a_batch_is_given_only_once_it_is_durable() -> None:
    """Facts and decisions come out of `flush`, after they are in the log and never before."""
    log, writer = await begun()
    writer.fold_in(synced(node_seen("n1"), warmups=[warmup_seen()]), NOON)
    assert writer.unsent_rows > 0
    assert len(log.rows) == 1
    rows = await writer.flush()
    assert [row.type for row in rows if WARMLOG.is_decision(row.type)] == ["CreateJobIntended"]
    assert log.rows[1:] == list(rows)
    assert writer.unsent_rows == 0
    assert await writer.flush() == ()


@pytest.mark.parametrize("trouble", [LogUnavailable("locked"), LogFull("no space")])
async def test_a_store_that_refuses_loses_nothing(trouble: LogUnavailable) -> None:
    """The rows are kept, and the next flush sends exactly them and what came behind them."""
    log, writer = await begun()
    writer.fold_in(synced(node_seen("n1")), NOON)
    log.trouble = trouble
    for _ in range(3):
        with pytest.raises(type(trouble)):
            await writer.flush()
    kept = writer.unsent_rows
    writer.fold_in([warmup_seen()], NOON + 1)
    assert writer.unsent_rows > kept
    log.trouble = None
    rows = await writer.flush()
    assert log.asked[0] == log.asked[1] == log.asked[2] == rows[:kept]
    assert log.asked[3] == rows
    assert [row.seq for row in log.rows] == list(range(1, len(rows) + 2))
    assert writer.unsent_rows == 0


async def test_rows_whose_answer_was_lost_are_not_doubled() -> None:
    """When the store took the rows but could not say so, sending them again adds nothing."""

    class Forgetful(StubbornLog):
        async def append(self, epoch: int, expected_position: int, events: Sequence[Event]) -> None:
            await self.log.append(epoch, expected_position, events)
            if self.trouble is not None:
                trouble, self.trouble = self.trouble, None
                raise trouble

    log = Forgetful(MemoryLog("log"))
    writer = await open_writer(log, WRITER, NOON)
    writer.fold_in(synced(), NOON)
    log.trouble = LogUnavailable("the answer was lost")
    with pytest.raises(LogUnavailable):
        await writer.flush()
    writer.fold_in([node_seen("n1", version=60)], NOON)
    await writer.flush()
    assert [row.seq for row in log.rows] == list(range(1, writer.cursor.position + 1))


async def test_a_newer_writer_ends_the_older() -> None:
    """After another one opened a term, the older is fenced, and none of its rows lands [S67]"""
    log, older = await begun()
    newer = await open_writer(log, WRITER, NOON + 1)
    older.fold_in(synced(), NOON + 2)
    with pytest.raises(Fenced):
        await older.flush()
    assert [row.type for row in log.rows] == ["SessionStarted", "SessionStarted"]
    newer.fold_in(synced(), NOON + 2)
    assert await newer.flush() == tuple(log.rows[2:])


async def test_a_log_that_ends_elsewhere_is_said() -> None:
    """Rows that are not where the log ends are refused, and none is added [S67]"""
    log, writer = await begun()
    writer.fold_in(synced(), NOON)
    log.rows.clear()
    with pytest.raises(PositionTaken):
        await writer.flush()
    assert log.rows == []


async def test_who_is_superseded_while_it_reads_is_fenced() -> None:
    """A writer that another one overtakes while it folds the log stops instead of writing."""

    class Overtaken(StubbornLog):
        async def read(
            self, after: int = 0, until: int | None = None, *, batch_rows: int = 1000
        ) -> AsyncIterator[Sequence[Event]]:
            if len(self.rows) == 1:  # the term has been opened, and is being read back
                await self.open_epoch(Draft(*self.rows[0][3:]), NOON)
            async for batch in self.log.read(after, until, batch_rows=batch_rows):
                yield batch

    log = Overtaken(MemoryLog("log"))
    with pytest.raises(Fenced, match="another writer"):
        await open_writer(log, WRITER, NOON)
    assert [row.epoch for row in log.rows] == [1, 2]


async def test_a_reading_that_lags_behind_is_tried_again_later() -> None:
    """A reading that does not hold this session's own row yet is no base to write on."""

    class Lagging(StubbornLog):
        async def read(
            self, after: int = 0, until: int | None = None, *, batch_rows: int = 1000
        ) -> AsyncIterator[Sequence[Event]]:
            async for batch in self.log.read(after, len(self.rows) - 1, batch_rows=batch_rows):
                yield batch

    with pytest.raises(LogUnavailable, match="again"):
        await open_writer(Lagging(MemoryLog("log")), WRITER, NOON)


async def test_the_next_session_goes_on_from_the_log() -> None:
    """The state of a later writer is the fold of all that the earlier one wrote."""
    log, first = await begun()
    first.fold_in(synced(node_seen("n1"), warmups=[warmup_seen()]), NOON)
    await first.flush()
    second = await open_writer(log, WRITER, NOON + 1)
    assert WARMLOG.dump(second.state) == WARMLOG.dump((await replay(WARMLOG, log)).state)
    assert [opened.uncertain for opened in second.state.open.values()] == [True]


async def test_what_decides_about_caches_is_folded_from_the_session() -> None:
    """The settings of a session are in its first row, and in the state; the next may have others.

    Without any, the row says nothing of them, and the defaults hold.
    """
    log = MemoryLog("log")
    told = CachingSettings(heal_seconds=2, own_namespace="models")
    assert (await open_writer(log, WRITER._replace(caching=told), 0)).state.caching == told
    assert (await open_writer(log, WRITER, 0)).state.caching == CachingSettings()
    assert ["caching" in row.data for row in log.rows] == [True, False]
