"""The whole status of a ModelReplica: what is published beside its conditions."""

from typing import Any

import pytest

from engine.canonical_json import dumps, loads
from machines.caches.statuses import cache_status
from machines.observations import EventsRead
from tests.caches.builders import HOME, ONE, WORKLOAD
from tests.replicas.builders import DEPLOYMENT, UID, ReplicaScene, engine, spec_of
from tests.replicas.serving import ServingScene


def serving() -> ReplicaScene:
    """A replica that serves from its cache."""
    scene = ReplicaScene()
    scene.cache()
    scene.replica()
    scene.stage()
    scene.serve()
    return scene


def test_a_new_replica_publishes_conditions_alone() -> None:
    """Nothing is said of a mount or of workloads before there are any."""
    scene = ReplicaScene()
    scene.cache()
    scene.replica(generation=3)
    shown = scene.status()
    assert set(shown) == {"observedGeneration", "conditions", "warmlog"}
    assert shown["observedGeneration"] == 3
    assert {row["observedGeneration"] for row in shown["conditions"]} == {3}
    types = [row["type"] for row in shown["conditions"]]
    assert types == ["Supported", "ModelAccepted", "ModelReady", "Ready"]


def test_the_mount_is_the_entry_s_byte_for_byte() -> None:
    """What is kept in the status is what the cache has published."""
    scene = serving()
    [entry] = cache_status(scene.state, scene.mc)["clusters"]
    assert dumps(scene.status()["mount"]) == dumps(entry["mount"])
    scene.claim("Lost")
    assert dumps(scene.status()["mount"]) == dumps(entry["mount"])
    scene.replica(spec=spec_of(cache=""), generation=2)
    scene.carry_out()
    assert "mount" not in scene.status()


def test_each_engine_has_its_workload() -> None:
    """Kind, place, and whether it is available, in the order of the spec."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(engine(), engine("second", gang=True), cache=""))
    scene.carry_out()
    scene.available()
    first, second = scene.status()["workloads"]
    assert first == {
        "engine": "main",
        "kind": "Deployment",
        "namespace": WORKLOAD,
        "name": DEPLOYMENT.split()[1],
        "available": True,
    }
    assert (second["kind"], second["available"]) == ("LeaderWorkerSet", False)
    assert second["message"] == "MinimumReplicasUnavailable"
    scene.removed()
    [gone, _] = scene.status()["workloads"]
    assert (gone["available"], gone["message"]) == (False, "it is not there yet")


def test_a_status_is_bounded() -> None:
    """Eight engines whose Pods say as much as can be are no more than the server takes."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(*(engine(f"engine-{n}") for n in range(8)), cache=""))
    scene.carry_out()
    for known in list(scene.state.clusters[ONE].objects["Deployment"].values()):
        scene.tell(EventsRead(ONE, known.subject, "", "Unschedulable", "\U0001f600" * 4000))
    assert len(dumps(scene.status())) < 64 * 1024


def test_the_position_is_that_of_the_last_change() -> None:
    """A row that changes nothing of what is shown leaves the status as it is."""
    scene = serving()
    before = scene.status()
    assert before["warmlog"]["uid"] == UID
    scene.node("another")
    assert scene.status() == before
    scene.edit(available="False", reason="MinimumReplicasUnavailable")
    assert scene.status()["warmlog"]["position"] == scene.rows[-1].seq


def test_a_lost_log_and_a_silent_cluster_leave_it_serving() -> None:
    """Until facts say otherwise it is what its own status told last."""
    told: Any = loads(dumps(serving().status()))
    scene = ReplicaScene(log_id="another")
    scene.cluster("two")
    scene.unreachable("ic/two")
    scene.replica(status=told, held=True, spec=spec_of(cluster="two"))
    scene.sync(HOME)
    assert scene.condition("ModelReady")[:2] == ("True", "Serving")
    assert scene.condition("ModelAccepted")[:2] == ("True", "Accepted")
    scene.reachable("ic/two")
    scene.sync("ic/two")
    assert scene.condition("ModelReady")[:2] == ("False", "WaitingForModel")


@pytest.mark.parametrize("spec", [None, [], "text", 7])
def test_a_spec_that_is_no_object_is_a_fault_and_no_end(spec: Any) -> None:
    """The condition names the field, and another replica beside it comes to its engine."""
    scene = ServingScene()
    scene.replica(spec=spec)
    status, reason, message = scene.condition("ModelAccepted")
    assert (status, reason) == ("False", "InvalidSpec")
    assert "spec.clusterName: must be given" in message
    assert scene.mr.cluster_name == ""
    scene.replica(uid="uid-2", name="r2", spec=scene.spec(cache=""))
    assert scene.replica_doing() != []
