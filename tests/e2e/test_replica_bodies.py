"""What a real API server makes of the bodies of a ModelReplica: taken over, and left alone."""

import asyncio
import copy
from collections.abc import AsyncIterator

import aiohttp
import pytest
import pytest_asyncio

from adapters.kubernetes.field_ownership import FIELD_MANAGER
from adapters.ports import APPLY_PATCH
from machines.replicas.bodies import claim_templates, service, stamped, workload
from machines.replicas.mounts import NO_MOUNT
from tests.e2e import lws
from tests.e2e.admitting import answer
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, request
from tests.replicas.composing import NAMES, engines
from tests.replicas.specs import container, engine, leader, replica, template, worker
from tests.replicas.test_pod_templates import CACHE, TEMPLATES

pytestmark = pytest.mark.e2e

NAMESPACE = NAMES.workload_namespace
DRA = f"/apis/resource.k8s.io/v1/namespaces/{NAMESPACE}"
PATHS = {
    "Deployment": f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments",
    "LeaderWorkerSet": lws.path_of(NAMESPACE),
    "Service": f"/api/v1/namespaces/{NAMESPACE}/services",
    "ResourceClaimTemplate": f"{DRA}/resourceclaimtemplates",
}
APPLY = f"?fieldManager={FIELD_MANAGER}&force=true&fieldValidation=Strict"
BACKGROUND = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}


@pytest_asyncio.fixture
async def server(
    with_gangs: ControlPlane, session: aiohttp.ClientSession
) -> AsyncIterator[aiohttp.ClientSession]:
    """A session with a server that has the namespace; a test's objects are deleted at its end."""
    wanted = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    await answer(session, "POST", "/api/v1/namespaces", wanted)
    # A kind that was defined just now cannot be listed at once.
    while (await answer(session, "GET", PATHS["LeaderWorkerSet"], None))[0] == 429:
        await asyncio.sleep(0.1)
    yield session
    for kind, path in PATHS.items():
        for each in (await request(session, "GET", path))["items"]:
            name = each["metadata"]["name"]
            await request(session, "DELETE", f"{path}/{name}", BACKGROUND)
        assert (await request(session, "GET", path))["items"] == [], kind


def bodies(case: str) -> list[Json]:
    """All that is composed of a replica."""
    raw, cached, dynamo = TEMPLATES[case]
    given = CACHE if cached else NO_MOUNT
    made = [service(NAMES)]
    for each in engines(raw):
        made += [workload(NAMES, each, given, dynamo=dynamo, replicas=True)]
        made += claim_templates(NAMES, each)
    return made


async def applied(server: aiohttp.ClientSession, body: Json) -> Json:
    """The object after a body was applied."""
    path = f"{PATHS[body['kind']]}/{body['metadata']['name']}{APPLY}"
    return await request(server, "PATCH", path, stamped(body), APPLY_PATCH)


def by_modelplane(body: Json) -> Json:
    """The object as Modelplane made it, which put nothing of its own on it."""
    metadata = {key: body["metadata"][key] for key in ("name", "namespace")}
    return {**copy.deepcopy(body), "metadata": metadata}


@pytest.mark.parametrize("case", TEMPLATES)
async def test_what_modelplane_made_is_taken_over(server: aiohttp.ClientSession, case: str) -> None:
    """Whoever composed it, an object is as it was after our apply: no engine restarts [C25]"""
    for body in bodies(case):
        path = f"{PATHS[body['kind']]}?fieldManager=crossplane&fieldValidation=Strict"
        made = await request(server, "POST", path, by_modelplane(body))
        assert (await applied(server, body))["spec"] == made["spec"]


@pytest.mark.parametrize("case", ["standalone-dynamo-cached", "gang-cached"])
async def test_applying_again_changes_nothing(server: aiohttp.ClientSession, case: str) -> None:
    """An apply of what was applied before writes nothing at all."""
    for body in bodies(case):
        before = await applied(server, body)
        # The server's own controllers write to a new object, but not for long.
        while (after := await applied(server, body)) != before:
            before = after


async def test_a_variable_that_the_user_sets_is_taken(server: aiohttp.ClientSession) -> None:
    """A server refuses one name twice in an apply: of ours and the user's there is only one."""
    env = [
        {"name": "HF_HUB_CACHE", "value": "/srv"},
        {"name": "MODELPLANE_RANK", "value": "0"},
        {"name": "A", "value": "1"},
        {"name": "A", "value": "2"},
    ]
    own = template(container(env=env))
    gang = engine(leader(template=own), worker(template=own), name="gang")
    for each in engines(replica(engine({**leader(template=own), "role": "Standalone"}), gang)):
        made = await applied(server, workload(NAMES, each, CACHE, dynamo=True, replicas=True))
        spec = (
            made["spec"].get("template") or made["spec"]["leaderWorkerTemplate"]["leaderTemplate"]
        )
        values = {one["name"]: one.get("value") for one in spec["spec"]["containers"][0]["env"]}
        assert (values["HF_HUB_CACHE"], values["MODELPLANE_RANK"], values["A"]) == (
            "/srv",
            "0",
            "2",
        )
