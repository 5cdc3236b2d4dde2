"""Specs: what a user asked for, with the effective defaults; what cannot work is named."""

import copy
import itertools
from typing import Any

import pytest

from engine.canonical_json import Number
from machines.faults import Fault
from machines.spec_parts import Requirement
from machines.specs import WarmupSpec, parse

IMAGE = {"image": "busybox", "command": ["true"]}
PRELOAD = {"images": [IMAGE]}
NAMES = {"nodes": {"names": ["a"]}}
LABELS = {"matchLabels": {"pool": "a"}}


def raw(**changes: Any) -> dict[str, Any]:
    """A spec that works, with these fields changed; None takes one out."""
    spec = {"targets": [NAMES], "imagePreload": PRELOAD, **changes}
    return {name: value for name, value in spec.items() if value is not None}


def spec_of(**changes: Any) -> WarmupSpec:
    """The spec that was read."""
    parsed = parse(raw(**changes))
    assert parsed.spec is not None, parsed.faults
    return parsed.spec


def faults_of(**changes: Any) -> list[str]:
    """The fields that are named as faulty."""
    parsed = parse(raw(**changes))
    assert parsed.spec is None
    return [fault.field for fault in parsed.faults]


def selector(**fields: Any) -> list[dict[str, Any]]:
    """Targets that are one selector."""
    return [{"nodeSelector": fields}]


def term(key: Any = "gpu", operator: Any = "Exists", values: Any = None) -> list[dict[str, Any]]:
    """Targets that are one requirement of a selector."""
    expression = {"key": key, "operator": operator}
    return selector(
        matchExpressions=[expression if values is None else {**expression, "values": values}]
    )


def test_defaults_are_effective_only() -> None:
    """What is left out acts as the published defaults; reading it changes nothing [W13]"""
    given = raw(mode="", custom={}, policies={})
    before = copy.deepcopy(given)
    spec = parse(given).spec
    assert spec is not None
    figures = (spec.parallelism, spec.timeout_seconds, spec.retry_limit, spec.ttl_seconds)
    assert figures == (8, 1800, 2, 3600)
    assert spec.images[0].pull_policy == "IfNotPresent"
    assert given == before


def test_no_retries_at_all() -> None:
    """A retry limit of 0 is a wish like any other [W20]"""
    assert spec_of(policies={"retryLimit": 0}).retry_limit == 0


def test_caps_are_told() -> None:
    """A policy that is capped when used says so, and is no fault [W74]"""
    spec = spec_of(policies={"retryLimit": 21, "jobTimeoutSeconds": 2592001})
    assert (spec.retry_limit, spec.timeout_seconds) == (20, 2592000)
    assert spec.capped == (
        "jobTimeoutSeconds 2592001 is used as 2592000",
        "retryLimit 21 is used as 20",
    )


def test_parallelism_has_no_upper_bound() -> None:
    """More Jobs at a time than there can be targets just means all of them."""
    assert spec_of(policies={"parallelism": 10**6}).parallelism == 10**6


def test_labels_become_requirements() -> None:
    """Labels and expressions of a selector are one list of terms, all of which must hold."""
    targets = selector(
        matchLabels={"b": "2", "a": "1"},
        matchExpressions=[{"key": "c", "operator": "NotIn", "values": ["x", "y"]}],
    )
    assert spec_of(targets=targets).targets[0].requirements == (
        Requirement("a", "In", ("1",)),
        Requirement("b", "In", ("2",)),
        Requirement("c", "NotIn", ("x", "y")),
    )


