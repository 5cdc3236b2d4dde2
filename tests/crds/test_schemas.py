"""The ModelWarmup schema against tables written by hand from AIBrix's public API."""

from collections.abc import Iterator
from typing import Any

import pytest

from adapters.kubernetes.schemas import MODELWARMUP
from machines.fragments import CONTAINER_FIELDS
from machines.phases import PUBLISHED_TARGET_PHASES, PUBLISHED_WARMUP_PHASES
from machines.statuses import STATUS_PATHS

Schema = dict[str, Any]

VERSION: Schema = MODELWARMUP["spec"]["versions"][0]
ROOT: Schema = VERSION["schema"]["openAPIV3Schema"]["properties"]

# Path in spec -> least and most: items of a list, characters of a string, or a number.
# None is "no bound". Custom containers and volumes have a table of their own.
SPEC_BOUNDS: dict[str, tuple[int | None, int | None]] = {
    "": (None, None),
    "mode": (None, None),
    "targets": (1, 32),
    "targets[]": (None, None),
    "targets[].nodes": (None, None),
    "targets[].nodes.names": (1, 1000),
    "targets[].nodes.names[]": (None, 253),
    "targets[].nodeSelector": (None, None),
    "targets[].nodeSelector.matchLabels": (None, None),
    "targets[].nodeSelector.matchLabels{}": (None, 63),
    "targets[].nodeSelector.matchExpressions": (None, None),
    "targets[].nodeSelector.matchExpressions[]": (None, None),
    "targets[].nodeSelector.matchExpressions[].key": (None, 317),
    "targets[].nodeSelector.matchExpressions[].operator": (None, None),
    "targets[].nodeSelector.matchExpressions[].values": (None, None),
    "targets[].nodeSelector.matchExpressions[].values[]": (None, 63),
    "imagePreload": (None, None),
    "imagePreload.images": (None, 32),
    "imagePreload.images[]": (None, None),
    "imagePreload.images[].image": (None, None),
    "imagePreload.images[].command": (1, 64),
    "imagePreload.images[].command[]": (None, None),
    "imagePreload.images[].args": (None, 64),
    "imagePreload.images[].args[]": (None, None),
    "imagePreload.images[].imagePullPolicy": (None, None),
    "imagePreload.pullSecrets": (None, 32),
    "imagePreload.pullSecrets[]": (None, None),
    "imagePreload.pullSecrets[].name": (None, 253),
    "custom": (None, None),
    "custom.initContainers": (None, 32),
    "custom.containers": (None, 32),
    "custom.volumes": (None, 32),
    "custom.imagePullSecrets": (None, 32),
    "custom.imagePullSecrets[]": (None, None),
    "custom.imagePullSecrets[].name": (None, 253),
    "policies": (None, None),
    "policies.parallelism": (1, None),
    "policies.jobTimeoutSeconds": (1, None),
    "policies.retryLimit": (0, None),
    "policies.ttlSecondsAfterFinished": (1, None),
}
# A container's name is a DNS label, a volume has a name and exactly one source; nothing else.
FRAGMENT_BOUNDS = {"[].name": (None, 63), "[]": (None, None)}
VOLUME_BOUNDS = {"[].name": (None, 63), "[]": (2, 2)}

STATUS_FIELDS = {
    "": "phase observedGeneration observedRevision desiredNodes activeNodes succeededNodes "
    "failedNodes skippedNodes omittedTargetDetails startTime completionTime targets conditions "
    "warmlog",
    "targets[]": "nodeName source sourceCount revision jobName phase reason message "
    "lastTransitionTime",
    "conditions[]": "type status observedGeneration lastTransitionTime reason message",
    "warmlog": "uid log position",
}


def walk(schema: Schema, path: str = "") -> Iterator[tuple[str, Schema]]:
    """Every schema below one, each with its path."""
    yield path, schema
    for name, child in schema.get("properties", {}).items():
        yield from walk(child, f"{path}.{name}" if path else name)
    if "items" in schema:
        yield from walk(schema["items"], f"{path}[]")
    if "additionalProperties" in schema:
        yield from walk(schema["additionalProperties"], path + "{}")


def bounds(schema: Schema) -> tuple[int | None, int | None]:
    """The least and the most that a schema allows, whatever it counts."""
    least = [schema[key] for key in schema if key.startswith("min")]
    most = [schema[key] for key in schema if key.startswith("max")]
    assert max(len(least), len(most)) <= 1
    return (least or [None])[0], (most or [None])[0]


def is_fragment(path: str) -> bool:
    """Whether a path lies in a container or a volume, or is one."""
    return path.startswith(("custom.initContainers[", "custom.containers[", "custom.volumes["))


def fields(schema: Schema) -> list[tuple[str, Schema]]:
    """Every field of spec and status, with its path."""
    return [(path, each) for path, each in walk(schema) if path and not path.endswith(("]", "}"))]


def test_spec_has_the_public_fields_and_bounds() -> None:
    """Not one field more or fewer, and no list, text or number is bounded otherwise [W30]"""
    found = {path: bounds(each) for path, each in walk(ROOT["spec"]) if not is_fragment(path)}
    assert found == SPEC_BOUNDS


