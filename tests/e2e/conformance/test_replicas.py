"""ModelReplicas are answered alike by both clusters."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
import yaml

from adapters.kubernetes.configuring import load_access
from adapters.kubernetes.http_api import HttpApi
from adapters.simulator.resources import NAMESPACE, path_of
from adapters.simulator.worlds import World
from tests.e2e.admitting import apply_crds
from tests.e2e.controlplane.running import ControlPlane
from tests.repository import ROOT
from tests.simulator import cases, cases_replicas
from tests.simulator.comparing import GOODBYE_SECONDS, Pair

pytestmark = pytest.mark.e2e

DEFINITION = ROOT / "crds" / "modelreplica.yaml"


@pytest_asyncio.fixture
async def pair(control_plane: ControlPlane) -> AsyncIterator[Pair]:
    """A simulated and the real cluster, with the definition installed."""
    definition = yaml.safe_load(DEFINITION.read_text())
    apply_crds(control_plane, "-f", DEFINITION, definition["metadata"]["name"])
    world = World(1)
    world.install(definition)
    api = HttpApi("real", await load_access(kubeconfig=str(control_plane.kubeconfig)))
    try:
        yield Pair(world, api)
    finally:
        await api.close()
        await asyncio.sleep(GOODBYE_SECONDS)


async def test_requests_about_replicas_are_answered_alike(pair: Pair) -> None:
    """Defaults, bounds, what never changes, the status, finalizers, and what is applied."""
    name = "like-replicas"
    await pair.ask(cases.post(path_of(NAMESPACE), {"metadata": {"name": name}}))
    await pair.ask_all(cases_replicas.replicas(name))
