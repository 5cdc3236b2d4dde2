"""What happens in another cluster moves no ModelWarmup: names and lists count where they are."""

import pytest

from engine.canonical_json import dumps
from engine.events import Subject
from machines.following import followed
from machines.intents import DeleteJob
from machines.levels import JobLevel, NamespaceLevel, NodeLevel
from machines.node_jobs import NodeJobState
from machines.observations import Listed, Observation, Reachability, RolledBack, Seen
from machines.states import WARMUP_KINDS
from tests.machines.builders import CLUSTER, NAMESPACE, Scene, naming, selecting, spec_of

OTHER = "ic/east"
LISTED: tuple[Observation, ...] = tuple(Listed(OTHER, kind, "9", ()) for kind in WARMUP_KINDS)
NODE = NodeLevel(
    (("gpu", "1"), ("model.aibrix.ai/enabled", "true")), (), "True", created="2026-01-01T08:00:00Z"
)


def node_there(name: str) -> Seen:
    """A node of this name is in the other cluster."""
    return Seen(OTHER, Subject("Node", "", name, f"east-{name}"), "5", NODE)


def told(scene: Scene) -> tuple[object, ...]:
    """What "mw" shows, and what is asked and waited for."""
    return dumps(scene.status), list(scene.state.open), list(scene.state.timers)


@pytest.mark.parametrize(
    "there",
    [
        LISTED,
        (Reachability(OTHER, reachable=False, words="away"),),
        (*LISTED, node_there("z"), node_there("a")),
        (*LISTED, Seen(OTHER, Subject("Namespace", "", NAMESPACE, "east-ns"), "5",
                       NamespaceLevel("q", terminating=True))),
        (*LISTED, RolledBack(OTHER, "restored"), *LISTED),
    ],
)  # fmt: skip
def test_nothing_moves(there: tuple[Observation, ...]) -> None:
    """A warmup with a Job, and a name that waits, shows the same and asks for nothing else."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting(), naming("z"), parallelism=1))
    scene.accept("a")
    before = told(scene)
    assert scene.tell(*there)
    assert told(scene) == before
    scene.job("a", "Complete")
    assert scene.creating() == ["b"]


@pytest.mark.parametrize("there", [(node_there("a"),), (node_there("a"), *LISTED)])
def test_a_machine_there_is_not_the_one_that_left(there: tuple[Observation, ...]) -> None:
    """A Job of the original's for a node that left stays that node's."""
    scene = Scene(synced=False)
    scene.warmup(spec_of(selecting()))
    level = JobLevel("mw-uid", "mw-uid", "", "a", "0123", created="2026-01-01T09:00:00Z")
    scene.foreign_job("ja", level)
    scene.sync()
    scene.tell(*there)
    assert scene.state.jobs["ja"].node_uid == "left:a"
    scene.node("a", created="2026-01-01T08:00:00Z")
    assert scene.state.jobs["ja"].node_uid == "uid-a"


def test_a_list_there_says_nothing_of_a_job_here() -> None:
    """A Job whose delete was taken is not deleted again for what another cluster lists."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting(), parallelism=2))
    scene.answer_all_creates()
    scene.node("a", enabled="false")
    scene.deleted("a")
    scene.tell(*LISTED)
    scene.node("a", enabled="false", cordoned=True)
    scene.job("b", failed_attempts=1)
    assert len(scene.decided(DeleteJob)) == 1
    scene.restart()
    assert len(scene.decided(DeleteJob)) == 2


def test_a_warmup_that_another_cluster_does_not_list_is_remembered() -> None:
    """Only the lists of its own cluster can say that it is gone for good."""
    scene = Scene()
    scene.warmup(spec_of(selecting()))
    scene.tell(RolledBack(CLUSTER, "older"), scene.listed("ModelWarmup", without=["mw"]))
    scene.sync()
    scene.restart(synced=False)
    scene.tell(*LISTED)
    assert "mw-uid" in scene.state.warmups
    scene.sync()
    assert "mw-uid" not in scene.state.warmups


def test_pods_are_read_where_their_job_is() -> None:
    """A Job whose Pods no watch shows is followed in its own cluster, and in no other."""
    scene = Scene()
    scene.node("a", created="2026-01-01T08:00:00Z")
    scene.warmup(spec_of(selecting()))
    level = JobLevel("mw-uid", "mw-uid", "", "a", "0123", created="2026-01-01T09:00:00Z")
    scene.tell(*LISTED)
    scene.foreign_job("ja", level._replace(unlabelled_pods=True))
    assert scene.target("a").state is NodeJobState.HYDRATING
    assert [one.subject.uid for one in followed(scene.state, CLUSTER)] == ["ja"]
    assert list(followed(scene.state, OTHER)) == []
