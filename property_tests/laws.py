"""Laws: what holds of every log, whatever it is about."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from adapters.store.memory_logs import MemoryLog
from engine.events import Event
from engine.verifying import verify
from machines.domain import WARMLOG
from machines.observations import RolledBack
from machines.states import State
from property_tests.making import LogInTheMaking
from property_tests.running import run

Rule = Callable[..., bool]  # its docstring is what it says
# Gives (uid, status without its position, position) of every object with a status.
Statuses = Callable[[State], Iterator[tuple[str, str, int]]]


def rows_keep(
    rows: Iterable[Event],
    always: Sequence[Rule],
    between: Sequence[Rule],
    broken_by: Callable[[State, Event], Iterable[Rule]],
) -> None:
    """What holds always holds after each row, what holds between across it; no decision breaks any.

    `broken_by` gives what a decision breaks, in the state in which it was made.
    """
    state = WARMLOG.initial("chaos")
    for row in rows:
        if WARMLOG.is_decision(row.type):
            wrong = [one.__doc__ for one in broken_by(state, row)]
            assert not wrong, f"by {row}"
        before = WARMLOG.copy(state)
        state = WARMLOG.fold(state, row)
        broken = [holds.__doc__ for holds in always if not holds(state)]
        broken += [holds.__doc__ for holds in between if not holds(before, row, state)]
        assert not broken, f"after {row}"


def deciding_rests(state: State, action: object) -> None:
    """With its decisions folded nothing more is decided, whatever is looked at."""
    copied = WARMLOG.copy(state)
    copied.dirty = dict.fromkeys([*copied.warmups, *copied.caches, *copied.replicas], 1)
    assert list(WARMLOG.decide(copied)) == [], f"after {action}"


def nothing_is_news_twice(log: LogInTheMaking, action: object) -> None:
    """What was just told adds no row when it is told again."""
    if not any(isinstance(one, RolledBack) for one in log.last):  # it unsyncs every kind
        assert log.tell(log.last) == (), f"after {action}"


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
        left, loaded = pieces, WARMLOG.load(WARMLOG.dump(pieces))
        copied = WARMLOG.fold(WARMLOG.copy(left), row)
        assert left == loaded, "folding a copy changed the original"
        pieces = WARMLOG.fold(loaded, row)
        assert copied == pieces
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
