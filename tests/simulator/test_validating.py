"""What the simulated API server refuses as invalid, and in which fields."""

from typing import Any

import pytest

from adapters.simulator.schemas import Schema
from adapters.simulator.storage import Manifest
from adapters.simulator.worlds import World
from tests.simulator.building import (
    JOBS,
    TEAM,
    WARMUPS,
    causes,
    get,
    job_body,
    merge,
    post,
    warmup_body,
    world_of,
)

CONTAINER = {"name": "c", "image": "busybox:1"}
TEMPLATE = "spec.template.spec"


def with_pod(**changes: Any) -> Manifest:
    """A Job whose Pod template has these fields."""
    body = job_body("x")
    body["spec"]["template"]["spec"] |= changes
    return body


def with_container(**changes: Any) -> Manifest:
    """A Job whose only container has these fields."""
    return with_pod(containers=[{**CONTAINER, **changes}])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (job_body("Bad_Name"), [("FieldValueInvalid", "metadata.name")]),
        (
            job_body("x", parallelism=-1, backoffLimit=-1),
            [("FieldValueInvalid", "spec.parallelism"), ("FieldValueInvalid", "spec.backoffLimit")],
        ),
        (with_pod(restartPolicy="Always"), [("FieldValueRequired", f"{TEMPLATE}.restartPolicy")]),
        (with_pod(containers=[]), [("FieldValueRequired", f"{TEMPLATE}.containers")]),
        (
            with_container(name="A_b"),
            [("FieldValueInvalid", f"{TEMPLATE}.containers[0].name")],
        ),
        (with_container(image=""), [("FieldValueRequired", f"{TEMPLATE}.containers[0].image")]),
        (
            with_container(imagePullPolicy="Sometimes"),
            [("FieldValueNotSupported", f"{TEMPLATE}.containers[0].imagePullPolicy")],
        ),
        (
            with_container(volumeMounts=[{"name": "v", "mountPath": "/v"}]),
            [("FieldValueNotFound", f"{TEMPLATE}.containers[0].volumeMounts[0].name")],
        ),
        (
            with_pod(containers=[CONTAINER, CONTAINER]),
            [("FieldValueDuplicate", f"{TEMPLATE}.containers[1].name")],
        ),
        (
            job_body("x", marks={"a": "b c"}),
            [
                ("FieldValueInvalid", "metadata.labels"),
                ("FieldValueInvalid", "spec.template.labels"),
            ],
        ),
        (
            {**job_body("x"), "metadata": {"name": "x", "labels": {"bad key": "v"}}},
            [("FieldValueInvalid", "metadata.labels")],
        ),
        ({**job_body("x"), "metadata": {}}, [("FieldValueRequired", "metadata.name")]),
    ],
)
def test_an_invalid_job_is_422_and_names_its_fields(
    body: Manifest, expected: list[tuple[str, str]]
) -> None:
    """Each fault is one cause with the field's path; nothing is stored."""
    world = world_of()
    refused = post(world, JOBS, body)
    assert (refused.code, refused.body["reason"]) == (422, "Invalid")
    assert causes(refused) == expected
    assert world.listed("Job") == []


def test_a_job_with_a_long_name_is_refused_for_the_labels_of_its_pods() -> None:
    """A name beyond 63 characters cannot be the value of the label that Pods get."""
    refused = post(world_of(), JOBS, job_body("a" * 64, marks={"a": "b"}))
    assert set(causes(refused)) == {("FieldValueInvalid", "spec.template.labels")}


def test_a_failure_policy_wants_pods_that_are_not_restarted() -> None:
    """With a podFailurePolicy, only the restart policy Never will do."""
    rules = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
    body = with_pod(restartPolicy="OnFailure")
    body["spec"]["podFailurePolicy"] = {"rules": rules}
    assert causes(post(world_of(), JOBS, body)) == [
        ("FieldValueInvalid", f"{TEMPLATE}.restartPolicy")
    ]


def test_only_some_of_a_jobs_spec_can_change() -> None:
    """The template cannot, the TTL can, and unknown fields are dropped without a word."""
    world = world_of()
    made = post(world, JOBS, job_body("x", managedBy="example.com/nobody")).body
    template = {"spec": {"template": {"spec": {"dnsPolicy": "Default"}}}}
    refused = merge(world, f"{JOBS}/x", template)
    assert causes(refused) == [("FieldValueInvalid", "spec.template")]
    assert merge(world, f"{JOBS}/x", {"spec": {"frob": 1}}).body == made
    changed = merge(world, f"{JOBS}/x", {"spec": {"ttlSecondsAfterFinished": 3}})
    assert changed.body["spec"]["ttlSecondsAfterFinished"] == 3
    bad = merge(world, f"{JOBS}/x", {"spec": {"ttlSecondsAfterFinished": -1}})
    assert causes(bad) == [("FieldValueInvalid", "spec.ttlSecondsAfterFinished")]


