"""What comes back after it counted as gone, and what does not; and words that come too often."""

import pytest

from engine.events import Subject
from engine.instants import SECOND
from machines.observations import Deleted, Seen
from machines.replicas.levels import WorkloadLevel
from tests.caches.builders import ONE, WORKLOAD
from tests.replicas.builders import DEPLOYMENT, GANG, UID, ReplicaScene, spec_of
from tests.replicas.serving import ServingScene

SUBJECT = Subject("Deployment", WORKLOAD, "r-main-bb4e3", "modelplanes")
LEVEL = WorkloadLevel(serving="r", replicas=1)


def test_what_comes_back_to_us_is_known_again() -> None:
    """It only counted as gone; what was deleted, or found to be no more, never returns."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache=""))
    scene.see(ONE, SUBJECT, LEVEL)
    away = str(scene.next())
    scene.tell(Deleted(ONE, SUBJECT, away))
    assert scene.there(DEPLOYMENT) is None
    scene.tell(Seen(ONE, SUBJECT, away, LEVEL))
    assert scene.there(DEPLOYMENT) is None
    scene.tell(Seen(ONE, SUBJECT, str(scene.next()), LEVEL))
    known = scene.there(DEPLOYMENT)
    assert known is not None
    assert known.subject == SUBJECT
    scene.tell(Deleted(ONE, SUBJECT, "", settled=True))
    scene.tell(Seen(ONE, SUBJECT, str(scene.next()), LEVEL))
    assert scene.there(DEPLOYMENT) is None


def test_a_kind_that_is_served_no_more_holds_no_deletion() -> None:
    """With its definition every LeaderWorkerSet has gone, be it while nobody looked."""
    scene = ServingScene(GANG)
    scene.replica(spec=scene.spec(cache=""))
    scene.serve(GANG)
    scene.unread("LeaderWorkerSet", "not served", served=False)
    scene.replica(spec=scene.spec(cache=""), deleting=True)
    scene.carry_out()
    assert UID not in scene.state.replicas


def test_new_words_of_a_workload_are_recorded_once_a_minute() -> None:
    """Under the same reason; another reason is recorded at once."""
    scene = ServingScene(DEPLOYMENT)
    scene.replica(spec=scene.spec(cache=""))
    scene.carry_out()
    scene.edit(reason="ReplicaFailure", message="quota a")
    scene.edit(reason="ReplicaFailure", message="quota b")
    assert scene.workload().message == "quota a"
    scene.clock += 61 * SECOND
    scene.edit(reason="ReplicaFailure", message="quota c")
    assert scene.workload().message == "quota c"
    scene.edit(reason="ProgressDeadlineExceeded", message="quota d")
    assert scene.workload().message == "quota d"


@pytest.mark.parametrize("served", [True, False])
def test_a_kind_that_can_be_read_again_is_listed_before_it_is_acted_on(*, served: bool) -> None:
    """What was known of it before says nothing of what there is now."""
    scene = ServingScene(GANG)
    scene.unread("LeaderWorkerSet", "it cannot be read", served=served)
    scene.replica(spec=scene.spec(cache=""))
    scene.carry_out()
    scene.unread("LeaderWorkerSet", "")
    scene.carry_out()
    assert scene.applies() == []
    scene.lists_all()
    scene.carry_out()
    assert scene.there(GANG)
