"""What a real API server admits of ModelReplicas, by their schema."""

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

from adapters.kubernetes.schemas import MODELREPLICA
from machines.faults import Fault
from machines.labels import CACHE_GROUP, REPLICA_WORKLOADS, VERSION
from machines.replicas.specs import parse_replica
from tests.crds.bad_replicas import BAD_REPLICAS, WRONG_REPLICA_TYPES
from tests.crds.caches import NOWHERE
from tests.crds.replicas import (
    ALLOWED_REPLICA_CHANGES,
    DEVICES,
    FORBIDDEN_REPLICA_CHANGES,
    GOOD_REPLICAS,
    container,
    engine,
    gang,
    member,
    of,
    replica,
    running,
)
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

REPLICAS = f"/apis/{CACHE_GROUP}/{VERSION}/namespaces/{NAMESPACE}/modelreplicas"
NAME = MODELREPLICA["metadata"]["name"]
LAX_GROUP = "lax-replica.warmlog.dev"
LAX_REPLICAS = f"/apis/{LAX_GROUP}/{VERSION}/namespaces/{NAMESPACE}/modelreplicas"
# Rules, as they are told, by the case that breaks each.
TOLD = {
    "two that are alone": "must be one member with role Standalone, or one Leader and one Worker",
    "no device anywhere": "must have deviceRequests on at least one member",
    "a count of nodes for a leader": "must have worker only on a member with role Worker",
    "a label that selects Pods": "no template.metadata.labels that begin with modelplane.ai/",
    "a key that no label has": "must have keys in template.metadata.labels that a label can have",
    "a key that no annotation has": "keys in template.metadata.annotations that an annotation",
    "apart, but one engine": "must be two, one with phase Prefill and one with phase Decode",
    "a phase although unified": "must have no phase: serving.mode is not PrefillDecode",
}


def wrapped(what: Any, name: str = "tried", group: str = CACHE_GROUP) -> Json:
    """A ModelReplica with this spec."""
    return {
        "apiVersion": f"{group}/{VERSION}",
        "kind": "ModelReplica",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": what,
    }


def without_nulls(value: Any) -> Any:
    """A value as the server keeps it: a field that holds null is left out."""
    if isinstance(value, list):
        return [without_nulls(each) for each in value]
    if isinstance(value, dict):
        return {key: without_nulls(each) for key, each in value.items() if each is not None}
    return value


def stored(what: Json) -> Json:
    """A spec as the server keeps it, with the original's defaults."""
    kept: Json = without_nulls(what)
    if "serving" in kept:
        kept["serving"].setdefault("mode", "Unified")
    for each in kept["engines"]:
        each.setdefault("copies", 1)
        for one in each["members"]:
            one.setdefault("role", "Standalone")
            for wanted in one.get("deviceRequests", ()):
                wanted.setdefault("count", 1)
    return kept


@pytest_asyncio.fixture
async def server(
    with_crds: ControlPlane, session: aiohttp.ClientSession
) -> AsyncIterator[aiohttp.ClientSession]:
    """An admin's session with a server of the kind; a test's objects are deleted at its end."""
    yield session
    await request(session, "DELETE", REPLICAS)


@pytest.mark.parametrize("case", GOOD_REPLICAS)
async def test_good_replicas_are_stored(server: aiohttp.ClientSession, case: str) -> None:
    """A legal spec is accepted, and but for the original's defaults kept as it was written."""
    what = GOOD_REPLICAS[case]
    code, said = await answer(server, "POST", REPLICAS + DRY_RUN, wrapped(what))
    assert code == 201, said
    assert said["spec"] == stored(copy.deepcopy(what))


@pytest.mark.parametrize(
    "case", [case for case in BAD_REPLICAS if BAD_REPLICAS[case].place != NOWHERE]
)
async def test_bad_replicas_are_refused(server: aiohttp.ClientSession, case: str) -> None:
    """A spec that cannot work is refused as invalid, and a cause names the field."""
    bad = BAD_REPLICAS[case]
    code, said = await answer(server, "POST", REPLICAS + DRY_RUN, wrapped(bad.spec))
    assert (code, said.get("reason")) == (422, "Invalid"), said
    assert bad.place in named_fields(said), said
    assert TOLD.get(case, "") in said["message"]


def whole() -> Json:
    """A spec that says all that can be said."""
    source = {"secretKeyRef": {"name": "s", "key": "k", "optional": True}}
    variable = {"name": "A", "valueFrom": source}
    leader = {
        "deviceRequests": [{**DEVICES, "count": 2, "selectors": [{"cel": "true"}]}],
        "template": {
            "metadata": {"labels": {"team": "a"}, "annotations": {"note": "b"}},
            "spec": {
                **container(command=["a"], args=["b"], env=[variable, {"name": "B", "value": "c"}])[
                    "spec"
                ],
                "imagePullSecrets": [{"name": "registry"}],
            },
        },
    }
    return replica(gang(leader, copies=2), serving={"mode": "Unified"})


