"""What a real API server admits of ModelCaches and InferenceClusters, by their schemas."""

import asyncio
import copy
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
import yaml

from adapters.kubernetes.schemas import INFERENCECLUSTER, MODELCACHE
from machines.caches.specs import parse_cache
from machines.labels import CACHE_GROUP, CACHE_IN_USE, VERSION
from tests.crds.caches import (
    ALLOWED_CHANGES,
    BAD_CACHES,
    FORBIDDEN_CHANGES,
    GOOD_CACHES,
    NOWHERE,
    WRONG_CACHE_TYPES,
    cache,
    gated,
    model,
)
from tests.crds.clusters import BAD_CLUSTERS, GOOD_CLUSTERS, existing
from tests.e2e.admitting import (
    DRY_RUN,
    MERGE_PATCH,
    MOUNT,
    NAMESPACE,
    WRONG,
    answer,
    apply_crds,
    named_fields,
    without_rules,
)
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, request
from tests.machines.test_specs import poisoned

pytestmark = pytest.mark.e2e

BASE = f"/apis/{CACHE_GROUP}/{VERSION}"
CACHES = f"{BASE}/namespaces/{NAMESPACE}/modelcaches"
CLUSTERS = f"{BASE}/inferenceclusters"
NAMES = {kind["metadata"]["name"] for kind in (MODELCACHE, INFERENCECLUSTER)}
LAX_GROUP = "lax-cache.warmlog.dev"
LAX_CACHES = f"/apis/{LAX_GROUP}/{VERSION}/namespaces/{NAMESPACE}/modelcaches"


def wrapped(kind: str, what: Any, name: str = "tried", group: str = CACHE_GROUP) -> Json:
    """An object with this spec."""
    metadata = {"name": name} | ({"namespace": NAMESPACE} if kind == "ModelCache" else {})
    return {"apiVersion": f"{group}/{VERSION}", "kind": kind, "metadata": metadata, "spec": what}


def stored(what: Json, defaults: dict[str, str]) -> Json:
    """A spec as the server keeps it: without nulls, with the defaults that its places have."""
    kept = {
        key: stored(value, defaults) if isinstance(value, dict) else value
        for key, value in what.items()
        if value is not None
    }
    for place, default in defaults.items():
        holder, _, key = place.rpartition(".")
        if holder in kept:
            kept[holder].setdefault(key, default)
    return kept


@pytest_asyncio.fixture
async def server(
    with_crds: ControlPlane, session: aiohttp.ClientSession
) -> AsyncIterator[aiohttp.ClientSession]:
    """An admin's session with a server of both kinds; a test's objects are deleted at its end."""
    yield session
    for path in (CACHES, CLUSTERS):
        await request(session, "DELETE", path)


@pytest.mark.parametrize("case", GOOD_CACHES)
async def test_good_caches_are_stored(server: aiohttp.ClientSession, case: str) -> None:
    """A legal spec is accepted, and but for the key's default kept as it was written."""
    what = GOOD_CACHES[case]
    code, said = await answer(server, "POST", CACHES + DRY_RUN, wrapped("ModelCache", what))
    assert code == 201, said
    assert said["spec"] == stored(what, {"authSecret.key": "HF_TOKEN"})


@pytest.mark.parametrize("case", [case for case in BAD_CACHES if BAD_CACHES[case].place != NOWHERE])
async def test_bad_caches_are_refused(server: aiohttp.ClientSession, case: str) -> None:
    """A spec that cannot work is refused as invalid, and a cause names the field [C50]"""
    bad = BAD_CACHES[case]
    code, said = await answer(server, "POST", CACHES + DRY_RUN, wrapped("ModelCache", bad.spec))
    assert (code, said.get("reason")) == (422, "Invalid"), said
    assert bad.place in named_fields(said), said


