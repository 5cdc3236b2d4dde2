"""Claims, volumes and the Pods that wait for them go the same way in both clusters."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
import pytest_asyncio

from adapters.kubernetes.configuring import load_access
from adapters.kubernetes.http_api import HttpApi
from adapters.ports import Api
from adapters.simulator.clock import SECOND
from adapters.simulator.resources import (
    CLAIM,
    CLASS,
    EVENT,
    JOB,
    NAMESPACE,
    NODE,
    POD,
    VOLUME,
    path_of,
)
from adapters.simulator.worlds import World
from tests.e2e.controlplane.nodes import create_nodes
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import wait_until
from tests.simulator import cases
from tests.simulator.cases_storage import claim, pinned, storage_class, volume
from tests.simulator.comparing import GOODBYE_SECONDS, SECONDS, Known, Pair, differences
from tests.simulator.volumes import SELECTED, filling_job

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

NAME = "like-volumes"
CLAIMS, JOBS, PODS = (path_of(each, NAME) for each in (CLAIM, JOB, POD))
CLASSES, VOLUMES, NODES = path_of(CLASS), path_of(VOLUME), path_of(NODE)
NOWHERE, LATE, NOW, BY_HAND = "like-nobody", "like-late", "like-now", "like-by-hand"
CLASS_BODIES = (
    storage_class(LATE, volumeBindingMode="WaitForFirstConsumer"),
    storage_class(NOW, allowVolumeExpansion=True),
    storage_class(BY_HAND, provisioner="kubernetes.io/no-provisioner"),
)
FIRST, SECOND_NODE = "like-first", "like-second"


@pytest_asyncio.fixture
async def pair(control_plane: ControlPlane) -> AsyncIterator[Pair]:
    """A simulated and the real cluster with one node, the same classes, and a namespace."""
    api = HttpApi("real", await load_access(kubeconfig=str(control_plane.kubeconfig)))
    pair = Pair(World(1), api)
    try:
        async with control_plane.open_session() as session:
            await create_nodes(session, [FIRST])
            pair.world.add_node(FIRST)
            await pair.ask(cases.post(path_of(NAMESPACE), {"metadata": {"name": NAME}}))
            accounts = f"/api/v1/namespaces/{NAME}/serviceaccounts"
            await wait_until(session, accounts, lambda found: "default" in found)
            await pair.ask_all(cases.post(CLASSES, body) for body in CLASS_BODIES)
            yield pair
            for path in (JOBS, CLAIMS, CLASSES, VOLUMES, NODES):
                await session.delete(path, json={"propagationPolicy": "Background"})
            await session.delete(f"{path_of(NAMESPACE)}/{NAME}")
            await wait_until(session, VOLUMES, lambda found: not found)
    finally:
        await api.close()
        await asyncio.sleep(GOODBYE_SECONDS)


async def listed(api: Api, path: str) -> list[dict[str, Any]]:
    """The objects of a collection."""
    answer = await api.send(cases.get(path), timeout_seconds=SECONDS)
    items: list[dict[str, Any]] = answer.body["items"]
    return items


def notes_of(item: dict[str, Any]) -> dict[str, str]:
    """The annotations by which controllers speak to each other."""
    notes = item["metadata"].get("annotations") or {}
    return {key: note for key, note in notes.items() if "kubernetes.io/" in key}


def claim_shown(item: dict[str, Any]) -> Any:
    """How a claim stands."""
    return item["status"], item["spec"].get("volumeName"), notes_of(item)


def volume_shown(item: dict[str, Any]) -> Any:
    """How a volume stands."""
    spec = item["spec"]
    owner = (spec.get("claimRef") or {}).get("name")
    return item["status"]["phase"], owner, spec["capacity"], notes_of(item)


def pod_shown(item: dict[str, Any]) -> Any:
    """How a Pod stands, and why it is not scheduled; how many nodes there are is not compared."""
    told = {each["type"]: each for each in item["status"].get("conditions") or ()}
    scheduled = told.get("PodScheduled", {})
    words = re.sub(r"\d+", "N", scheduled.get("message") or "")
    return item["status"]["phase"], item["spec"].get("nodeName"), scheduled.get("reason"), words


async def snapshot(api: Api) -> dict[str, Any]:
    """Everything that is to be the same, Events about claims included."""
    pods = {
        pod["metadata"]["labels"]["job-name"]: pod_shown(pod) for pod in await listed(api, PODS)
    }
    suffixes = re.compile(r"\b([a-z-]+)-[bcdfghjklmnpqrstvwxz2456789]{5}\b")
    told = {
        f"{about['name']} {each['type']} {each['reason']}": suffixes.sub(r"\1", each["message"])
        for each in await listed(api, path_of(EVENT, NAME))
        if (about := each["involvedObject"])["kind"] == CLAIM.kind
    }
    return {
        "claims": {it["metadata"]["name"]: claim_shown(it) for it in await listed(api, CLAIMS)},
        "volumes": {it["metadata"]["name"]: volume_shown(it) for it in await listed(api, VOLUMES)},
        "pods": pods,
        "events": told,
    }


async def come_alike(pair: Pair, seconds: int = 30) -> None:
    """Let time pass in the simulated cluster, and wait until the real one has come as far."""
    cluster = pair.world.cluster
    cluster.advance(cluster.now + seconds * SECOND)
    expected, real = await snapshot(pair.world.api), await snapshot(pair.real)
    with suppress(TimeoutError):
        async with asyncio.timeout(2 * SECONDS):
            while real != expected:
                await asyncio.sleep(0.5)
                real = await snapshot(pair.real)
    found = "\n".join(differences(expected, real))
    assert not found, found


async def test_claims_that_wait_and_bind_go_the_same_way(
    pair: Pair, control_plane: ControlPlane
) -> None:
    """A claim's node that goes, a choice that is taken back, volumes made by hand and lost."""
    for name, class_name in (("late", LATE), ("now", NOW), ("by-hand", BY_HAND), ("no", NOWHERE)):
        await pair.ask(cases.post(CLAIMS, claim(name, storageClassName=class_name)))
    await come_alike(pair)
    for name in ("late", "now", "by-hand"):
        body = filling_job(name, name)
        body["metadata"]["namespace"] = NAME
        await pair.ask(cases.post(JOBS, body))
    await come_alike(pair)
    async with control_plane.open_session() as session:
        await create_nodes(session, [SECOND_NODE])
    pair.world.add_node(SECOND_NODE)
    for api in (pair.world.api, pair.real):
        await api.send(cases.delete(f"{NODES}/{FIRST}"), timeout_seconds=SECONDS)
    await come_alike(pair)
    await pair.ask(cases.merge(f"{CLAIMS}/late", {"metadata": {"annotations": {SELECTED: None}}}))
    await come_alike(pair)
    await make_volumes(pair)
    await come_alike(pair)
    await lose_and_release(pair)


