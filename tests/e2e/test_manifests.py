"""crds/, samples/ and deploy/ as a real API server takes them."""

import asyncio
import copy
import io
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
import yaml

from adapters.kubernetes.schemas import MODELWARMUP
from machines.labels import GROUP, VERSION
from machines.phases import PUBLISHED_TARGET_PHASES, PUBLISHED_WARMUP_PHASES
from tests.crds.manifests import BAD, CHANGES, GOOD, WRONG_TYPES, spec
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, request
from tests.repository import ROOT
from tests.samples import manifests as samples

pytestmark = pytest.mark.e2e

NAME = MODELWARMUP["metadata"]["name"]
NAMESPACE = "manifests"
LAX_GROUP = "lax.warmlog.dev"
WARMUPS = f"/apis/{GROUP}/{VERSION}/namespaces/{NAMESPACE}/modelwarmups"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DRY_RUN = "?dryRun=All&fieldValidation=Strict"
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
TIME = "2026-01-02T03:04:05Z"
EVERY_LETTER = "é✓\U0001f525" * 341 + "."  # 1,024 characters of one to four bytes

TARGET: Json = {
    "nodeName": "node-a",
    "source": "target[0]",
    "sourceCount": 2,
    "revision": "ef7e2d9085ee",
    "jobName": "warm-0a1b2c3d-0a1b2c3d-ef7e2d9085ee",
    "phase": "Failed",
    "reason": "DeadlineExceeded",
    "message": EVERY_LETTER,
    "lastTransitionTime": TIME,
}
CONDITION: Json = {
    "type": "Degraded",
    "status": "True",
    "observedGeneration": 1,
    "lastTransitionTime": TIME,
    "reason": "NodeFailed",
    "message": "257 of 300 failed; first node-a: no space left on device",
}
IDLE: Json = {**CONDITION, "status": "False", "reason": "NotActive", "message": ""}

STATUS: Json = {
    "phase": "Degraded",
    "observedGeneration": 1,
    "observedRevision": "ef7e2d9085ee",
    "desiredNodes": 300,
    "activeNodes": 0,
    "succeededNodes": 43,
    "failedNodes": 257,
    "skippedNodes": 1,
    "omittedTargetDetails": 1,
    "startTime": TIME,
    "completionTime": TIME,
    "targets": [{**TARGET, "nodeName": f"node-{number}"} for number in range(256)],
    # In the order of the projection, from which kubectl's Message column takes the first True.
    "conditions": [
        {**IDLE, "type": "Complete"},
        {**IDLE, "type": "Progressing"},
        CONDITION,
        {**CONDITION, "type": "Failed", "message": "not shown"},
        {**CONDITION, "type": "Finished", "message": "not shown"},
    ],
    "warmlog": {"uid": "0a1b", "log": "c2d3", "position": 2**53 - 1},
}


def warmup(what: Json, name: str = "tried") -> Json:
    """A ModelWarmup with this spec."""
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "ModelWarmup",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": what,
    }


async def answer(
    session: aiohttp.ClientSession,
    method: str,
    path: str,
    body: Any,
    content_type: str = "application/json",
) -> tuple[int, Json]:
    """Send one request: the code and the body, refusals included."""
    headers = {"Content-Type": content_type}
    # As a stream: aiohttp warns of large bodies, and warnings are errors here.
    data = io.BytesIO(json.dumps(body).encode())
    async with session.request(method, path, data=data, headers=headers) as response:
        return response.status, await response.json()


def named_fields(refusal: Json) -> list[str]:
    """The fields that a refusal names."""
    return [cause.get("field", "") for cause in refusal.get("details", {}).get("causes", [])]


async def store_status(session: aiohttp.ClientSession, name: str, status: Json) -> tuple[int, Json]:
    """Write a whole status as the controller does: one JSON patch, guarded twice."""
    metadata = (await request(session, "GET", f"{WARMUPS}/{name}"))["metadata"]
    patch = [
        {"op": "test", "path": "/metadata/uid", "value": metadata["uid"]},
        {"op": "test", "path": "/metadata/resourceVersion", "value": metadata["resourceVersion"]},
        {"op": "add", "path": "/status", "value": status},
    ]
    return await answer(session, "PATCH", f"{WARMUPS}/{name}/status", patch, JSON_PATCH)


def is_established(crd: Json) -> bool:
    """Whether a CustomResourceDefinition is served."""
    conditions = crd["status"].get("conditions") or []
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)


