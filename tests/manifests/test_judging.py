"""Every fault of a manifest is found at once, where it stands; what only looks odd is a warning."""

import json
from typing import Any

import pytest
import yaml

from adapters.manifests.files import ManifestFile
from adapters.manifests.findings import Finding, Reason
from adapters.manifests.image_references import is_latest, normal_form
from adapters.manifests.judging import FileJudgement, judge_file, with_twins
from adapters.manifests.reading import read
from tests.crds.manifests import CONTAINER, GOOD, IMAGE, RICH_CONTAINER, Json, custom, spec
from tests.crds.refusals import BAD, Bad
from tests.manifests.heads import BAD_METADATA, GOOD_METADATA, UNKNOWN_FIELDS


def judged(text: str, name: str = "file.yaml") -> FileJudgement:
    """Judge a text."""
    return judge_file(ManifestFile(name, *read(text.encode())))


def warmup(what: Any = None, **fields: Any) -> Json:
    """A ModelWarmup that is valid but for the fields given; None leaves one out."""
    whole = {
        "apiVersion": "model.aibrix.ai/v1alpha1",
        "kind": "ModelWarmup",
        "metadata": {"name": "warm"},
        "spec": spec() if what is None else what,
        **fields,
    }
    return {name: value for name, value in whole.items() if value is not None}


def found(value: Any) -> list[Finding]:
    """All that is said of one object."""
    file = judged(json.dumps(value, indent=1))
    return [*file.findings, *(each for one in file.warmups for each in one.findings)]


def only(value: Any) -> Finding:
    """The one thing that is said of an object."""
    [finding] = found(value)
    return finding


@pytest.mark.parametrize("what", GOOD.values(), ids=GOOD)
def test_a_good_spec_has_no_fault(what: Json) -> None:
    """Whatever a server accepts is valid here; unknown fields of containers are warnings."""
    assert [each for each in found(warmup(what)) if not each.is_warning] == []


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_bad_spec_is_told_as_the_controller_would_tell_it(bad: Bad) -> None:
    """Whatever a server refuses is a fault here, of the one field that is wrong."""
    told = found(warmup(bad.spec))
    assert [each.field for each in told if each.reason is Reason.INVALID_SPEC] == [bad.field]


def test_every_fault_is_told_at_once_by_its_line() -> None:
    """Faults of reading, of the head, of the spec and of unknown fields stand in one order."""
    text = """\
apiVersion: model.aibrix.ai/v1
kind: ModelWarmup
metadata: {name: Big}
spec:
  targets:
    - nodes: {names: [a]}
  imagePreload:
    images:
      - {image: a:1, command: [sleep, 10]}
  policies:
    retryLimit: -1
    paralelism: 8
    retryLimit: -2
"""
    [judgement] = judged(text).warmups
    assert not judgement.is_valid
    assert [(*each.at, each.reason, each.field) for each in judgement.findings] == [
        (1, 1, Reason.WRONG_KIND, "apiVersion"),
        (3, 12, Reason.INVALID_METADATA, "metadata.name"),
        (9, 39, Reason.INVALID_SPEC, "spec.imagePreload.images[0].command[1]"),
        (12, 5, Reason.UNKNOWN_FIELD, "spec.policies.paralelism"),
        (13, 5, Reason.INVALID_SPEC, "spec.policies.retryLimit"),
        (13, 5, Reason.FIELD_TWICE, "spec.policies.retryLimit"),
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("10", 'must be a string: write "10"'),
        ("true", 'must be a string: write "true"'),
        ("off", 'must be a string, and YAML reads off as false: write "off"'),
        ("0x1F", 'must be a string: write "0x1F"'),
        ("", 'must be a string, and nothing is none: write "" for an empty one'),
        ("[a]", "must be a string"),
    ],
)
def test_what_yaml_does_not_take_for_a_text_is_shown_in_quotes(value: str, words: str) -> None:
    """Most faults of type are missing quotes: the words say what to write."""
    text = yaml.safe_dump(warmup()).replace("- 'true'", f"- sh\n      - {value}")
    [judgement] = judged(text).warmups
    assert [each.words for each in judgement.findings] == [words]


@pytest.mark.parametrize(
    ("kind", "api", "fields"),
    [
        ("ModelWarmup", "model.aibrix.ai/v1alpha1", []),
        ("modelwarmup", "model.aibrix.ai/v1alpha1", ["kind"]),
        ("ModelWarmUps", "model.aibrix.ai/v1alpha1", ["kind"]),
        ("Modelwarmup", "v1alpha1", ["apiVersion", "kind"]),
        ("ModelWarmup", "v1alpha1", ["apiVersion"]),
        ("ModelWarmup", "models.aibrix.ai/v1beta1", ["apiVersion"]),
        ("ModelWarmup", "batch/v1", ["apiVersion"]),
        ("ModelWarmup", None, ["apiVersion"]),
        ("ModelWarmup", 7, ["apiVersion"]),
        (None, "model.aibrix.ai/v1alpha1", ["kind"]),
        (None, None, ["apiVersion", "kind"]),
        ("ModelAdapter", "model.aibrix.ai/v1alpha1", None),
        ("RoleBasedGroupWarmup", "workloads.x-k8s.io/v1alpha1", None),
        ("ImagePullJob", "apps.kruise.io/v1alpha1", None),
        ("Modelwarmups", "example.com/v1", None),
        (["a"], {"b": 1}, None),
    ],
)
def test_a_misspelt_head_is_told_and_the_rest_judged(
    kind: Any, api: Any, fields: list[str] | None
) -> None:
    """What was meant to be a ModelWarmup is not passed over; what is another kind is."""
    file = judged(json.dumps(warmup(spec(targets=[]), kind=kind, apiVersion=api)))
    if fields is None:
        assert (file.others, file.warmups) == (1, ())
        return
    [one] = file.warmups
    assert [each.field for each in one.findings] == [*fields, "spec.targets"]


