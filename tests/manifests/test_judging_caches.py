"""ModelCaches and InferenceClusters are judged as the controller and the server judge them."""

import json
from typing import Any

import pytest

from adapters.manifests.files import ManifestFile
from adapters.manifests.findings import Finding, Reason
from adapters.manifests.judged_kinds import CACHE, CLUSTER
from adapters.manifests.judging import FileJudgement, judge_file, with_twins
from adapters.manifests.reading import read
from tests.crds.caches import BAD_CACHES, GOOD_CACHES, BadCache, cache, model, selecting
from tests.crds.clusters import BAD_CLUSTERS, GOOD_CLUSTERS, BadCluster, cluster, existing
from tests.crds.manifests import Json

API = "modelplane.ai/v1alpha1"
BOTH = """\
apiVersion: modelplane.ai/v1alpha1
kind: ModelCache
metadata: {name: qwen}
spec:
  source: HuggingFace
  huggingFace:
    repo: Qwen/Qwen--x
    revison: main
    sizeGiB: 0
  clusterSelector:
    matchLabels: {gpu: true}
    matchExpressions: []
---
apiVersion: modelplane.ai/v1alpha1
kind: InferenceCluster
metadata: {name: west}
spec:
  cluster:
    source: Existing
    existing:
      secretRef: {namespace: a}
  nodePools:
    - {name: 7}
"""


def judged(text: str, name: str = "file.yaml") -> FileJudgement:
    """Judge a text."""
    return judge_file(ManifestFile(name, *read(text.encode())))


def whole(kind: Any, spec: Any, **fields: Any) -> Json:
    """An object that is valid but for the fields given; None leaves one out."""
    named = {"apiVersion": API, "kind": kind, "metadata": {"name": "west"}, "spec": spec, **fields}
    return {name: value for name, value in named.items() if value is not None}


def found(value: Json) -> list[Finding]:
    """All that is said of one object."""
    file = judged(json.dumps(value, indent=1))
    return [*file.findings, *(each for one in file.objects for each in one.findings)]


def of_cache(spec: Any, **fields: Any) -> list[Finding]:
    """All that is said of a ModelCache."""
    return found(whole("ModelCache", spec, **fields))


def of_cluster(spec: Any, **fields: Any) -> list[Finding]:
    """All that is said of an InferenceCluster."""
    return found(whole("InferenceCluster", spec, **fields))


def faults(findings: list[Finding]) -> list[str]:
    """The fields that are wrong."""
    return [each.field for each in findings if not each.is_warning]


@pytest.mark.parametrize("spec", GOOD_CACHES.values(), ids=GOOD_CACHES)
def test_a_good_cache_has_no_fault(spec: Json) -> None:
    """Whatever a server accepts of a ModelCache is valid here."""
    assert faults(of_cache(spec)) == []


@pytest.mark.parametrize("bad", BAD_CACHES.values(), ids=BAD_CACHES)
def test_a_bad_cache_is_told_as_the_controller_would_tell_it(bad: BadCache) -> None:
    """Whatever cannot work is a fault of the one field that is wrong [C50]"""
    assert faults(of_cache(bad.spec)) == [bad.field]


@pytest.mark.parametrize("spec", GOOD_CLUSTERS.values(), ids=GOOD_CLUSTERS)
def test_nothing_is_said_of_a_published_cluster(spec: Json) -> None:
    """What is published for Modelplane is valid, and its other fields are none of our business."""
    assert of_cluster(spec) == []


@pytest.mark.parametrize("bad", BAD_CLUSTERS.values(), ids=BAD_CLUSTERS)
def test_a_bad_cluster_is_told_as_the_server_would_tell_it(bad: BadCluster) -> None:
    """Whatever a server refuses is a fault here, of the one field that is wrong."""
    assert faults(of_cluster(bad.spec)) == [bad.field]


