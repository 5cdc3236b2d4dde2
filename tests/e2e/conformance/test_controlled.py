"""Random requests to clusters whose controllers work: at rest, both hold the same.

Some sequences run beside each other, each in a namespace and on Nodes of its own. Every run tries
the same seeds; WARMLOG_FIRST_SEED=NUMBER has it begin at others, to search for what is new.
"""

import asyncio
import os
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from adapters.kubernetes.configuring import load_access
from adapters.kubernetes.http_api import HttpApi
from adapters.ports import Api
from adapters.simulator.resources import CLAIM, JOB, NAMESPACE, NODE, POD, VOLUME, path_of
from adapters.simulator.worlds import World
from tests.e2e.conformance.test_random import words_of
from tests.e2e.controlplane.nodes import create_nodes
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import wait_until
from tests.simulator import cases
from tests.simulator.building import let_all_happen
from tests.simulator.comparing import GOODBYE_SECONDS, SECONDS, Pair, differences, levelled
from tests.simulator.drawing_rounds import NODES, Asked, PodOf, RoundDrawer, pod_path

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

SEEDS = 10  # sequences in one run
REST_SECONDS = 40.0  # in which a real cluster does all that a round calls for
NODE_SECONDS = 100.0  # after a Node was deleted: its Pods are collected a minute later
QUIET_SECONDS = 3.0  # in which nothing may change any more, at the end
COUNTS = ("active", "succeeded", "failed", "terminating", "ready", "uncountedTerminatedPods")


class Rounds:
    """One sequence: a simulated and a real cluster that are asked the same, round by round."""

    def __init__(self, real: HttpApi, seed: int, name: str = "like-rounds") -> None:
        """Compare with `real`, in a namespace whose name begins with `name`."""
        self.seed, self.name = seed, f"{name}-{seed}"
        self.story: list[str] = []
        self.world = World(seed)
        self._pair = Pair(self.world, real)
        self._drawer = RoundDrawer(seed, self.name)

    async def begin(self, session: aiohttp.ClientSession) -> None:
        """Have the same Nodes and an empty namespace on both."""
        names = {role: self._drawer.node_name(role) for role in NODES}
        await create_nodes(session, names.values())
        for role, plan in NODES.items():
            self.world.add_node(names[role], enabled=False, plan=plan)
        await self._pair.ask(cases.post(path_of(NAMESPACE), {"metadata": {"name": self.name}}))
        accounts = f"/api/v1/namespaces/{self.name}/serviceaccounts"
        await wait_until(session, accounts, lambda found: "default" in found)
        let_all_happen(self.world)

    async def run(self) -> str:
        """Run all rounds; give the words about the first in which the clusters differ."""
        found = ""
        for number, asked in enumerate(self._drawer.draw(), start=1):
            self.story.append(f" round {number}:")
            self.story += map(_words, asked)
            for each in asked:
                found = found or await self._ask(each)
            let_all_happen(self.world)
            found = found or await self._alike(_seconds(asked))
            if found:
                break
        else:
            await asyncio.sleep(QUIET_SECONDS)
            found = await self._alike(0)
        told = "\n".join(self.story)
        return f"seed {self.seed}:\n{told}\n{found}" if found else ""

    async def _ask(self, asked: Asked) -> str:
        """Ask both; give in what the codes of their answers differ."""
        if isinstance(asked, PodOf):
            codes = [
                await self._delete_pod(api, asked) for api in (self.world.api, self._pair.real)
            ]
        else:
            simulated, real, _ = await self._pair.compare(asked)
            codes = [simulated.code, real.code]
        alike = codes[0] == codes[1]
        return "" if alike else f"{_words(asked)}\nsimulated {codes[0]}, real {codes[1]}"

    async def _delete_pod(self, api: Api, asked: PodOf) -> int:
        pods = [
            pod for pod in await listed(api, path_of(POD, self.name)) if job_of(pod) == asked.job
        ]
        pods.sort(key=lambda pod: (pod["status"]["phase"], pod["metadata"]["name"]))
        for pod in pods[:1]:
            request = cases.delete(pod_path(self.name, pod["metadata"]["name"]), **asked.options)
            return (await api.send(request, timeout_seconds=SECONDS)).code
        return 0

    async def _alike(self, seconds: float) -> str:
        """Wait until both hold the same; give in what they differ if they do not come to that."""
        simulated = await snapshot(self.world.api, self.name)
        until = asyncio.get_running_loop().time() + seconds
        while True:
            real = await snapshot(self._pair.real, self.name)
            found = "\n".join(differences(simulated, real))
            if not found or asyncio.get_running_loop().time() >= until:
                return found
            await asyncio.sleep(0.3)


def _seconds(asked: list[Asked]) -> float:
    nodes = any(
        not isinstance(one, PodOf) and one.method == "DELETE" and one.path.startswith(path_of(NODE))
        for one in asked
    )
    return NODE_SECONDS if nodes else REST_SECONDS


def _words(asked: Asked) -> str:
    return f"  {asked}" if isinstance(asked, PodOf) else words_of(asked)


async def listed(api: Api, path: str) -> list[dict[str, Any]]:
    """The objects of a collection."""
    answer = await api.send(cases.get(path), timeout_seconds=SECONDS)
    items: list[dict[str, Any]] = answer.body["items"]
    return items


def job_of(item: dict[str, Any]) -> str:
    """The name of the Job that a Pod is, or was, of."""
    name: str = (item["metadata"].get("labels") or {}).get("job-name", "")
    return name


