"""Memories: what one life of a controller leaves to the next, so that few starts fold a whole log.

What a life had folded when it ended is a snapshot: it stands for a place in a log, and is used only
where the log still has that place. Now and then a start uses none, as after an upgrade, so that
folding all comes to the same is tried in the middle of worlds as well as at their ends.
"""

from adapters.running.writing import Fold
from adapters.simulator.driving import Driver
from adapters.store.memory_logs import MemoryLog
from engine.replaying import Replayed
from machines.domain import WARMLOG
from machines.states import State

WHOLE_STARTS = 4  # of so many starts one folds the whole log


class Memories:
    """The memory of a world's controllers. It counts starts, so that a story plays the same."""

    def __init__(self) -> None:
        """Begin before the first start."""
        self._starts = 0

    def of(self, last: Driver | None, log: MemoryLog, *, lives_on: bool) -> Fold | None:
        """Give what `last` knew when it ended, if that is of this log; a copy when it lives on."""
        self._starts += 1
        if last is None or self._starts % WHOLE_STARTS == 0 or not _is_of(last, log):
            return None
        state = last.writer.state
        known = Replayed(WARMLOG.copy(state) if lives_on else state, last.writer.cursor, 0)

        async def recall() -> Replayed[State]:
            return known

        return recall


def _is_of(last: Driver, log: MemoryLog) -> bool:
    """Say whether the log holds, at its place, the row that was folded last."""
    cursor = last.writer.cursor
    if last.writer.unsent_rows or not 0 < cursor.position <= len(log.rows):
        return False
    row = log.rows[cursor.position - 1]
    return last.writer.state.log_id == log.log_id and row[:3] == (
        cursor.position,
        cursor.epoch,
        cursor.at,
    )
