"""Rollouts that do not come to an end: what was there serves on, and why the new Pods do not."""

from machines.observations import EventsRead
from machines.replicas.asking import engine_questions
from machines.replicas.occasions import replica_occasions
from tests.caches.builders import ONE
from tests.replicas.builders import DEPLOYMENT, ReplicaScene, spec_of

WORDS = "engine main: its rollout waits, and what was there serves on: ErrImagePull: no such image"


def rolling() -> ReplicaScene:
    """A replica that serves, and whose new Pods cannot pull their image."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache=""))
    scene.serve()
    scene.edit(rolling=True)
    known = scene.there(DEPLOYMENT)
    assert known is not None
    scene.tell(EventsRead(ONE, known.subject, "", "ErrImagePull", "no such image"))
    return scene


def test_a_rollout_that_waits_says_why_while_the_replica_serves() -> None:
    """The conditions stay True, and their message names the engine and its Pods' words."""
    scene = rolling()
    assert scene.condition("ModelReady") == ("True", "Serving", WORDS)
    assert scene.condition("Ready") == ("True", "Available", WORDS)


def test_a_rollout_that_waits_is_one_warning() -> None:
    """The Pods are asked as long as it waits; at its end nothing is said of it any more."""
    scene = rolling()
    told = [one for one in replica_occasions(scene.state, scene.mr) if one.note == WORDS]
    assert [(one.type, one.reason) for one in told] == [("Warning", "RolloutWaiting")]
    assert len(list(engine_questions(scene.state))) == 1
    scene.edit(rolling=False)
    assert scene.condition("ModelReady") == ("True", "Serving", "")
    assert list(engine_questions(scene.state)) == []


def test_a_rollout_under_way_is_no_trouble() -> None:
    """As long as its Pods tell of none."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache=""))
    scene.serve()
    scene.edit(rolling=True)
    assert scene.condition("Ready") == ("True", "Available", "")