@pytest.mark.parametrize("kind", ["initContainers", "containers", "volumes"])
def test_custom_fragments_have_no_further_bounds(kind: str) -> None:
    """Of a container or volume only the name is bounded, and a volume's count of sources."""
    fragment = ROOT["spec"]["properties"]["custom"]["properties"][kind]["items"]
    found = {path: bounds(each) for path, each in walk(fragment, "[]")}
    expected = VOLUME_BOUNDS if kind == "volumes" else FRAGMENT_BOUNDS
    assert {path: each for path, each in found.items() if each != (None, None)} == {
        path: each for path, each in expected.items() if each != (None, None)
    }
    assert fragment["x-kubernetes-preserve-unknown-fields"] is True


def test_rules_look_at_new_objects_only() -> None:
    """No rule but immutability is asked of what is stored, or it would keep its status away.

    A server can tell what a value was before only where it has a name: below an entry of a list,
    each write would be the first one [W60] [W95]
    """
    rules = [
        (path, rule)
        for path, each in walk(ROOT["spec"])
        for rule in each.get("x-kubernetes-validations", [])
    ]
    again = [rule for path, rule in rules if not rule["rule"].startswith("oldSelf.hasValue() || (")]
    assert [rule["rule"] for rule in again] == ["self == oldSelf"]
    assert [rule for _, rule in rules if not rule.get("optionalOldSelf")] == again
    assert [path for path, _ in rules if "[]" in path] == []
    assert len(rules) > 10


@pytest.mark.parametrize("kind", ["initContainers", "containers"])
def test_fields_of_containers_are_named(kind: str) -> None:
    """A field that Kubernetes has today is compared whole when the spec must not change [W61]"""
    fragment = ROOT["spec"]["properties"]["custom"]["properties"][kind]["items"]["properties"]
    checked = {"name", "image", "imagePullPolicy", "restartPolicy"}
    assert fragment.keys() == CONTAINER_FIELDS.keys() | checked
    within = [path for path, _ in walk(fragment["env"]["items"]) if path]
    assert within == []


@pytest.mark.parametrize("name", ["spec", "status"])
def test_nothing_is_ever_filled_in(name: str) -> None:
    """No schema has a default, so a stored object is what its author wrote [W13]"""
    assert [path for path, each in walk(ROOT[name]) if "default" in each] == []


@pytest.mark.parametrize("name", ["spec", "status"])
def test_every_field_is_described(name: str) -> None:
    """`kubectl explain` has a sentence for each field."""
    assert [path for path, each in fields(ROOT[name]) if not each.get("description")] == []


@pytest.mark.parametrize("name", ["spec", "status"])
def test_lists_are_atomic_but_conditions(name: str) -> None:
    """A list is replaced whole by whoever applies it; only conditions are merged, by type."""
    kinds = {
        path: each.get("x-kubernetes-list-type")
        for path, each in walk(ROOT[name])
        if each.get("type") == "array"
    }
    merged = {path: kind for path, kind in kinds.items() if kind != "atomic"}
    assert merged == ({"conditions": "map"} if name == "status" else {})


def test_status_has_the_published_fields() -> None:
    """Each object of the status has exactly the fields that the projection writes."""
    found = {
        path: set(each["properties"]) for path, each in walk(ROOT["status"]) if "properties" in each
    }
    assert found == {path: set(names.split()) for path, names in STATUS_FIELDS.items()}


def test_status_keeps_all_that_is_projected() -> None:
    """The fields of the schema are those that the projection says it writes, to the last one."""
    objects = {path for path, each in walk(ROOT["status"]) if each["type"] in {"object", "array"}}
    found = {path for path, _ in walk(ROOT["status"])} - objects
    assert found == set(STATUS_PATHS)


def test_phases_are_the_machines_words() -> None:
    """The enums hold each word that a machine publishes and no other."""
    status = dict(walk(ROOT["status"]))
    assert status["phase"]["enum"] == list(PUBLISHED_WARMUP_PHASES)
    assert set(PUBLISHED_WARMUP_PHASES) == {
        "Pending", "Running", "Succeeded", "Degraded", "Failed",
    }  # fmt: skip
    assert status["targets[].phase"]["enum"] == list(PUBLISHED_TARGET_PHASES)
    assert set(PUBLISHED_TARGET_PHASES) == {"Pending", "Running", "Succeeded", "Failed"}


def test_texts_of_targets_are_bounded() -> None:
    """256 details with the longest texts stay far below what an object may weigh."""
    status = dict(walk(ROOT["status"]))
    assert status["targets"]["maxItems"] == 256
    assert status["targets[].reason"]["maxLength"] == 1024
    assert status["targets[].message"]["maxLength"] == 1024


def test_names_and_columns() -> None:
    """The names by which clients find the kind, and the columns that they print."""
    names = MODELWARMUP["spec"]["names"]
    assert MODELWARMUP["metadata"]["name"] == "modelwarmups.model.aibrix.ai"
    assert (names["plural"], names["shortNames"]) == ("modelwarmups", ["mw"])
    assert VERSION["name"] == "v1alpha1"
    assert VERSION["subresources"] == {"status": {}}
    columns = [column["name"] for column in VERSION["additionalPrinterColumns"]]
    assert columns == ["Phase", "Desired", "Active", "Succeeded", "Failed", "Message", "Age"]
