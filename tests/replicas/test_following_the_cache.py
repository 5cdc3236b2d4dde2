"""The behaviour table: what a replica does about its cache, for both kinds of workload."""

import pytest

from tests.replicas.builders import (
    DEPLOYMENT,
    GANG,
    MOUNT,
    SERVICE,
    ReplicaScene,
    engine,
    spec_of,
)

KINDS = pytest.mark.parametrize("what", [DEPLOYMENT, GANG])


def scene_of(what: str, **spec: str) -> tuple[ReplicaScene, dict[str, object]]:
    """A scene, and the spec of a replica with this kind of workload."""
    return ReplicaScene(), spec_of(engine(gang=what == GANG), **spec)


@KINDS
def test_a_new_replica_waits_for_its_cache(what: str) -> None:
    """Nothing at all is composed while the claim waits, and the words are the entry's."""
    scene, spec = scene_of(what)
    scene.cache()
    scene.carry_out()
    scene.replica(spec=spec)
    scene.carry_out()
    assert scene.there(what) is None
    assert scene.there(SERVICE) is None
    accepted = scene.condition("ModelAccepted")
    assert accepted[:2] == ("False", "WaitingForCache")
    assert "modelcache-ml-team-qwen-17db2" in accepted[2]
    assert scene.condition("ModelReady")[:2] == ("False", "WaitingForModel")


@KINDS
def test_a_new_replica_is_composed_when_its_cache_is_ready(what: str) -> None:
    """The row that makes the entry Ready is the one that has the engines' objects decided."""
    scene, spec = scene_of(what)
    scene.cache()
    scene.replica(spec=spec)
    scene.stage()
    assert scene.workload(what).mount == MOUNT
    assert scene.there(SERVICE) is not None
    scene.available(what)
    assert scene.condition("ModelReady") == ("True", "Serving", "")
    assert scene.condition("Ready") == ("True", "Available", "")


@KINDS
def test_a_replica_without_a_cache_waits_for_none(what: str) -> None:
    """It is composed at once, without a mount."""
    scene, spec = scene_of(what, cache="")
    scene.replica(spec=spec)
    scene.serve(what)
    assert scene.workload(what).mount == ""
    assert scene.condition("Ready")[:2] == ("True", "Available")
