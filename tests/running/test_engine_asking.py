"""Asking for replicas: why the Pods of an engine do not run is read while it is not available."""

from adapters.running.cache_asking import CacheAskingBook, QuestionBoard
from engine.instants import SECOND
from machines.observations import EventsRead
from tests.caches.builders import ONE
from tests.kubernetes.fakes import ScriptedApi
from tests.kubernetes.test_reading_engine_pods import UNPLACED
from tests.kubernetes.test_reading_events import items
from tests.replicas.builders import DEPLOYMENT, ReplicaScene, spec_of

POD = {"metadata": {"name": "r-main-bb4e3-0"}, "status": {"conditions": [UNPLACED]}}


def test_an_engine_is_asked_about_until_it_is_available() -> None:
    """First after two seconds, then ever more rarely; of no other cluster's engines."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache=""))
    scene.carry_out()
    book, other = CacheAskingBook(ONE, QuestionBoard()), CacheAskingBook("home", QuestionBoard())
    asked = []
    for second in range(130):
        asked += [(second, one.question.subject.kind) for one in book.due(scene.state, scene.clock)]
        assert other.due(scene.state, scene.clock) == []
        scene.clock += SECOND
    assert [when for when, _ in asked] == [2, 6, 14, 30, 62, 122]
    assert {kind for _, kind in asked} == {"Deployment"}
    assert book.next_due(scene.state) is not None
    scene.available(DEPLOYMENT)
    assert book.due(scene.state, scene.clock) == []
    assert book.next_due(scene.state) is None


async def test_what_its_pods_say_is_told_of_the_replica() -> None:
    """From the question over the Pods to the condition that users read."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache=""))
    scene.carry_out()
    scene.clock += 3 * SECOND
    (asked,) = CacheAskingBook(ONE, QuestionBoard()).due(scene.state, scene.clock)
    read = await asked.answer(ScriptedApi(items(POD)), timeout_seconds=5)
    assert isinstance(read, EventsRead)
    scene.tell(read._replace(cluster=ONE))
    words = "Unschedulable: no node is available: Insufficient nvidia.com/gpu"
    assert words in scene.condition("ModelReady")[2]
