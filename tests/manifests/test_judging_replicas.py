"""ModelReplicas are judged as the controller and the server judge them."""

import json
from typing import Any

import pytest

from adapters.manifests.findings import Finding, Reason
from adapters.manifests.judged_kinds import REPLICA
from tests.crds.bad_replicas import BAD_REPLICAS, BadReplica
from tests.crds.manifests import Json
from tests.crds.replicas import (
    GOOD_REPLICAS,
    container,
    engine,
    gang,
    member,
    of,
    parted,
    replica,
    running,
)
from tests.machines.test_specs import poisoned
from tests.manifests.test_judging_caches import faults, found, judged, whole

MISWRITTEN = """\
apiVersion: modelplane.ai/v1alpha1
kind: ModelReplica
metadata: {name: qwen}
spec:
  clusterName: 7
  engines:
    - name: main
      copies: 65
      members:
        - role: Leader
          nodePool: gpu
          deviceRequests: []
          template: {spec: {containers: [{name: vllm, image: a:1, volumeMounts: []}]}}
"""


def said(spec: Any, **fields: Any) -> list[Finding]:
    """All that is said of a ModelReplica."""
    return found(whole("ModelReplica", spec, **fields))


def told(findings: list[Finding]) -> list[tuple[str, Reason]]:
    """Field and reason of each warning; nothing else may be among them."""
    assert faults(findings) == []
    return [(each.field, each.reason) for each in findings]


@pytest.mark.parametrize("spec", GOOD_REPLICAS.values(), ids=GOOD_REPLICAS)
def test_a_good_replica_has_no_fault(spec: Json) -> None:
    """Whatever a server accepts of a ModelReplica is valid here."""
    assert faults(said(spec)) == []


@pytest.mark.parametrize("bad", BAD_REPLICAS.values(), ids=BAD_REPLICAS)
def test_a_bad_replica_is_told_by_its_field(bad: BadReplica) -> None:
    """What the controller or the server refuses is a fault of the one field that is wrong."""
    assert faults(said(bad.spec)) == [bad.field]


def test_every_fault_stands_at_its_line() -> None:
    """In a member within an engine, and fields that nobody knows among them."""
    [judgement] = judged(MISWRITTEN).objects
    assert judgement.kind is REPLICA
    engine_place, member_place = "spec.engines[0]", "spec.engines[0].members[0]"
    assert [(each.at.line, each.field, each.words) for each in judgement.findings] == [
        (5, "spec.clusterName", 'must be a string: write "7"'),
        (8, f"{engine_place}.copies", "must be at most 64"),
        (9, f"{engine_place}.members", judgement.findings[2].words),
        (10, f"{member_place}.nodePoolName", "must be given"),
        (11, f"{member_place}.nodePool", "is no field there; did you mean nodePoolName?"),
        (12, f"{member_place}.deviceRequests", judgement.findings[5].words),
        (13, f"{member_place}.template.spec.containers[0].name", "must be engine"),
        (
            13,
            f"{member_place}.template.spec.containers[0].volumeMounts",
            "is no field there, only name, image, command, args, env",
        ),
    ]
    assert all(not each.is_warning for each in judgement.findings)


def test_what_nobody_can_run_is_a_warning() -> None:
    """The server takes it, and the replica would say Unsupported for ever."""
    assert told(said(parted())) == [("spec.serving.mode", Reason.UNSUPPORTED)]
    empty = replica(gang({"template": {}}))
    assert told(said(empty)) == [("spec.engines[0].members[0].template", Reason.UNSUPPORTED)]


@pytest.mark.parametrize(
    ("name", "is_fine"),
    [
        ("qwen", True),
        ("n" * 63, True),
        ("n" * 64, False),
        ("7b-chat", False),
        ("qwen.chat", False),
    ],
)
def test_a_name_that_no_service_can_have_is_told(name: str, is_fine: bool) -> None:  # noqa: FBT001
    """The one Service of a replica has its name, and every cluster but the first one refuses it."""
    expected = [] if is_fine else [("metadata.name", Reason.NO_SUCH_NAME)]
    assert told(said(replica(), metadata={"name": name})) == expected


