"""The simulated API server: creating, reading, changing and deleting objects."""

from typing import Any

import pytest

from adapters.ports import Request
from tests.simulator.building import (
    JOBS,
    NAMESPACES,
    NODES,
    TEAM,
    WARMUPS,
    causes,
    delete,
    get,
    job_body,
    merge,
    patch,
    post,
    put,
    summary,
    warmup_body,
    watch,
    world_of,
)

LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{TEAM}/leases"
IDLE: dict[str, Any] = {"managedBy": "example.com/nobody"}  # a Job that no controller touches


def test_a_created_object_has_an_identity_that_nobody_chose() -> None:
    """uid, creation time and generation are the server's, whatever was sent."""
    world = world_of()
    body = job_body("x", **IDLE)
    mine = {"uid": "mine", "creationTimestamp": "2000-01-01T00:00:00Z"}
    body["metadata"] |= mine
    made = post(world, JOBS, body)
    assert made.code == 201
    metadata = made.body["metadata"]
    assert metadata["uid"] != "mine"
    assert metadata["resourceVersion"] == str(world.cluster.storage.version)
    assert metadata["creationTimestamp"] == "2026-01-01T00:00:02Z"
    assert metadata["generation"] == 1
    assert get(world, f"{JOBS}/x").body == made.body


def test_a_job_is_given_its_defaults_and_its_selector() -> None:
    """Counts, policies and container defaults are filled in; the template carries the Job's uid."""
    made = post(world_of(), JOBS, job_body("x", **IDLE)).body
    spec, uid = made["spec"], made["metadata"]["uid"]
    assert (spec["parallelism"], spec["completions"], spec["backoffLimit"]) == (1, 1, 6)
    assert spec["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    labels = spec["template"]["metadata"]["labels"]
    assert labels["batch.kubernetes.io/job-name"] == "x"
    assert labels["batch.kubernetes.io/controller-uid"] == uid
    rules = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
    policy = post(world_of(), JOBS, job_body("y", podFailurePolicy={"rules": rules}, **IDLE)).body
    assert policy["spec"]["podFailurePolicy"]["rules"][0]["onPodConditions"] == [
        {"type": "DisruptionTarget", "status": "True"}
    ]
    assert policy["spec"]["podReplacementPolicy"] == "Failed"
    container = spec["template"]["spec"]["containers"][0]
    assert container["imagePullPolicy"] == "IfNotPresent"
    assert container["terminationMessagePath"] == "/dev/termination-log"


def test_a_name_is_generated_when_asked_for() -> None:
    """`generateName` is followed by five characters, and two of them differ."""
    world = world_of()
    body = job_body("x", **IDLE)
    del body["metadata"]["name"]
    body["metadata"]["generateName"] = "x-"
    made = [post(world, JOBS, body).body["metadata"]["name"] for _ in range(2)]
    assert all(name.startswith("x-") and len(name) == 7 for name in made)
    assert made[0] != made[1]
    body["metadata"]["generateName"] = "x" * 70
    assert len(post(world, JOBS, body).body["metadata"]["name"]) == 63


def test_creates_are_refused_with_the_codes_of_a_real_server() -> None:
    """A taken name 409, a missing namespace 404, a terminating one 403 with its cause."""
    world = world_of()
    post(world, JOBS, job_body("x", **IDLE))
    taken = post(world, JOBS, job_body("x"))
    assert summary(taken) == (409, "AlreadyExists")
    assert taken.body["message"] == 'jobs.batch "x" already exists'
    body = job_body("y")
    del body["metadata"]["namespace"]
    missing = post(world, JOBS.replace(TEAM, "nowhere"), body)
    assert summary(missing) == (404, "NotFound")
    assert missing.body["message"] == 'namespaces "nowhere" not found'
    delete(world, f"{NAMESPACES}/{TEAM}")
    going = post(world, JOBS, job_body("y"))
    assert summary(going) == (403, "Forbidden")
    assert causes(going) == [("NamespaceTerminating", "metadata.namespace")]


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("busybox", "Always"),
        ("busybox:latest", "Always"),
        ("busybox:1", "IfNotPresent"),
        ("registry:5000/busybox", "Always"),
        ("registry:5000/busybox:1", "IfNotPresent"),
        (f"busybox@sha256:{'0' * 64}", "IfNotPresent"),
    ],
)
def test_an_image_without_a_fixed_tag_is_always_pulled(image: str, policy: str) -> None:
    """The default pull policy follows the tag; a port is none."""
    body = job_body("x", **IDLE)
    body["spec"]["template"]["spec"]["containers"][0]["image"] = image
    made = post(world_of(), JOBS, body).body
    assert made["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"] == policy


def test_a_custom_object_must_say_what_it_is() -> None:
    """Built-in kinds go without, and come back with both."""
    world = world_of()
    for part in ("kind", "apiVersion"):
        body = warmup_body("w")
        del body[part]
        assert summary(post(world, WARMUPS, body)) == (400, "BadRequest")
    wrong = post(world, WARMUPS, {**warmup_body("w"), "kind": "Modelwarmup"})
    assert (wrong.code, causes(wrong)) == (422, [("FieldValueInvalid", "kind")])
    body = job_body("x", **IDLE)
    del body["kind"], body["apiVersion"]
    made = post(world, JOBS, body).body
    assert (made["kind"], made["apiVersion"]) == ("Job", "batch/v1")


