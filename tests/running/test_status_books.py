"""The status book: what is sent, when, and what the server is known to hold."""

from itertools import pairwise
from typing import Any

import pytest

from adapters.kubernetes.statuses import Conflict, Dropped, Stored, Unanswered
from adapters.running.status_books import StatusBook, StatusWrite
from adapters.running.status_pages import INTERVAL
from adapters.running.writing import Writer, open_writer
from adapters.store.memory_logs import MemoryLog
from engine.instants import SECOND
from machines.levels import NodeLevel
from machines.observations import Deleted, Observation, Refused
from machines.statuses import warmup_status
from tests.running.fakes import WRITER
from tests.running.stories import CLUSTER, NOON, POOL_MARKS, WARMUP, node_seen, synced, warmup_seen

FOREIGN = {"phase": "Nonsense"}
BROKEN: dict[str, Any] = {"targets": []}  # ends at once, in words


class Desk:
    """A writer's state and its book, on a clock that the test moves."""

    def __init__(self, writer: Writer) -> None:
        """Sit at the desk of `writer`, at noon."""
        self.writer = writer
        self.book = StatusBook()
        self.now = NOON

    def take(self, *observations: Observation) -> None:
        """Note and fold what was observed."""
        for observation in observations:
            self.book.note(observation)
        self.writer.fold_in(observations, self.now)

    def due(self) -> list[StatusWrite | Observation]:
        """What the book gives now."""
        return list(self.book.due(self.writer.state, self.now))

    def write(self) -> StatusWrite:
        """The one write that is due."""
        [write] = self.due()
        assert isinstance(write, StatusWrite)
        return write

    def store(self, version: int) -> StatusWrite:
        """Have the one write that is due stored."""
        write = self.write()
        assert self.settle(write, Stored(str(version))) == ()
        return write

    def settle(self, write: StatusWrite, result: Any) -> tuple[Observation, ...]:
        """Tell the book what became of a write."""
        return self.book.settle(write, result, self.now)

    def change(self, version: int) -> None:
        """Change the projection: one more node is seen."""
        self.take(node_seen(f"n{version}", version))

    @property
    def unsent(self) -> int:
        """The book's figure."""
        return self.book.unsent(self.writer.state)

    @property
    def status(self) -> dict[str, Any]:
        """The projection."""
        return warmup_status(self.writer.state, self.writer.state.warmups[WARMUP.uid])


async def desk(*, status: Any = None, **spec: Any) -> Desk:
    """A desk with one warmup that has not ended, unless its spec ends it."""
    made = Desk(await open_writer(MemoryLog("log"), WRITER, NOON))
    made.take(*synced(node_seen("n1"), warmups=[warmup_seen(40, status, **spec)]))
    return made


async def settled_desk(**spec: Any) -> Desk:
    """A desk whose status is on the server, in version 41, a while ago."""
    made = await desk(**spec)
    made.store(41)
    made.now += INTERVAL
    return made


async def test_a_projection_is_sent_once() -> None:
    """What is new is sent against the version seen; once it is stored, nothing is left to send."""
    at = await desk()
    assert at.unsent == 1
    write = at.write()
    assert (write.version, write.status, write.subject) == ("40", at.status, WARMUP)
    assert at.unsent == 1
    at.settle(write, Stored("41"))
    at.now += 10 * SECOND
    assert at.due() == []
    assert at.unsent == 0
    assert at.book.next_due(at.writer.state) is None


async def test_rows_that_change_no_status_send_none() -> None:
    """The log grows, the projection stays as it is: nothing is sent."""
    at = await settled_desk()
    before = at.writer.cursor.position
    at.take(node_seen("n1", 77)._replace(level=NodeLevel(POOL_MARKS, ready="False")))
    assert at.writer.cursor.position > before
    assert at.due() == []
    assert at.unsent == 0


async def test_what_the_server_holds_already_is_not_sent() -> None:
    """After a restart a status that equals what the watch shows is not sent [W24]"""
    at = await settled_desk()
    at.book = StatusBook()
    assert at.due() == []
    assert at.unsent == 1  # unknown is not stored
    at.book.note(warmup_seen(41, at.status))
    assert at.due() == []
    assert at.unsent == 0


