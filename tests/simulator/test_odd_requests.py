"""The simulated API server: requests that random ones found to be answered otherwise by a real one.

Each is what `tests/e2e/conformance/test_random.py` found, in the smallest form.
"""

from typing import Any

import pytest

from adapters.simulator.resources import NODE, SERVICE, path_of
from tests.simulator.building import (
    JOBS,
    NODES,
    TEAM,
    WARMUPS,
    causes,
    get,
    job_body,
    merge,
    post,
    put,
    summary,
    warmup_body,
    world_of,
)
from tests.simulator.cases_applying import apply, service

SERVICES = path_of(SERVICE, TEAM)
OWNER = {"apiVersion": "v1", "kind": "Secret", "name": "o", "uid": "u"}


def test_a_new_object_must_not_say_which_version_it_is() -> None:
    """POST is refused with 500 and no reason, also where the name is taken."""
    world = world_of()
    body = warmup_body("w")
    body["metadata"]["resourceVersion"] = "1"
    for _ in range(2):
        refused = post(world, WARMUPS, body)
        assert (refused.code, refused.body.get("reason")) == (500, None)
        assert "resourceVersion should not be set" in refused.body["message"]
        post(world, WARMUPS, warmup_body("w"))


def test_what_is_applied_anew_may_have_a_version() -> None:
    """An apply of what is gone meanwhile makes it again, with whatever version it was read."""
    world = world_of()
    body = service("a")
    body["metadata"]["resourceVersion"] = "1"
    made = world.api.handle(apply(f"{SERVICES}/a", body))
    assert made.code == 201


@pytest.mark.parametrize("field", OWNER)
def test_an_owner_is_named_whole(field: str) -> None:
    """A reference that lacks a part is refused, in a new object and in a change."""
    world = world_of()
    owners = [{**OWNER, field: ""}]
    body = job_body("x", managedBy="example.com/nobody")
    body["metadata"]["ownerReferences"] = owners
    named = [("FieldValueInvalid", f"metadata.ownerReferences.{field}")]
    assert causes(post(world, JOBS, body)) == named
    del body["metadata"]["ownerReferences"]
    post(world, JOBS, body)
    assert causes(merge(world, f"{JOBS}/x", {"metadata": {"ownerReferences": owners}})) == named


def test_an_owner_without_a_uid_is_refused_where_fields_have_owners_too() -> None:
    """What cannot be written down as owned is refused by validation, as everywhere."""
    body = service("a")
    body["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Secret", "name": "o"}]
    named = [("FieldValueInvalid", "metadata.ownerReferences.uid")]
    assert causes(post(world_of(), SERVICES, body)) == named


@pytest.mark.parametrize(
    ("metadata", "field"),
    [
        ({"annotations": {"bad key": "1"}}, "metadata.annotations"),
        ({"finalizers": ["a/b/c"]}, "metadata.finalizers"),
        ({"finalizers": ["unqualified"]}, "metadata.finalizers[0]"),
    ],
)
def test_keys_of_annotations_and_finalizers_have_a_format(
    metadata: dict[str, Any], field: str
) -> None:
    """As labels have; a finalizer without a prefix must be one of Kubernetes' own."""
    body = job_body("x", managedBy="example.com/nobody")
    body["metadata"] |= metadata
    assert causes(post(world_of(), JOBS, body)) == [("FieldValueInvalid", field)]


def test_a_custom_object_may_have_a_finalizer_without_a_prefix() -> None:
    """Only built-in kinds refuse it."""
    body = warmup_body("w")
    body["metadata"]["finalizers"] = ["unqualified"]
    assert post(world_of(), WARMUPS, body).code == 201


def test_a_subresource_that_a_custom_kind_has_not_is_an_object_not_found() -> None:
    """The object is named, whether it exists or not."""
    world = world_of()
    post(world, WARMUPS, warmup_body("w"))
    refused = get(world, f"{WARMUPS}/w/nothing")
    assert summary(refused) == (404, "NotFound")
    assert refused.body["details"]["name"] == "w"


def test_the_status_of_a_custom_object_is_written_whatever_uid_is_sent() -> None:
    """Only a `test` in a JSON patch holds such a write up."""
    world = world_of()
    post(world, WARMUPS, warmup_body("w"))
    body = {"metadata": {"uid": "other"}, "status": {"phase": "Running"}}
    changed = merge(world, f"{WARMUPS}/w/status", body)
    assert (changed.code, changed.body["status"]["phase"]) == (200, "Running")
    assert changed.body["metadata"]["uid"] != "other"
    assert merge(world, f"{WARMUPS}/w", {"metadata": {"uid": "other"}}).code == 422


def test_a_service_keeps_its_address_and_may_be_put_anew() -> None:
    """PUT makes what is not there; one that says nothing of addresses changes none."""
    world = world_of()
    made = put(world, f"{SERVICES}/a", service("a"))
    assert made.code == 201
    changed = put(world, f"{SERVICES}/a", service("a", selector={"serving": "other"}))
    assert changed.body["spec"]["clusterIP"] == made.body["spec"]["clusterIP"]
    assert changed.body["spec"]["ipFamilies"] == ["IPv4"]


def test_a_node_without_a_spec_has_an_empty_one() -> None:
    """Also after it was replaced."""
    world = world_of()
    body = {"apiVersion": "v1", "kind": NODE.kind, "metadata": {"name": "n"}}
    post(world, NODES, body)
    assert put(world, f"{NODES}/n", body).body["spec"] == {}