def true(*kinds: str) -> dict[str, Any]:
    """A finished Job's status with these conditions True."""
    status: dict[str, Any] = {"startTime": "2026-01-01T00:00:00Z"}
    if "Complete" in kinds:
        status["completionTime"] = "2026-01-01T00:00:01Z"
    status["conditions"] = [{"type": kind, "status": "True"} for kind in kinds]
    return status


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (true("SuccessCriteriaMet", "Complete"), []),
        (true("FailureTarget", "Failed"), []),
        (true("Complete"), ["status.conditions"]),
        (true("Failed"), ["status.conditions"]),
        ({**true("FailureTarget", "Failed"), "active": 1}, ["status.active"]),
        ({**true("FailureTarget", "Failed"), "startTime": None}, ["status.startTime"]),
        (
            {**true("SuccessCriteriaMet", "Complete"), "completionTime": None},
            ["status.completionTime"],
        ),
        (
            true("SuccessCriteriaMet", "Complete", "FailureTarget", "Failed"),
            ["status.conditions"],
        ),
        ({**true(), "completionTime": "2026-01-01T00:00:01Z"}, ["status.completionTime"]),
    ],
)
def test_a_jobs_status_must_end_in_order(status: dict[str, Any], expected: list[str]) -> None:
    """Who writes a Job's status announces its end first, and leaves nothing active."""
    world = world_of()
    post(world, JOBS, job_body("x", managedBy="example.com/nobody"))
    answer = merge(world, f"{JOBS}/x/status", {"status": status})
    assert [field for _, field in causes(answer)] == expected if expected else answer.code == 200


def test_an_end_cannot_be_taken_back() -> None:
    """A Job that is Failed stays Failed."""
    world = world_of()
    post(world, JOBS, job_body("x", managedBy="example.com/nobody"))
    merge(world, f"{JOBS}/x/status", {"status": true("FailureTarget", "Failed")})
    refused = merge(world, f"{JOBS}/x/status", {"status": {"conditions": []}})
    assert {field for _, field in causes(refused)} == {"status.conditions"}


def test_an_event_lies_where_its_object_does() -> None:
    """An Event about an object of another namespace is refused."""
    about = {"kind": "Job", "namespace": "other", "name": "x"}
    body = {"metadata": {"name": "e"}, "involvedObject": about, "reason": "R", "message": "m"}
    refused = post(world_of(), f"/api/v1/namespaces/{TEAM}/events", body)
    assert causes(refused) == [("FieldValueInvalid", "involvedObject.namespace")]


DEFINITION: Manifest = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "modelwarmups.model.aibrix.ai"},
    "spec": {
        "names": {"kind": "ModelWarmup", "plural": "modelwarmups"},
        "versions": [
            {
                "name": "v1alpha1",
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "required": ["spec"],
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["targets"],
                                "properties": {
                                    "targets": {
                                        "type": "array",
                                        "minItems": 1,
                                        "maxItems": 2,
                                        "items": {
                                            "type": "object",
                                            "x-kubernetes-preserve-unknown-fields": True,
                                        },
                                    },
                                    "mode": {
                                        "type": "string",
                                        "enum": ["", "Once"],
                                        "maxLength": 5,
                                    },
                                    "policies": {
                                        "type": "object",
                                        "properties": {
                                            "parallelism": {
                                                "type": "integer",
                                                "minimum": 1,
                                                "maximum": 9,
                                            }
                                        },
                                    },
                                },
                                "x-kubernetes-validations": [
                                    {
                                        "rule": "self == oldSelf",
                                        "message": "must not be changed",
                                        "reason": "FieldValueForbidden",
                                    }
                                ],
                            },
                            "status": {
                                "type": "object",
                                "properties": {
                                    "phase": {"type": "string"},
                                    "counts": {
                                        "type": "object",
                                        "additionalProperties": {"type": "integer"},
                                    },
                                },
                            },
                        },
                    }
                },
            }
        ],
    },
}


def installed() -> World:
    """A world in which ModelWarmup is declared by a definition."""
    world = world_of()
    world.install(DEFINITION)
    return world


