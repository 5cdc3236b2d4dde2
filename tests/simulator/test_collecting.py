"""The simulated garbage collector, TTL controller and namespace controller."""

from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.worlds import World
from tests.simulator.building import (
    JOBS,
    NAMESPACES,
    TEAM,
    WARMUPS,
    get,
    job_body,
    let_all_happen,
    merge,
    pass_time,
    pods_of,
    post,
    warmup_body,
    watch,
    world_of,
)

HANGING = NodePlan(ending=Ending.HANG)


def owned_job(world: World, name: str, uid: str = "", **spec: str) -> None:
    """A Job that a ModelWarmup `w` owns, or one of another uid."""
    body = job_body(name, "n1", marks=None, **spec)
    owner = {
        "apiVersion": "model.aibrix.ai/v1alpha1",
        "kind": "ModelWarmup",
        "name": "w",
        "uid": uid or world.must_find("ModelWarmup", TEAM, "w")["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    body["metadata"]["ownerReferences"] = [owner]
    assert post(world, JOBS, body).code == 201


def test_what_a_deleted_owner_owned_follows_it() -> None:
    """A ModelWarmup goes at once, its Job shortly after, the Job's Pod when its containers end."""
    world = world_of("n1", plan=HANGING)
    world.apply(warmup_body("w"))
    owned_job(world, "x")
    pass_time(world, 10)
    world.delete_warmup(TEAM, "w")
    assert get(world, f"{WARMUPS}/w").code == 404
    assert get(world, f"{JOBS}/x").code == 200
    pass_time(world, 0.6)
    assert get(world, f"{JOBS}/x").code == 404
    assert len(pods_of(world, "x")) == 1
    let_all_happen(world)
    assert pods_of(world, "x") == []


def test_what_an_owner_that_never_was_owns_is_collected() -> None:
    """A Job created for a ModelWarmup that was gone already, or was another one of that name."""
    world = world_of("n1")
    world.apply(warmup_body("w"))
    owned_job(world, "x", uid="somebody-else", managedBy="example.com/nobody")
    owned_job(world, "y")
    let_all_happen(world)
    assert get(world, f"{JOBS}/x").code == 404
    assert get(world, f"{JOBS}/y").code == 200


def test_another_living_owner_keeps_an_object() -> None:
    """Only what has lost all its owners is collected."""
    world = world_of("n1")
    world.apply(warmup_body("w"))
    owned_job(world, "x")
    other = world.apply(warmup_body("v"))["metadata"]
    references = world.must_find("Job", TEAM, "x")["metadata"]["ownerReferences"]
    second = {**references[0], "name": "v", "uid": other["uid"], "controller": False}
    merge(world, f"{JOBS}/x", {"metadata": {"ownerReferences": [*references, second]}})
    world.delete_warmup(TEAM, "w")
    let_all_happen(world)
    assert get(world, f"{JOBS}/x").code == 200


def test_a_finished_job_goes_when_its_time_is_over() -> None:
    """Counted from its end, with its Pods, in the foreground."""
    world = world_of("n1")
    cursor = watch(world, JOBS)
    post(world, JOBS, job_body("x", "n1", ttlSecondsAfterFinished=100))
    pass_time(world, 90)
    assert get(world, f"{JOBS}/x").code == 200
    pass_time(world, 30)
    assert get(world, f"{JOBS}/x").code == 404
    assert pods_of(world, "x") == []
    marked = [
        event["object"]["metadata"].get("finalizers")
        for event in cursor.take()
        if "deletionTimestamp" in event["object"]["metadata"]
    ]
    assert marked[0] == ["foregroundDeletion"]


def test_a_time_may_be_stamped_onto_a_job_after_its_end() -> None:
    """It counts from the end, not from the stamp; a Job without one stays."""
    world = world_of("n1")
    for name in ("x", "y"):
        post(world, JOBS, job_body(name, "n1"))
    pass_time(world, 200)
    merge(world, f"{JOBS}/x", {"spec": {"ttlSecondsAfterFinished": 100}})
    let_all_happen(world)
    assert get(world, f"{JOBS}/x").code == 404
    assert get(world, f"{JOBS}/y").code == 200


def test_a_time_that_is_raised_is_kept_to() -> None:
    """The Job stays until the longer time is over."""
    world = world_of("n1")
    post(world, JOBS, job_body("x", "n1", ttlSecondsAfterFinished=100))
    pass_time(world, 50)
    merge(world, f"{JOBS}/x", {"spec": {"ttlSecondsAfterFinished": 300}})
    pass_time(world, 200)
    assert get(world, f"{JOBS}/x").code == 200
    pass_time(world, 100)
    assert get(world, f"{JOBS}/x").code == 404


def test_an_unfinished_job_has_no_time_to_lose() -> None:
    """The TTL begins at the end only."""
    world = world_of("n1", plan=HANGING)
    post(world, JOBS, job_body("x", "n1", ttlSecondsAfterFinished=1))
    let_all_happen(world)
    assert get(world, f"{JOBS}/x").code == 200


def test_a_namespace_goes_when_it_is_empty() -> None:
    """Terminating at once; everything in it is deleted; it goes after the last Pod."""
    world = world_of("n1", plan=HANGING)
    world.apply(warmup_body("w"))
    post(world, JOBS, job_body("x", "n1"))
    pass_time(world, 10)
    world.delete_namespace(TEAM)
    going = get(world, f"{NAMESPACES}/{TEAM}").body
    assert going["status"]["phase"] == "Terminating"
    assert "deletionTimestamp" in going["metadata"]
    pass_time(world, 0.6)
    assert get(world, f"{WARMUPS}/w").code == 404
    assert get(world, f"{NAMESPACES}/{TEAM}").code == 200
    let_all_happen(world)
    assert get(world, f"{NAMESPACES}/{TEAM}").code == 404
    for kind in ("Pod", "Job", "Event", "ModelWarmup"):
        assert world.listed(kind, TEAM) == []


def test_a_finalizer_in_it_holds_a_namespace() -> None:
    """Nothing goes on until somebody takes the finalizer off."""
    world = world_of()
    world.apply(warmup_body("w"))
    merge(world, f"{WARMUPS}/w", {"metadata": {"finalizers": ["a.b/c"]}})
    world.delete_namespace(TEAM)
    let_all_happen(world)
    assert get(world, f"{NAMESPACES}/{TEAM}").code == 200
    merge(world, f"{WARMUPS}/w", {"metadata": {"finalizers": None}})
    let_all_happen(world)
    assert get(world, f"{NAMESPACES}/{TEAM}").code == 404


def test_a_namespace_carries_its_name_as_a_label() -> None:
    """Whatever is done to its labels."""
    world = world_of()
    name = {"kubernetes.io/metadata.name": TEAM}
    assert name.items() <= get(world, f"{NAMESPACES}/{TEAM}").body["metadata"]["labels"].items()
    kept = merge(world, f"{NAMESPACES}/{TEAM}", {"metadata": {"labels": None}})
    assert kept.body["metadata"]["labels"] == name