def test_every_fault_stands_at_its_line() -> None:
    """Of a ModelCache and an InferenceCluster in one file each fault has line and column."""
    first, second = judged(BOTH).objects
    assert (first.kind, second.kind) == (CACHE, CLUSTER)
    assert [(*each.at, each.field) for each in first.findings] == [
        (7, 5, "spec.huggingFace.repo"),
        (8, 5, "spec.huggingFace.revison"),
        (9, 5, "spec.huggingFace.sizeGiB"),
        (11, 19, "spec.clusterSelector.matchLabels.gpu"),
        (12, 5, "spec.clusterSelector.matchExpressions"),
    ]
    assert "did you mean revision?" in first.findings[1].words
    assert first.findings[3].words == 'must be a string: write "true"'
    assert [(*each.at, each.field, each.words[:15]) for each in second.findings] == [
        (21, 7, "spec.cluster.existing.secretRef.name", "must be given"),
        (21, 19, "spec.cluster.existing.secretRef.namespace", "is no field the"),
        (23, 8, "spec.nodePools[0].name", "must be a strin"),
    ]
    assert "modelplane-system where it exists" in second.findings[1].words


def test_expressions_that_would_select_everything_are_told() -> None:
    """A server that is not asked to be strict drops them, and the model goes everywhere."""
    spec = cache(clusterSelector={"matchExpressions": [{"key": "gpu", "operator": "Exists"}]})
    [fault] = of_cache(spec)
    assert (fault.reason, fault.is_warning) == (Reason.UNKNOWN_FIELD, False)
    assert fault.field == "spec.clusterSelector.matchExpressions"
    assert fault.words.endswith("drops it, and every InferenceCluster may be selected")
    both = selecting(gpu="l4")
    both["clusterSelector"]["matchExpressions"] = []
    assert [each.reason for each in of_cache(both)] == [Reason.UNKNOWN_FIELD]


@pytest.mark.parametrize("selector", [{}, {"matchLabels": {}}, {"matchLabels": None}])
def test_a_selector_without_labels_is_told(selector: Json) -> None:
    """It is the same as none at all, and mostly something else was meant."""
    [warning] = of_cache(cache(clusterSelector=selector))
    assert (warning.reason, warning.is_warning) == (Reason.NO_EFFECT, True)
    assert of_cache(cache(clusterSelector=None)) == []


@pytest.mark.parametrize(
    ("kind", "api", "fields"),
    [
        ("ModelCache", API, []),
        ("modelCaches", API, ["kind"]),
        ("ModelCahce", API, ["kind"]),
        ("ModelCache", "v1alpha1", ["apiVersion"]),
        ("ModelCache", "modelplane.io/v1beta1", ["apiVersion"]),
        (None, API, ["kind"]),
        (None, None, ["apiVersion", "kind"]),
        ("ModelCache", "example.com/v1", None),
        ("LocalModelCache", "serving.kserve.io/v1alpha1", None),
        ("ModelDeployment", API, None),
    ],
)
def test_a_misspelt_head_of_a_cache_is_told(kind: Any, api: Any, fields: list[str] | None) -> None:
    """What was meant to be a ModelCache is judged; a kind of this name of others is not."""
    findings = found(whole(kind, model(sizeGiB=0), apiVersion=api))
    wanted = [] if fields is None else [*fields, "spec.huggingFace.sizeGiB"]
    assert faults(findings) == wanted


@pytest.mark.parametrize("kind", ["InferenceClass", "InferenceGateway", "ModelEndpoint"])
def test_other_kinds_of_the_group_are_passed_over(kind: str) -> None:
    """What Modelplane has besides is not taken for a misspelt kind of ours."""
    file = judged(json.dumps(whole(kind, {"x": 1})))
    assert (file.others, file.objects, file.findings) == (1, (), ())


def test_a_misspelt_field_of_a_cluster_is_a_warning() -> None:
    """The server keeps any field there; only one that looks like ours is told of."""
    spec = existing(cache={"storageClass": "rwx"}, componets="Provided")
    spec["cluster"]["exsiting"] = {}
    spec["stak"] = "Dynamo"
    said = [(each.field, each.words) for each in of_cluster(spec)]
    assert said == [
        (
            "spec.cluster.existing.cache.storageClass",
            "is not used; did you mean storageClassName?",
        ),
        ("spec.cluster.exsiting", "is not used; did you mean existing?"),
        ("spec.stak", "is not used; did you mean stack?"),
    ]
    assert all(each.is_warning for each in of_cluster(spec))


