"""Laws: what holds of every log, whatever it is about."""

from collections.abc import Callable, Iterable, Iterator

from adapters.store.memory_logs import MemoryLog
from engine.events import Event
from engine.verifying import verify
from machines.domain import WARMLOG
from machines.states import State
from property_tests.running import run

# Gives (uid, status without its position, position) of every object with a status.
Statuses = Callable[[State], Iterator[tuple[str, str, int]]]


def positions_move_with_statuses(rows: Iterable[Event], statuses: Statuses) -> None:
    """A status that changes names the event that changed it; one that does not, stays to a byte."""
    state, shown = WARMLOG.initial("chaos"), dict[str, str]()
    positions = dict[str, int]()
    for row in rows:
        state = WARMLOG.fold(state, row)
        for uid, text, position in statuses(state):
            if text == shown.get(uid):
                assert position == positions[uid], f"{row} changed nothing of {uid}"
            else:
                assert position == row.seq, f"{row} changed {uid}: {shown.get(uid)} → {text}"
            shown[uid], positions[uid] = text, position


def pieces_are_the_whole(rows: Iterable[Event]) -> None:
    """A state dumped and loaded, or copied, after any row goes on as if it had not been."""
    whole = pieces = WARMLOG.initial("chaos")
    for row in rows:
        whole = WARMLOG.fold(whole, row)
        left, text = pieces, WARMLOG.dump(pieces)
        pieces = WARMLOG.fold(WARMLOG.load(text), row)
        copied = WARMLOG.fold(WARMLOG.copy(left), row)
        assert WARMLOG.dump(left) == text, "folding a copy changed the original"
        assert WARMLOG.dump(copied) == WARMLOG.dump(pieces)
    assert WARMLOG.dump(whole) == WARMLOG.dump(pieces)


def log_alone_gives_all_again(rows: list[Event], live: State) -> None:
    """Folding the rows gives the live state's statuses, and deciding again the same decisions."""
    log = MemoryLog("chaos")
    log.rows = rows
    state = WARMLOG.initial("chaos")
    for row in rows:
        state = WARMLOG.fold(state, row)
    assert list(WARMLOG.project(state)) == list(WARMLOG.project(live))
    assert run(divergences(log)) == []


async def divergences(log: MemoryLog) -> list[str]:
    """Verify a log."""
    return [str(each) async for each in verify(WARMLOG, log)]