@pytest.mark.parametrize("mode", ["", "Once", None])
def test_modes(mode: str | None) -> None:
    """Once is the one mode, whether it is said or not."""
    assert parse({**raw(), "mode": mode}).spec is not None


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"mode": "Continuous"}, "spec.mode"),
        ({"targets": None}, "spec.targets"),
        ({"targets": []}, "spec.targets"),
        ({"targets": "all"}, "spec.targets"),
        ({"targets": [{}]}, "spec.targets[0]"),
        ({"targets": [NAMES, {**NAMES, "nodeSelector": LABELS}]}, "spec.targets[1]"),
        ({"targets": [{"nodes": {}}]}, "spec.targets[0].nodes.names"),
        ({"targets": [{"nodes": {"names": ["a", ""]}}]}, "spec.targets[0].nodes.names[1]"),
        ({"targets": [{"nodes": {"names": ["a b"]}}]}, "spec.targets[0].nodes.names[0]"),
        ({"targets": [{"nodes": {"names": ["a/b"]}}]}, "spec.targets[0].nodes.names[0]"),
        ({"targets": [{"nodes": {"names": ["é"]}}]}, "spec.targets[0].nodes.names[0]"),
        ({"targets": [{"nodes": {"names": ["a" * 254]}}]}, "spec.targets[0].nodes.names[0]"),
        ({"targets": selector()}, "spec.targets[0].nodeSelector"),
        ({"targets": selector(matchLabels={"a": 1})}, "spec.targets[0].nodeSelector.matchLabels.a"),
        (
            {"targets": term(operator="Near")},
            "spec.targets[0].nodeSelector.matchExpressions[0].operator",
        ),
        (
            {"targets": term(operator="In")},
            "spec.targets[0].nodeSelector.matchExpressions[0].values",
        ),
        (
            {"targets": term(values=["x"])},
            "spec.targets[0].nodeSelector.matchExpressions[0].values",
        ),
        ({"targets": term(key="")}, "spec.targets[0].nodeSelector.matchExpressions[0].key"),
        ({"targets": ["a"]}, "spec.targets[0]"),
        ({"targets": [NAMES] * 33}, "spec.targets"),
        ({"targets": [{"nodes": {"names": ["A"]}}]}, "spec.targets[0].nodes.names[0]"),
        ({"targets": [{"nodes": {"names": [None]}}]}, "spec.targets[0].nodes.names[0]"),
        ({"targets": [{"nodes": {"names": ["a"] * 1001}}]}, "spec.targets[0].nodes.names"),
        ({"targets": [{"nodes": {"names": ["a"] * 1000}}, NAMES]}, "spec.targets"),
        (
            {"targets": selector(matchLabels={"a b": "c"})},
            "spec.targets[0].nodeSelector.matchLabels.a b",
        ),
        (
            {"targets": selector(matchLabels={"a": "b c"})},
            "spec.targets[0].nodeSelector.matchLabels.a",
        ),
        ({"targets": selector(matchLabels={"a": None})}, "spec.targets[0].nodeSelector"),
        (
            {"targets": selector(matchExpressions=["a"])},
            "spec.targets[0].nodeSelector.matchExpressions[0]",
        ),
        ({"targets": term(key="/a")}, "spec.targets[0].nodeSelector.matchExpressions[0].key"),
        (
            {"targets": term(key="p" * 254 + "/a")},
            "spec.targets[0].nodeSelector.matchExpressions[0].key",
        ),
        (
            {"targets": term(key="a" * 64)},
            "spec.targets[0].nodeSelector.matchExpressions[0].key",
        ),
        (
            {"targets": term(operator="In", values=["a", "b" * 64])},
            "spec.targets[0].nodeSelector.matchExpressions[0].values[1]",
        ),
        ({"imagePreload": None}, "spec"),
        ({"imagePreload": "busybox"}, "spec.imagePreload"),
        ({"imagePreload": {"images": ["busybox"]}}, "spec.imagePreload.images[0]"),
        (
            {"imagePreload": {"images": [{**IMAGE, "image": f"i:{n}"} for n in range(33)]}},
            "spec.imagePreload.images",
        ),
        (
            {"imagePreload": {"images": [{**IMAGE, "command": ["x"] * 65}]}},
            "spec.imagePreload.images[0].command",
        ),
        (
            {"imagePreload": {"images": [{**IMAGE, "args": ["x"] * 65}]}},
            "spec.imagePreload.images[0].args",
        ),
        (
            {"imagePreload": {"images": [{**IMAGE, "command": "true"}]}},
            "spec.imagePreload.images[0].command",
        ),
        (
            {"imagePreload": {"images": [{**IMAGE, "image": "busybox\u2003"}]}},
            "spec.imagePreload.images[0].image",
        ),
        (
            {"imagePreload": {**PRELOAD, "pullSecrets": [{"name": "a_b"}]}},
            "spec.imagePreload.pullSecrets[0].name",
        ),
        (
            {"imagePreload": {**PRELOAD, "pullSecrets": [{"name": "a"}] * 33}},
            "spec.imagePreload.pullSecrets",
        ),
        ({"imagePreload": {"images": []}}, "spec"),
        (
            {"imagePreload": None, "custom": {"initContainers": [{"name": "i", "image": "x"}]}},
            "spec",
        ),
        (
            {"imagePreload": {"images": [{**IMAGE, "image": " "}]}},
            "spec.imagePreload.images[0].image",
        ),
        ({"imagePreload": {"images": [IMAGE, IMAGE]}}, "spec.imagePreload.images[1].image"),
        ({"imagePreload": {"images": [{"image": "x"}]}}, "spec.imagePreload.images[0].command"),
        (
            {"imagePreload": {"images": [{**IMAGE, "imagePullPolicy": "Often"}]}},
            "spec.imagePreload.images[0].imagePullPolicy",
        ),
        (
            {"imagePreload": {**PRELOAD, "pullSecrets": [{"name": ""}]}},
            "spec.imagePreload.pullSecrets[0].name",
        ),
        ({"custom": ["c"]}, "spec.custom"),
        ({"policies": {"parallelism": 0}}, "spec.policies.parallelism"),
        ({"policies": {"parallelism": 2**31}}, "spec.policies.parallelism"),
        ({"policies": {"parallelism": 1.5}}, "spec.policies.parallelism"),
        ({"policies": {"retryLimit": -1}}, "spec.policies.retryLimit"),
        ({"policies": {"retryLimit": 2**31}}, "spec.policies.retryLimit"),
        ({"policies": {"jobTimeoutSeconds": 2**63}}, "spec.policies.jobTimeoutSeconds"),
        ({"policies": {"ttlSecondsAfterFinished": 0}}, "spec.policies.ttlSecondsAfterFinished"),
        ({"policies": {"ttlSecondsAfterFinished": 2**31}}, "spec.policies.ttlSecondsAfterFinished"),
        ({"policies": {"jobTimeoutSeconds": "5"}}, "spec.policies.jobTimeoutSeconds"),
        ({"policies": {"ttlSecondsAfterFinished": True}}, "spec.policies.ttlSecondsAfterFinished"),
    ],
)
def test_a_fault_names_its_field(changes: dict[str, Any], field: str) -> None:
    """What cannot work is refused by the path of its field [W29] [W31] [W94]"""
    assert faults_of(**changes) == [field]


