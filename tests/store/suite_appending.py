"""What every store of events must do when rows are appended and read."""

import asyncio
from dataclasses import dataclass

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.store.databases import End, SqlLog, insert_rows
from adapters.store.opening import open_log
from engine.canonical_json import dumps
from engine.errors import EventMalformed, Fenced, PositionTaken
from engine.events import Draft, Event
from tests.store.rows import NOON, STARTED, read_all, read_batches, row, rows

EVERY_CHARACTER = range(0x110000)
CHUNK = 0x10000
MEBIBYTE = 2**20


@dataclass
class _Rolled(Exception):
    """What a transaction of a test ends with."""

    position: int


class Appending:
    """Rows that are appended come back in order, whole and identical. A mixin: see suite.py."""

    @pytest.mark.parametrize("batch_rows", [1, 7, 50, 1000])
    async def test_order(self, log: SqlLog, batch_rows: int) -> None:
        """Rows are read in seq order without a gap, in batches of at most the size asked for."""
        await log.open_epoch(STARTED, NOON)
        appended = rows(1, 50)
        for at in range(0, 50, 10):
            await log.append(1, 1 + at, appended[at : at + 10])
        batches = await read_batches(log, batch_rows=batch_rows)
        assert all(1 <= len(batch) <= batch_rows for batch in batches)
        events = [event for batch in batches for event in batch]
        assert events[1:] == appended
        assert [event.seq for event in events] == list(range(1, 52))

    async def test_ranges(self, log: SqlLog) -> None:
        """A reading gives exactly the rows with after < seq ≤ until."""
        await log.open_epoch(STARTED, NOON)
        await log.append(1, 1, rows(1, 9))
        assert await read_all(log, 3, 7, batch_rows=3) == rows(3, 4)
        assert await read_all(log, 9, 99) == rows(9, 1)
        assert await read_all(log, 10) == []
        assert await read_all(log, 7, 3) == []

    async def test_identity(self, log: SqlLog) -> None:
        """A log knows its id, its end, its newest epoch and the time of its last row."""
        empty = await log.identify()
        assert (empty.position, empty.epoch, empty.last_at) == (0, 0, 0)
        await log.open_epoch(STARTED, NOON)
        await log.append(1, 1, rows(1, 3))
        found = await log.identify()
        assert found == (empty.log_id, 4, 1, NOON + 4)

    async def test_reopening(self, log: SqlLog, location: str) -> None:
        """What was appended, the identity and the key are there after the log is opened again."""
        opened = await log.open_epoch(STARTED, NOON)
        await log.append(1, 1, rows(1, 5))
        identity, key = await log.identify(), await log.secret_key()
        await log.close()
        async with await open_log(location) as again:
            assert await again.identify() == identity
            assert await again.secret_key() == key
            assert await read_all(again) == [opened.event, *rows(1, 5)]
            assert (await again.open_epoch(STARTED, NOON)).epoch == 2
        assert len(key) == 32

    async def test_every_character(self, log: SqlLog, location: str) -> None:
        """Every code point, NUL and half surrogates too, comes back as the same text of `data`."""
        texts = [
            dumps({"text": "".join(map(chr, EVERY_CHARACTER[at : at + CHUNK]))})
            for at in range(0, len(EVERY_CHARACTER), CHUNK)
        ]
        await log.open_epoch(STARTED, NOON)
        await log.append(1, 1, [row(seq, data=text) for seq, text in enumerate(texts, 2)])
        async with await open_log(location) as again:
            assert [event.data for event in await read_all(again, 1)] == texts

    async def test_every_character_in_names(self, log: SqlLog) -> None:
        """All that a text can hold but NUL comes back from the other columns as well."""
        whole = "".join(chr(each) for each in EVERY_CHARACTER[1:] if not 0xD800 <= each < 0xE000)
        event = row(2, cluster=whole)._replace(subject=whole, type=whole)
        await log.open_epoch(STARTED, NOON)
        await log.append(1, 1, [event])
        assert await read_all(log, 1) == [event]

    @pytest.mark.parametrize("character", ["a", "\0", "\U0001f525", "\ud800"])
    async def test_large_payloads(self, log: SqlLog, character: str) -> None:
        """A payload of 1 MiB of any character comes back identical."""
        event = row(2, data=dumps(character * MEBIBYTE))
        await log.open_epoch(STARTED, NOON)
        await log.append(1, 1, [event])
        assert await read_all(log, 1) == [event]

    @pytest.mark.parametrize("text", ["a\0b", "\ud800"])
    @pytest.mark.parametrize("field", ["cluster", "subject", "type", "data"])
    async def test_unstorable_text(self, log: SqlLog, field: str, text: str) -> None:
        """A raw NUL or half surrogate is refused by field, appends nothing and harms nothing."""
        await log.open_epoch(STARTED, NOON)
        bad = Event(**(row(3)._asdict() | {field: text}))
        with pytest.raises(EventMalformed, match=rf"event 3: {field}"):
            await log.append(1, 1, [row(2), bad])
        with pytest.raises(EventMalformed, match=field):
            await log.open_epoch(Draft(**(STARTED._asdict() | {field: text})), NOON)
        await log.append(1, 1, rows(1, 2))
        assert (await log.identify())[1:3] == (3, 1)

    @pytest.mark.parametrize(
        ("field", "batch"),
        [
            ("seq", [row(3)]),
            ("seq", [row(2), row(4)]),
            ("seq", [row(2), row(2)]),
            ("epoch", [row(2), row(3, epoch=2)]),
            ("at", [row(2), row(3)._replace(at=NOON)]),
            ("at", [row(2)._replace(at=2**63)]),
        ],
    )
    async def test_misplaced_rows(self, log: SqlLog, field: str, batch: list[Event]) -> None:
        """A batch whose rows do not follow each other is refused whole."""
        await log.open_epoch(STARTED, NOON)
        with pytest.raises(EventMalformed, match=field):
            await log.append(1, 1, batch)
        assert (await log.identify()).position == 1

    @pytest.mark.parametrize("expected", [0, 4, 5, 7])
    async def test_position_taken(self, log: SqlLog, expected: int) -> None:
        """A writer that is wrong about where the log ends appends nothing."""
        await log.open_epoch(STARTED, NOON)
        await log.append(1, 1, rows(1, 5))
        before = await read_all(log)
        foreign = [event._replace(type="Other") for event in rows(expected, 1)]
        with pytest.raises(PositionTaken, match=f"ends at 6, not at {expected}"):
            await log.append(1, expected, foreign)
        assert await read_all(log) == before

    @pytest.mark.parametrize("grown_by", [0, 1, 7])
    async def test_repeated_batch(self, log: SqlLog, grown_by: int) -> None:
        """The last batch may be given again, as after a lost answer, and is there once."""
        await log.open_epoch(STARTED, NOON)
        await log.append(1, 1, rows(1, 5))
        await log.append(1, 6, rows(6, 5))
        await log.append(1, 6, rows(6, 5 + grown_by))
        assert await read_all(log, 1) == rows(1, 10 + grown_by)
        await log.append(1, 1, rows(1, 10 + grown_by))
        assert await read_all(log, 1) == rows(1, 10 + grown_by)

    async def test_repeated_batch_that_differs(self, log: SqlLog) -> None:
        """A batch that is not what lies there, or ends before the log does, is no repetition."""
        await log.open_epoch(STARTED, NOON)
        await log.append(1, 1, rows(1, 5))
        await log.append(1, 6, rows(6, 5))
        altered = [*rows(6, 4), row(11)._replace(data="[]"), row(12)]
        for position, batch in ((6, altered), (1, rows(1, 5)), (5, rows(5, 5))):
            with pytest.raises(PositionTaken):
                await log.append(1, position, batch)
        assert await read_all(log, 1) == rows(1, 10)

    async def test_empty_batch(self, log: SqlLog) -> None:
        """A batch of no rows changes nothing."""
        await log.open_epoch(STARTED, NOON)
        await log.append(1, 1, [])
        assert (await log.identify()).position == 1

    async def test_epochs(self, log: SqlLog) -> None:
        """Each term is one more than the last, stands in its rows, and fences the older one."""
        first = await log.open_epoch(STARTED, NOON)
        second = await log.open_epoch(STARTED, NOON)
        assert (first.epoch, second.epoch) == (1, 2)
        assert (second.event.seq, second.event.epoch) == (2, 2)
        with pytest.raises(Fenced, match="newest epoch is 2"):
            await log.append(1, 2, rows(2, 1))
        await log.append(2, 2, rows(2, 1, epoch=2))
        assert [event.epoch for event in await read_all(log)] == [1, 2, 2]

    @pytest.mark.parametrize("epoch", [1, 2])
    async def test_unopened_epoch(self, log: SqlLog, epoch: int) -> None:
        """An epoch that this log never opened (its file was replaced) is fenced."""
        with pytest.raises(Fenced):
            await log.append(epoch, 0, rows(0, 1, epoch))
        assert (await log.identify()).position == 0

    async def test_clock_gone_back(self, log: SqlLog) -> None:
        """The row that opens a term is never older than the row before it."""
        await log.open_epoch(STARTED, NOON)
        await log.append(1, 1, rows(1, 3))
        earlier = await log.open_epoch(STARTED, NOON - 10**9)
        assert earlier.event.at == NOON + 4
        later = await log.open_epoch(STARTED, NOON + 99)
        assert later.event.at == NOON + 99
        assert (await read_all(log))[-2:] == [earlier.event, later.event]

    async def test_drafts_keep_their_fields(self, log: SqlLog) -> None:
        """The row that opens a term is stored as its draft says."""
        draft = Draft("west", "Node//n/u", "SessionStarted", 3, '{"code":"abc"}', None, None)
        opened = await log.open_epoch(draft, NOON)
        assert opened.event == draft.placed(1, 1, NOON)
        assert await read_all(log) == [opened.event]

    async def test_failure_in_mid_batch(self, log: SqlLog) -> None:
        """When a transaction fails after its rows were written, none of them is there."""

        async def work(connection: AsyncConnection, end: End) -> None:
            await insert_rows(connection, rows(end.position, 10))
            raise _Rolled(end.position)

        await log.open_epoch(STARTED, NOON)
        with pytest.raises(_Rolled):
            await log.transact(work)
        assert (await log.identify()).position == 1
        await log.append(1, 1, rows(1, 2))
        assert await read_all(log, 1) == rows(1, 2)

    async def test_cancelled_append(self, log: SqlLog) -> None:
        """A cancelled append leaves all of its rows, and the log works on."""
        await log.open_epoch(STARTED, NOON)
        task = asyncio.create_task(log.append(1, 1, rows(1, 100)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await log.append(1, 101, rows(101, 1))
        assert await read_all(log, 1) == rows(1, 101)

    async def test_keys_differ(self, log: SqlLog, other_location: str) -> None:
        """Each log has a key of its own, also when two logs have the same id."""
        async with await open_log(
            other_location, create=True, log_id=(await log.identify()).log_id
        ) as other:
            assert await other.secret_key() != await log.secret_key()