NOT_CHECKED = ("FieldValueInvalid", "<nil>")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"targets": []}, [("FieldValueInvalid", "spec.targets")]),
        ({"targets": [{}] * 3}, [("FieldValueTooMany", "spec.targets"), NOT_CHECKED]),
        ({"targets": "n1"}, [("FieldValueTypeInvalid", "spec.targets"), NOT_CHECKED]),
        ({"targets": [1]}, [("FieldValueTypeInvalid", "spec.targets[0]"), NOT_CHECKED]),
        ({"mode": "Twice"}, [("FieldValueNotSupported", "spec.mode"), NOT_CHECKED]),
        (
            {"mode": "Always!"},
            [
                ("FieldValueNotSupported", "spec.mode"),
                ("FieldValueTooLong", "spec.mode"),
                NOT_CHECKED,
            ],
        ),
        ({"policies": {"parallelism": 0}}, [("FieldValueInvalid", "spec.policies.parallelism")]),
        ({"policies": {"parallelism": 10}}, [("FieldValueInvalid", "spec.policies.parallelism")]),
        (
            {"policies": {"parallelism": True}},
            [("FieldValueTypeInvalid", "spec.policies.parallelism"), NOT_CHECKED],
        ),
    ],
)
def test_a_definition_says_what_is_invalid(
    changes: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    """Counts, types, choices and bounds of the schema hold, each with its field."""
    refused = post(installed(), WARMUPS, warmup_body("w", **changes))
    assert refused.code == 422
    assert causes(refused) == expected


@pytest.mark.parametrize("parallelism", [1, 9])
def test_bounds_belong_to_what_is_allowed(parallelism: int) -> None:
    """The least and the greatest value pass."""
    body = warmup_body("w", policies={"parallelism": parallelism})
    assert post(installed(), WARMUPS, body).code == 201


def test_one_fault_is_told_bare_and_several_in_brackets() -> None:
    """The message repeats the causes, as a real server's does."""
    world = world_of()
    one = post(world, JOBS, job_body("x", parallelism=-1)).body["message"]
    assert one == (
        'Job.batch "x" is invalid: spec.parallelism: Invalid value: -1: must be greater than or '
        "equal to 0"
    )
    two = post(world, JOBS, job_body("x", parallelism=-1, completions=-1)).body["message"]
    assert two.startswith('Job.batch "x" is invalid: [spec.parallelism: Invalid value: -1: ')
    assert two.endswith("]")


def test_a_required_field_must_be_there() -> None:
    """A missing field is named, and rules are said not to have been checked."""
    body = warmup_body("w")
    del body["spec"]
    assert causes(post(installed(), WARMUPS, body)) == [
        ("FieldValueRequired", "spec"),
        NOT_CHECKED,
    ]


def test_unknown_fields_are_cut_away_and_known_ones_kept() -> None:
    """In spec and status alike; what preserves unknown fields, and maps, keep theirs."""
    world = installed()
    made = post(world, WARMUPS, warmup_body("w", frob=1)).body
    assert made["spec"] == {"targets": [{"nodes": {"names": ["n1"]}}]}
    status = {"phase": "Running", "frob": 1, "counts": {"any": 1}}
    stored = merge(world, f"{WARMUPS}/w/status", {"status": status}).body
    assert stored["status"] == {"phase": "Running", "counts": {"any": 1}}
    wrong = merge(world, f"{WARMUPS}/w/status", {"status": {"counts": {"any": "x"}}})
    assert causes(wrong) == [("FieldValueTypeInvalid", "status.counts.any"), NOT_CHECKED]


def test_an_immutable_spec_is_refused_in_the_words_of_its_rule() -> None:
    """Reason and message are the definition's."""
    world = installed()
    post(world, WARMUPS, warmup_body("w"))
    refused = merge(world, f"{WARMUPS}/w", {"spec": {"mode": "Once"}})
    assert causes(refused) == [("FieldValueForbidden", "spec")]
    assert refused.body["details"]["causes"][0]["message"] == "Forbidden: must not be changed"


def test_what_is_left_as_it_was_is_not_looked_at_again() -> None:
    """A spec that an earlier definition let through does not keep a status from being stored."""
    world = world_of()
    post(world, WARMUPS, warmup_body("w", mode="Twice"))
    world.install(DEFINITION)
    assert merge(world, f"{WARMUPS}/w/status", {"status": {"phase": "Failed"}}).code == 200
    assert merge(world, f"{WARMUPS}/w", {"metadata": {"labels": {"a": "b"}}}).code == 200


def test_a_nullable_field_may_be_null() -> None:
    """Only a schema that says nullable takes null for a value."""
    schema = Schema({"type": "object", "properties": {"a": {"type": "string", "nullable": True}}})
    assert schema.invalid({"a": None}) == []
    strict = Schema({"type": "object", "properties": {"a": {"type": "string"}}})
    assert [cause.reason for cause in strict.invalid({"a": None})] == ["FieldValueTypeInvalid"]


def test_an_installed_definition_can_be_read() -> None:
    """As a controller does that compares the served schema with what it writes."""
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/modelwarmups.model.aibrix.ai"
    assert get(world_of(), path).code == 404
    assert get(installed(), path).body["spec"] == DEFINITION["spec"]