def test_no_command_is_made_up() -> None:
    """An image without a command is refused: every default hangs, or needs a shell [W35]"""
    bare = {key: value for key, value in IMAGE.items() if key != "command"}
    for image in (bare, {**bare, "command": None}, {**bare, "command": []}):
        field = "spec.imagePreload.images[0].command"
        assert faults_of(imagePreload={"images": [image]}) == [field]


def test_every_fault_at_once() -> None:
    """All that is wrong is told together, each field once, in the order of the fields [W65]"""
    images = [{"image": 5, "command": [1]}, {"image": ""}]
    found = faults_of(
        mode="Twice", targets=[{}], imagePreload={"images": images}, policies={"retryLimit": -1}
    )
    assert found == [
        "spec.mode",
        "spec.targets[0]",
        "spec.imagePreload.images[0].image",
        "spec.imagePreload.images[0].command[0]",
        "spec.imagePreload.images[1].image",
        "spec.imagePreload.images[1].command",
        "spec.policies.retryLimit",
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"targets": [NAMES] * 32},
        {"targets": [{"nodes": {"names": ["a"] * 500}}] * 2},
        {"targets": selector(matchLabels={"p" * 253 + "/" + "n" * 63: "v" * 63, "b": ""})},
        {"targets": [{"nodes": {"names": ["node.a-1", "1"]}, "nodeSelector": None}]},
        {"targets": selector(matchLabels={"a": "b", "c": None})},
        {"imagePreload": {"images": [{**IMAGE, "command": ["x"] * 64, "args": [""] * 64}]}},
        {"imagePreload": {"images": [{**IMAGE, "args": None, "imagePullPolicy": None}]}},
        {"imagePreload": {**PRELOAD, "pullSecrets": [{"name": "registry.auth"}] * 32}},
        {"policies": {"parallelism": 2**31 - 1, "jobTimeoutSeconds": 2**63 - 1}},
        {"policies": {"ttlSecondsAfterFinished": 2**31 - 1, "retryLimit": None}},
    ],
)
def test_bounds_are_no_tighter(changes: dict[str, Any]) -> None:
    """What lies just within a bound is taken; null counts as left out."""
    assert parse(raw(**changes)).faults == ()


