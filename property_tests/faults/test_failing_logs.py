"""A store that fails keeps the log's promises, and what fails is what was planned."""

import pytest

from adapters.simulator.faults import SenderDied
from adapters.store.memory_logs import MemoryLog
from engine.errors import LogFull, LogUnavailable
from engine.events import Draft
from property_tests.faults.failing_logs import FailingLog, StoreTrouble, StoreTroubles
from property_tests.running import run

DRAFT = Draft("", "Session///", "SessionStarted", 1, "{}")


def failing() -> tuple[MemoryLog, StoreTroubles, FailingLog]:
    """A log with one term, which has one row."""
    log, troubles = MemoryLog("log"), StoreTroubles()
    failing_log = FailingLog(log, troubles)
    run(failing_log.open_epoch(DRAFT, 1))
    return log, troubles, failing_log


@pytest.mark.parametrize(
    ("trouble", "error", "landed"),
    [
        (StoreTrouble.LOCKED, LogUnavailable, False),
        (StoreTrouble.FULL, LogFull, False),
        (StoreTrouble.UNSAID, LogUnavailable, True),
        (StoreTrouble.DEATH_BEFORE, SenderDied, False),
        (StoreTrouble.DEATH_AFTER, SenderDied, True),
    ],
)
def test_each_trouble_raises_and_leaves_what_it_says(
    trouble: StoreTrouble, error: type[Exception], *, landed: bool
) -> None:
    """Rows and terms are there whole, or not at all; afterwards the store is well."""
    log, troubles, failing_log = failing()
    row = DRAFT.placed(2, 1, 1)
    troubles.add(trouble)
    with pytest.raises(error):
        run(failing_log.append(1, 1, [row]))
    assert (log.rows[1:] == [row]) is landed
    run(failing_log.append(1, 1, [row]))
    assert log.rows[1:] == [row]
    troubles.add(trouble)
    with pytest.raises(error):
        run(failing_log.open_epoch(DRAFT, 1))
    assert (len(log.rows) == 3) is landed


def test_troubles_wait_for_their_turn_and_are_used_up() -> None:
    """Some commits pass first, then so many fail, the oldest plan before the next."""
    log, troubles, failing_log = failing()
    troubles.add(StoreTrouble.LOCKED, skipped=1, times=2)
    troubles.add(StoreTrouble.FULL)
    told = []
    for _ in range(6):
        seq = len(log.rows) + 1
        try:
            run(failing_log.append(1, seq - 1, [DRAFT.placed(seq, 1, 1)]))
            told.append("")
        except LogUnavailable as error:
            told.append(type(error).__name__)
    assert told == ["", "LogUnavailable", "LogUnavailable", "LogFull", "", ""]


def test_a_locked_store_cannot_be_read_either() -> None:
    """Who would begin has to try again."""
    _, troubles, failing_log = failing()
    troubles.add(StoreTrouble.LOCKED)
    with pytest.raises(LogUnavailable):
        run(failing_log.identify())
    assert run(failing_log.identify()).position == 1