@pytest.mark.parametrize("case", GOOD_CLUSTERS)
async def test_published_clusters_are_stored(server: aiohttp.ClientSession, case: str) -> None:
    """What was written for Modelplane applies, and no field that is not used gets lost."""
    what = wrapped("InferenceCluster", GOOD_CLUSTERS[case])
    code, said = await answer(server, "POST", CLUSTERS + DRY_RUN, what)
    assert code == 201, said
    assert said["spec"] == {"stack": "Standard", **GOOD_CLUSTERS[case]}


@pytest.mark.parametrize("case", BAD_CLUSTERS)
async def test_bad_clusters_are_refused(server: aiohttp.ClientSession, case: str) -> None:
    """A spec that cannot work is refused as invalid, and a cause names the field."""
    what = wrapped("InferenceCluster", BAD_CLUSTERS[case].spec)
    code, said = await answer(server, "POST", CLUSTERS + DRY_RUN, what)
    assert (code, said.get("reason")) == (422, "Invalid"), said
    assert BAD_CLUSTERS[case].field in named_fields(said), said


async def test_the_key_of_a_kubeconfig_is_filled_in(server: aiohttp.ClientSession) -> None:
    """As the original does it, so that both write the same object."""
    what = wrapped("InferenceCluster", existing(secretRef={"name": "west"}))
    _, said = await answer(server, "POST", CLUSTERS + DRY_RUN, what)
    assert said["spec"]["cluster"]["existing"]["secretRef"]["key"] == "kubeconfig"


async def test_server_and_controller_are_of_one_mind(server: aiohttp.ClientSession) -> None:
    """Wherever a wrong value stands, the server refuses exactly what the controller calls faulty.

    Keys of labels apart: the server cannot afford to look at them.
    """
    whole = {
        **gated(name="hf", key="token"),
        "clusterSelector": {"matchLabels": {"region": "west"}},
    }
    whole["huggingFace"]["revision"] = "main"
    assert parse_cache(whole).faults == ()
    specs = [bad for wrong in WRONG for bad in poisoned(whole, wrong)]
    assert len(specs) > 50
    for what in specs:
        body = wrapped("ModelCache", what)
        code, said = await answer(server, "POST", f"{CACHES}?dryRun=All", body)
        assert (code == 201) == (not parse_cache(what).faults), (said, what)


async def put(
    session: aiohttp.ClientSession, caches: str, name: str, what: Json
) -> tuple[int, Json]:
    """Replace the spec of a stored cache."""
    current = await request(session, "GET", f"{caches}/{name}")
    return await answer(session, "PUT", f"{caches}/{name}", {**current, "spec": what})


@pytest.mark.parametrize("case", FORBIDDEN_CHANGES)
async def test_forbidden_changes_are_refused(server: aiohttp.ClientSession, case: str) -> None:
    """What is staged cannot be changed under its users, nor its volume shrunk [C35]"""
    before, after, field = FORBIDDEN_CHANGES[case]
    await request(server, "POST", CACHES, wrapped("ModelCache", before))
    code, said = await put(server, CACHES, "tried", after)
    assert (code, said.get("reason")) == (422, "Invalid"), said
    assert field in named_fields(said), said


@pytest.mark.parametrize("case", ALLOWED_CHANGES)
async def test_allowed_changes_are_taken(server: aiohttp.ClientSession, case: str) -> None:
    """Token, clusters and a larger size are the user's to change at any time."""
    before, after = ALLOWED_CHANGES[case]
    await request(server, "POST", CACHES, wrapped("ModelCache", before))
    code, said = await put(server, CACHES, "tried", after)
    assert code == 200, said


async def test_the_stack_of_a_cluster_stays(server: aiohttp.ClientSession) -> None:
    """Neither to the other stack nor back to none; everything else may change."""
    await request(server, "POST", CLUSTERS, wrapped("InferenceCluster", existing()))
    path = f"{CLUSTERS}/tried"
    change: Json = {"spec": {"stack": "Dynamo"}}
    code, said = await answer(server, "PATCH", path, change, MERGE_PATCH)
    assert (code, named_fields(said)) == (422, ["spec.stack"])
    change = {"spec": {"cluster": {"existing": {"cache": {"storageClassName": "nfs"}}}}}
    code, said = await answer(server, "PATCH", path, change, MERGE_PATCH)
    assert code == 200, said


