"""An object that somebody edits is put right, whatever becomes of the answer."""

from machines.observations import Answered, Done, Unknown
from machines.replicas.answering import REPAIR_SECONDS
from tests.replicas.builders import DEPLOYMENT, ReplicaScene, spec_of


def _edited() -> ReplicaScene:
    """A replica that serves, and whose workload somebody has edited."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache=""))
    scene.serve()
    scene.edit(fields="what is left to us")
    return scene


def test_an_edit_is_put_right_once() -> None:
    """What we own after that is what we owned before, and nothing more is to be done."""
    scene = _edited()
    assert scene.times(DEPLOYMENT) == 2
    scene.carry_out()
    scene.wait(2 * REPAIR_SECONDS)
    assert (scene.times(DEPLOYMENT), scene.replica_doing()) == (2, [])


def test_a_repair_that_is_only_found_to_be_so_is_done_again() -> None:
    """The object bore the same digest before, so that being there does not prove it."""
    scene = _edited()
    [seq] = scene.state.open
    scene.tell(Answered(seq, Unknown("timed out")))
    scene.tell(Answered(seq, Done("whatever", found=True)))
    scene.wait(2 * REPAIR_SECONDS)
    assert scene.times(DEPLOYMENT) == 3
    scene.carry_out()
    scene.wait(2 * REPAIR_SECONDS)
    assert (scene.times(DEPLOYMENT), scene.replica_doing()) == (3, [])
