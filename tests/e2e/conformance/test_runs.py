"""Jobs, Pods and nodes go the same way in the simulated cluster and in the real one."""

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
import yaml

from adapters.kubernetes.configuring import load_access
from adapters.kubernetes.http_api import HttpApi
from adapters.ports import MERGE_PATCH, Request
from adapters.simulator.clock import SECOND
from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.resources import JOB, NAMESPACE, NODE, POD, path_of
from adapters.simulator.worlds import World
from tests.e2e.controlplane.nodes import NodeShape, create_nodes, delete_nodes
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import request, wait_until
from tests.repository import ROOT
from tests.simulator import cases
from tests.simulator.building import job_body
from tests.simulator.comparing import (
    GOODBYE_SECONDS,
    SECONDS,
    Event,
    Pair,
    Told,
    Watches,
    differences,
    levelled,
)

pytestmark = pytest.mark.e2e

NAME = "like-runs"
JOBS, PODS = path_of(JOB, NAME), path_of(POD, NAME)
# The words in the names tell the real cluster's fake kubelets what to do.
PLANS = {
    "like-well": NodePlan(),
    "like-failing": NodePlan(ending=Ending.FAIL, message="image-0 could not warm up"),
    "like-hanging": NodePlan(ending=Ending.HANG),
    "like-tainted": NodePlan(),
    "like-cordoned": NodePlan(),
}
TAINT = {"key": "k", "value": "v", "effect": "NoSchedule"}
IGNORE_DISRUPTIONS = {
    "rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
}

Story = list[tuple[Any, ...]]
Stories = dict[str, list[Story]]


def bodies() -> Iterator[dict[str, Any]]:
    """Jobs that go every way there is."""
    hanging = "like-hanging"
    for name, node, spec in (
        ("well", "like-well", {}),
        ("twice", "like-well", {"completions": 2, "parallelism": 1}),
        ("failing", "like-failing", {"backoffLimit": 1}),
        ("late", hanging, {"activeDeadlineSeconds": 5}),
        ("short-lived", "like-well", {"ttlSecondsAfterFinished": 2}),
        ("background", hanging, {}),
        ("foreground", hanging, {}),
        ("orphaning", hanging, {}),
        ("suspended", hanging, {}),
        ("evicted", hanging, {"backoffLimit": 0, "podFailurePolicy": IGNORE_DISRUPTIONS}),
        ("shot", hanging, {"backoffLimit": 1}),
        ("tainted", "like-tainted", {}),
        ("tainted-deleted", "like-tainted", {}),
        ("cordoned", "like-cordoned", {}),
        ("missing", "like-nowhere", {}),
    ):
        body = job_body(name, node, **spec)
        body["metadata"]["namespace"] = NAME
        pod = body["spec"]["template"]["spec"]
        pod |= {"automountServiceAccountToken": False, "terminationGracePeriodSeconds": 3}
        yield body


RUNNING = ("background", "foreground", "orphaning", "suspended", "evicted", "shot")


def deeds(pods: dict[str, str]) -> Iterator[Request]:
    """What people do to the Jobs that hang; `pods` names the Pod of each."""
    for name in ("background", "foreground"):
        yield cases.delete(f"{JOBS}/{name}", propagationPolicy=name.capitalize())
    yield cases.delete(f"{JOBS}/orphaning", propagationPolicy="Orphan")
    yield cases.delete(f"{JOBS}/tainted-deleted", propagationPolicy="Background")
    yield cases.merge(f"{JOBS}/suspended", {"spec": {"suspend": True}})
    evicted = {"metadata": {"name": pods["evicted"], "namespace": NAME}}
    kind = {"apiVersion": "policy/v1", "kind": "Eviction"}
    yield cases.post(f"{PODS}/{pods['evicted']}/eviction", {**kind, **evicted})
    yield cases.delete(f"{PODS}/{pods['shot']}")


@pytest_asyncio.fixture
async def pair(control_plane: ControlPlane) -> AsyncIterator[Pair]:
    """A simulated and the real cluster, with the same nodes and an empty namespace."""
    api = HttpApi("real", await load_access(kubeconfig=str(control_plane.kubeconfig)))
    world = World(1)
    world.install(yaml.safe_load((ROOT / "crds" / "modelwarmup.yaml").read_text()))
    pair = Pair(world, api)
    try:
        async with control_plane.open_session() as session:
            await add_nodes(session, world)
            await pair.ask(cases.post(path_of(NAMESPACE), {"metadata": {"name": NAME}}))
            accounts = f"/api/v1/namespaces/{NAME}/serviceaccounts"
            await wait_until(session, accounts, lambda found: "default" in found)
            yield pair
            await delete_nodes(session, PLANS)
    finally:
        await api.close()
        await asyncio.sleep(GOODBYE_SECONDS)


