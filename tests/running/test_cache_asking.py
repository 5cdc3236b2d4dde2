"""Asking for caches: what no watch shows of a claim is read when its time has come."""

from adapters.running.cache_asking import CacheAskingBook, QuestionBoard
from engine.instants import SECOND
from tests.caches.builders import ONE, CacheScene
from tests.caches.willing import carry_out, stage
from tests.replicas.builders import ReplicaScene


def names(book: CacheAskingBook, scene: CacheScene) -> list[tuple[str, bool]]:
    """What is asked about now, by kind, and whether it is about a release."""
    return [
        (one.question.subject.kind, one.is_release) for one in book.due(scene.state, scene.clock)
    ]


def test_a_claim_that_does_not_bind_is_asked_about_ever_more_rarely() -> None:
    """First after two seconds, then after 4, 8 … 60; not once it is bound."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    book = CacheAskingBook(ONE, QuestionBoard())
    asked = []
    for second in range(130):
        if ("PersistentVolumeClaim", False) in names(book, scene):
            asked.append(second)
        scene.clock += SECOND
    assert asked == [2, 6, 14, 30, 62, 122]
    scene.claim("Bound")
    carry_out(scene)
    assert ("PersistentVolumeClaim", False) not in names(book, scene)


def test_users_of_a_claim_are_read_at_once_and_then_ever_more_rarely() -> None:
    """As long as a claim is to go, whoever mounts it is looked for; of no other cluster's."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.cache(deleting=True)
    book, other = CacheAskingBook(ONE, QuestionBoard()), CacheAskingBook("home", QuestionBoard())
    asked = []
    for second in range(130):
        if ("PersistentVolumeClaim", True) in names(book, scene):
            asked.append(second)
        assert names(other, scene) == []
        scene.clock += SECOND
    assert asked == [0, 2, 6, 14, 30, 62, 122]


def test_a_claim_that_does_not_go_is_asked_about() -> None:
    """Of a claim that is being deleted, whoever mounts it is looked for when it is still there."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    book = CacheAskingBook(ONE, QuestionBoard())
    scene.claim("Bound", deleting=True)
    asked = []
    for second in range(30):
        if ("PersistentVolumeClaim", True) in names(book, scene):
            asked.append(second)
        scene.clock += SECOND
    assert asked == [5, 7, 11, 19]


def test_users_are_read_anew_once_a_replica_lets_go_of_a_claim() -> None:
    """However long it was held: its Pods are gone soon, and none should wait a minute then."""
    scene = ReplicaScene()
    scene.cache()
    scene.replica()
    scene.stage()
    scene.serve()
    scene.cache(deleting=True)
    book = CacheAskingBook(ONE, QuestionBoard())
    for _ in range(100):
        names(book, scene)
        scene.clock += SECOND
    assert names(book, scene) == []
    scene.replica(deleting=True)
    scene.carry_out()
    assert names(book, scene) == [("PersistentVolumeClaim", True)]


def test_a_board_is_not_looked_at_all_the_time() -> None:
    """While much happens the questions are looked up at its interval, and none is missed."""
    scene = CacheScene()
    board = QuestionBoard(0.5)
    board.renew(scene.state, scene.clock)
    assert board.renews_at(scene.state) is None
    scene.cache()
    carry_out(scene)
    assert board.renews_at(scene.state) == scene.clock + SECOND // 2
    board.renew(scene.state, scene.clock)
    assert board.of(ONE).events == []
    board.renew(scene.state, scene.clock + SECOND // 2)
    assert "PersistentVolumeClaim" in {one.subject.kind for one in board.of(ONE).events}
    assert board.renews_at(scene.state) is None