@pytest.mark.parametrize("number", [5.0, Number("5.0"), Number("5e0")])
def test_a_whole_number_may_be_written_with_a_point(number: Any) -> None:
    """The API server takes 5.0 for 5, and so does the controller."""
    assert spec_of(policies={"parallelism": number}).parallelism == 5


def test_what_could_not_be_read_is_the_one_fault() -> None:
    """Images that are no list leave open whether there is something to run: that is not told."""
    assert faults_of(imagePreload={"images": {}}) == ["spec.imagePreload.images"]
    assert faults_of(imagePreload=None, custom={"containers": "c"}) == ["spec.custom.containers"]


def test_a_fault_in_one_line() -> None:
    """A fault is told as the field's path and what is wrong with it."""
    assert str(Fault("spec.mode", 'must be "Once"')) == 'spec.mode: must be "Once"'


def poisoned(value: Any, poison: Any) -> list[Any]:
    """Give copies of a JSON value, each with the poison in another place."""
    found = [poison]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += [{**value, key: bad} for bad in poisoned(inner, poison)]
        found.append({**value, "extra": poison})
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += [[*value[:index], bad, *value[index + 1 :]] for bad in poisoned(inner, poison)]
    return found


WHOLE = {
    "mode": "Once",
    "targets": [
        {"nodes": {"names": ["a"]}},
        {
            "nodeSelector": {
                "matchLabels": {"k": "v"},
                "matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}],
            }
        },
    ],
    "imagePreload": {
        "images": [{**IMAGE, "args": ["x"], "imagePullPolicy": "Always"}],
        "pullSecrets": [{"name": "s"}],
    },
    "custom": {
        "initContainers": [{"name": "i", "image": "x", "command": ["true"], "tty": False}],
        "containers": [
            {"name": "c", "image": "x", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
        ],
        "volumes": [{"name": "v", "emptyDir": {}}],
        "imagePullSecrets": [{"name": "s"}],
    },
    "policies": {"parallelism": 1, "retryLimit": 0},
}
POISONS: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    10**30,
    "",
    "x",
    [],
    {},
    [[]],
    [{}],
    {"a": []},
    ["\ud800"],
)


def test_no_type_is_too_wrong() -> None:
    """A value of any type in any place is a fault or is taken, and never raises."""
    for poison, spec in itertools.product(POISONS, [WHOLE]):
        for bad in poisoned(spec, poison):
            parsed = parse(bad)
            assert (parsed.spec is None) == bool(parsed.faults)
