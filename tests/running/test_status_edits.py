"""The status book and others: foreign edits, own writes that come back, and what ended before."""

from itertools import permutations

import pytest

from adapters.kubernetes.statuses import Conflict, Stored, Unanswered
from adapters.running.status_books import StatusBook, StatusWrite
from adapters.running.status_pages import INTERVAL, REPAIR_INTERVAL
from engine.instants import SECOND
from machines.observations import Contested, RolledBack, StatusStored
from tests.running.stories import CLUSTER, WARMUP, warmup_seen
from tests.running.test_status_books import BROKEN, FOREIGN, Desk, desk, settled_desk


async def test_a_foreign_edit_is_repaired() -> None:
    """Somebody else's status is written over, against its version."""
    at = await settled_desk()
    at.book.note(warmup_seen(42, FOREIGN))
    assert at.unsent == 1
    write = at.write()
    assert (write.version, write.status) == ("42", at.status)
    at.settle(write, Stored("43"))
    assert at.unsent == 0


async def test_repairs_come_once_a_minute() -> None:
    """Of somebody who edits every second, one edit a minute is undone."""
    at = await settled_desk()
    repaired = []
    for second in range(180):
        at.book.note(warmup_seen(100 + 2 * second, FOREIGN))
        for write in at.due():
            if isinstance(write, Contested):
                continue
            assert isinstance(write, StatusWrite)
            repaired.append(at.now)
            at.settle(write, Stored(str(101 + 2 * second)))
        at.now += SECOND
    assert len(repaired) == 3
    assert repaired[1] - repaired[0] == repaired[2] - repaired[1] == REPAIR_INTERVAL


async def test_a_repair_that_has_to_wait_is_not_forgotten() -> None:
    """The second edit within a minute is repaired at the minute's end, and counts until then."""
    at = await settled_desk()
    at.book.note(warmup_seen(42, FOREIGN))
    first = at.now
    at.store(43)
    at.book.note(warmup_seen(44, FOREIGN))
    assert at.due() == []
    assert at.unsent == 1
    assert at.book.next_due(at.writer.state) == first + REPAIR_INTERVAL
    at.now = first + REPAIR_INTERVAL
    at.store(45)
    assert at.unsent == 0


async def test_news_does_not_wait_for_repairs() -> None:
    """While a foreign edit has to wait, a projection that changed is sent as quickly as ever."""
    at = await settled_desk()
    at.book.note(warmup_seen(42, FOREIGN))
    at.store(43)
    at.book.note(warmup_seen(44, FOREIGN))
    at.change(60)
    assert at.due() == []
    at.now += INTERVAL
    assert at.write().status == at.status


async def test_a_repair_that_lost_a_race_is_tried_again_soon() -> None:
    """A repair that another write outpaced has repaired nothing, so it need not wait a minute."""
    at = await settled_desk()
    at.book.note(warmup_seen(42, FOREIGN))
    at.settle(at.write(), Conflict("43"))
    at.now += INTERVAL
    assert at.write().version == "43"


ECHOES = ["own", "pruned"]
HAPPENINGS = ["earlier", "echo", "later", "answer"]
# The watch gives versions in their order; the answer comes whenever it comes.
ORDERS = [
    order
    for order in permutations(HAPPENINGS)
    if [each for each in order if each != "answer"] == ["earlier", "echo", "later"]
]


@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("order", ORDERS)
async def test_own_writes_that_come_back_are_no_edits(order: tuple[str, ...], echo: str) -> None:
    """An own write is known in any order of watch and answer, also when the server prunes it.

    The versions before and after it, in which only something else changed, are no edits either.
    """
    at = await desk()
    write = at.write()
    pruned = {"phase": write.status["phase"]}
    shown = write.status if echo == "own" else pruned
    for each in order:
        match each:
            case "earlier":
                at.book.note(warmup_seen(41, None))
            case "echo":
                at.book.note(warmup_seen(42, shown))
            case "later":
                at.book.note(warmup_seen(43, shown))
            case "answer":
                at.settle(write, Stored("42"))
    at.now += 2 * REPAIR_INTERVAL
    assert at.due() == []
    assert at.unsent == 0