@pytest.mark.parametrize(("metadata", "field"), BAD_METADATA.values(), ids=BAD_METADATA)
def test_a_head_that_no_server_takes_is_a_fault(metadata: Any, field: str) -> None:
    """Names, labels and annotations have to be what Kubernetes takes."""
    faults = {each.field for each in found(warmup(metadata=metadata))}
    assert field in faults
    assert faults <= {field, "metadata.name"}


@pytest.mark.parametrize("metadata", GOOD_METADATA.values(), ids=GOOD_METADATA)
def test_a_head_that_a_server_takes_is_fine(metadata: Json) -> None:
    """What Kubernetes takes is no fault."""
    assert found(warmup(metadata=metadata)) == []


def test_a_status_is_no_part_of_a_manifest() -> None:
    """A status that somebody wrote is a fault, that of an object from a server is none."""
    status = {"phase": "Pending"}
    assert only(warmup(status=status)).reason is Reason.STATUS_GIVEN
    served = {"name": "warm", "uid": "0a1b", "resourceVersion": "7", "managedFields": []}
    assert found(warmup(metadata=served, status=status)) == []


@pytest.mark.parametrize(("what", "field", "words"), UNKNOWN_FIELDS)
def test_an_unknown_field_comes_with_the_one_that_was_meant(
    what: Json, field: str, words: str
) -> None:
    """A field that the API server would refuse is a fault that names the nearest one."""
    finding = only(warmup(what))
    assert (finding.field, finding.reason) == (field, Reason.UNKNOWN_FIELD)
    assert not finding.is_warning
    assert words in finding.words


def test_an_unknown_field_of_a_container_is_a_warning() -> None:
    """A container goes to Kubernetes as it stands: its field may be newer, or misspelt."""
    finding = only(warmup(custom(containers=[{**CONTAINER, "volumeMount": [], "env": [{"x": 1}]}])))
    assert finding.field == "spec.custom.containers[0].volumeMount"
    assert finding.is_warning
    assert "did you mean volumeMounts?" in finding.words
    tomorrow = only(warmup(custom(containers=[{**RICH_CONTAINER, "volumeMounts": []}])))
    assert tomorrow.field.endswith(".fieldOfTomorrow")
    assert "did you mean" not in tomorrow.words


def advised(what: Json | None = None, **annotations: str) -> list[tuple[Reason, str, str]]:
    """What is said of a spec that can work."""
    names = {f"warmlog.dev/{name.replace('_', '-')}": each for name, each in annotations.items()}
    manifest = warmup(what, metadata={"name": "warm", "annotations": names})
    warnings = found(manifest)
    assert all(each.is_warning for each in warnings)
    return [(each.reason, each.field, each.words) for each in warnings]


def test_a_policy_that_is_capped_is_told() -> None:
    """Decision 14: what is larger than its cap is used as the cap, and validate says so."""
    what = spec(policies={"retryLimit": 21, "jobTimeoutSeconds": 2_592_001})
    assert advised(what) == [
        (Reason.POLICY_CAPPED, "spec.policies.retryLimit", "21 is used as 20"),
        (Reason.POLICY_CAPPED, "spec.policies.jobTimeoutSeconds", "2592001 is used as 2592000"),
    ]


@pytest.mark.parametrize(
    ("retries", "seconds", "fitting"),
    [(2, 1800, None), (2, 31, None), (2, 30, 1), (0, 1, None), (1, 10, 0), (20, 1800, 9)],
)
def test_retries_that_cannot_begin_are_told(
    retries: int, seconds: int, fitting: int | None
) -> None:
    """One time limit holds for all attempts: those that the pauses leave no time for are named.

    [W53]
    """
    said = advised(spec(policies={"retryLimit": retries, "jobTimeoutSeconds": seconds}))
    if fitting is None:
        assert said == []
    else:
        [(reason, field, words)] = said
        assert (reason, field) == (Reason.RETRIES_DO_NOT_FIT, "spec.policies.retryLimit")
        assert words.startswith(f"of {retries} retries no more than {fitting} can begin")


def test_annotations_without_effect_are_told() -> None:
    """One of ours whose value says nothing, and one that is none of ours, have no effect."""
    assert advised(suspend="true", target_wait_seconds="5") == []
    said = advised(suspend="yes", target_wait_seconds="5m", wait="5")
    assert {each[0] for each in said} == {Reason.ANNOTATION_IGNORED}
    assert [each[1].removeprefix("metadata.annotations.warmlog.dev/") for each in said] == [
        "suspend",
        "target-wait-seconds",
        "wait",
    ]


