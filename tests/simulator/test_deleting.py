"""The simulated API server: deleting, and what holds what was deleted."""

from tests.simulator.building import (
    PODS,
    WARMUPS,
    causes,
    delete,
    get,
    merge,
    pass_time,
    pinned,
    post,
    summary,
    warmup_body,
    watch,
    world_of,
)


def test_a_delete_names_the_object_it_means() -> None:
    """A wrong uid or version is 409 and deletes nothing; a missing object is 404."""
    world = world_of()
    uid = post(world, WARMUPS, warmup_body("w")).body["metadata"]["uid"]
    for wrong in ({"uid": "other"}, {"resourceVersion": "1"}):
        assert summary(delete(world, f"{WARMUPS}/w", preconditions=wrong)) == (409, "Conflict")
    gone = delete(world, f"{WARMUPS}/w", preconditions={"uid": uid})
    assert (gone.code, gone.body["status"], gone.body["details"]["uid"]) == (200, "Success", uid)
    assert summary(delete(world, f"{WARMUPS}/w")) == (404, "NotFound")


def test_a_senseless_delete_is_refused_whether_there_is_anything_or_not() -> None:
    """422 for an unknown propagation policy, before the object is looked for."""
    world = world_of()
    for _ in range(2):
        odd = delete(world, f"{WARMUPS}/w", propagationPolicy="Sideways")
        assert (odd.code, causes(odd)) == (422, [("FieldValueNotSupported", "propagationPolicy")])
        post(world, WARMUPS, warmup_body("w"))


def test_a_dry_delete_deletes_nothing() -> None:
    """What would be deleted is answered, and stays as it is; what is not there is not found."""
    world = world_of()
    post(world, WARMUPS, warmup_body("w"))
    version = world.cluster.storage.version
    assert delete(world, f"{WARMUPS}/w", dryRun=["All"]).code == 200
    assert world.cluster.storage.version == version
    assert get(world, f"{WARMUPS}/w").code == 200
    assert summary(delete(world, f"{WARMUPS}/x", dryRun=["All"])) == (404, "NotFound")


def test_a_pod_that_goes_is_hurried_to_a_second_by_a_negative_grace() -> None:
    """Less than nothing means one second, the first time and later."""
    world = world_of("n1")
    post(world, PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {
        "nodeName": "n1", "containers": [{"name": "c", "image": "busybox:1"}]}})  # fmt: skip
    delete(world, f"{PODS}/p")
    hurried = delete(world, f"{PODS}/p", gracePeriodSeconds=-1)
    assert hurried.body["metadata"]["deletionGracePeriodSeconds"] == 1


def test_a_finalizer_holds_what_was_deleted() -> None:
    """The object stays, marked and with a new generation, until its last finalizer is off."""
    world = world_of()
    post(world, WARMUPS, warmup_body("w"))
    merge(world, f"{WARMUPS}/w", {"metadata": {"finalizers": ["a.b/c"]}})
    marked = delete(world, f"{WARMUPS}/w").body["metadata"]
    assert marked["deletionTimestamp"] == "2026-01-01T00:00:02Z"
    assert (marked["deletionGracePeriodSeconds"], marked["generation"]) == (0, 2)
    version = world.cluster.storage.version
    assert delete(world, f"{WARMUPS}/w").code == 200
    assert world.cluster.storage.version == version
    merge(world, f"{WARMUPS}/w", {"metadata": {"finalizers": None}})
    assert get(world, f"{WARMUPS}/w").code == 404


def test_nobody_holds_what_is_going() -> None:
    """A new finalizer on a deleted object is refused; taking one of two off is not."""
    world = world_of()
    post(world, WARMUPS, warmup_body("w"))
    merge(world, f"{WARMUPS}/w", {"metadata": {"finalizers": ["a.b/c", "a.b/d"]}})
    delete(world, f"{WARMUPS}/w")
    refused = merge(world, f"{WARMUPS}/w", {"metadata": {"finalizers": ["a.b/c", "a.b/e"]}})
    assert causes(refused) == [("FieldValueForbidden", "metadata.finalizers")]
    assert merge(world, f"{WARMUPS}/w", {"metadata": {"finalizers": ["a.b/d"]}}).code == 200


