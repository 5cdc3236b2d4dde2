"""Measuring replicas: figures by cluster, as the state has them."""

from adapters.http.metrics import exposition
from adapters.running.measuring_replicas import replica_metrics
from engine.instants import SECOND
from machines.observations import Refused
from tests.caches.builders import BEGINNING
from tests.replicas.builders import SERVICE, ReplicaScene


def figures(scene: ReplicaScene) -> dict[str, dict[tuple[str, ...], float]]:
    """What is told, without what there is none of."""
    return {
        metric.name: {key: value for key, value in metric.samples.items() if value}
        for metric in replica_metrics(scene.state)
    }


def test_a_replica_waits_and_serves() -> None:
    """Since when it waits, how long it took until it served, and what was applied for it."""
    scene = ReplicaScene()
    scene.cache()
    scene.wait(5)
    begun = scene.clock
    scene.replica()
    assert figures(scene) == {
        "warmlog_replicas": {("one", "Waiting"): 1},
        "warmlog_replica_waiting_timestamp_seconds": {("one",): begun / SECOND},
        "warmlog_replica_start_seconds": {},
        "warmlog_replica_objects": {},
    }
    scene.wait(60)
    scene.stage()
    assert figures(scene)["warmlog_replicas"] == {("one", "Deploying"): 1}
    scene.wait(30)
    scene.serve()
    assert begun > BEGINNING
    assert figures(scene) == {
        "warmlog_replicas": {("one", "Serving"): 1},
        "warmlog_replica_waiting_timestamp_seconds": {},
        "warmlog_replica_start_seconds": {("one",): (scene.clock - begun) / SECOND},
        "warmlog_replica_objects": {("one", "applied"): 3},
    }
    body, _ = exposition(replica_metrics(scene.state), "")
    assert b'warmlog_replicas{inferencecluster="one",state="Waiting"} 0.0' in body


def test_what_is_refused_is_told() -> None:
    """Objects are counted by what became of their last apply."""
    scene = ReplicaScene()
    scene.cache()
    scene.replica()
    scene.carry_out(f"apply {SERVICE}")
    scene.claim("Bound")
    scene.carry_out(f"apply {SERVICE}")
    scene.job("Complete")
    scene.carry_out(f"apply {SERVICE}")
    assert figures(scene)["warmlog_replica_objects"] == {
        ("one", "applied"): 2, ("one", "open"): 1,
    }  # fmt: skip
    scene.refuse(f"apply {SERVICE}", Refused(403, "Forbidden", "exceeded quota: services"))
    assert figures(scene)["warmlog_replica_objects"] == {
        ("one", "applied"): 2, ("one", "refused"): 1,
    }  # fmt: skip
