"""An object that was somebody else's for a while, and is a replica's again."""

from engine.events import Subject
from machines.observations import Deleted, Seen
from machines.replicas.levels import WorkloadLevel
from tests.caches.builders import ONE, WORKLOAD
from tests.replicas.builders import DEPLOYMENT, ReplicaScene, spec_of

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
