"""Condition books: one condition in a status that others write, stored when it is news."""

from typing import Any

from adapters.kubernetes.kinds import INFERENCE_CLUSTER
from adapters.kubernetes.statuses import Conflict, Dropped, StatusResult, Stored, Unanswered
from adapters.ports import MERGE_PATCH, Request
from adapters.running.condition_books import ConditionBook, ConditionWrite
from engine.instants import SECOND
from machines.caches.levels import ClusterLevel
from machines.observations import Observation, Reachability, Seen
from tests.caches.builders import HOME, ONE, CacheScene
from tests.running.clusters import home_world, reachable, serve, settled
from tests.running.living import living
from tests.running.virtual import in_world


class Desk:
    """A scene's state and its book, on a clock that the test moves."""

    def __init__(self) -> None:
        """Begin with one cluster that answers, seen at version 500."""
        self.scene = CacheScene()
        self.book = ConditionBook()
        self.now = self.scene.clock
        self.subject = self.scene.state.served["one"].subject
        self.see(500)

    def see(self, version: int) -> None:
        """Have the watch show the InferenceCluster at a version."""
        level = self.scene.state.served["one"].level
        assert isinstance(level, ClusterLevel)
        self.book.note(Seen(HOME, self.subject, str(version), level))

    def tell(self, *observations: Observation) -> None:
        """Fold what was observed."""
        self.scene.tell(*observations)

    def due(self) -> list[ConditionWrite]:
        """What the book gives now."""
        return self.book.due(self.scene.state, self.now)

    def settle(self, result: StatusResult) -> dict[str, Any]:
        """Have the one write that is due end like this."""
        [write] = self.due()
        assert self.due() == []  # it is on its way
        self.book.settle(write, result, self.now)
        return write.condition

    def next_seconds(self) -> float | None:
        """In how many seconds the book has something to do."""
        due = self.book.next_due(self.scene.state)
        return None if due is None else (due - self.now) / SECOND


def test_a_condition_is_stored_once() -> None:
    """What it says is written when it is first known, and when it is something else."""
    desk = Desk()
    assert desk.settle(Stored("501"))["status"] == "True"
    assert (desk.due(), desk.next_seconds(), desk.book.unsent(desk.scene.state)) == ([], None, 0)
    desk.tell(Reachability(ONE, reachable=False, words="no route to host"))
    assert desk.book.unsent(desk.scene.state) == 1
    desk.now += SECOND
    assert desk.settle(Stored("502"))["message"] == "no route to host"
    assert desk.next_seconds() is None


def test_our_own_write_is_no_edit() -> None:
    """The watch shows it as one more version, before or after its answer, and nothing follows."""
    desk = Desk()
    [write] = desk.due()
    desk.see(501)
    desk.book.settle(write, Stored("501"), desk.now)
    desk.see(501)
    assert desk.next_seconds() is None


def test_what_others_write_is_looked_at_once_a_minute() -> None:
    """However often the object changes, it is read, and mended if need be, once a minute."""
    desk = Desk()
    desk.settle(Stored("501"))
    for version in range(502, 520):
        desk.see(version)
        assert desk.due() == []
    assert desk.next_seconds() == 60
    desk.now += 60 * SECOND
    desk.settle(Stored("519"))
    assert desk.next_seconds() is None


def test_the_minute_to_the_next_look_begins_with_the_answer() -> None:
    """A condition that was slow on its way was stored late: a minute counts from there."""
    desk = Desk()
    [write] = desk.due()
    desk.now += 5 * SECOND
    desk.book.settle(write, Stored("501"), desk.now)
    desk.see(502)
    assert desk.next_seconds() == 60


def test_a_refusal_is_tried_again_ever_more_rarely() -> None:
    """Until it is stored the words say why it is not."""
    desk = Desk()
    waits = []
    for result in (Unanswered("no route to host"), Conflict("501"), Unanswered("still none")):
        desk.settle(result)
        waits.append(desk.next_seconds())
        desk.now += 60 * SECOND
    assert waits == [1, 2, 4]
    assert desk.book.troubles() == {desk.subject.uid: "still none"}
    desk.settle(Stored("502"))
    assert desk.book.troubles() == {}


def test_an_object_that_is_gone_is_let_go_of() -> None:
    """Nothing is sent to one that the server does not have, nor kept of one that the log lost."""
    desk = Desk()
    desk.settle(Dropped("another object has its name"))
    assert (desk.due(), desk.next_seconds()) == ([], None)
    desk.scene.gone(HOME, desk.subject)
    assert (desk.due(), desk.next_seconds(), desk.book.unsent(desk.scene.state)) == ([], None, 0)


def test_the_rest_of_the_status_is_others() -> None:
    """What others say in it stays, and our condition comes back within a minute of its loss."""
    world = home_world("n1")
    serve(world, "home")

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: reachable(world, "home")[0] == "True")
            theirs = {"type": "Ready", "status": "True", "reason": "Fine", "message": ""}
            theirs["lastTransitionTime"] = "2026-01-01T00:00:00Z"
            status = {"capacity": {"gpus": 8}, "conditions": [theirs]}
            path = f"{INFERENCE_CLUSTER.path('', 'home')}/status"
            patch = {"status": status}
            request = Request("PATCH", path, body=patch, content_type=MERGE_PATCH)
            assert world.api.answer(request).ok
            assert reachable(world, "home") == ("", "")
            await life.until(lambda: reachable(world, "home")[0] == "True", seconds=70)
            held = world.must_find("InferenceCluster", "", "home")["status"]
            assert theirs in held["conditions"]
            assert held["capacity"] == {"gpus": 8}
            await settled(life)

    in_world(world, story)