def images(*references: str) -> Json:
    """A spec that pulls these images."""
    return spec(imagePreload={"images": [{**IMAGE, "image": each} for each in references]})


def test_one_image_in_two_notations_is_told() -> None:
    """References are compared as a container runtime reads them.

    [W66]
    """
    [(reason, field, words)] = advised(images("busybox:1", "docker.io/library/busybox:1"))
    assert (reason, field) == (Reason.IMAGE_TWICE, "spec.imagePreload.images[1].image")
    assert "the same image as busybox:1" in words
    assert advised(images("busybox:1", "busybox:2", "quay.io/busybox:1", "a/busybox:1")) == []


def test_an_image_that_may_be_another_tomorrow_is_told() -> None:
    """Without a tag, or with latest, a reference is bound to move; a digest never does.

    [W64]
    """
    said = advised(
        images("a", "b:latest", "c:1", "localhost:5000/d", f"e:latest@sha256:{'0' * 64}")
    )
    assert [each[:2] for each in said] == [
        (Reason.MUTABLE_TAG, f"spec.imagePreload.images[{index}].image") for index in (0, 1, 3)
    ]


@pytest.mark.parametrize(
    ("reference", "normal"),
    [
        ("busybox", "docker.io/library/busybox:latest"),
        ("index.docker.io/busybox", "docker.io/library/busybox:latest"),
        ("a/b", "docker.io/a/b:latest"),
        ("localhost/b:1", "localhost/b:1"),
        ("reg:5000/b", "reg:5000/b:latest"),
        ("reg.example/a/b:1", "reg.example/a/b:1"),
        ("b:1@sha256:00", "docker.io/library/b@sha256:00"),
    ],
)
def test_a_reference_has_one_normal_form(reference: str, normal: str) -> None:
    """Registry, library and tag are added as container runtimes add them."""
    assert normal_form(reference) == normal
    assert is_latest(reference) is normal.endswith(":latest")


def test_a_node_that_is_named_twice_is_told() -> None:
    """It is warmed once, and mostly another one was meant."""
    names = [{"nodes": {"names": ["a", "b"]}}, {"nodes": {"names": ["c", "a"]}}]
    [(reason, field, words)] = advised(spec(targets=names))
    assert (reason, field) == (Reason.NODE_TWICE, "spec.targets[1].nodes.names[1]")
    assert words.startswith("a stands at spec.targets[0].nodes.names[0] already")


def test_an_object_that_stands_in_two_places_is_told() -> None:
    """The second would have to change the first, which cannot be; other namespaces are others."""
    elsewhere = warmup(metadata={"name": "warm", "namespace": "other"})
    texts = [json.dumps(each) for each in (warmup(), elsewhere, warmup(), warmup(metadata={}))]
    files = list(with_twins(judged(text, f"{at}.json") for at, text in enumerate(texts)))
    told = [[each for one in file.warmups for each in one.findings] for file in files[:3]]
    assert [len(each) for each in told] == [0, 0, 1]
    assert told[2][0].reason is Reason.OBJECT_TWICE
    assert "0.json:1" in told[2][0].words


def test_other_objects_are_passed_over() -> None:
    """Of a Namespace nothing is said, even what stands twice in it; of no object it is."""
    file = judged("kind: Namespace\nkind: Namespace\n---\n# nothing\n---\n- a\n---\nb\n")
    assert file.others == 1
    assert [(each.at.line, each.reason) for each in file.findings] == [
        (6, Reason.WRONG_KIND),
        (8, Reason.WRONG_KIND),
    ]


def test_an_object_in_a_list_is_told_by_its_place_there() -> None:
    """Fields of an object in a list begin with the item, and stand in its lines."""
    pod = '{"kind": "Pod", "kind": "Pod"}'
    items = f"{pod},\n{json.dumps(warmup({}))},\n{json.dumps(warmup()).replace('{', chr(123), 1)}"
    text = f'{{"apiVersion": "v1", "kind": "List", "kind": "List", "items": [\n{items}]}}'
    file = judged(text)
    assert [(each.field, each.reason) for each in file.findings] == [("kind", Reason.FIELD_TWICE)]
    first, second = file.warmups
    assert {(each.at.line, each.field) for each in first.findings} == {
        (3, "items[1].spec"),
        (3, "items[1].spec.targets"),
    }
    assert second.findings == ()


def test_whatever_an_object_holds_it_is_judged() -> None:
    """No type of any field stops the judge."""
    wrongs: list[Any] = [None, 0, 1.5, True, "", "x", [], [[]], {}, {"x": [{}]}]
    for wrong in wrongs:
        for field in ("metadata", "spec", "status", "x"):
            found(warmup(**{field: wrong}))
        for field in ("targets", "imagePreload", "custom", "policies", "mode"):
            found(warmup(spec(**{field: wrong})))
        found(warmup(metadata={"name": wrong, "labels": wrong, "annotations": {"a": wrong}}))
