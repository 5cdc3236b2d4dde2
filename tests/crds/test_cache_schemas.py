"""The schemas of ModelCache and InferenceCluster against tables from Modelplane's public API."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from adapters.kubernetes.schemas import INFERENCECLUSTER, MODELCACHE
from machines.caches.cluster_specs import BLOCK_BY_SOURCE
from machines.caches.entries import PUBLISHED_ENTRY_PHASES
from machines.caches.specs import REPO, REVISION
from tests.crds.test_schemas import Schema, bounds, fields, walk

KINDS = {"ModelCache": MODELCACHE, "InferenceCluster": INFERENCECLUSTER}
OPEN = "x-kubernetes-preserve-unknown-fields"


def root(kind: str) -> Schema:
    """The schemas of spec and status of a kind."""
    version: Schema = KINDS[kind]["spec"]["versions"][0]
    properties: Schema = version["schema"]["openAPIV3Schema"]["properties"]
    return properties


CACHE, CLUSTER = root("ModelCache"), root("InferenceCluster")

# Path in spec -> least and most. Longest names are those that can be, which no user can miss.
CACHE_BOUNDS: dict[str, tuple[int | None, int | None]] = {
    "": (None, None),
    "source": (None, None),
    "huggingFace": (None, None),
    "huggingFace.repo": (1, 193),
    "huggingFace.revision": (None, 255),
    "huggingFace.authSecret": (None, None),
    "huggingFace.authSecret.name": (1, 253),
    "huggingFace.authSecret.key": (None, 253),
    "huggingFace.sizeGiB": (1, 100000),
    "clusterSelector": (None, None),
    "clusterSelector.matchLabels": (None, None),
    "clusterSelector.matchLabels{}": (None, 63),
}
CACHE_REQUIRED = {
    "": ["source"],
    "huggingFace": ["repo", "sizeGiB"],
    "huggingFace.authSecret": ["name"],
}
CACHE_STATUS_FIELDS = {
    "": "observedGeneration summary clusters conditions warmlog",
    "summary": "ready",
    "clusters[]": "name phase message mount retained",
    "clusters[].mount": "volumes volumeMounts env",
    "clusters[].mount.volumes[]": "name persistentVolumeClaim",
    "clusters[].mount.volumes[].persistentVolumeClaim": "claimName readOnly",
    "clusters[].mount.volumeMounts[]": "name mountPath subPath readOnly",
    "clusters[].mount.env[]": "name value",
    "conditions[]": "type status observedGeneration lastTransitionTime reason message",
    "warmlog": "uid log position",
}
CLUSTER_REQUIRED = {
    "": ["cluster"],
    "cluster": ["source"],
    "cluster.existing": ["secretRef"],
    "cluster.existing.secretRef": ["name"],
    "nodePools[]": ["name"],
}


def required(schema: Schema) -> dict[str, list[str]]:
    """The fields that have to be there, by the object that they are in."""
    return {path: each["required"] for path, each in walk(schema) if "required" in each}


def rules(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Every rule, with the path at which it stands."""
    for path, each in walk(schema):
        for rule in each.get("x-kubernetes-validations", []):
            yield path, rule


def test_a_caches_spec_has_the_public_fields_and_bounds() -> None:
    """Not one field more or fewer, and nothing is bounded otherwise."""
    assert {path: bounds(each) for path, each in walk(CACHE["spec"])} == CACHE_BOUNDS
    assert required(CACHE["spec"]) == CACHE_REQUIRED
    assert CACHE["spec"]["properties"]["source"]["enum"] == ["HuggingFace"]


def test_defaults_are_the_public_ones() -> None:
    """What the original fills in is filled in, so that an object reads alike under both."""
    found = {
        f"{kind} {path}": each["default"]
        for kind in KINDS
        for part in ("spec", "status")
        for path, each in walk(root(kind)[part])
        if "default" in each
    }
    assert found == {
        "ModelCache huggingFace.authSecret.key": "HF_TOKEN",
        "InferenceCluster cluster.existing.secretRef.key": "kubeconfig",
        "InferenceCluster stack": "Standard",
    }


def test_a_caches_status_has_the_published_fields() -> None:
    """Each object has exactly these fields: a mount is claims and plain values, nothing else."""
    status = CACHE["status"]
    found = {path: set(each["properties"]) for path, each in walk(status) if "properties" in each}
    assert found == {path: set(names.split()) for path, names in CACHE_STATUS_FIELDS.items()}
    assert [path for path, each in walk(status) if OPEN in each] == []


def test_phases_are_the_machines_words() -> None:
    """The enum holds each word that is published for an entry, and no other."""
    phase = dict(walk(CACHE["status"]))["clusters[].phase"]
    assert phase["enum"] == list(PUBLISHED_ENTRY_PHASES)
    assert set(PUBLISHED_ENTRY_PHASES) == {"Pending", "Hydrating", "Ready", "Failed"}


def test_lists_of_a_cache_are_atomic_but_conditions() -> None:
    """Who writes an entry writes them all; only conditions are merged, by type."""
    kinds = {
        path: each.get("x-kubernetes-list-type")
        for path, each in walk(CACHE["status"])
        if each.get("type") == "array"
    }
    assert {path for path, kind in kinds.items() if kind != "atomic"} == {"conditions"}
    assert kinds["conditions"] == "map"


