"""Server-side apply, and the kinds that are applied, are answered alike by both clusters."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
import pytest_asyncio

from adapters.kubernetes.configuring import load_access
from adapters.kubernetes.http_api import HttpApi
from adapters.ports import Request
from adapters.simulator.resources import LEADER_WORKER_SET, NAMESPACE, path_of
from adapters.simulator.worlds import World
from tests.e2e import lws
from tests.e2e.controlplane.running import ControlPlane
from tests.simulator import cases, cases_applying
from tests.simulator.comparing import GOODBYE_SECONDS, SECONDS, Pair
from tests.simulator.drawing_applies import ApplyDrawer

pytestmark = pytest.mark.e2e


@pytest_asyncio.fixture
async def pair(control_plane: ControlPlane) -> AsyncIterator[Pair]:
    """A simulated and the real cluster, both with LeaderWorkerSets, asked by who owns what."""
    lws.install(control_plane)
    world = World(1)
    world.install(lws.crd())
    api = HttpApi("real", await load_access(kubeconfig=str(control_plane.kubeconfig)))
    try:
        yield Pair(world, api, owners=True)
    finally:
        await api.close()
        await asyncio.sleep(GOODBYE_SECONDS)


@pytest.mark.usefixtures("uncontrolled")
@pytest.mark.parametrize(
    "case",
    [
        cases_applying.applied,
        cases_applying.shared,
        cases_applying.adopted,
        cases_applying.refused,
        cases_applying.services,
        cases_applying.claim_templates,
        cases_applying.gangs,
    ],
)
async def test_requests_are_answered_alike(
    pair: Pair, case: Callable[[str], Iterator[Request]]
) -> None:
    """Objects, refusals, and who owns which field after each request."""
    name = f"like-{case.__name__.replace('_', '-')}"
    await pair.ask(cases.post(path_of(NAMESPACE), {"metadata": {"name": name}}))
    await pair.ask_all(case(name))


@pytest.mark.usefixtures("uncontrolled")
@pytest.mark.parametrize("seed", [1, 2])
async def test_random_requests_by_several_managers_are_answered_alike(
    pair: Pair, seed: int
) -> None:
    """Whoever applies, patches, replaces or scales what: the object and its owners agree."""
    name = f"like-managers-{seed}"
    await pair.ask(cases.post(path_of(NAMESPACE), {"metadata": {"name": name}}))
    await pair.ask_all(ApplyDrawer(seed, name).draw(100))


async def test_a_kind_comes_and_goes_with_its_definition(
    pair: Pair, control_plane: ControlPlane
) -> None:
    """Before and after it there is nothing at its path, said in plain text."""
    name = "like-installed"
    await pair.ask(cases.post(path_of(NAMESPACE), {"metadata": {"name": name}}))
    path = path_of(LEADER_WORKER_SET, name)
    requests = [
        cases.get(path),
        cases.get(f"{path}/a"),
        cases.post(path, cases_applying.gang("a")),
        cases_applying.apply(f"{path}/a", cases_applying.gang("a")),
    ]
    lws.uninstall(control_plane)
    pair.world.stop_serving(LEADER_WORKER_SET.kind)
    await until_served(pair, path, served=False)
    await pair.ask_all(requests)
    lws.install(control_plane)
    pair.world.serve(LEADER_WORKER_SET.kind)
    await until_served(pair, path, served=True)
    await pair.ask_all(requests)


async def until_served(pair: Pair, path: str, *, served: bool) -> None:
    """Wait for the real server: it serves what it had a moment longer, and says 429 at first."""
    async with asyncio.timeout(SECONDS):
        while (await pair.real.send(cases.get(path), timeout_seconds=SECONDS)).ok is not served:
            await asyncio.sleep(0.1)