async def test_server_and_controller_are_of_one_mind(server: aiohttp.ClientSession) -> None:
    """Wherever a wrong value stands, the server refuses exactly what the controller calls faulty.

    An empty mode apart, which the controller reads as none.
    """
    assert parse_replica(whole()).faults == ()
    specs = [bad for wrong in WRONG for bad in poisoned(whole(), wrong)]
    assert len(specs) > 100
    accepted: list[Fault] = []
    refused: set[str] = set()
    for what in specs:
        code, said = await answer(server, "POST", f"{REPLICAS}?dryRun=All", wrapped(what))
        if code == 201:  # what is stored counts: fields that nobody knows are left out
            accepted += parse_replica(said["spec"]).faults
        elif not parse_replica(what).faults:
            refused.update(field.rpartition(".")[2] for field in named_fields(said))
    assert accepted == []
    # "<nil>" is the server's word for rules that it did not ask after that.
    assert refused - {"<nil>"} == {"mode"}


async def put(session: aiohttp.ClientSession, what: Json, base: str = REPLICAS) -> tuple[int, Json]:
    """Replace the spec of the one replica that was stored."""
    current = await request(session, "GET", f"{base}/tried")
    return await answer(session, "PUT", f"{base}/tried", {**current, "spec": what})


@pytest.mark.parametrize("case", FORBIDDEN_REPLICA_CHANGES)
async def test_forbidden_changes_are_refused(server: aiohttp.ClientSession, case: str) -> None:
    """A replica stays on its cluster, and what could work cannot be changed so that it cannot."""
    before, after, field = FORBIDDEN_REPLICA_CHANGES[case]
    await request(server, "POST", REPLICAS, wrapped(before))
    code, said = await put(server, after)
    assert (code, said.get("reason")) == (422, "Invalid"), said
    assert field in named_fields(said), said


@pytest.mark.parametrize("case", ALLOWED_REPLICA_CHANGES)
async def test_allowed_changes_are_taken(server: aiohttp.ClientSession, case: str) -> None:
    """Everything else of a replica is its owner's to change at any time."""
    before, after = ALLOWED_REPLICA_CHANGES[case]
    await request(server, "POST", REPLICAS, wrapped(before))
    code, said = await put(server, after)
    assert code == 200, said


