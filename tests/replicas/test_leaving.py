"""What becomes of a replica that is deleted."""

import pytest

from machines.deciding import still_wanted
from tests.replicas.builders import DEPLOYMENT, GANG, ReplicaScene, engine, spec_of


@pytest.mark.parametrize("what", [DEPLOYMENT, GANG])
def test_its_release_is_wanted_when_its_turn_comes(what: str) -> None:
    """Once nothing of it is left our finalizer is taken off: that this stands open is no reason to
    keep it on.
    """
    scene = ReplicaScene()
    scene.replica(spec=spec_of(engine(gang=what == GANG), cache=""))
    scene.serve(what)
    scene.replica(spec=spec_of(engine(gang=what == GANG), cache=""), deleting=True)
    release = "Release ModelReplica r"
    scene.carry_out(release)
    assert scene.replica_doing() == [release]
    assert all(still_wanted(scene.state, seq) for seq in scene.state.open)
