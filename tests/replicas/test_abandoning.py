"""Abandoning: a replica that is let go of leaves what it has as it is, and only looks at it."""

from tests.caches.builders import ONE
from tests.replicas.builders import MOUNT, UID
from tests.replicas.serving import KINDS, ServingScene


@KINDS
def test_an_abandoned_replica_leaves_all_as_it_is(what: str) -> None:
    """The annotation lets go of the finalizer, and says what stays behind."""
    scene = ServingScene(what).serving()
    notes = {"warmlog.dev/abandon": "true"}
    scene.replica(spec=scene.spec(), notes=notes)
    assert what.split()[1] in scene.mr.left.words
    scene.replica(spec=scene.spec(), notes=notes, deleting=True)
    assert scene.replica_doing() == ["Release ModelReplica r"]
    scene.carry_out()
    assert UID not in scene.state.replicas
    assert scene.workload(what).mount == MOUNT


@KINDS
def test_an_abandoned_replica_serves_only_while_its_engine_is_there(what: str) -> None:
    """What somebody does to the workload is seen; nothing is composed again until it is wanted."""
    scene = ServingScene(what).serving()
    scene.replica(spec=scene.spec(), notes={"warmlog.dev/abandon": "true"})
    assert scene.condition("ModelReady")[0] == "True"
    known = scene.there(what)
    assert known is not None
    scene.gone(ONE, known.subject)
    status, _, words = scene.condition("ModelReady")
    assert (status, "warmlog.dev/abandon" in words) == ("False", True)
    assert scene.replica_doing() == ["Release ModelReplica r"]
    scene.replica(spec=scene.spec(), notes={})
    assert f"apply {what}" in scene.replica_doing()