@pytest.mark.parametrize("order", [("edit", "answer"), ("answer", "edit")])
async def test_an_edit_right_after_our_write_is_seen(order: tuple[str, str]) -> None:
    """Somebody who writes over us before we have our own answer is found out all the same."""
    at = await desk()
    write = at.write()
    for each in order:
        if each == "edit":
            at.book.note(warmup_seen(42, write.status))
            at.book.note(warmup_seen(43, FOREIGN))
        else:
            at.settle(write, Stored("42"))
    assert at.unsent == 1
    at.now += INTERVAL
    assert at.write().version == "43"


@pytest.mark.parametrize("order", [("edit", "answer"), ("answer", "edit")])
async def test_an_edit_that_we_wrote_over_is_none(order: tuple[str, str]) -> None:
    """An edit older than our stored write is past, whenever the watch tells of it."""
    at = await desk()
    write = at.write()
    for each in order:
        if each == "edit":
            at.book.note(warmup_seen(41, FOREIGN))
        else:
            at.settle(write, Stored("42"))
    at.now += INTERVAL
    assert at.due() == []
    assert at.unsent == 0


async def test_a_write_without_answer_that_landed_is_not_repeated() -> None:
    """The watch shows what the lost answer would have said."""
    at = await desk(**BROKEN)
    write = at.write()
    at.book.note(warmup_seen(42, write.status))
    assert at.settle(write, Unanswered("cut")) == ()
    at.now += 10 * SECOND
    [told] = at.due()
    assert isinstance(told, StatusStored)
    at.take(told)
    assert at.unsent == 0


async def test_a_terminal_status_is_told_once() -> None:
    """Its storing makes the fact StatusStored, and a repair of it later makes no second one."""
    at = await desk(**BROKEN)
    write = at.write()
    assert at.settle(write, Stored("41")) == (StatusStored(CLUSTER, WARMUP, write.position),)
    at.now += INTERVAL
    at.book.note(warmup_seen(42, FOREIGN))
    repair = at.write()
    assert at.settle(repair, Stored("43")) == ()


async def test_a_terminal_status_that_is_there_already_is_told() -> None:
    """After a crash between the write and its row, the next session tells it, and once."""
    at = await desk(**BROKEN)
    at.book = StatusBook()
    at.book.note(warmup_seen(41, at.status))
    [told] = at.due()
    assert told == StatusStored(CLUSTER, WARMUP, at.status["warmlog"]["position"])
    assert at.due() == []
    at.take(told)
    assert at.due() == []
    assert at.writer.state.warmups[WARMUP.uid].stored


async def test_a_past_that_comes_back_is_written_over() -> None:
    """After a restored backup the versions begin again, and what the server holds is compared."""
    at = await settled_desk()
    at.take(RolledBack(CLUSTER, "restored"))
    assert at.unsent == 1
    at.book.note(warmup_seen(30, None))
    write = at.write()
    assert write.version == "30"
    at.settle(write, Stored("31"))
    assert at.unsent == 0


async def test_own_statuses_that_a_watch_tells_again_are_no_edits() -> None:
    """After a start with a list from the past, a watch tells what the life before had written."""
    at = await desk()
    written = []
    for version in range(41, 49):
        written.append(at.store(version).status)
        at.now += INTERVAL
        at.change(100 + version)
    at.book = StatusBook()
    for version, status in enumerate(written, start=41):
        at.book.note(warmup_seen(version, status)._replace(editor="warmlog"))
    assert at.write().version == "48"


