"""What a database keeps beside the rows: snapshots; and what it tells about itself."""

import pytest

from adapters.store.databases import SqlLog
from adapters.store.opening import open_log
from adapters.store.snapshots import KEPT, load_snapshot, save_snapshot
from adapters.store.statistics import gather_statistics
from engine.canonical_json import dumps
from engine.snapshots import Snapshot
from tests.store.rows import NOON, STARTED, row, rows


def snapshot(position: int, data: str = "{}") -> Snapshot:
    """Give a snapshot of some state."""
    return Snapshot("log", position, f"row-{position}", "code", data)


class Keeping:
    """Snapshots and statistics. A mixin: see suite.py."""

    async def test_no_snapshot(self, log: SqlLog) -> None:
        """A log without snapshots has none, at any position."""
        assert await load_snapshot(log) is None
        assert await load_snapshot(log, 10) is None

    async def test_snapshots_come_back(self, log: SqlLog, location: str) -> None:
        """A snapshot comes back identical from another connection, whatever its data holds."""
        saved = snapshot(7, "\0 \ud800 \U0001f525" + dumps("x" * 2**20))
        await save_snapshot(log, saved)
        async with await open_log(location) as again:
            assert await load_snapshot(again) == saved

    async def test_newest_before(self, log: SqlLog) -> None:
        """The newest snapshot at or before a position is given."""
        for position in (10, 20):
            await save_snapshot(log, snapshot(position))
        for until, expected in ((9, None), (10, 10), (19, 10), (20, 20), (None, 20)):
            found = await load_snapshot(log, until)
            assert (found and found.position) == expected

    async def test_old_snapshots_go(self, log: SqlLog) -> None:
        """Only the newest snapshots are kept, and one position has one."""
        for position in (10, 20, 30, 40):
            await save_snapshot(log, snapshot(position))
        await save_snapshot(log, snapshot(40, "[]"))
        assert await load_snapshot(log) == snapshot(40, "[]")
        assert KEPT == 2
        assert await load_snapshot(log, 39) == snapshot(30)
        assert await load_snapshot(log, 29) is None

    async def test_statistics_of_nothing(self, log: SqlLog) -> None:
        """An empty log has no rows and no times, and takes some room."""
        found = await gather_statistics(log)
        assert found.identity == await log.identify()
        assert (found.rows, found.first_at, found.last_at, found.types) == (0, None, None, ())
        assert found.size_bytes > 0

    async def test_statistics(self, log: SqlLog) -> None:
        """Rows and bytes of data are counted by type, most rows first; times are the ends'."""
        await log.open_epoch(STARTED, NOON)
        batch = rows(1, 9)
        await log.append(1, 1, batch)
        found = await gather_statistics(log)
        assert found.identity == await log.identify()
        assert (found.rows, found.first_at, found.last_at) == (10, NOON, NOON + 10)
        assert [each[:2] for each in found.types] == [
            ("JobSeen", 6),
            ("JobWanted", 3),
            ("SessionStarted", 1),
        ]
        bytes_seen = sum(len(event.data) for event in batch if event.type == "JobSeen")
        assert found.types[0].data_bytes == bytes_seen
        assert found.types[2].data_bytes == 2

    @pytest.mark.parametrize("mebibytes", [1, 3])
    async def test_size(self, log: SqlLog, mebibytes: int) -> None:
        """The size grows with what is stored, that which is not yet in the main file included."""
        before = (await gather_statistics(log)).size_bytes
        await log.open_epoch(STARTED, NOON)
        # Digits that no server can compress well are not worth their time here: many rows are.
        data = dumps("abcdefgh" * 2**7)
        count = mebibytes * 2**10
        await log.append(1, 1, [row(seq, data=data) for seq in range(2, count + 2)])
        grown = (await gather_statistics(log)).size_bytes - before
        assert mebibytes * 2**20 <= grown <= mebibytes * 2**21