def test_a_cluster_asks_for_what_is_used_only() -> None:
    """Required is how to reach a cluster; the other sources' fields are the original's business."""
    assert required(CLUSTER["spec"]) == CLUSTER_REQUIRED
    sources = CLUSTER["spec"]["properties"]["cluster"]["properties"]["source"]["enum"]
    assert sources == ["GKE", "EKS", "AKS", "Nebius", "Vultr", "Existing", "InCluster"]
    assert CLUSTER["spec"]["properties"]["stack"]["enum"] == ["Standard", "Dynamo"]


def test_a_cluster_keeps_what_is_not_used() -> None:
    """No object of it loses a field, but for the reference to a Secret, which is all ours."""
    closed = [
        path
        for part in ("spec", "status")
        for path, each in walk(CLUSTER[part])
        if each.get("type") == "object" and not each.get(OPEN)
    ]
    assert closed == ["cluster.existing.secretRef"]


def test_each_source_may_name_a_class() -> None:
    """The class of claims stands at the same place for every source."""
    blocks = CLUSTER["spec"]["properties"]["cluster"]["properties"]
    assert blocks.keys() == {"source", *BLOCK_BY_SOURCE.values()}
    for block in BLOCK_BY_SOURCE.values():
        assert bounds(dict(walk(blocks[block]))["cache.storageClassName"]) == (1, 253)


def test_a_clusters_status_has_what_is_read() -> None:
    """How Modelplane reaches it, its class, its gateway, and conditions of several writers."""
    status = dict(walk(CLUSTER["status"]))
    for path in ("providerConfigRef.name", "cache.storageClassName", "gateway.address"):
        assert status[path]["type"] == "string"
    assert status["conditions"]["x-kubernetes-list-map-keys"] == ["type"]
    assert status["conditions[]"]["required"] == ["type", "status"]


# Rules that compare with what was stored, by where they stand and the field that they name.
COMPARING = {
    "ModelCache": [
        ("", ".source"),
        ("", ".huggingFace.repo"),
        ("", ".huggingFace.revision"),
        ("huggingFace.sizeGiB", ""),
    ],
    "InferenceCluster": [("stack", "")],
}


@pytest.mark.parametrize("kind", KINDS)
def test_rules_look_at_new_values_only(kind: str) -> None:
    """No rule but those about changes is asked of what is stored, or it would freeze it."""
    found = list(rules(root(kind)["spec"]))
    again = [(path, rule) for path, rule in found if not rule.get("optionalOldSelf")]
    assert [(path, rule.get("fieldPath", "")) for path, rule in again] == COMPARING[kind]
    for path, rule in found:
        assert "[]" not in path, "the server knows no earlier value there"
        assert ("oldSelf.hasValue() || (" in rule["rule"]) == rule.get("optionalOldSelf", False)
    assert list(rules(root(kind)["status"])) == []


@pytest.mark.parametrize(("field", "syntax"), [("repo", REPO), ("revision", REVISION)])
def test_patterns_are_the_controllers_own(field: str, syntax: Any) -> None:
    """The rule holds the pattern that the controller asks, unharmed by CEL's quotes [C50]"""
    [(_, rule)] = rules(CACHE["spec"]["properties"]["huggingFace"]["properties"][field])
    [pattern] = re.findall(r"matches\(r'([^']*)'\)", rule["rule"])
    assert pattern == f"^{syntax.pattern}$"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", ["spec", "status"])
def test_every_field_is_described(kind: str, part: str) -> None:
    """`kubectl explain` has a sentence for each field."""
    found = fields(root(kind)[part])
    assert [path for path, each in found if not each.get("description")] == []
    assert root(kind)[part]["description"]


def test_names_and_columns() -> None:
    """The names by which clients find the kinds, and columns whose paths lead somewhere."""
    expected: dict[str, Any] = {
        "ModelCache": ("modelcaches", "mc", "Namespaced"),
        "InferenceCluster": ("inferenceclusters", "ic", "Cluster"),
    }
    for kind, definition in KINDS.items():
        spec = definition["spec"]
        names = spec["names"]
        found = (names["plural"], names["shortNames"][0], spec["scope"])
        assert (names["kind"], found) == (kind, expected[kind])
        assert definition["metadata"]["name"] == f"{names['plural']}.modelplane.ai"
        assert names["categories"] == ["crossplane", "modelplane"]
        assert spec["versions"][0]["name"] == "v1alpha1"
        assert spec["versions"][0]["subresources"] == {"status": {}}


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        ("ModelCache", "Source Ready Age Reason Message"),
        ("InferenceCluster", "Source Gateway Reachable Age Reason Message"),
    ],
)
def test_columns_lead_to_a_field(kind: str, columns: str) -> None:
    """Each column's path is one that the schema has; what is long comes last, with -o wide."""
    found = KINDS[kind]["spec"]["versions"][0]["additionalPrinterColumns"]
    assert [each["name"] for each in found] == columns.split()
    paths = {f".{part}.{path}" for part in ("spec", "status") for path, _ in walk(root(kind)[part])}
    *shown, age, reason, message = found
    for each in (*shown, reason, message):
        assert re.sub(r"\[\?\(.*\)\]", "[]", each["jsonPath"]) in paths
    assert age["jsonPath"] == ".metadata.creationTimestamp"
    assert [each.get("priority", 0) for each in found] == [*[0] * len(shown), 0, 1, 1]