async def add_nodes(session: aiohttp.ClientSession, world: World) -> None:
    """Make the same nodes on both, ready, and one of them cordoned."""
    for name, plan in PLANS.items():
        taints = [TAINT] if name == "like-tainted" else []
        await create_nodes(session, [name], NodeShape(taints=taints))
        given = [("k", "v", "NoSchedule")] if taints else []
        world.add_node(name, enabled=False, plan=plan, taints=given)
    world.cluster.advance(world.cluster.now + 5 * SECOND)
    cordon = {"spec": {"unschedulable": True}}
    path = f"{path_of(NODE)}/like-cordoned"
    await request(session, "PATCH", path, cordon, MERGE_PATCH)
    world.cordon("like-cordoned")


def of_job(item: dict[str, Any]) -> str:
    """The name of the Job that an object is, or is of."""
    metadata = item["metadata"]
    name: str = (metadata.get("labels") or {}).get("job-name", metadata["name"])
    return name


def job_stories(events: Iterable[Event]) -> Stories:
    """How each Job went: conditions and marks in order, and the counters of those that are left."""
    found: dict[str, Story] = defaultdict(list)
    counters: dict[str, tuple[Any, ...]] = {}
    for event in events:
        item = event["object"]
        status, name = item.get("status") or {}, item["metadata"]["name"]
        conditions = tuple(
            (each["type"], each["status"], each["reason"], each["message"])
            for each in status.get("conditions") or ()
        )
        marks = tuple(item["metadata"].get("finalizers") or ())
        step = (event["type"] == "DELETED", conditions, marks)
        if step not in found[name]:
            found[name].append(step)
        fields = ("active", "succeeded", "failed", "terminating", "ready")
        gone = event["type"] == "DELETED"
        counters[name] = () if gone else tuple(status.get(field) for field in fields)
    return {name: [[*story, counters[name]]] for name, story in found.items()}


def pod_stories(events: Iterable[Event]) -> Stories:
    """How each Job's Pods went, oldest first: phases, marks, disruptions, the scheduler's words.

    Left out is when the finalizer goes, which races with everything else.
    """
    found: dict[str, dict[str, Story]] = defaultdict(dict)
    for event in events:
        item = event["object"]
        metadata, status = item["metadata"], item["status"]
        told = {each["type"]: each for each in status.get("conditions") or ()}
        scheduled = told.get("PodScheduled", {})
        step = (
            event["type"] == "DELETED",
            status["phase"],
            metadata.get("deletionGracePeriodSeconds"),
            item["spec"].get("nodeName"),
            told.get("DisruptionTarget", {}).get("reason"),
            scheduled.get("reason"),
            # How many nodes there are is other tests' business too.
            re.sub(r"\d+", "N", scheduled.get("message") or ""),
        )
        story = found[of_job(item)].setdefault(metadata["name"], [])
        if step not in story:
            story.append(step)
    return {name: list(stories.values()) for name, stories in found.items()}


async def await_alike(told: Told, stories: Callable[[Iterable[Event]], Stories]) -> None:
    """Wait until the real cluster has gone as far as the simulated one; then compare."""
    expected = stories(told.simulated)
    with suppress(TimeoutError):
        async with asyncio.timeout(2 * SECONDS):
            while stories(told.real) != expected:
                await asyncio.sleep(0.2)
    found = "\n".join(differences(expected, stories(told.real)))
    assert not found, found


def running_pods(events: Iterable[Event]) -> dict[str, str]:
    """The newest running Pod of each Job."""
    found = (event["object"] for event in events)
    return {
        of_job(item): item["metadata"]["name"]
        for item in found
        if item["status"]["phase"] == "Running"
    }


async def test_jobs_and_pods_go_the_same_way(pair: Pair) -> None:
    """Conditions, counters, phases, marks, disruptions and words, for every way to go."""
    cluster = pair.world.cluster
    async with Watches(pair) as watches:
        jobs, pods = await watches.open(JOBS), await watches.open(PODS)
        for body in bodies():
            await pair.ask(cases.post(JOBS, body))
        cluster.advance(cluster.now + 4 * SECOND)
        async with asyncio.timeout(SECONDS):
            while not set(RUNNING) <= running_pods(pods.real).keys():
                await asyncio.sleep(0.1)
        for events, api in ((pods.simulated, pair.world.api), (pods.real, pair.real)):
            for deed in deeds(running_pods(events)):
                response = await api.send(deed, timeout_seconds=SECONDS)
                assert response.ok, response
        cluster.advance(cluster.now + 60 * SECOND)
        await await_alike(jobs, job_stories)
        await await_alike(pods, pod_stories)
        for name in ("well", "failing", "late", "twice", "suspended", "evicted"):
            await pair.ask(cases.get(f"{JOBS}/{name}"))
        await compare_pods(pair)


async def compare_pods(pair: Pair) -> None:
    """The Pods that are left have the same spec, labels and owners on both."""
    listed = []
    for api in (pair.world.api, pair.real):
        answer = await api.send(cases.get(PODS), timeout_seconds=SECONDS)
        found: dict[str, list[Any]] = defaultdict(list)
        for item in answer.body["items"]:
            kept = {"metadata": item["metadata"], "spec": item["spec"]}
            found[of_job(item)].append(levelled(kept))
        listed.append(dict(found))
    difference = "\n".join(differences(listed[0], listed[1]))
    assert not difference, difference