async def test_a_cluster_is_shared_by_writers_of_conditions(
    control_plane: ControlPlane, server: aiohttp.ClientSession
) -> None:
    """Ours and those of others stand side by side, with whatever else the status holds."""
    await request(server, "POST", CLUSTERS, wrapped("InferenceCluster", existing()))
    status = {
        "providerConfigRef": {"name": "west-cluster-kubeconfig-0a1b2"},
        "gateway": {"address": "192.0.2.7", "hostname": "west.example.com"},
        "cache": {"storageClassName": "modelplane-rwx"},
        "gpuPools": [{"name": "gpu", "nodes": 2}],
        "conditions": [
            {"type": "Ready", "status": "True", "reason": "Available"},
            {"type": "Reachable", "status": "False", "message": "connection refused"},
        ],
    }
    path = f"{CLUSTERS}/tried/status"
    code, said = await answer(server, "PATCH", path, {"status": status}, MERGE_PATCH)
    assert code == 200, said
    assert said["status"] == status
    [header, row] = control_plane.kubectl("get", "ic").splitlines()
    assert header.split()[1:] == ["SOURCE", "GATEWAY", "REACHABLE", "AGE"]
    assert row.split()[:4] == ["tried", "Existing", "192.0.2.7", "False"]


async def test_a_status_is_kept_whole(
    control_plane: ControlPlane, server: aiohttp.ClientSession
) -> None:
    """All that is published is stored, and the columns show the repository and the count."""
    await request(server, "POST", CACHES, wrapped("ModelCache", model(repo="owner/some-model")))
    status = {
        "observedGeneration": 1,
        "summary": {"ready": "1/2"},
        "clusters": [
            {"name": "east", "phase": "Pending", "message": "waiting for claim c"},
            {"name": "west", "phase": "Ready", "mount": MOUNT, "retained": True},
        ],
        "conditions": [
            {
                "type": "Ready",
                "status": "False",
                "reason": "Partial",
                "message": "",
                "observedGeneration": 1,
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }
        ],
        "warmlog": {"uid": "u", "log": "l", "position": 7},
    }
    path = f"{CACHES}/tried/status"
    code, said = await answer(server, "PATCH", path, {"status": status}, MERGE_PATCH)
    assert code == 200, said
    assert said["status"] == status
    [header, row] = control_plane.kubectl("get", "mc", "-n", NAMESPACE).splitlines()
    assert header.split() == ["NAME", "SOURCE", "READY", "AGE"]
    assert row.split()[:3] == ["tried", "owner/some-model", "1/2"]
    assert "tried" in control_plane.kubectl("get", "modelplane", "-n", NAMESPACE)


@pytest.mark.parametrize(
    ("part", "entry"),
    [
        ("volumes", {"name": "host", "hostPath": {"path": "/"}}),
        ("env", {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}),
    ],
)
async def test_a_mount_can_be_nothing_else(
    server: aiohttp.ClientSession, part: str, entry: Json
) -> None:
    """Who may write a status may not put a host's folder or a Secret into engines with it."""
    await request(server, "POST", CACHES, wrapped("ModelCache", cache()))
    entries = [{"name": "west", "phase": "Ready", "mount": {**MOUNT, part: [entry]}}]
    change = {"status": {"clusters": entries}}
    code, said = await answer(server, "PATCH", f"{CACHES}/tried/status", change, MERGE_PATCH)
    assert code == 422, said
    assert any(
        field.startswith(f"status.clusters[0].mount.{part}[0]") for field in named_fields(said)
    ), said


