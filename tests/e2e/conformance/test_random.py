"""Random requests about many kinds are answered, told and left alike by both clusters.

A difference is cut down to the shortest sequence that shows it. Its seed makes it anew. Every run
tries the same seeds; WARMLOG_FIRST_SEED=NUMBER has it begin at others, to search for what is new.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from itertools import count
from typing import NamedTuple

import pytest
import pytest_asyncio
import yaml

from adapters.kubernetes.configuring import load_access
from adapters.kubernetes.http_api import HttpApi
from adapters.ports import Request, Response
from adapters.simulator.resources import CLAIM, NAMESPACE, Resource, path_of
from adapters.simulator.worlds import World
from tests.e2e.admitting import apply_crds
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
    shown,
)
from tests.simulator.drawing_mixtures import KINDS, MixtureDrawer
from tests.simulator.shortening import shortest

pytestmark = pytest.mark.e2e

DEFINITIONS = {
    kind: yaml.safe_load((ROOT / "crds" / f"{kind}.yaml").read_text())
    for kind in ("modelwarmup", "modelcache", "modelreplica", "inferencecluster")
}
LENGTH = 120  # requests in a sequence
SEEDS = 10  # sequences in one run
# A real server now and then writes a claim anew though nothing of it has changed.
_WRITTEN_ANEW = (CLAIM,)
_NAMES = (f"like-mix-{index}" for index in count())


class Difference(NamedTuple):
    """Where the two clusters differ: after which request, and how."""

    after: int
    words: str


class Trials:
    """Sequences of requests, each sent to an empty simulated cluster and a fresh namespace."""

    def __init__(self, real: HttpApi) -> None:
        """Compare with `real`."""
        self._real = real

    async def compare(self, seed: int, kept: Sequence[int] = range(LENGTH)) -> Difference | None:
        """Send a sequence, or what is kept of it; give the first difference."""
        name = next(_NAMES)
        world = World(1)
        for definition in DEFINITIONS.values():
            world.install(definition)
        pair, drawer = Pair(world, self._real, owners=True), MixtureDrawer(seed, name)
        await pair.ask(cases.post(path_of(NAMESPACE), {"metadata": {"name": name}}))
        await self._let_in_pods(name)
        requests = list(drawer.draw(LENGTH))
        paths = [path_of(kind, name) for kind in drawer.kinds if kind.namespaced]
        try:
            async with Watches(pair) as watches:
                for kind in drawer.kinds:
                    if kind.namespaced and kind not in _WRITTEN_ANEW:
                        await watches.open(path_of(kind, name))
                return (
                    await first_difference(pair, {index: requests[index] for index in kept})
                    or await told_difference(watches, max(kept))
                    or await first_difference(pair, dict(enumerate(map(cases.get, paths), LENGTH)))
                )
        finally:
            await self._clear(name, drawer.kinds)

    async def shown(self, seed: int, found: Difference) -> str:
        """Cut a sequence down to what shows a difference, and say what it is."""

        async def shows(kept: Sequence[int]) -> bool:
            return await self.compare(seed, kept) is not None

        kept = await shortest(range(min(found.after + 1, LENGTH)), shows)
        last = await self.compare(seed, kept) or found
        requests = list(MixtureDrawer(seed, "NAMESPACE").draw(LENGTH))
        told = "\n".join(words_of(requests[index]) for index in kept)
        return f"seed {seed}:\n{told}\n{last.words}"

    async def _let_in_pods(self, name: str) -> None:
        """Make the account without which a real server takes no Pod: its controller is away."""
        accounts = f"/api/v1/namespaces/{name}/serviceaccounts"
        await self._send(cases.post(accounts, {"metadata": {"name": "default"}}))

    async def _clear(self, name: str, kinds: Sequence[Resource]) -> None:
        """Leave nothing behind that another test could find."""
        for kind in kinds:
            path = path_of(kind, name if kind.namespaced else "")
            listed = await self._send(cases.get(path))
            for item in listed.body["items"]:
                found = item["metadata"]["name"]
                if kind.namespaced or found.startswith(f"{name}-"):
                    own = path_of(kind, name if kind.namespaced else "", found)
                    await self._send(cases.merge(own, {"metadata": {"finalizers": None}}))
                    await self._send(cases.delete(own, gracePeriodSeconds=0))
        await self._send(cases.delete(path_of(NAMESPACE, "", name)))

    async def _send(self, request: Request) -> Response:
        return await self._real.send(request, timeout_seconds=SECONDS)


async def first_difference(pair: Pair, requests: dict[int, Request]) -> Difference | None:
    """Send requests until the answers to one differ."""
    for index, request in requests.items():
        simulated, real, found = await pair.compare(request)
        if found:
            answers = f"simulated: {shown(simulated)}\nreal:      {shown(real)}"
            return Difference(index, f"{found}\n{answers}")
    return None


async def told_difference(watches: Watches, index: int) -> Difference | None:
    """Compare what the watches were told."""
    for told in await watches.rest():
        found = "\n".join(differences(events_shown(told.simulated), events_shown(told.real)))
        if found:
            return Difference(index, f"watches were told otherwise:\n{found}")
    return None


def words_of(request: Request) -> str:
    """Give a request in one line."""
    query = "&".join(f"{name}={value}" for name, value in request.query)
    kind = request.content_type.removeprefix("application/") if request.body is not None else ""
    return f"  {request.method} {request.path}?{query} {kind} {request.body}"


@pytest_asyncio.fixture
async def trials(control_plane: ControlPlane) -> AsyncIterator[Trials]:
    """The real cluster with every kind installed, to be compared with."""
    for kind, definition in DEFINITIONS.items():
        name = definition["metadata"]["name"]
        apply_crds(control_plane, "-f", ROOT / "crds" / f"{kind}.yaml", name)
    api = HttpApi("real", await load_access(kubeconfig=str(control_plane.kubeconfig)))
    try:
        await settle(api)
        yield Trials(api)
    finally:
        await api.close()
        await asyncio.sleep(GOODBYE_SECONDS)


async def settle(api: HttpApi) -> None:
    """Wait until the custom kinds are served: a real server says 429 while it begins to."""
    async with asyncio.timeout(SECONDS):
        for listing in (cases.get(path_of(kind)) for kind in KINDS if kind.custom):
            while not (await api.send(listing, timeout_seconds=SECONDS)).ok:
                await asyncio.sleep(0.1)


@pytest.mark.usefixtures("uncontrolled")
async def test_random_requests_about_many_kinds_are_answered_alike(trials: Trials) -> None:
    """Answers, what watches are told, and what is left, whatever the seed."""
    first = int(os.environ.get("WARMLOG_FIRST_SEED", "0"))
    for seed in range(first, first + SEEDS):
        found = await trials.compare(seed)
        if found:
            pytest.fail(await trials.shown(seed, found))