async def make_volumes(pair: Pair) -> None:
    """Make a volume by hand for each claim: for anybody, for one by name, on one node."""
    by_name = {"namespace": NAME, "name": "late"}
    by_uid = {"namespace": NAME, "name": "now", "uid": Known(f"{CLAIMS}/now", "uid")}
    for name, class_name, more in (
        ("like-v1", LATE, {"claimRef": by_name}),
        ("like-v2", NOW, {"claimRef": by_uid, "capacity": {"storage": "20Gi"}}),
        ("like-v3", BY_HAND, {"nodeAffinity": pinned(SECOND_NODE)}),
        ("like-v4", BY_HAND, {"capacity": {"storage": "1Gi"}}),
    ):
        await pair.ask(cases.post(VOLUMES, volume(name, storageClassName=class_name, **more)))


async def lose_and_release(pair: Pair) -> None:
    """Lose one volume; let go of another, whose claim is made anew.

    The finalizer goes last: the real controller puts it back on a bound volume that is not
    being deleted yet, and the volume would stay.
    """
    for path in (f"{JOBS}/now", f"{JOBS}/by-hand"):
        for api in (pair.world.api, pair.real):
            body = {"propagationPolicy": "Background"}
            await api.send(cases.delete(path, **body), timeout_seconds=SECONDS)
    for api in (pair.world.api, pair.real):
        off = cases.merge(f"{VOLUMES}/like-v2", {"metadata": {"finalizers": None}})
        for request in (cases.delete(f"{VOLUMES}/like-v2"), off):
            await api.send(request, timeout_seconds=SECONDS)
        await api.send(cases.delete(f"{CLAIMS}/by-hand"), timeout_seconds=SECONDS)
    await come_alike(pair)
    await pair.ask(cases.post(CLAIMS, claim("by-hand", storageClassName=BY_HAND)))
    await come_alike(pair)