def test_a_name_that_will_be_made_up_is_not_judged() -> None:
    """What the server appends is not known."""
    assert said(replica(), metadata={"generateName": "qwen-"}) == []


def test_an_image_that_moves_is_told() -> None:
    """Copies of one engine that start on two days would run two versions."""
    place = "spec.engines[0].members[0].template.spec.containers[0].image"
    for image in ("vllm/vllm-openai", "vllm/vllm-openai:latest"):
        assert told(said(running(image=image))) == [(place, Reason.MUTABLE_TAG)]


def test_a_variable_in_place_of_the_caches_is_told() -> None:
    """Only where there is a cache, whose mount it then points past."""
    spec = running(env=[{"name": "A"}, {"name": "HF_HUB_CACHE", "value": "/mnt/other"}])
    place = "spec.engines[0].members[0].template.spec.containers[0].env[1]"
    assert told(said(spec)) == [(place, Reason.CACHE_OVERRIDDEN)]
    del spec["modelCacheRef"]
    assert said(spec) == []


def test_a_cluster_that_no_file_has_is_no_matter() -> None:
    """InferenceClusters are mostly made by others, and may come later."""
    assert said(replica(clusterName="nowhere")) == []


def test_annotations_without_effect_are_told() -> None:
    """One annotation of ours means something on a ModelReplica."""
    notes = {"warmlog.dev/abandon": "yes", "warmlog.dev/retry": "now", "team": "search"}
    findings = said(replica(), metadata={"name": "west", "annotations": notes})
    assert {each.reason for each in findings} == {Reason.ANNOTATION_IGNORED}
    assert [each.field.rpartition("/")[2] for each in findings] == ["abandon", "retry"]
    fine = {"name": "west", "annotations": {"warmlog.dev/abandon": "true"}}
    assert said(replica(), metadata=fine) == []


@pytest.mark.parametrize(
    ("kind", "api", "fields"),
    [
        ("ModelReplica", "modelplane.ai/v1alpha1", []),
        ("modelReplicas", "modelplane.ai/v1alpha1", ["kind"]),
        ("ModelReplcia", "modelplane.ai/v1alpha1", ["kind"]),
        ("ModelReplica", "v1alpha1", ["apiVersion"]),
        (None, None, ["apiVersion", "kind"]),
        ("ModelReplica", "example.com/v1", None),
    ],
)
def test_a_misspelt_head_is_told(kind: Any, api: Any, fields: list[str] | None) -> None:
    """What was meant to be a ModelReplica is judged; a kind of this name of others is not."""
    findings = found(whole(kind, replica(engine(copies=0)), apiVersion=api))
    assert faults(findings) == ([] if fields is None else [*fields, "spec.engines[0].copies"])


def test_whatever_a_replica_holds_it_is_judged() -> None:
    """No type of any field stops the judge."""
    whole_spec = of(
        role="Worker",
        worker={"nodes": 1},
        template={"metadata": {"labels": {"a": "b"}}, **container(env=[{"name": "A"}])},
    )
    wrongs: list[Any] = [None, 0, 1.5, True, "", "x", [], [[]], {}, {"x": [{}]}]
    for wrong in wrongs:
        for field in ("metadata", "spec", "status", "x"):
            found({**whole("ModelReplica", replica(engine(member()))), field: wrong})
        for spec in poisoned(whole_spec, wrong):
            json.dumps([each.words for each in said(spec)])


@pytest.mark.parametrize(("length", "expected"), [
    (38, []), (39, [("spec.engines[0].name", Reason.NO_SUCH_NAME)]),
])  # fmt: skip
def test_a_name_with_which_no_gang_gets_pods_is_told(
    length: int, expected: list[tuple[str, Reason]]
) -> None:
    """A LeaderWorkerSet is named after replica and engine, and past 49 characters has no Pods."""
    spec = replica(gang())
    assert told(said(spec, metadata={"name": "n" * length})) == expected
    assert told(said(replica(), metadata={"name": "n" * length})) == []
