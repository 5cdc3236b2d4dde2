"""Deployments and their Pods go the same way in the simulated cluster and in the real one."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from typing import Any

import pytest
import pytest_asyncio

from adapters.kubernetes.configuring import load_access
from adapters.kubernetes.http_api import HttpApi
from adapters.ports import Request
from adapters.simulator.clock import SECOND, Span
from adapters.simulator.plans import EnginePlan
from adapters.simulator.resources import (
    CLAIM_TEMPLATE,
    DEPLOYMENT,
    EVENT,
    NAMESPACE,
    POD,
    path_of,
)
from adapters.simulator.worlds import World
from tests.e2e.controlplane.nodes import NodeShape, create_nodes, delete_nodes
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import wait_until
from tests.simulator import cases, cases_applying
from tests.simulator.comparing import (
    GOODBYE_SECONDS,
    SECONDS,
    Event,
    Pair,
    Watches,
    differences,
    levelled,
)

pytestmark = pytest.mark.e2e

NAME = "like-engines"
DEPLOYMENTS, PODS, EVENTS = (path_of(each, NAME) for each in (DEPLOYMENT, POD, EVENT))
POOL = {"modelplane.ai/pool": "like-engines"}
NODE = "like-engines-node"

_HASH = re.compile(r"\b(well|poolless|claimless|deviceless)-[a-z0-9]{6,10}(-[a-z0-9]{5})?\b")
_NODES = re.compile(r"\d+(/\d+)? (node|Preemption)")


def engines(name: str, **how: Any) -> dict[str, Any]:
    """A Deployment whose Pods need nothing but a node of the pool, unless told otherwise."""
    bare = {"volumes": [], "containers": [cases_applying.container(volumeMounts=[])]}
    body = cases_applying.deployment(name, **{**bare, "nodeSelector": POOL, **how})
    # The token that a real server mounts is no matter here.
    body["spec"]["template"]["spec"]["automountServiceAccountToken"] = False
    return body


def begun() -> Iterable[Request]:
    """One Deployment that fits, and three whose Pods wait for something."""
    devices = {"resourceClaims": [{"name": "devices", "resourceClaimTemplateName": "none"}]}
    mounting = cases_applying.pod_spec()
    for body in (
        engines("well"),
        engines("poolless", replicas=1, nodeSelector={"modelplane.ai/pool": "like-no-other"}),
        engines(
            "claimless",
            replicas=1,
            volumes=mounting["volumes"],
            containers=mounting["containers"],
        ),
        engines("deviceless", replicas=1, **devices),
    ):
        yield cases_applying.apply(f"{DEPLOYMENTS}/{body['metadata']['name']}", body)


def changed(replicas: int) -> Iterable[Request]:
    """Another template, with so many Pods."""
    other = {"containers": [cases_applying.container(volumeMounts=[], image="other:2")]}
    body = engines("well", replicas=replicas, **other)
    yield cases_applying.apply(f"{DEPLOYMENTS}/well", body)


@pytest_asyncio.fixture
async def pair(control_plane: ControlPlane) -> AsyncIterator[Pair]:
    """A simulated and the real cluster, with the same node and an empty namespace."""
    api = HttpApi("real", await load_access(kubeconfig=str(control_plane.kubeconfig)))
    world = World(1)
    world.plan_engines("", EnginePlan(ready=Span(0, 0)))  # as the real cluster's fake kubelets do
    pair = Pair(world, api)
    try:
        async with control_plane.open_session() as session:
            await create_nodes(session, [NODE], NodeShape(labels=POOL))
            world.add_node(NODE, marks=POOL)
            world.cluster.advance(world.cluster.now + 5 * SECOND)
            await pair.ask(cases.post(path_of(NAMESPACE), {"metadata": {"name": NAME}}))
            accounts = f"/api/v1/namespaces/{NAME}/serviceaccounts"
            await wait_until(session, accounts, lambda found: "default" in found)
            yield pair
            await delete_nodes(session, [NODE])
    finally:
        await api.close()
        await asyncio.sleep(GOODBYE_SECONDS)


def told(value: Any) -> Any:
    """Give what of an object must be alike: no hash of a template, no number of nodes."""
    if isinstance(value, dict):
        return {part: told(each) for part, each in value.items()}
    if isinstance(value, list):
        return [told(each) for each in value]
    if not isinstance(value, str):
        return value
    return _NODES.sub(r"N \2", _HASH.sub(r"\1-HASH", value))


def deployment_told(item: dict[str, Any]) -> Any:
    """What a Deployment says in the end."""
    level = told(levelled(item))
    return {"metadata": level["metadata"], "status": level["status"]}


def pod_told(item: dict[str, Any]) -> Any:
    """What there is of a Pod but for its containers, of which each kubelet has its own to say."""
    level = told(levelled(item))
    level["metadata"].get("labels", {}).pop("pod-template-hash", None)
    status = level["status"]
    told_in = {each["type"]: each for each in status.get("conditions") or ()}
    kinds = ("PodScheduled", "Ready")
    conditions = {kind: (told_in.get(kind) or {}).get("status") for kind in kinds}
    words = (told_in.get("PodScheduled") or {}).get("message")
    metadata = {part: level["metadata"].get(part) for part in ("labels", "ownerReferences")}
    return {
        "metadata": metadata,
        "spec": level["spec"],
        "status": (status["phase"], conditions, words),
    }


async def events_told(pair: Pair) -> list[set[tuple[str, ...]]]:
    """Who says what about what, kubelets left aside: the fake ones say nothing."""
    found = []
    for api in (pair.world.api, pair.real):
        answer = await api.send(cases.get(EVENTS), timeout_seconds=SECONDS)
        items = [told(item) for item in answer.body["items"]]
        fields = ("type", "reason", "message")
        found.append(
            {
                (item["involvedObject"]["name"], *(item[field] for field in fields))
                for item in items
                if item["source"].get("component") != "kubelet"
            }
        )
    return found


async def listed(pair: Pair, path: str, shown: Callable[[dict[str, Any]], Any]) -> list[list[Any]]:
    """What is at a path on both, in an order of what is shown."""
    found = []
    for api in (pair.world.api, pair.real):
        answer = await api.send(cases.get(path), timeout_seconds=SECONDS)
        found.append(sorted((shown(item) for item in answer.body["items"]), key=str))
    return found


async def await_alike(pair: Pair, path: str, shown: Callable[[dict[str, Any]], Any]) -> None:
    """Wait until the real cluster shows what the simulated one does."""
    simulated, real = await listed(pair, path, shown)
    with suppress(TimeoutError):
        async with asyncio.timeout(SECONDS):
            while simulated != real:
                await asyncio.sleep(0.2)
                simulated, real = await listed(pair, path, shown)
    found = "\n".join(differences(simulated, real))
    assert not found, found


def reasons(events: Iterable[Event]) -> set[tuple[str, str, str, str]]:
    """Every condition with which a Deployment was ever seen."""
    return {
        (event["object"]["metadata"]["name"], each["type"], each["status"], each["reason"])
        for event in events
        for each in event["object"].get("status", {}).get("conditions") or ()
    }


async def pass_on(pair: Pair, requests: Iterable[Request]) -> None:
    """Send requests to both, and let the simulated cluster come to rest."""
    cluster = pair.world.cluster
    for request in requests:
        for api in (pair.world.api, pair.real):
            response = await api.send(request, timeout_seconds=SECONDS)
            assert response.ok, response
    cluster.advance(cluster.now + 30 * SECOND)
    await await_alike(pair, DEPLOYMENTS, deployment_told)
    await await_alike(pair, PODS, pod_told)


async def test_deployments_and_their_pods_go_the_same_way(pair: Pair) -> None:
    """Conditions, counters, Pods, Events and the end of all, for every way to go."""
    async with Watches(pair) as watches:
        deployments = await watches.open(DEPLOYMENTS)
        await pass_on(pair, begun())
        await pass_on(pair, changed(2))  # one rollout,
        await pass_on(pair, changed(3))  # and none
        assert reasons(deployments.simulated) == reasons(deployments.real)
    simulated, real = await events_told(pair)
    assert simulated == real
    template = cases_applying.claim_template("none", cases_applying.request_for(1))
    await pair.ask(cases.post(path_of(CLAIM_TEMPLATE, NAME), template))
    names = ("well", "poolless", "claimless", "deviceless")
    await pass_on(
        pair,
        [cases.delete(f"{DEPLOYMENTS}/{name}", propagationPolicy="Background") for name in names],
    )
    assert await listed(pair, PODS, pod_told) == [[], []]