def test_bodies_of_the_wrong_kind_or_type_are_400() -> None:
    """What cannot be decoded is told apart from what is invalid."""
    world = world_of()
    for body in (
        job_body("x", parallelism="two"),
        job_body("x", suspend=0),
        {**job_body("x"), "kind": "Pod"},
        {**job_body("x"), "apiVersion": "v1"},
        {**job_body("x"), "metadata": {"name": "x", "namespace": "other"}},
        [job_body("x")],
        None,
    ):
        assert summary(post(world, JOBS, body)) == (400, "BadRequest")


def test_paths_and_methods_that_do_not_exist() -> None:
    """Unknown paths are 404, methods that make no sense 405."""
    world = world_of()
    for path in ("/apis/batch/v1/jibs", f"{JOBS}/x/scale", f"{LEASES}/x/status", f"{JOBS}/x/y/z"):
        assert summary(get(world, path)) == (404, "NotFound")
    for path in ("/api", "/apis/a/b/c"):
        assert get(world, path) == (
            404,
            {"kind": "Status", "status": "Failure", "message": "404 page not found"},
        )
    assert post(world, f"{JOBS}/x", {}).code == 405
    assert put(world, JOBS, {}).code == 405
    assert post(world, "/apis/batch/v1/jobs", job_body("x")).code == 405


def test_names_in_paths_are_unquoted() -> None:
    """A client may quote what it puts into a path."""
    world = world_of()
    post(world, JOBS, job_body("a.b", **IDLE))
    assert get(world, f"{JOBS}/a%2Eb").code == 200


def test_a_dry_run_checks_everything_and_keeps_nothing() -> None:
    """The answer is that of a create, and the object is not there."""
    world = world_of()
    version = world.cluster.storage.version
    assert post(world, JOBS, job_body("x"), dryRun="All").code == 201
    assert post(world, JOBS, job_body("x", parallelism=-1), dryRun="All").code == 422
    assert get(world, f"{JOBS}/x").code == 404
    assert world.cluster.storage.version == version


def test_a_patch_with_its_tests_changes_only_the_object_that_was_meant() -> None:
    """A wrong uid or version is 422 without causes; the right ones let the patch through."""
    world = world_of()
    made = post(world, JOBS, job_body("x", **IDLE)).body["metadata"]
    change = {"op": "add", "path": "/spec/ttlSecondsAfterFinished", "value": 5}
    for path, value in (("/metadata/uid", "other"), ("/metadata/resourceVersion", "1")):
        refused = patch(world, f"{JOBS}/x", {"op": "test", "path": path, "value": value}, change)
        assert summary(refused) == (422, "Invalid")
        assert refused.body["details"] == {}
    tests = [
        {"op": "test", "path": f"/metadata/{field}", "value": made[field]}
        for field in ("uid", "resourceVersion")
    ]
    changed = patch(world, f"{JOBS}/x", *tests, change)
    assert changed.body["spec"]["ttlSecondsAfterFinished"] == 5
    assert changed.body["metadata"]["generation"] == 2


def test_a_change_that_changes_nothing_makes_no_version() -> None:
    """Neither a patch to the same value nor a replacement by the same object is a write."""
    world = world_of()
    made = post(world, JOBS, job_body("x", **IDLE)).body
    cursor = watch(world, JOBS)
    merge(world, f"{JOBS}/x", {"spec": {"backoffLimit": 6}})
    put(world, f"{JOBS}/x", made)
    assert get(world, f"{JOBS}/x").body == made
    assert cursor.take() == []


def test_spec_and_status_are_changed_apart() -> None:
    """Each endpoint takes its own part and leaves the other; generation counts the spec only."""
    world = world_of()
    post(world, JOBS, job_body("x", **IDLE))
    both = {"spec": {"backoffLimit": 1}, "status": {"active": 1}}
    main = merge(world, f"{JOBS}/x", both).body
    assert (main["spec"]["backoffLimit"], main["status"]) == (1, {})
    assert main["metadata"]["generation"] == 2
    both = {"spec": {"backoffLimit": 2}, "status": {"active": 1}}
    status = merge(world, f"{JOBS}/x/status", both).body
    assert (status["spec"]["backoffLimit"], status["status"]) == (1, {"active": 1})
    assert status["metadata"]["generation"] == 2


def test_a_status_sent_with_a_create_is_dropped() -> None:
    """A new ModelWarmup has no status; a Node alone keeps the one it comes with."""
    world = world_of("n1")
    made = post(world, WARMUPS, {**warmup_body("w"), "status": {"phase": "Running"}})
    assert "status" not in made.body
    assert get(world, f"{NODES}/n1").body["status"]["allocatable"]["pods"] == "110"


