"""Vanishing: of which objects of a replica it is asked whether they are gone indeed."""

from collections.abc import Callable

import pytest

from machines.caches.levels import Owner
from machines.replicas.missing import is_unexpected_workload
from tests.caches.builders import ONE
from tests.replicas.builders import DEPLOYMENT, SERVICE, TEMPLATE, ReplicaScene, spec_of


def is_asked_for(scene: ReplicaScene, what: str = DEPLOYMENT, cluster: str = ONE) -> bool:
    """Say whether its absence on a cluster would be asked about."""
    known = scene.there(what)
    assert known is not None
    return is_unexpected_workload(scene.state, cluster, known)


def served() -> ReplicaScene:
    """A replica without a cache that serves."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache=""))
    scene.serve()
    return scene


def test_a_workload_that_serves_is_asked_for() -> None:
    """Where engines serve an absence is not believed, and nowhere else, and of nothing else."""
    scene = served()
    assert is_asked_for(scene)
    assert not is_asked_for(scene, cluster="ic/two")
    assert [is_asked_for(scene, what) for what in (SERVICE, TEMPLATE)] == [False, False]


@pytest.mark.parametrize(
    "end",
    [
        lambda scene: scene.edit(deleting=True),
        lambda scene: scene.edit(owner=Owner("ml", "another", "another-uid")),
        lambda scene: scene.replica(spec=spec_of(cache=""), deleting=True),
    ],
    ids=["being deleted", "another's", "replica is leaving"],
)
def test_a_workload_that_is_to_go_is_not_asked_for(end: Callable[[ReplicaScene], None]) -> None:
    """What is being deleted, is another's, or goes with its replica may well be gone."""
    scene = served()
    end(scene)
    assert not is_asked_for(scene)