def apply_crds(control_plane: ControlPlane, flag: str, source: Path, name: str = NAME) -> None:
    """Apply a CustomResourceDefinition of ModelWarmup and wait until it is served."""
    control_plane.kubectl("apply", "--server-side", flag, str(source))
    deadline = time.monotonic() + 30
    # Not `kubectl wait`: it fails on the null that conditions are at first.
    while not is_established(json.loads(control_plane.kubectl("get", "crd", name, "-o", "json"))):
        assert time.monotonic() < deadline, f"{name} is not served"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def with_crds(control_plane: ControlPlane) -> ControlPlane:
    """A control plane that serves what crds/ holds, with a namespace for these tests."""
    apply_crds(control_plane, "-k", ROOT / "crds")
    control_plane.kubectl("create", "namespace", NAMESPACE)
    return control_plane


@pytest_asyncio.fixture
async def server(
    with_crds: ControlPlane, session: aiohttp.ClientSession
) -> AsyncIterator[aiohttp.ClientSession]:
    """An admin's session with that control plane; a test's warmups are deleted at its end."""
    yield session
    await request(session, "DELETE", WARMUPS)


async def test_the_crd_is_served_as_it_is_written(server: aiohttp.ClientSession) -> None:
    """The server establishes the CRD, finds no fault in its schema, and stores all of it."""
    served = await request(server, "GET", f"{CRDS}/{NAME}")
    conditions = {each["type"]: each["status"] for each in served["status"]["conditions"]}
    assert conditions == {"NamesAccepted": "True", "Established": "True"}
    written = MODELWARMUP["spec"]["versions"][0]
    [stored] = served["spec"]["versions"]
    assert stored["schema"] == written["schema"]
    assert stored["additionalPrinterColumns"] == written["additionalPrinterColumns"]


@pytest.mark.parametrize("sample", samples.NAMES)
async def test_a_sample_is_accepted(
    control_plane: ControlPlane, server: aiohttp.ClientSession, sample: str
) -> None:
    """`kubectl apply` takes a sample, warns of nothing, and what is stored is what it says."""
    path = str(samples.path_of(sample))
    control_plane.kubectl("apply", "--warnings-as-errors", "-f", path)
    stored = json.loads(control_plane.kubectl("get", "-f", path, "-o", "json"))
    assert stored["spec"] == samples.manifest(sample)["spec"]
    control_plane.kubectl("delete", "-f", path)


@pytest.mark.parametrize("case", GOOD)
async def test_good_specs_are_stored_as_written(server: aiohttp.ClientSession, case: str) -> None:
    """A legal spec is accepted, and nothing is added to it, pruned from it or changed in it."""
    code, stored = await answer(server, "POST", WARMUPS + DRY_RUN, warmup(GOOD[case]))
    assert code == 201, stored
    assert stored["spec"] == GOOD[case]


@pytest.mark.parametrize("case", BAD)
async def test_bad_specs_are_refused(server: aiohttp.ClientSession, case: str) -> None:
    """A spec that cannot work is refused as invalid, and the refusal names the field."""
    what, field = BAD[case]
    code, said = await answer(server, "POST", WARMUPS + DRY_RUN, warmup(what))
    assert (code, said.get("reason")) == (422, "Invalid"), said
    assert field in named_fields(said), said


async def test_unknown_fields_are_pruned(server: aiohttp.ClientSession) -> None:
    """A misspelt field is refused by a strict client's request, and never stored."""
    what = spec(polices={"parallelism": 1})
    code, said = await answer(server, "POST", WARMUPS + DRY_RUN, warmup(what))
    assert code == 400
    assert "spec.polices" in said["message"]
    code, stored = await answer(server, "POST", f"{WARMUPS}?dryRun=All", warmup(what))
    assert code == 201
    assert stored["spec"] == spec()


@pytest.mark.parametrize("case", CHANGES)
async def test_a_changed_spec_is_refused(server: aiohttp.ClientSession, case: str) -> None:
    """No change of the spec is stored, in either direction; labels can be edited [W19] [S5]."""
    for before, after in (CHANGES[case], CHANGES[case][::-1]):
        stored = await request(server, "POST", WARMUPS, warmup(before))
        path = f"{WARMUPS}/tried"
        code, said = await answer(server, "PUT", path + DRY_RUN, {**stored, "spec": after})
        assert code == 422, said
        assert named_fields(said) == ["spec"], said
        labels = {
            "metadata": {"labels": {"a": "b"}, "annotations": {"warmlog.dev/suspend": "true"}}
        }
        code, said = await answer(server, "PATCH", path, labels, MERGE_PATCH)
        assert code == 200, said
        await request(server, "DELETE", path)


async def test_a_full_status_comes_back_identical(
    control_plane: ControlPlane, server: aiohttp.ClientSession
) -> None:
    """Every field of the largest status is kept, and kubectl shows the columns."""
    await request(server, "POST", WARMUPS, warmup(spec()))
    code, said = await store_status(server, "tried", STATUS)
    assert code == 200, said
    read = await request(server, "GET", f"{WARMUPS}/tried")
    assert read["status"] == STATUS
    assert read["metadata"]["generation"] == 1
    header, row = control_plane.kubectl("get", "mw", "-n", NAMESPACE).splitlines()
    columns = "NAME PHASE DESIRED ACTIVE SUCCEEDED FAILED MESSAGE AGE"
    assert header.split() == columns.split()
    shown = ["tried", "Degraded", "300", "0", "43", "257", *CONDITION["message"].split()]
    assert row.split()[:-1] == shown


