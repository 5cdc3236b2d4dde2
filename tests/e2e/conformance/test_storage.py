"""Claims, volumes, classes and Secrets are answered and go alike in both clusters."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
import pytest_asyncio

from adapters.kubernetes.configuring import load_access
from adapters.kubernetes.http_api import HttpApi
from adapters.ports import Request
from adapters.simulator.resources import NAMESPACE, SECRET, path_of
from adapters.simulator.worlds import World
from tests.e2e.controlplane.running import ControlPlane
from tests.simulator import cases, cases_storage
from tests.simulator.comparing import (
    GOODBYE_SECONDS,
    Pair,
    Watches,
    differences,
    events_shown,
)

pytestmark = pytest.mark.e2e


@pytest_asyncio.fixture
async def pair(control_plane: ControlPlane) -> AsyncIterator[Pair]:
    """An empty simulated cluster and the real one."""
    api = HttpApi("real", await load_access(kubeconfig=str(control_plane.kubeconfig)))
    try:
        yield Pair(World(1), api)
    finally:
        await api.close()
        await asyncio.sleep(GOODBYE_SECONDS)


@pytest.mark.usefixtures("uncontrolled")
@pytest.mark.parametrize("case", [cases_storage.claims, cases_storage.secrets])
async def test_requests_in_a_namespace_are_answered_alike(
    pair: Pair, case: Callable[[str], Iterator[Request]]
) -> None:
    """Hand-written requests, many of them wrong, get the same answers."""
    name = f"like-{case.__name__}"
    await pair.ask(cases.post(path_of(NAMESPACE), {"metadata": {"name": name}}))
    await pair.ask_all(case(name))


@pytest.mark.usefixtures("uncontrolled")
@pytest.mark.parametrize("case", [cases_storage.classes, cases_storage.volumes])
async def test_requests_for_the_whole_cluster_are_answered_alike(
    pair: Pair, case: Callable[[], Iterator[Request]]
) -> None:
    """Classes and volumes, which are in no namespace."""
    await pair.ask_all(case())


async def test_one_secret_is_watched_by_its_name_alike(pair: Pair) -> None:
    """A watch with a field selector tells of that Secret alone, and of its end."""
    name = "like-secret-watch"
    await pair.ask(cases.post(path_of(NAMESPACE), {"metadata": {"name": name}}))
    path = path_of(SECRET, name)
    async with Watches(pair) as watches:
        await watches.open(path, fieldSelector="metadata.name=a")
        await pair.ask_all(
            [
                cases.post(path, cases_storage.secret("b")),
                cases.post(path, cases_storage.secret("a")),
                cases.merge(f"{path}/a", {"data": {"HF_TOKEN": cases_storage.OTHER}}),
                cases.merge(f"{path}/b", {"data": {"HF_TOKEN": cases_storage.OTHER}}),
                cases.delete(f"{path}/a"),
                cases.post(path, cases_storage.secret("a")),
            ]
        )
        for told in await watches.rest():
            shown = events_shown(told.simulated), events_shown(told.real)
            found = "\n".join(differences(*shown))
            assert not found, found
