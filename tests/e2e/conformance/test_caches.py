"""ModelCaches and InferenceClusters are answered alike by both clusters."""

import asyncio
from collections.abc import AsyncIterator
from http import HTTPStatus

import pytest
import pytest_asyncio
import yaml

from adapters.kubernetes.configuring import load_access
from adapters.kubernetes.http_api import HttpApi
from adapters.simulator.resources import CACHE, INFERENCE_CLUSTER, NAMESPACE, path_of
from adapters.simulator.worlds import World
from tests.e2e.controlplane.running import ControlPlane
from tests.repository import ROOT
from tests.simulator import cases, cases_caches
from tests.simulator.comparing import GOODBYE_SECONDS, SECONDS, Pair

pytestmark = pytest.mark.e2e

DEFINITIONS = tuple(ROOT / "crds" / f"{kind}.yaml" for kind in ("modelcache", "inferencecluster"))


@pytest_asyncio.fixture
async def pair(control_plane: ControlPlane) -> AsyncIterator[Pair]:
    """A simulated and the real cluster, with the definitions of both kinds installed."""
    world = World(1)
    for definition in DEFINITIONS:
        control_plane.kubectl("apply", "--server-side", "--force-conflicts", "-f", str(definition))
        world.install(yaml.safe_load(definition.read_text()))
    api = HttpApi("real", await load_access(kubeconfig=str(control_plane.kubeconfig)))
    try:
        async with asyncio.timeout(SECONDS):
            for resource in (CACHE, INFERENCE_CLUSTER):
                listing = cases.get(path_of(resource))
                while (await api.send(listing, timeout_seconds=SECONDS)).code != HTTPStatus.OK:
                    await asyncio.sleep(0.1)
        yield Pair(world, api)
    finally:
        await api.close()
        await asyncio.sleep(GOODBYE_SECONDS)


async def test_requests_about_caches_are_answered_alike(pair: Pair) -> None:
    """Defaults, rules in CEL, what never changes, the status, and finalizers."""
    name = "like-caches"
    await pair.ask(cases.post(path_of(NAMESPACE), {"metadata": {"name": name}}))
    await pair.ask_all(cases_caches.caches(name))


async def test_requests_about_clusters_are_answered_alike(pair: Pair) -> None:
    """Fields of other makers are kept, the stack stays, and the status is shared."""
    await pair.ask_all(cases_caches.inference_clusters())
