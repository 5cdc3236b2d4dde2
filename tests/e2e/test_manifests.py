"""crds/, samples/ and deploy/ as a real API server takes them."""

import json

import aiohttp
import pytest

from adapters.kubernetes.schemas import MODELWARMUP
from machines.phases import PUBLISHED_TARGET_PHASES, PUBLISHED_WARMUP_PHASES
from tests.crds.manifests import CHANGES, spec
from tests.e2e.admitting import (
    DRY_RUN,
    MERGE_PATCH,
    NAMESPACE,
    WARMUPS,
    answer,
    named_fields,
    warmup,
)
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, request
from tests.samples import manifests as samples

pytestmark = pytest.mark.e2e

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
JSON_PATCH = "application/json-patch+json"
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


async def store_status(session: aiohttp.ClientSession, name: str, status: Json) -> tuple[int, Json]:
    """Write a whole status as the controller does: one JSON patch, guarded twice."""
    metadata = (await request(session, "GET", f"{WARMUPS}/{name}"))["metadata"]
    patch = [
        {"op": "test", "path": "/metadata/uid", "value": metadata["uid"]},
        {"op": "test", "path": "/metadata/resourceVersion", "value": metadata["resourceVersion"]},
        {"op": "add", "path": "/status", "value": status},
    ]
    return await answer(session, "PATCH", f"{WARMUPS}/{name}/status", patch, JSON_PATCH)


async def test_the_crd_is_served_as_it_is_written(server: aiohttp.ClientSession) -> None:
    """The server establishes the CRD, finds no fault in its schema, and stores all of it."""
    served = await request(server, "GET", f"{CRDS}/{MODELWARMUP['metadata']['name']}")
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
    """No change of the spec is stored, in either direction; labels can be edited [W19] [S5]"""
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