async def snapshot(api: Api, name: str) -> dict[str, Any]:
    """Everything that is to be the same at rest."""
    pods: dict[str, list[Any]] = defaultdict(list)
    for item in await listed(api, path_of(POD, name)):
        pods[job_of(item)].append(pod_shown(item))
    jobs = await listed(api, path_of(JOB, name))
    claims = await listed(api, path_of(CLAIM, name))
    nodes, volumes = [
        {
            item["metadata"]["name"]: item
            for item in await listed(api, path_of(kind))
            if item["metadata"]["name"].startswith(f"{name}-")
        }
        for kind in (NODE, VOLUME)
    ]
    return {
        "jobs": {item["metadata"]["name"]: job_shown(item) for item in jobs},
        "pods": {job: sorted(shown, key=str) for job, shown in pods.items()},
        "claims": {item["metadata"]["name"]: storage_shown(item) for item in claims},
        "volumes": {name: storage_shown(item) for name, item in volumes.items()},
        "nodes": {name: node_shown(item) for name, item in nodes.items()},
    }


def marks_of(item: dict[str, Any]) -> dict[str, Any]:
    """Finalizers, owners, and whether it is being deleted."""
    metadata = item["metadata"]
    return {
        "finalizers": sorted(metadata.get("finalizers") or ()),
        "owners": levelled(metadata.get("ownerReferences") or []),
        "deleting": "deletionTimestamp" in metadata,
    }


def conditions_of(item: dict[str, Any]) -> list[Any]:
    """Type, status and reason of its conditions, in the order of their types."""
    rows = (item.get("status") or {}).get("conditions") or ()
    return sorted((one["type"], one["status"], one.get("reason", "")) for one in rows)


def job_shown(item: dict[str, Any]) -> dict[str, Any]:
    """How a Job stands."""
    status = item.get("status") or {}
    return {
        **marks_of(item),
        "conditions": conditions_of(item),
        "counts": {name: status.get(name) for name in COUNTS},
        "suspend": item["spec"].get("suspend"),
        "started": "startTime" in status,
        "completed": "completionTime" in status,
    }


def pod_shown(item: dict[str, Any]) -> dict[str, Any]:
    """How a Pod stands, and why it has no node or was disrupted."""
    told = {row[0]: row[1:] for row in conditions_of(item)}
    return {
        **marks_of(item),
        "phase": item["status"]["phase"],
        "node": item["spec"].get("nodeName"),
        "scheduled": told.get("PodScheduled"),
        "disrupted": told.get("DisruptionTarget"),
    }


def storage_shown(item: dict[str, Any]) -> dict[str, Any]:
    """How a claim or a volume stands."""
    return {**marks_of(item), "phase": (item.get("status") or {}).get("phase", "")}


def node_shown(item: dict[str, Any]) -> dict[str, Any]:
    """What somebody wrote onto a Node, and has not taken off."""
    spec = item["spec"]
    taints = levelled({"taints": spec.get("taints") or []}).get("taints")
    return {"unschedulable": spec.get("unschedulable"), "taints": taints}


Run = Callable[[Sequence[int], str], Awaitable[dict[int, str]]]


@pytest_asyncio.fixture
async def run(control_plane: ControlPlane) -> AsyncIterator[Run]:
    """Runs sequences, each with Nodes and a namespace of its own; gives what differs, by seed."""
    api = HttpApi("real", await load_access(kubeconfig=str(control_plane.kubeconfig)))
    begun: list[Rounds] = []
    try:
        async with control_plane.open_session() as session:

            async def run_all(seeds: Sequence[int], name: str) -> dict[int, str]:
                rounds = [Rounds(api, seed, name) for seed in seeds]
                begun.extend(rounds)
                await asyncio.gather(*(each.begin(session) for each in rounds))
                found = await asyncio.gather(*(each.run() for each in rounds))
                return {each.seed: told for each, told in zip(rounds, found, strict=True) if told}

            yield run_all
            await clear(api, begun)
    finally:
        await api.close()
        await asyncio.sleep(GOODBYE_SECONDS)


async def clear(api: HttpApi, begun: list[Rounds]) -> None:
    """Leave nothing behind that another test could find."""
    names = tuple(f"{each.name}-" for each in begun)
    for each in begun:
        for item in await listed(api, path_of(JOB, each.name)):
            path = f"{path_of(JOB, each.name)}/{item['metadata']['name']}"
            held = cases.merge(path, {"metadata": {"finalizers": None}})
            await api.send(held, timeout_seconds=SECONDS)
        gone = cases.delete(path_of(NAMESPACE, "", each.name))
        await api.send(gone, timeout_seconds=SECONDS)
    for kind in (NODE, VOLUME):
        for item in await listed(api, path_of(kind)):
            name = item["metadata"]["name"]
            if name.startswith(names):  # a volume would stay for as long as its claim does
                path = f"{path_of(kind)}/{name}"
                for request in (
                    cases.merge(path, {"metadata": {"finalizers": None}}),
                    cases.delete(path),
                    cases.merge(path, {"metadata": {"finalizers": None}}),
                ):
                    await api.send(request, timeout_seconds=SECONDS)


async def test_random_requests_come_to_the_same_rest(run: Run) -> None:
    """Conditions, counts, phases, finalizers, owners and what is left, whatever the seed.

    A real cluster does not do the same twice: what differs is run again, and counts if it comes
    again.
    """
    first = int(os.environ.get("WARMLOG_FIRST_SEED", "0"))
    found = await run(range(first, first + SEEDS), "like-rounds")
    again = await run(list(found), "like-rounds-again") if found else {}
    told = "\n\n".join(f"{found[seed]}\nand again:\n{words}" for seed, words in again.items())
    assert not again, told