def lax_and_strict() -> tuple[Json, Json]:
    """The CRD under another group: with the types of the spec only, and as it is.

    The strict one knows a second source, or no change of the source could be tried.
    """
    strict = copy.deepcopy(MODELCACHE)
    strict["metadata"]["name"] = f"modelcaches.{LAX_GROUP}"
    strict["spec"]["group"] = LAX_GROUP
    strict["spec"]["names"] = {
        name: value
        for name, value in strict["spec"]["names"].items()
        if name not in ("shortNames", "categories")
    }
    lax = copy.deepcopy(strict)
    fields = lax["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    fields["spec"] = without_rules(fields["spec"])
    fields = strict["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    fields["spec"]["properties"]["source"]["enum"].append("OCI")
    return lax, strict


async def wait_until_refused(session: aiohttp.ClientSession) -> None:
    """Wait for the schema with rules: it is served a moment after it is stored."""
    late = wrapped("ModelCache", BAD_CACHES["no model"].spec, "late", LAX_GROUP)
    async with asyncio.timeout(30):
        while (await answer(session, "POST", LAX_CACHES + DRY_RUN, late))[0] == 201:
            await asyncio.sleep(0.05)


async def edit_all(session: aiohttp.ClientSession, cases: dict[str, str]) -> None:
    """Label each, hold it by our finalizer, write its status, and let it go."""
    labels = {"metadata": {"labels": {"a": "b"}, "finalizers": [CACHE_IN_USE]}}
    status = {"status": {"clusters": [{"name": "west", "phase": "Failed"}]}}
    freed = {"metadata": {"finalizers": None}}
    for name, case in cases.items():
        for path, change in ((name, labels), (f"{name}/status", status), (name, freed)):
            code, said = await answer(session, "PATCH", f"{LAX_CACHES}/{path}", change, MERGE_PATCH)
            assert code == 200, (case, said)


@pytest.fixture
def applied(with_crds: ControlPlane, tmp_path: Path) -> Any:
    """A function that applies a definition and waits until it is served."""

    def apply(crd: Json) -> None:
        file = tmp_path / "crd.yaml"
        file.write_text(yaml.safe_dump(crd))
        apply_crds(with_crds, "-f", file, crd["metadata"]["name"])

    return apply


async def test_what_was_stored_earlier_is_not_frozen(
    with_crds: ControlPlane, server: aiohttp.ClientSession, applied: Any
) -> None:
    """Objects that break a rule, stored before it was one, can be labelled, held and reported on.

    Their tokens can be mended and their volumes grow; only the source stays what it is [C35] [C50]
    """
    lax, strict = lax_and_strict()
    applied(lax)
    cases = {f"bad-{index}": case for index, case in enumerate(BAD_CACHES)}
    cases = {name: case for name, case in cases.items() if case not in WRONG_CACHE_TYPES}
    for name, case in cases.items():
        body = wrapped("ModelCache", BAD_CACHES[case].spec, name, LAX_GROUP)
        await request(server, "POST", LAX_CACHES, body)
    applied(strict)
    await wait_until_refused(server)
    await edit_all(server, cases)
    [bad] = [name for name, case in cases.items() if case == "a repo with a command"]
    repo = BAD_CACHES["a repo with a command"].spec["huggingFace"]["repo"]
    code, said = await put(server, LAX_CACHES, bad, model(repo=repo, sizeGiB=9))
    assert code == 200, said
    code, said = await put(server, LAX_CACHES, bad, model(sizeGiB=9))
    assert (code, named_fields(said)) == (422, ["spec.huggingFace.repo"]), said
    [bad] = [name for name, case in cases.items() if case == "a Secret that cannot be"]
    code, said = await put(server, LAX_CACHES, bad, gated(name="hf"))
    assert code == 200, said
    code, said = await put(server, LAX_CACHES, bad, {**gated(name="hf"), "source": "OCI"})
    assert (code, named_fields(said)) == (422, ["spec.source"]), said
    with_crds.kubectl("delete", "crd", strict["metadata"]["name"])


def test_the_crds_are_sound(control_plane: ControlPlane, with_crds: ControlPlane) -> None:
    """The server finds the schemas structural, and says nothing against them."""
    for name in NAMES:
        crd = json.loads(control_plane.kubectl("get", "crd", name, "-o", "json"))
        states = {each["type"]: each["status"] for each in crd["status"]["conditions"]}
        assert states.get("NonStructuralSchema", "False") == "False"
        assert states["NamesAccepted"] == "True"