@pytest.mark.parametrize("phase", PUBLISHED_WARMUP_PHASES)
async def test_every_published_phase_can_be_stored(
    server: aiohttp.ClientSession, phase: str
) -> None:
    """No word that the machines publish is refused, of the warmup or of a target."""
    await request(server, "POST", WARMUPS, warmup(spec()))
    targets = [{**TARGET, "phase": each} for each in PUBLISHED_TARGET_PHASES]
    code, said = await store_status(server, "tried", {"phase": phase, "targets": targets})
    assert code == 200, said
    assert said["status"] == {"phase": phase, "targets": targets}


@pytest.mark.parametrize(
    ("status", "field"),
    [
        ({"phase": "Hydrating"}, "status.phase"),
        ({"desiredNodes": -1}, "status.desiredNodes"),
        ({"targets": [{**TARGET, "phase": "Ready"}]}, "status.targets[0].phase"),
        ({"targets": [{**TARGET, "message": "x" * 1025}]}, "status.targets[0].message"),
        ({"targets": [TARGET] * 257}, "status.targets"),
        ({"conditions": [CONDITION, CONDITION]}, "status.conditions[1]"),
        ({"startTime": "yesterday"}, "status.startTime"),
    ],
)
async def test_a_status_out_of_bounds_is_refused(
    server: aiohttp.ClientSession, status: Json, field: str
) -> None:
    """A foreign or broken status is refused with the field named: the bounds really hold."""
    await request(server, "POST", WARMUPS, warmup(spec()))
    code, said = await store_status(server, "tried", status)
    assert code == 422, said
    assert field in named_fields(said), said


def without_rules(schema: Json) -> Json:
    """The types of a schema, without any bound or rule."""
    kept = {key: schema[key] for key in schema if key in {"type", "format"} or key[:2] == "x-"}
    kept.pop("x-kubernetes-validations", None)
    if "properties" in schema:
        children = schema["properties"].items()
        kept["properties"] = {name: without_rules(child) for name, child in children}
    for key in {"items", "additionalProperties"} & schema.keys():
        kept[key] = without_rules(schema[key])
    return kept


def lax_and_strict() -> tuple[Json, Json]:
    """The CRD under another group: with the types of the spec only, and as it is."""
    strict = copy.deepcopy(MODELWARMUP)
    strict["metadata"]["name"] = f"modelwarmups.{LAX_GROUP}"
    strict["spec"]["group"] = LAX_GROUP
    strict["spec"]["names"]["shortNames"] = []
    lax = copy.deepcopy(strict)
    fields = lax["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    fields["spec"] = without_rules(fields["spec"])
    return lax, strict


async def test_what_was_accepted_earlier_is_not_frozen(
    with_crds: ControlPlane, server: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """Objects that break a rule, stored before it was one, stay editable but for the spec [W95]."""
    warmups = f"/apis/{LAX_GROUP}/{VERSION}/namespaces/{NAMESPACE}/modelwarmups"
    lax, strict = lax_and_strict()
    crd = tmp_path / "crd.yaml"
    crd.write_text(yaml.safe_dump(lax))
    apply_crds(with_crds, "-f", crd, lax["metadata"]["name"])
    cases = {f"bad-{index}": case for index, case in enumerate(BAD.keys() - WRONG_TYPES)}
    for name, case in cases.items():
        old = {**warmup(BAD[case][0], name), "apiVersion": f"{LAX_GROUP}/{VERSION}"}
        await request(server, "POST", warmups, old)
    crd.write_text(yaml.safe_dump(strict))
    apply_crds(with_crds, "-f", crd, lax["metadata"]["name"])
    old["metadata"]["name"] = "late"
    # The new schema is served a moment after it is stored.
    while (await answer(server, "POST", warmups + DRY_RUN, old))[0] == 201:
        await asyncio.sleep(0.05)
    labels = {"metadata": {"labels": {"a": "b"}, "finalizers": ["warmlog.dev/test"]}}
    status = {"status": {"phase": "Failed"}}
    freed = {"metadata": {"finalizers": None}}
    for name, case in cases.items():
        for path, change in ((name, labels), (f"{name}/status", status), (name, freed)):
            code, said = await answer(server, "PATCH", f"{warmups}/{path}", change, MERGE_PATCH)
            assert code == 200, (case, said)
    with_crds.kubectl("delete", "crd", lax["metadata"]["name"])
