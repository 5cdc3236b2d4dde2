"""The schema of ModelReplica against tables from Modelplane's public API."""

import re
from typing import Any

import pytest

from adapters.kubernetes.crd_checking import missing_paths
from adapters.kubernetes.rules import lasting_rules
from adapters.kubernetes.schemas import MODELCACHE, MODELREPLICA
from machines.replicas.specs import parse_replica
from machines.replicas.statuses import REPLICA_STATUS_PATHS
from tests.crds.bad_replicas import BAD_REPLICAS
from tests.crds.replicas import (
    ALLOWED_REPLICA_CHANGES,
    FORBIDDEN_REPLICA_CHANGES,
    GOOD_REPLICAS,
)
from tests.crds.test_cache_schemas import OPEN, required, rules
from tests.crds.test_schemas import Schema, bounds, fields, walk

_PLAIN = {"string", "integer", "boolean"}


def root(definition: Schema) -> Schema:
    """The schemas of spec and status of a kind."""
    version: Schema = definition["spec"]["versions"][0]
    properties: Schema = version["schema"]["openAPIV3Schema"]["properties"]
    return properties


REPLICA = root(MODELREPLICA)

_MEMBER = "engines[].members[]"
_REQUEST = f"{_MEMBER}.deviceRequests[]"
_METADATA = f"{_MEMBER}.template.metadata"
_CONTAINER = f"{_MEMBER}.template.spec.containers[]"
_SOURCE = f"{_CONTAINER}.env[].valueFrom"

# Path in spec -> least and most, where there are any. Some names, of which the public API says
# only that they are not empty, are as long as they can be on a cluster.
BOUNDS: dict[str, tuple[int | None, int | None]] = {
    "clusterName": (1, None),
    "modelCacheRef.name": (1, None),
    "engines": (1, 8),
    "engines[].name": (1, 63),
    "engines[].copies": (1, 64),
    "engines[].members": (1, 2),
    f"{_MEMBER}.nodePoolName": (1, 63),
    f"{_MEMBER}.deviceRequests": (1, 16),
    f"{_REQUEST}.name": (1, 63),
    f"{_REQUEST}.deviceClassName": (1, 253),
    f"{_REQUEST}.count": (1, 64),
    f"{_REQUEST}.selectors": (None, 8),
    f"{_REQUEST}.selectors[]": (1, None),
    f"{_REQUEST}.selectors[].cel": (1, 10240),
    f"{_MEMBER}.worker.nodes": (1, 63),
    f"{_METADATA}.labels": (None, 32),
    f"{_METADATA}.labels{{}}": (None, 63),
    f"{_METADATA}.annotations": (None, 32),
    f"{_METADATA}.annotations{{}}": (None, 8192),
    f"{_MEMBER}.template.spec.containers": (1, 1),
    f"{_MEMBER}.template.spec.imagePullSecrets[].name": (1, None),
    f"{_CONTAINER}.image": (1, None),
    f"{_CONTAINER}.env[].name": (1, 1024),
    _SOURCE: (1, 1),
    f"{_SOURCE}.secretKeyRef.name": (1, None),
    f"{_SOURCE}.secretKeyRef.key": (1, None),
    f"{_SOURCE}.configMapKeyRef.name": (1, None),
    f"{_SOURCE}.configMapKeyRef.key": (1, None),
    f"{_SOURCE}.fieldRef.fieldPath": (1, None),
}
# Object in spec -> its fields, the required ones with an exclamation mark.
FIELDS = {
    "": "clusterName! modelCacheRef serving engines!",
    "modelCacheRef": "name!",
    "serving": "mode",
    "engines[]": "name! copies phase members!",
    _MEMBER: "role nodePoolName! deviceRequests worker template!",
    _REQUEST: "name! deviceClassName! count selectors",
    f"{_REQUEST}.selectors[]": "cel",
    f"{_MEMBER}.worker": "nodes!",
    f"{_MEMBER}.template": "metadata spec",
    _METADATA: "labels annotations",
    f"{_MEMBER}.template.spec": "containers! imagePullSecrets",
    f"{_MEMBER}.template.spec.imagePullSecrets[]": "name!",
    _CONTAINER: "name! image! command args env",
    f"{_CONTAINER}.env[]": "name! value valueFrom",
    _SOURCE: "secretKeyRef configMapKeyRef fieldRef",
    f"{_SOURCE}.secretKeyRef": "name! key! optional",
    f"{_SOURCE}.configMapKeyRef": "name! key! optional",
    f"{_SOURCE}.fieldRef": "fieldPath! apiVersion",
}
ENUMS = {
    "serving.mode": ["Unified", "PrefillDecode"],
    "engines[].phase": ["Prefill", "Decode"],
    f"{_MEMBER}.role": ["Standalone", "Leader", "Worker"],
    f"{_CONTAINER}.name": ["engine"],
}
DEFAULTS: dict[str, Any] = {
    "serving.mode": "Unified",
    "engines[].copies": 1,
    f"{_MEMBER}.role": "Standalone",
    f"{_REQUEST}.count": 1,
}
STATUS_FIELDS = {
    "": "observedGeneration composed mount workloads conditions warmlog",
    "mount": "volumes volumeMounts env",
    "mount.volumes[]": "name persistentVolumeClaim",
    "mount.volumes[].persistentVolumeClaim": "claimName readOnly",
    "mount.volumeMounts[]": "name mountPath subPath readOnly",
    "mount.env[]": "name value",
    "workloads[]": "engine kind name namespace available message",
    "conditions[]": "type status observedGeneration lastTransitionTime reason message",
    "warmlog": "uid log position",
}
# Where a rule stands -> the fields that rules there are about, each with how many.
RULES = {
    "": {".engines": 2},
    "clusterName": {"": 1},
    "engines[]": {".members": 6},
}


