"""What a ModelCache says of the replicas that hold on to its claim."""

from machines.caches.advising import entry_advice
from machines.caches.causes import entry_cause
from machines.caches.occasions import cache_occasions
from machines.caches.sights import sight_of
from machines.caches.statuses import cache_status
from machines.replicas.conditions import condition_rows
from tests.caches.builders import CLAIM, WORKLOAD, spec_of
from tests.replicas.builders import REPLICA, ReplicaScene
from tests.replicas.builders import spec_of as replica_spec

KEPT = f"claim {WORKLOAD}/{CLAIM} is kept for ModelReplica ml-team/{REPLICA}"


def serving() -> ReplicaScene:
    """A replica that serves from its cache."""
    scene = ReplicaScene()
    scene.cache()
    scene.replica()
    scene.stage()
    scene.serve()
    return scene


def terminating(scene: ReplicaScene) -> tuple[str, str]:
    """Reason and message of the cache's condition Terminating."""
    rows = cache_status(scene.state, scene.mc)["conditions"]
    return next((row["reason"], row["message"]) for row in rows if row["type"] == "Terminating")


def test_a_cache_that_is_deleted_names_its_replicas() -> None:
    """Entry, condition, Event and advice say for whom the claim is kept [C18]"""
    scene = serving()
    scene.cache(deleting=True)
    said = f"the ModelCache is being deleted; {KEPT}"
    [entry] = cache_status(scene.state, scene.mc)["clusters"]
    assert (entry["phase"], entry["message"]) == ("Ready", said)
    assert "mount" in entry
    assert terminating(scene) == ("InUse", f"one: {said}")
    notes = {one.reason: one.note for one in cache_occasions(scene.state, scene.mc)}
    assert notes["InUse"] == f"cluster one: {said}"
    sight = sight_of(scene.state, scene.mc, scene.entry())
    assert entry_cause(sight).reason == "InUse"
    assert entry_advice(sight).startswith("delete the ModelReplicas that are named")


def test_pods_are_named_beside_replicas() -> None:
    """Whoever uses the claim is named, a Pod that no replica made, too."""
    scene = serving()
    scene.cache(deleting=True)
    scene.users("notebook-0")
    assert terminating(scene)[1].endswith(f"{KEPT} and Pod notebook-0")


def test_a_new_replica_is_held_with_those_words() -> None:
    """A cache that is being deleted is offered to nobody new, and says for whom it is kept."""
    scene = serving()
    scene.cache(deleting=True)
    scene.replica(uid="new-uid", name="new", spec=replica_spec())
    accepted = condition_rows(scene.state, scene.state.replicas["new-uid"])[1]
    words = f"the ModelCache is being deleted; {KEPT}"
    assert accepted[1:] == ("False", "WaitingForCache", words)
    assert scene.condition("ModelAccepted")[:2] == ("True", "Accepted")
    assert scene.condition("ModelAccepted")[2] == f"keeps the mount of claim {CLAIM}: {words}"


def test_a_cluster_that_left_the_selector_names_its_replicas() -> None:
    """The entry stays, retained, and says for whom [C19]"""
    scene = serving()
    scene.cache(spec_of(selector={"name": "elsewhere"}))
    [entry] = cache_status(scene.state, scene.mc)["clusters"]
    assert entry["retained"] is True
    assert entry["message"] == f"cluster one is not selected any more; {KEPT}"


def test_the_claim_goes_with_its_last_replica() -> None:
    """Once no replica and no Pod has it, it is let go, and nobody is named."""
    scene = serving()
    scene.cache(deleting=True)
    scene.users()
    scene.replica(spec=replica_spec(), deleting=True)
    scene.carry_out()
    assert not any(one.reason == "InUse" for one in cache_occasions(scene.state, scene.mc))
