"""Replaying: a log folded again, to its end, to a position, or to an instant."""

import pytest

from adapters.store.memory_logs import MemoryLog
from engine.replaying import Moment, replay
from engine.stepping import Cursor, step
from tests.engine.toys import TICK, Count, Toy, Undecided


def log_of(*batches: int) -> MemoryLog:
    """A log of so many ticks in each batch, ten nanoseconds apart."""
    log, state, cursor = MemoryLog("toys"), Count("toys"), Cursor(0, 0, 1, 0)
    for number, ticks in enumerate(batches, 1):
        state, made = step(Toy(), state, cursor, [TICK] * ticks, number * 10)
        cursor = made.cursor
        log.rows += made.events
    return log


LOG = log_of(2, 4, 1, 5)  # rows: TT | TTTT RR | T | TTTTT RR


async def test_to_the_end() -> None:
    """A replay folds every row, and ends where the writer stood."""
    replayed = await replay(Undecided(), LOG)
    assert replayed.state == Count("toys", ticks=12, rung=4)
    assert replayed.events == len(LOG.rows) == 16
    assert replayed.cursor == Cursor(16, 14, 1, 40)


@pytest.mark.parametrize("position", range(17))
async def test_to_a_position(position: int) -> None:
    """A replay to a position folds the rows up to it, in the middle of a batch, too."""
    replayed = await replay(Undecided(), LOG, Moment(position=position))
    expected = Count("toys")
    for row in LOG.rows[:position]:
        expected = Toy().fold(expected, row)
    assert (replayed.state, replayed.events) == (expected, position)


@pytest.mark.parametrize(("at", "rows"), [(9, 0), (10, 2), (19, 2), (20, 8), (30, 9), (99, 16)])
async def test_to_an_instant(at: int, rows: int) -> None:
    """A replay to an instant folds all rows of that instant and before, and none later."""
    replayed = await replay(Undecided(), LOG, Moment(at=at))
    assert replayed.events == replayed.cursor.position == rows


async def test_to_whichever_comes_first() -> None:
    """With both bounds, the nearer one ends it."""
    assert (await replay(Undecided(), LOG, Moment(position=5, at=10))).events == 2
    assert (await replay(Undecided(), LOG, Moment(position=1, at=10))).events == 1


async def test_an_empty_log() -> None:
    """A log without rows gives the first state of a log of that name."""
    replayed = await replay(Undecided(), MemoryLog("none"))
    assert (replayed.state, replayed.cursor) == (Count("none"), Cursor(0, 0, 0, 0))


async def test_beyond_the_end() -> None:
    """A position that the log has not reached is its end."""
    assert (await replay(Undecided(), LOG, Moment(position=10**9))).events == 16


@pytest.mark.parametrize("batch_rows", [1, 2, 3, 1000])
async def test_read_batches_do_not_matter(batch_rows: int) -> None:
    """However many rows are read at a time, the state is the same."""
    replayed = await replay(Undecided(), LOG, batch_rows=batch_rows)
    assert replayed == await replay(Undecided(), LOG)


@pytest.mark.parametrize("border", range(17))
async def test_in_two_parts(border: int) -> None:
    """A replay that goes on from where another stopped gives what one replay gives."""
    first = await replay(Undecided(), LOG, Moment(position=border))
    assert await replay(Undecided(), LOG, start=first) == await replay(Undecided(), LOG)