def test_a_warmups_status_is_replaced_whole_and_nothing_else_by_its_endpoint() -> None:
    """Labels sent to `/status` of a custom object are ignored; the old status is gone."""
    world = world_of()
    post(world, WARMUPS, warmup_body("w"))
    merge(world, f"{WARMUPS}/w/status", {"status": {"phase": "Running", "desiredNodes": 3}})
    changed = patch(
        world,
        f"{WARMUPS}/w/status",
        {"op": "add", "path": "/metadata/labels", "value": {"a": "b"}},
        {"op": "add", "path": "/status", "value": {"phase": "Failed"}},
    ).body
    assert changed["status"] == {"phase": "Failed"}
    assert "labels" not in changed["metadata"]


def test_a_warmups_spec_cannot_be_changed() -> None:
    """422 with the field `spec`; metadata may still change, without a new generation."""
    world = world_of()
    post(world, WARMUPS, warmup_body("w"))
    refused = merge(world, f"{WARMUPS}/w", {"spec": {"policies": {"parallelism": 2}}})
    assert summary(refused) == (422, "Invalid")
    assert causes(refused) == [("FieldValueInvalid", "spec")]
    changed = merge(world, f"{WARMUPS}/w", {"metadata": {"annotations": {"a": "b"}}})
    assert changed.body["metadata"]["annotations"] == {"a": "b"}
    assert changed.body["metadata"]["generation"] == 1


def test_identity_cannot_be_patched() -> None:
    """Another uid is 422, another name 400, an old resourceVersion 409."""
    world = world_of()
    post(world, WARMUPS, warmup_body("w"))
    uid = merge(world, f"{WARMUPS}/w", {"metadata": {"uid": "other"}})
    assert (summary(uid), causes(uid)) == (
        (422, "Invalid"),
        [("FieldValueInvalid", "metadata.uid")],
    )
    assert merge(world, f"{WARMUPS}/w", {"metadata": {"name": "v"}}).code == 400
    stale = merge(world, f"{WARMUPS}/w", {"metadata": {"resourceVersion": "1"}})
    assert summary(stale) == (409, "Conflict")


def test_patches_in_other_formats_are_415() -> None:
    """JSON patch, merge patch and server-side apply are spoken, no strategic merge patch."""
    world = world_of()
    post(world, WARMUPS, warmup_body("w"))
    for kind in ("application/json", "application/strategic-merge-patch+json"):
        request = Request("PATCH", f"{WARMUPS}/w", body={}, content_type=kind)
        assert world.api.handle(request).code == 415


@pytest.mark.parametrize(("body", "code"), [({"op": "add"}, 400), ([3], 400), ([{"op": "x"}], 422)])
def test_senseless_patches_are_refused(body: object, code: int) -> None:
    """A patch that cannot be decoded is 400, one that cannot be applied 422."""
    world = world_of()
    post(world, WARMUPS, warmup_body("w"))
    request = Request(
        "PATCH", f"{WARMUPS}/w", body=body, content_type="application/json-patch+json"
    )
    assert world.api.handle(request).code == code


def test_a_patch_to_a_wrong_type_is_422_with_the_field_patch() -> None:
    """A built-in kind's patched object is decoded again, and that is said in this way."""
    world = world_of()
    post(world, JOBS, job_body("x", **IDLE))
    refused = merge(world, f"{JOBS}/x", {"spec": {"ttlSecondsAfterFinished": "soon"}})
    assert (refused.code, causes(refused)) == (422, [("FieldValueInvalid", "patch")])


def test_a_lease_is_replaced_by_the_version_it_names() -> None:
    """Without a version 422, with an old one 409; a PUT of a missing lease creates it."""
    world = world_of()
    body = {"metadata": {"name": "l"}, "spec": {"holderIdentity": "a"}}
    assert put(world, f"{LEASES}/l", body).code == 201
    blind = put(world, f"{LEASES}/l", body)
    assert (blind.code, causes(blind)) == (
        422,
        [("FieldValueInvalid", "metadata.resourceVersion")],
    )
    held = get(world, f"{LEASES}/l").body
    taken = {**held, "spec": {"holderIdentity": "b"}}
    assert put(world, f"{LEASES}/l", taken).code == 200
    assert summary(put(world, f"{LEASES}/l", taken)) == (409, "Conflict")
    assert put(world, f"{LEASES}/l", {**held, "metadata": {"name": "m"}}).code == 400


async def test_the_port_answers_as_handle_does() -> None:
    """`send` is the same server, and closing it twice does no harm."""
    world = world_of("n1")
    answered = await world.api.send(Request("GET", f"{NODES}/n1"), timeout_seconds=1)
    assert answered == get(world, f"{NODES}/n1")
    assert world.api.cluster == "sim"
    await world.api.close()
    await world.api.close()


def test_parts_that_a_kind_does_not_have_are_dropped() -> None:
    """Without a word, and without a new generation."""
    world = world_of()
    post(world, JOBS, job_body("x"))
    patched = merge(world, f"{JOBS}/x", {"data": {"k": "v"}, "immutable": True}).body
    assert patched == get(world, f"{JOBS}/x").body
    assert not {"data", "immutable"} & patched.keys()
    assert patched["metadata"]["generation"] == 1
