"""Snapshotting: a quick start is the same start, and what does not fit is passed over."""

from collections.abc import AsyncIterator
from itertools import cycle
from pathlib import Path

import pytest

from adapters.running.snapshotting import TAIL_ROWS, replay_quickly, save
from adapters.simulator.clock import SECOND
from adapters.simulator.driving import start
from adapters.store.databases import SqlLog
from adapters.store.opening import open_log
from adapters.store.snapshots import load_snapshot, save_snapshot
from engine.canonical_json import dumps
from engine.events import Event
from engine.replaying import Moment, Replayed, replay
from engine.snapshots import Snapshot
from machines.domain import WARMLOG
from machines.states import State
from tests.running.fakes import WRITER
from tests.running.stories import manifest, pool_world

CODE = WRITER.code_digest


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[SqlLog]:
    """A SQLite log of a warmup that has ended, one row of a later session included."""
    world = pool_world("n1", "n2", "n3")
    world.apply(manifest())
    async with await open_log(tmp_path / "log.db", create=True) as made:
        driver = await start(world, made, WRITER)
        await driver.run(until_at=driver.now + 60 * SECOND)
        await start(world, made, WRITER)
        yield made


def text(replayed: Replayed[State]) -> str:
    """All of a state and its place, to compare."""
    return dumps([list(replayed.cursor), WARMLOG.dump(replayed.state)])


async def snapshot_at(log: SqlLog, position: int, code: str = CODE) -> None:
    """Save the snapshot of a moment."""
    await save(log, await replay(WARMLOG, log, Moment(position=position)), code)


async def test_every_position_gives_the_same_start(log: SqlLog) -> None:
    """From a snapshot at any row, the tail leads to the state of the whole log."""
    whole = await replay(WARMLOG, log)
    end = whole.cursor.position
    for position in range(1, end + 1):
        await snapshot_at(log, position)
        quick = await replay_quickly(log, CODE)
        assert text(quick) == text(whole)
        assert quick.events == end - position


async def test_no_snapshot_is_no_matter(log: SqlLog) -> None:
    """Without one the whole log is folded; so short a log gets none by that."""
    quick = await replay_quickly(log, CODE)
    assert text(quick) == text(await replay(WARMLOG, log))
    assert quick.events < TAIL_ROWS
    assert await load_snapshot(log) is None


async def test_a_long_tail_is_folded_once(log: SqlLog) -> None:
    """A start that had to fold many rows leaves a snapshot for the next one."""
    end = await log.identify()
    rows = [
        Event(seq, end.epoch, end.last_at, "sim", "///", name, 1, '{"words":""}')
        for seq, name in zip(
            range(end.position + 1, end.position + TAIL_ROWS + 1),
            cycle(["Unreachable", "Reachable"]),
            strict=False,
        )
    ]
    await log.append(end.epoch, end.position, rows)
    first, second = await replay_quickly(log, CODE), await replay_quickly(log, CODE)
    assert (first.events, second.events) == (end.position + TAIL_ROWS, 0)
    assert text(first) == text(second)


DAMAGES = [
    "",
    "5",
    "[]",
    "[[1,2,3,4],5]",
    '[[1,2,3,4],"{}"]',
    '[[1,2],"[]"]',
    '[[1,2,3,4],"[\\"r\\",\\"State\\",[1]]"]',
    '[[1,2,3,4],"[\\"r\\",\\"Nobody\\",[]]"]',
    "[" * 100_000,
]


@pytest.mark.parametrize("data", DAMAGES, ids=range(len(DAMAGES)))
async def test_a_damaged_snapshot_is_passed_over(log: SqlLog, data: str) -> None:
    """Whatever stands in place of the state, the log is folded from its beginning instead."""
    whole = await replay(WARMLOG, log)
    await snapshot_at(log, whole.cursor.position - 1)
    saved = await load_snapshot(log)
    assert saved is not None
    await save_snapshot(log, saved._replace(data=data))
    quick = await replay_quickly(log, CODE)
    assert text(quick) == text(whole)
    assert quick.events == whole.events


async def test_a_cut_snapshot_is_passed_over(log: SqlLog) -> None:
    """Half of a state is no state."""
    whole = await replay(WARMLOG, log)
    await snapshot_at(log, 9)
    saved = await load_snapshot(log)
    assert saved is not None
    await save_snapshot(log, saved._replace(data=saved.data[: len(saved.data) // 2]))
    assert text(await replay_quickly(log, CODE)) == text(whole)


@pytest.mark.parametrize("field", ["log_id", "row_digest", "code_digest", "position"])
async def test_a_snapshot_of_something_else_is_passed_over(log: SqlLog, field: str) -> None:
    """Another log, another row, other code, or a row that is not there: none is used."""
    whole = await replay(WARMLOG, log)
    await snapshot_at(log, 9)
    saved = await load_snapshot(log)
    assert saved is not None
    # A state that would be found out, were it used.
    wrong = WARMLOG.dump(WARMLOG.initial("wrong"))
    changed = saved._replace(data=dumps([[9, 9, 1, 1], wrong]))
    assert (await _started(log, changed)).events == whole.events - 9
    other = {"position": 10_000} if field == "position" else {field: "another"}
    quick = await _started(log, changed._replace(**other))
    assert text(quick) == text(whole)
    assert quick.events == whole.events


async def _started(log: SqlLog, snapshot: Snapshot) -> Replayed[State]:
    await save_snapshot(log, snapshot)
    return await replay_quickly(log, CODE)


async def test_a_store_that_is_closed_makes_no_snapshot(log: SqlLog) -> None:
    """That a snapshot cannot be saved is a warning, never a failure."""
    whole = await replay(WARMLOG, log)
    await log.close()
    await save(log, whole, CODE)
