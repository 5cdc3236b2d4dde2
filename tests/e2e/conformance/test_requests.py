"""The simulated API server and its controllers answer and act as the real ones do."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from http import HTTPStatus

import pytest
import pytest_asyncio
import yaml

from adapters.kubernetes.configuring import load_access
from adapters.kubernetes.http_api import HttpApi
from adapters.ports import Request
from adapters.simulator.resources import (
    CACHE,
    JOB,
    LEASE,
    NAMESPACE,
    NODE,
    POD,
    SECRET,
    WARMUP,
    path_of,
)
from adapters.simulator.worlds import World
from tests.e2e.controlplane.running import ControlPlane
from tests.repository import ROOT
from tests.simulator import cases
from tests.simulator.comparing import (
    GOODBYE_SECONDS,
    SECONDS,
    Pair,
    Watches,
    differences,
    events_shown,
)
from tests.simulator.drawing import Drawer

pytestmark = pytest.mark.e2e

DEFINITIONS = tuple(ROOT / "crds" / f"{kind}.yaml" for kind in ("modelwarmup", "modelcache"))
ACCOUNTS = "/api/v1/namespaces/{}/serviceaccounts/default"


@pytest_asyncio.fixture
async def real(control_plane: ControlPlane) -> AsyncIterator[HttpApi]:
    """The real API server, through the real client, with both custom kinds installed."""
    for path in DEFINITIONS:
        control_plane.kubectl("apply", "--server-side", "--force-conflicts", "-f", str(path))
    api = HttpApi("real", await load_access(kubeconfig=str(control_plane.kubeconfig)))
    try:
        await settle(api)
        yield api
    finally:
        await api.close()
        await asyncio.sleep(GOODBYE_SECONDS)


async def settle(api: HttpApi) -> None:
    """Wait until the new kinds are served."""
    async with asyncio.timeout(SECONDS):
        for resource in (WARMUP, CACHE):
            listing = cases.get(path_of(resource))
            while (await api.send(listing, timeout_seconds=SECONDS)).code != HTTPStatus.OK:
                await asyncio.sleep(0.1)


@pytest.fixture
def world() -> World:
    """An empty simulated cluster with the same kinds installed."""
    world = World(1)
    for path in DEFINITIONS:
        world.install(yaml.safe_load(path.read_text()))
    return world


@pytest_asyncio.fixture
async def pair(world: World, real: HttpApi) -> Pair:
    """Both."""
    return Pair(world, real)


async def add_namespace(pair: Pair, name: str) -> None:
    """Make a namespace on both; Pods are refused until it has its default service account."""
    await pair.ask(cases.post(path_of(NAMESPACE), {"metadata": {"name": name}}))
    async with asyncio.timeout(SECONDS):
        account = Request("GET", ACCOUNTS.format(name))
        while (await pair.real.send(account, timeout_seconds=SECONDS)).code != HTTPStatus.OK:
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("case", [cases.jobs, cases.warmups, cases.pods, cases.others])
async def test_requests_are_answered_alike(
    pair: Pair, case: Callable[[str], Iterator[Request]]
) -> None:
    """Codes, reasons, fields and objects are the same for every request of a sequence."""
    name = f"like-{case.__name__}"
    await add_namespace(pair, name)
    await pair.ask_all(case(name))


async def test_nodes_are_answered_alike(pair: Pair) -> None:
    """Also those that a controller taints meanwhile: compared before it can."""
    await pair.ask_all(cases.node("like-node"))


async def test_a_namespace_that_goes_refuses_alike(pair: Pair) -> None:
    """403 with the cause NamespaceTerminating for every kind, until it is gone."""
    await add_namespace(pair, "like-going")
    warmups = path_of(WARMUP, "like-going")
    await pair.ask(cases.post(warmups, cases.warmup("held")))
    held = {"metadata": {"finalizers": ["example.com/held"]}}
    await pair.ask(cases.merge(f"{warmups}/held", held))
    await pair.ask(cases.delete(f"{path_of(NAMESPACE)}/like-going"))
    await pair.ask(cases.post(warmups, cases.warmup("late")))
    await pair.ask(cases.post(path_of(JOB, "like-going"), cases.job("late")))
    await pair.ask(cases.merge(f"{warmups}/held", {"metadata": {"finalizers": None}}))


LISTS: tuple[dict[str, str], ...] = (
    {},
    {"limit": "3"},
    {"limit": "2", "labelSelector": "odd"},
    *({"labelSelector": text} for text in ("odd", "!odd", "odd=1", "job in (j1, j2),odd")),
    *({"labelSelector": text} for text in ("job notin (j1)", "odd!=1", "x y", "odd,,job", "=x")),
    *({"fieldSelector": text} for text in ("metadata.name=j1", "metadata.name!=j1", "spec.x=1")),
    {"resourceVersion": "0"},
    {"resourceVersion": "999999999"},
    {"resourceVersion": "new"},
    {"resourceVersionMatch": "Exact"},
    {"resourceVersion": "1", "resourceVersionMatch": "Nearly"},
    {"limit": "2", "continue": "made-up"},
)


async def test_lists_and_pages_are_alike(pair: Pair) -> None:
    """Selectors, limits and versions; and pages show the list as it was at the first of them."""
    await add_namespace(pair, "like-lists")
    path = path_of(JOB, "like-lists")
    for index in range(7):
        body = cases.job(f"j{index}")
        body["metadata"]["labels"] |= {"odd": "1"} if index % 2 else {}
        await pair.ask(cases.post(path, body))
    for query in LISTS:
        await pair.ask(cases.get(path, **query))
    await pair.ask(cases.get(path_of(JOB, "nowhere")))
    pages = await pair.ask(cases.get(path, limit="3"))
    await pair.ask(cases.delete(f"{path}/j6", propagationPolicy="Background"))
    await pair.ask(cases.post(path, cases.job("j55")))
    for _ in range(2):
        tokens = [page.body["metadata"]["continue"] for page in pages]
        queries = [cases.get(path, limit="3", **{"continue": token}) for token in tokens]
        pages = (
            pair.world.api.handle(queries[0]),
            await pair.real.send(queries[1], timeout_seconds=SECONDS),
        )
        simulated, real = (
            [item["metadata"]["name"] for item in page.body["items"]] for page in pages
        )
        assert simulated == real
    assert all("continue" not in page.body["metadata"] for page in pages)


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_random_requests_are_answered_and_told_alike(pair: Pair, seed: int) -> None:
    """Whatever is asked, answers agree; and watches with and without selectors tell the same."""
    name = f"like-random-{seed}"
    await add_namespace(pair, name)
    async with Watches(pair) as watches:
        for resource in (JOB, WARMUP, POD, LEASE, SECRET, CACHE):
            await watches.open(path_of(resource, name))
        await watches.open(path_of(JOB, name), labelSelector="x=1")
        await watches.open(path_of(WARMUP, name), fieldSelector="metadata.name=a")
        await pair.ask_all(Drawer(seed, name).draw(300))
        for told in await watches.rest():
            shown = events_shown(told.simulated), events_shown(told.real)
            found = "\n".join(differences(*shown))
            assert not found, found


async def test_a_version_that_was_forgotten_is_refused_alike(
    pair: Pair, control_plane: ControlPlane
) -> None:
    """A watch from too long ago is one event ERROR with 410 Expired."""
    control_plane.stop_component("kube-apiserver")  # its watch cache begins anew
    control_plane.start_component("kube-apiserver")
    pair.world.cluster.compact()
    old = cases.get(path_of(NODE), watch="true", resourceVersion="1")
    (simulated,) = pair.world.api.open_watch(old).take()
    async with aclosing(pair.real.watch(old, idle_seconds=SECONDS)) as events:
        real = await anext(events)
    assert simulated["type"] == real["type"] == "ERROR"
    for field in ("code", "reason", "status", "kind"):
        assert simulated["object"][field] == real["object"][field]
