"""Verifying: deciding again where the recording decided."""

from collections.abc import Callable, Sequence

import pytest

from adapters.store.memory_logs import MemoryLog
from engine.canonical_json import dumps
from engine.events import Draft, Event
from engine.verifying import Divergence, verify
from tests.engine.test_replaying import log_of
from tests.engine.toys import TICK, Count, Toy

LOG = log_of(2, 4, 1, 5)  # rows: TT | TTTT RR | T | TTTTT RR


async def divergences(rows: Sequence[Event], toy: Toy | None = None) -> list[Divergence]:
    """Verify a log of these rows."""
    log = MemoryLog("toys")
    log.rows = [row._replace(seq=seq) for seq, row in enumerate(rows, 1)]
    return [each async for each in verify(toy or Toy(), log)]


async def test_a_fresh_log() -> None:
    """The code that wrote a log decides the same again, wherever the log ends between batches."""
    assert await divergences(LOG.rows) == []
    for end in (0, 1, 2, 8, 9, 16):
        assert await divergences(LOG.rows[:end]) == []


async def test_an_empty_log() -> None:
    """Nothing was decided, and nothing is."""
    assert await divergences([]) == []


async def test_a_decision_that_is_missing() -> None:
    """A recording that lacks a decision is told where, after which fact, and what it lacks."""
    (found,) = await divergences(LOG.rows[:15])
    assert found.recorded is None
    assert found.decided is not None
    assert (found.seen, found.decided.type) == (14, "Ring")
    assert str(found) == (
        "position 15: after fact 14 the recording decided nothing, "
        'this code decides Ring {"times":1}'
    )


async def test_all_decisions_of_the_last_batch_are_missing() -> None:
    """So is one whose last batch decided nothing at all: the log's end is a border, too."""
    (found,) = await divergences(LOG.rows[:14])
    assert (found.position, found.recorded) == (14, None)


async def test_a_decision_too_many() -> None:
    """A recording that decided more than this code would is told as well."""
    more = [*LOG.rows, LOG.rows[-1]._replace(seq=17)]
    (found,) = await divergences(more)
    assert found.decided is None
    assert found.recorded == more[-1]
    assert (found.position, found.seen) == (17, 14)
    assert str(found).endswith("this code decides nothing")


@pytest.mark.parametrize(
    "change",
    [
        lambda row: row._replace(data=dumps({"times": 2})),
        lambda row: row._replace(subject="Toy//u/2"),
        lambda row: row._replace(cluster="d"),
        lambda row: row._replace(version=2),
        lambda row: row._replace(cause=1),
        lambda row: row._replace(seen=5),
    ],
)
async def test_a_decision_that_differs(change: Callable[[Event], Event]) -> None:
    """A decision that differs in anything but place and instant is named, the first one first."""
    rows = [*LOG.rows[:7], change(LOG.rows[7]), *LOG.rows[8:]]
    found = await divergences(rows)
    assert (found[0].position, found[0].recorded) == (8, rows[7])


async def test_one_divergence_for_each_border() -> None:
    """Each border tells its first difference only; what was recorded is folded and goes on."""

    class Silent(Toy):
        def decide(self, state: Count) -> Sequence[Draft]:
            return []

    found = await divergences(LOG.rows, Silent())
    assert [each.position for each in found] == [7, 15]


async def test_instants_are_taken_as_recorded() -> None:
    """When a row was written is no decision: other instants and terms change nothing."""
    rows = [row._replace(at=row.at + 5, epoch=9) for row in LOG.rows]
    assert await divergences(rows) == []


async def test_facts_are_taken_as_recorded() -> None:
    """A fact that is added moves the later decisions, and the first that differs is named."""
    rows = [*LOG.rows[:8], TICK.placed(9, 1, 20), *LOG.rows[8:]]
    (found, *_) = await divergences(rows)
    assert found.position > 8