def test_a_taken_name_says_whether_its_object_is_going() -> None:
    """Who creates it again is told that it has to wait."""
    world = world_of()
    post(world, WARMUPS, warmup_body("w"))
    merge(world, f"{WARMUPS}/w", {"metadata": {"finalizers": ["a.b/c"]}})
    delete(world, f"{WARMUPS}/w")
    taken = post(world, WARMUPS, warmup_body("w"))
    assert summary(taken) == (409, "AlreadyExists")
    assert taken.body["message"] == (
        'object is being deleted: modelwarmups.model.aibrix.ai "w" already exists'
    )


def test_a_deletion_mark_cannot_be_taken_back() -> None:
    """Who patches the mark away changes nothing."""
    world = world_of()
    post(world, WARMUPS, warmup_body("w"))
    merge(world, f"{WARMUPS}/w", {"metadata": {"finalizers": ["a.b/c"]}})
    delete(world, f"{WARMUPS}/w")
    kept = merge(world, f"{WARMUPS}/w", {"metadata": {"deletionTimestamp": None}}).body
    assert "deletionTimestamp" in kept["metadata"]


def test_a_pod_that_was_bound_gets_its_grace() -> None:
    """The mark lies in the future by the grace, which can be shortened and never lengthened."""
    world = world_of("n1")
    world.stop_kubelet("n1")
    spec = {"nodeName": "n1", "containers": [{"name": "c", "image": "busybox:1"}]}
    pod = {"metadata": {"name": "p"}, "spec": spec}
    post(world, PODS, pod)
    marked = delete(world, f"{PODS}/p").body["metadata"]
    assert marked["deletionGracePeriodSeconds"] == 30
    assert marked["deletionTimestamp"] == "2026-01-01T00:00:32Z"
    assert "finalizers" not in marked
    longer = delete(world, f"{PODS}/p", gracePeriodSeconds=60).body["metadata"]
    assert longer == marked
    shorter = delete(world, f"{PODS}/p", gracePeriodSeconds=5).body["metadata"]
    assert shorter["deletionGracePeriodSeconds"] == 5
    assert shorter["deletionTimestamp"] == "2026-01-01T00:00:07Z"
    delete(world, f"{PODS}/p", gracePeriodSeconds=0)
    assert get(world, f"{PODS}/p").code == 404


def test_a_pod_that_never_was_on_a_node_goes_at_once() -> None:
    """There is nothing to end: watches see it marked and gone."""
    world = world_of()
    spec = {"affinity": pinned("nowhere"), "containers": [{"name": "c", "image": "busybox:1"}]}
    post(world, PODS, {"metadata": {"name": "p"}, "spec": spec})
    pass_time(world, 1)
    cursor = watch(world, PODS)
    delete(world, f"{PODS}/p")
    events = cursor.take()
    assert [event["type"] for event in events] == ["MODIFIED", "DELETED"]
    assert events[1]["object"]["metadata"]["deletionGracePeriodSeconds"] == 0


def test_an_eviction_says_so_on_the_pod_and_deletes_it() -> None:
    """The condition DisruptionTarget comes first, the mark second."""
    world = world_of("n1")
    world.stop_kubelet("n1")
    spec = {"nodeName": "n1", "containers": [{"name": "c", "image": "busybox:1"}]}
    post(world, PODS, {"metadata": {"name": "p"}, "spec": spec})
    assert post(world, f"{PODS}/p/eviction", {}).code == 201
    pod = get(world, f"{PODS}/p").body
    assert pod["status"]["conditions"][0]["reason"] == "EvictionByEvictionAPI"
    assert pod["metadata"]["deletionGracePeriodSeconds"] == 30