def test_what_configures_another_source_is_told() -> None:
    """Only the block of the source counts, the others have no effect."""
    spec = existing()
    spec["cluster"]["inCluster"] = {"cache": {"storageClassName": "rwx"}}
    spec["cluster"]["gke"] = None
    [warning] = of_cluster(spec)
    assert (warning.field, warning.reason) == ("spec.cluster.inCluster", Reason.NO_EFFECT)
    assert warning.words == "has no effect: source is Existing, so existing counts"


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        (existing(secretRef={"name": "West_1"}), "existing.secretRef.name"),
        (existing(secretRef={"name": "west", "key": "a b"}), "existing.secretRef.key"),
        (existing(cache={"storageClassName": "RWX"}), "existing.cache.storageClassName"),
        (
            cluster("InCluster", {"cache": {"storageClassName": "r/w"}}),
            "inCluster.cache.storageClassName",
        ),
    ],
)
def test_names_that_nothing_can_have_are_told(spec: Json, field: str) -> None:
    """The server takes them, and there can never be such a Secret or class."""
    [warning] = of_cluster(spec)
    assert (warning.field, warning.reason) == (f"spec.cluster.{field}", Reason.NO_SUCH_NAME)
    assert warning.is_warning


def test_annotations_without_effect_are_told() -> None:
    """Those that a ModelCache has are fine; others of ours mean nothing there."""
    notes = {f"warmlog.dev/{name}": "1" for name in ("retry", "abandon", "suspend")}
    metadata = {"name": "west", "annotations": {**notes, "team": "search"}}
    said = of_cache(cache(), metadata=metadata)
    assert [each.field.rpartition("/")[2] for each in said] == ["abandon", "suspend"]
    fine = {"warmlog.dev/retry": "now", "warmlog.dev/abandon": "true"}
    assert of_cache(cache(), metadata={"name": "west", "annotations": fine}) == []
    assert len(of_cluster(existing(), metadata={"name": "west", "annotations": fine})) == 2
    assert {each.reason for each in said} == {Reason.ANNOTATION_IGNORED}


def test_a_cluster_has_no_namespace() -> None:
    """The server drops a namespace of what has none; it may show a misunderstanding."""
    [warning] = of_cluster(existing(), metadata={"name": "west", "namespace": "models"})
    assert (warning.field, warning.reason) == ("metadata.namespace", Reason.NO_EFFECT)
    assert of_cache(cache(), metadata={"name": "west", "namespace": "models"}) == []


def test_a_cluster_that_was_read_from_a_server_keeps_its_status() -> None:
    """A status that somebody wrote is a fault, that of an object from a server is none."""
    status = {"cache": {"storageClassName": "rwx"}}
    [fault] = of_cluster(existing(), status=status)
    assert fault.reason is Reason.STATUS_GIVEN
    served = {"name": "west", "uid": "0a1b", "resourceVersion": "7"}
    assert of_cluster(existing(), status=status, metadata=served) == []


def test_two_kinds_may_have_one_name() -> None:
    """Only an object of the same kind and name stands twice."""
    each = [whole("ModelCache", cache()), whole("InferenceCluster", existing())]
    files = [judged(json.dumps(one), f"{at}.json") for at, one in enumerate([*each, *each])]
    told = [[x for one in file.objects for x in one.findings] for file in with_twins(files)]
    assert [[x.reason for x in those] for those in told] == [
        [],
        [],
        [Reason.OBJECT_TWICE],
        [Reason.OBJECT_TWICE],
    ]
    assert told[2][0].words == "west stands at 0.json:1 already"


def test_whatever_a_cache_or_a_cluster_holds_it_is_judged() -> None:
    """No type of any field stops the judge."""
    wrongs: list[Any] = [None, 0, 1.5, True, "", "x", [], [[]], {}, {"x": [{}]}]
    for wrong in wrongs:
        for field in ("metadata", "spec", "status", "x"):
            found({**whole("ModelCache", cache()), field: wrong})
            found({**whole("InferenceCluster", existing()), field: wrong})
        for field in ("source", "huggingFace", "clusterSelector"):
            of_cache(cache(**{field: wrong}))
        for field in ("cluster", "nodePools", "stack"):
            of_cluster({**existing(), field: wrong})
        for source in ("Existing", "InCluster", wrong):
            of_cluster({"cluster": {"source": source, "existing": wrong, "inCluster": wrong}})
        of_cluster(existing(secretRef=wrong, cache=wrong))
        of_cluster(existing(secretRef={"name": wrong}, cache={"storageClassName": wrong}))