async def test_nothing_is_sent_before_the_object_is_seen() -> None:
    """What the server holds is unknown at a start, so no status leaves for lack of a list."""
    at = await settled_desk()
    at.book = StatusBook()
    at.change(60)
    assert at.due() == []
    assert at.book.next_due(at.writer.state) is None
    at.book.note(warmup_seen(41, None))
    assert at.write().version == "41"


async def test_five_a_second_and_one_in_flight() -> None:
    """A changing status leaves every 200 ms at most, and never while another is in flight."""
    at = await settled_desk()
    sent = []
    write = None
    for step in range(100):
        at.change(100 + step)
        due = at.due()
        assert len(due) <= 1
        assert not (due and write)
        if due:
            [write] = due
            sent.append(at.now)
        if isinstance(write, StatusWrite) and step % 3 == 0:
            at.settle(write, Stored(str(1000 + step)))
            write = None
        at.now += SECOND // 50
    gaps = [later - earlier for earlier, later in pairwise(sent)]
    assert min(gaps) >= INTERVAL
    assert len(sent) > 5
    assert at.unsent == 1 or write is None


async def test_the_newest_projection_follows_one_in_flight() -> None:
    """What changed while a write was in flight is sent when its time has come, coalesced."""
    at = await desk()
    write = at.write()
    at.change(60)
    at.change(61)
    assert at.book.next_due(at.writer.state) is None
    at.settle(write, Stored("41"))
    assert at.unsent == 1
    assert at.book.next_due(at.writer.state) == NOON + INTERVAL
    assert at.due() == []
    at.now = NOON + INTERVAL
    following = at.write()
    assert (following.status, following.version) == (at.status, "41")


async def test_after_a_conflict_it_is_projected_again() -> None:
    """A lost race sends the projection of now against the newer version, no faster than ever."""
    at = await desk()
    write = at.write()
    at.change(60)
    at.settle(write, Conflict("45"))
    assert at.unsent == 1
    assert at.due() == []
    at.now = NOON + INTERVAL
    again = at.write()
    assert (again.version, again.status) == ("45", at.status)
    assert again.status != write.status


async def test_an_object_that_is_not_there_gets_nothing_more() -> None:
    """A dropped status is tried no more and troubles nobody, until the object is seen again."""
    at = await desk(**BROKEN)
    write = at.write()
    assert write.terminal
    assert at.settle(write, Dropped("it is another object now")) == ()
    at.now += 10 * SECOND
    assert at.due() == []  # above all no StatusStored
    assert at.book.next_due(at.writer.state) is None
    assert at.book.troubles() == {}
    at.book.note(warmup_seen(50, None))
    assert at.write().terminal


async def test_a_deleted_object_is_forgotten() -> None:
    """What is gone is neither sent nor counted, whatever comes back about it late."""
    at = await desk()
    write = at.write()
    at.settle(write, Refused(403, "Forbidden", "no"))
    assert at.book.troubles() == {WARMUP.uid: "no"}
    at.take(Deleted(CLUSTER, WARMUP, "60"))
    assert at.due() == []
    assert at.book.troubles() == {}
    assert (at.unsent, at.book.next_due(at.writer.state)) == (0, None)
    assert at.settle(write, Stored("41")) == ()
    assert at.due() == []


@pytest.mark.parametrize("result", [Refused(403, "Forbidden", "no"), Unanswered("no")])
async def test_refusals_back_off(result: Refused | Unanswered) -> None:
    """Tries that fail come after 1, 2, 4 … and at most 60 seconds, and read afresh."""
    at = await desk()
    waited = []
    for _ in range(9):
        at.settle(at.write(), result)
        assert at.book.troubles() == {WARMUP.uid: "no"}
        assert at.unsent == 1
        due = at.book.next_due(at.writer.state)
        assert due is not None
        waited.append((due - at.now) // SECOND)
        at.now = due - 1
        assert at.due() == []
        at.now = due
    assert waited == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    write = at.write()
    assert write.version is None
    at.settle(write, Stored("90"))
    assert at.book.troubles() == {}