async def test_a_status_is_kept_whole(
    control_plane: ControlPlane, server: aiohttp.ClientSession
) -> None:
    """All that is published is stored, and the columns show cluster, readiness and reason."""
    await request(server, "POST", REPLICAS, wrapped(replica()))
    conditions = [
        {
            "type": kind,
            "status": "False",
            "reason": reason,
            "message": "downloading owner/name into claim c",
            "observedGeneration": 1,
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        for kind, reason in (("ModelAccepted", "WaitingForCache"), ("ModelReady", "Waiting"))
    ]
    workload = {
        "engine": "main",
        "kind": "Deployment",
        "name": "tried-main-0a1b2",
        "namespace": "mp-ml-team-51733",
        "available": False,
        "message": "Deployment does not have minimum availability.",
    }
    status = {
        "observedGeneration": 1,
        "composed": True,
        "mount": MOUNT,
        "workloads": [workload],
        "conditions": conditions,
        "warmlog": {"uid": "u", "log": "l", "position": 7},
    }
    path = f"{REPLICAS}/tried/status"
    code, said = await answer(server, "PATCH", path, {"status": status}, MERGE_PATCH)
    assert code == 200, said
    assert said["status"] == status
    [header, row] = control_plane.kubectl("get", "mr", "-n", NAMESPACE).splitlines()
    assert header.split() == ["NAME", "CLUSTER", "READY", "REASON", "AGE"]
    assert row.split()[:4] == ["tried", "west", "False", "WaitingForCache"]
    assert "tried" in control_plane.kubectl("get", "modelplane", "-n", NAMESPACE)


@pytest.mark.parametrize(
    ("part", "entry"),
    [
        ("volumes", {"name": "host", "hostPath": {"path": "/"}}),
        ("env", {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}),
    ],
)
async def test_a_kept_mount_can_be_nothing_else(
    server: aiohttp.ClientSession, part: str, entry: Json
) -> None:
    """Who may write a status may not put a host's folder or a Secret into engines with it."""
    await request(server, "POST", REPLICAS, wrapped(replica()))
    change = {"status": {"mount": {**MOUNT, part: [entry]}}}
    code, said = await answer(server, "PATCH", f"{REPLICAS}/tried/status", change, MERGE_PATCH)
    assert code == 422, said
    assert any(field.startswith(f"status.mount.{part}[0]") for field in named_fields(said)), said


def lax_and_strict() -> tuple[Json, Json]:
    """The CRD under another group: with the types of the spec only, and as it is."""
    strict = copy.deepcopy(MODELREPLICA)
    strict["metadata"]["name"] = f"modelreplicas.{LAX_GROUP}"
    strict["spec"]["group"] = LAX_GROUP
    names = strict["spec"]["names"]
    strict["spec"]["names"] = {
        key: names[key] for key in names if key not in {"shortNames", "categories"}
    }
    lax = copy.deepcopy(strict)
    fields = lax["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    fields["spec"] = with_keys(without_rules(fields["spec"]), fields["spec"])
    return lax, strict


def with_keys(lax: Json, whole: Json) -> Json:
    """A lax schema whose lists by name still ask for the name, as every server does."""
    if whole.get("x-kubernetes-list-type") == "map":
        lax["items"]["required"] = ["name"]
    for name, inner in lax.get("properties", {}).items():
        with_keys(inner, whole["properties"][name])
    if "items" in lax:
        with_keys(lax["items"], whole["items"])
    return lax


@pytest.fixture
def applied(with_crds: ControlPlane, tmp_path: Path) -> Any:
    """A function that applies a definition and waits until it is served."""

    def apply(crd: Json) -> None:
        file = tmp_path / "crd.yaml"
        file.write_text(yaml.safe_dump(crd))
        apply_crds(with_crds, "-f", file, crd["metadata"]["name"])

    return apply


async def wait_until_refused(session: aiohttp.ClientSession) -> None:
    """Wait for the schema with rules: it is served a moment after it is stored."""
    late = wrapped(BAD_REPLICAS["no device anywhere"].spec, "late", LAX_GROUP)
    async with asyncio.timeout(30):
        while (await answer(session, "POST", LAX_REPLICAS + DRY_RUN, late))[0] == 201:
            await asyncio.sleep(0.05)


async def edit_all(session: aiohttp.ClientSession, cases: dict[str, str]) -> None:
    """Label each, hold it by our finalizer, write its status, and let it go."""
    labels = {"metadata": {"labels": {"a": "b"}, "finalizers": [REPLICA_WORKLOADS]}}
    status = {"status": {"composed": True, "mount": MOUNT}}
    freed = {"metadata": {"finalizers": None}}
    for name, case in cases.items():
        for path, change in ((name, labels), (f"{name}/status", status), (name, freed)):
            code, said = await answer(
                session, "PATCH", f"{LAX_REPLICAS}/{path}", change, MERGE_PATCH
            )
            assert code == 200, (case, said)


async def test_what_was_stored_earlier_is_not_frozen(
    with_crds: ControlPlane, server: aiohttp.ClientSession, applied: Any
) -> None:
    """Objects that break a rule, stored before it was one, can be labelled, held and reported on.

    So can their engines be mended, even if not at once; once mended, they cannot be broken again.
    """
    lax, strict = lax_and_strict()
    applied(lax)
    cases = {f"bad-{index}": case for index, case in enumerate(BAD_REPLICAS)}
    cases = {name: case for name, case in cases.items() if case not in WRONG_REPLICA_TYPES}
    for name, case in cases.items():
        body = wrapped(BAD_REPLICAS[case].spec, name, LAX_GROUP)
        await request(server, "POST", LAX_REPLICAS, body)
    two = engine(member(), member())
    await request(server, "POST", LAX_REPLICAS, wrapped(replica(two), "tried", LAX_GROUP))
    applied(strict)
    await wait_until_refused(server)
    await edit_all(server, cases)
    half = replica(engine(member(template=container(image="other:v2")), member()))
    code, said = await put(server, half, LAX_REPLICAS)
    assert code == 200, said
    code, said = await put(server, running(image="other:v2"), LAX_REPLICAS)
    assert code == 200, said
    code, said = await put(server, half, LAX_REPLICAS)
    assert (code, named_fields(said)) == (422, ["spec.engines[0].members"]), said
    code, said = await put(server, {**of(), "clusterName": "east"}, LAX_REPLICAS)
    assert (code, named_fields(said)) == (422, ["spec.clusterName"]), said
    with_crds.kubectl("delete", "crd", strict["metadata"]["name"])


def test_the_crd_is_sound(control_plane: ControlPlane, with_crds: ControlPlane) -> None:
    """The server finds the schema structural, and says nothing against it."""
    crd = json.loads(control_plane.kubectl("get", "crd", NAME, "-o", "json"))
    states = {each["type"]: each["status"] for each in crd["status"]["conditions"]}
    assert states.get("NonStructuralSchema", "False") == "False"
    assert states["NamesAccepted"] == "True"