def test_the_spec_has_the_public_fields() -> None:
    """Not one field more or fewer, and those are required without which there is no engine."""
    spec = REPLICA["spec"]
    found = {path: set(each["properties"]) for path, each in walk(spec) if "properties" in each}
    names = {path: text.replace("!", "").split() for path, text in FIELDS.items()}
    assert found == {path: set(each) for path, each in names.items()}
    wanted = {path: re.findall(r"(\w+)!", text) for path, text in FIELDS.items()}
    assert required(spec) == {path: each for path, each in wanted.items() if each}
    assert [path for path, each in walk(spec) if OPEN in each] == []


def test_the_spec_has_the_public_bounds() -> None:
    """Nothing is bounded otherwise, nor has other words to choose from or other defaults."""
    found = {path: bounds(each) for path, each in walk(REPLICA["spec"])}
    assert {path: each for path, each in found.items() if each != (None, None)} == BOUNDS
    for key, expected in (("enum", ENUMS), ("default", DEFAULTS)):
        told = {path: each[key] for path, each in walk(REPLICA["spec"]) if key in each}
        assert told == expected
    assert [path for path, each in walk(REPLICA["status"]) if "default" in each] == []


def test_lists_are_written_whole_but_those_with_names() -> None:
    """Engines and requests for devices are told apart by name, as in the public API."""
    merged = {
        path: each["x-kubernetes-list-map-keys"]
        for part in ("spec", "status")
        for path, each in walk(REPLICA[part])
        if each.get("type") == "array" and each["x-kubernetes-list-type"] == "map"
    }
    assert merged == {
        "engines": ["name"],
        f"{_MEMBER}.deviceRequests": ["name"],
        "conditions": ["type"],
    }


def test_the_status_has_the_published_fields() -> None:
    """Each object has exactly these fields, and the mount is what a cache publishes."""
    status = REPLICA["status"]
    found = {path: set(each["properties"]) for path, each in walk(status) if "properties" in each}
    assert found == {path: set(names.split()) for path, names in STATUS_FIELDS.items()}
    entry = dict(walk(root(MODELCACHE)["status"]))["clusters[].mount"]
    assert status["properties"]["mount"]["properties"] == entry["properties"]


def test_the_status_keeps_all_that_is_projected() -> None:
    """No field that the projection says it writes is dropped; a mount may have more than ours."""
    assert missing_paths(MODELREPLICA, "v1alpha1", REPLICA_STATUS_PATHS) == ()
    leaves = {path for path, each in walk(REPLICA["status"]) if each["type"] in _PLAIN}
    mounts = {"readOnly", "subPath"}
    assert leaves - set(REPLICA_STATUS_PATHS) == {
        path for path in leaves if path.rpartition(".")[2] in mounts
    }