async def test_who_edits_what_is_there_is_somebody_else() -> None:
    """An edit that leaves our log and its position in the status is counted as any other."""
    at = await settled_desk()
    for turn in range(3):
        at.book.note(warmup_seen(100 + turn, {**at.status, "phase": f"Nonsense {turn}"}))
    begun = at.due()[0]
    assert isinstance(begun, Contested)
    assert begun.editor == "unknown"


def edit(at: Desk, version: int) -> list[Contested]:
    """Somebody writes the status; give the contests that it begins, and repair it."""
    at.book.note(warmup_seen(version, FOREIGN)._replace(editor="other-controller"))
    found = []
    for due in at.due():
        if isinstance(due, Contested):
            found.append(due)
            at.take(due)
        elif isinstance(due, StatusWrite):
            at.settle(due, Stored(str(version + 1)))
    return found


def contested(at: Desk) -> tuple[str, str]:
    """Status and message of the condition."""
    rows = {row["type"]: row for row in at.status["conditions"]}
    return rows["Contested"]["status"], rows["Contested"]["message"]


async def test_the_third_edit_within_ten_minutes_is_a_contest() -> None:
    """It is told once, with the name of who writes, and is over after an hour of quiet."""
    at = await settled_desk()
    found = []
    for turn in range(5):
        found.append(len(edit(at, 100 + 2 * turn)))
        at.now += 120 * SECOND
    assert found == [0, 0, 1, 0, 0]
    assert contested(at)[0] == "True"
    assert contested(at)[1].startswith("other-controller keeps writing this status")
    for due in at.due():
        assert isinstance(due, StatusWrite)
        at.settle(due, Stored("200"))
    over = at.book.next_due(at.writer.state)
    assert over is not None
    assert over == at.now - 120 * SECOND + 3600 * SECOND
    at.now = over
    [end] = at.due()
    assert end == Contested(CLUSTER, WARMUP, "")
    at.take(end)
    assert contested(at) == ("False", "")


async def test_a_contest_is_not_waited_for_while_its_object_is_not_seen() -> None:
    """A session that begins hours after a contest has nothing to do before it sees the object.

    The same holds for an object that is deleted while its Jobs still go.
    """
    at = await settled_desk()
    at.take(Contested(CLUSTER, WARMUP, "other-controller"))
    at.now += 24 * 3600 * SECOND
    at.book = StatusBook()
    assert at.book.next_due(at.writer.state) is None
    at.book.note(warmup_seen(50, at.status))
    assert at.due() == []
    assert at.book.next_due(at.writer.state) == at.now + 3600 * SECOND
    at.writer.state.warmups[WARMUP.uid].gone = True
    assert at.book.next_due(at.writer.state) is None


async def test_edits_now_and_then_are_no_contest() -> None:
    """Three edits in more than ten minutes are repaired, and not told."""
    at = await settled_desk()
    for turn in range(4):
        assert edit(at, 100 + 2 * turn) == []
        at.now += 301 * SECOND


async def test_our_own_writes_are_no_edits() -> None:
    """A status of ours that comes back by the watch is nobody's edit."""
    at = await settled_desk()
    for turn in range(5):
        at.change(60 + 3 * turn)
        at.now += INTERVAL
        write = at.store(61 + 3 * turn)
        at.book.note(warmup_seen(61 + 3 * turn, write.status))
    assert "Contested" not in [row["type"] for row in at.status["conditions"]]


@pytest.mark.parametrize("end", [Stored("43"), Unanswered("no answer in time")])
async def test_the_minute_to_the_next_repair_begins_with_the_answer(end: object) -> None:
    """A repair that was slow on its way arrived late: the next one comes a minute after its end."""
    at = await settled_desk()
    at.book.note(warmup_seen(42, FOREIGN))
    write = at.write()
    at.now += 5 * SECOND
    at.settle(write, end)
    at.book.note(warmup_seen(44, FOREIGN))
    assert at.book.next_due(at.writer.state) == at.now + REPAIR_INTERVAL