def test_rules_let_be_what_was_stored() -> None:
    """No rule but immutability is asked of what broke it before, or it would be frozen.

    A server can tell what a value was before only where it has a name: engines have one, members
    and all in them have none.
    """
    found: dict[str, dict[str, int]] = {}
    for path, rule in rules(REPLICA["spec"]):
        assert path in RULES
        if rule.get("optionalOldSelf"):
            assert rule["rule"].startswith("oldSelf.hasValue() || (")
        else:
            whole, _, before = rule["rule"].partition(" || !(")
            assert rule["rule"] == "self == oldSelf" or before
            assert "oldSelf" not in whole or path == "clusterName"
            place = rule.get("fieldPath", "")
            found.setdefault(path, {}).setdefault(place, 0)
            found[path][place] += 1
    assert found == RULES
    assert list(rules(REPLICA["status"])) == []


def test_a_lasting_rule_is_asked_of_new_and_of_changed_objects() -> None:
    """The same is asked at creation, and later unless it was broken before."""
    first, later = lasting_rules("has(self.a) && self.b.myself > 0", "must", "X", field=".a")
    assert first["rule"] == "oldSelf.hasValue() || (has(self.a) && self.b.myself > 0)"
    assert first["optionalOldSelf"] is True
    assert later == {
        "rule": "(has(self.a) && self.b.myself > 0) || !(has(oldSelf.a) && oldSelf.b.myself > 0)",
        "message": "must",
        "fieldPath": ".a",
        "reason": "X",
    }


@pytest.mark.parametrize("part", ["spec", "status"])
def test_every_field_is_described(part: str) -> None:
    """`kubectl explain` has a sentence for each field."""
    assert [path for path, each in fields(REPLICA[part]) if not each.get("description")] == []
    assert REPLICA[part]["description"]


def test_names_and_columns() -> None:
    """The names by which clients find the kind, and columns whose paths lead somewhere."""
    spec = MODELREPLICA["spec"]
    assert MODELREPLICA["metadata"]["name"] == "modelreplicas.modelplane.ai"
    assert (spec["scope"], spec["names"]["shortNames"]) == ("Namespaced", ["mr"])
    assert spec["names"]["categories"] == ["crossplane", "modelplane"]
    assert spec["versions"][0]["subresources"] == {"status": {}}
    columns = spec["versions"][0]["additionalPrinterColumns"]
    assert [each["name"] for each in columns] == ["Cluster", "Ready", "Reason", "Age", "Message"]
    paths = {f".{part}.{path}" for part in ("spec", "status") for path, _ in walk(REPLICA[part])}
    for each in columns:
        if each["name"] != "Age":
            assert re.sub(r"\[\?\(.*\)\]", "[]", each["jsonPath"]) in paths
    assert [each["name"] for each in columns if each.get("priority")] == ["Message"]


@pytest.mark.parametrize("case", GOOD_REPLICAS)
def test_the_controller_can_carry_out_what_is_good(case: str) -> None:
    """It finds no fault in what admission has to let in."""
    assert parse_replica(GOOD_REPLICAS[case]).faults == ()


@pytest.mark.parametrize("case", BAD_REPLICAS)
def test_the_controller_finds_what_is_bad(case: str) -> None:
    """Without the rules on the server the field is named all the same."""
    bad = BAD_REPLICAS[case]
    assert bad.field in [fault.field for fault in parse_replica(bad.spec).faults]


@pytest.mark.parametrize("case", [*FORBIDDEN_REPLICA_CHANGES, *ALLOWED_REPLICA_CHANGES])
def test_changes_begin_with_what_is_good(case: str) -> None:
    """Otherwise a change would be refused, or taken, for another reason than the one tried."""
    if case in ALLOWED_REPLICA_CHANGES:
        before, after = ALLOWED_REPLICA_CHANGES[case]
        assert parse_replica(after).faults == ()
    else:
        before = FORBIDDEN_REPLICA_CHANGES[case][0]
    assert parse_replica(before).faults == ()
