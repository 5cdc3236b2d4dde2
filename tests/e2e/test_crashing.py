"""SIGKILL at five different steps: nothing is done twice, nothing is forgotten."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import aiohttp
import pytest

from tests.e2e.conditions import ENDS, JOBS, NAME, POOL, WARMUPS, ended, is_finished, rows, sample
from tests.e2e.controllers import ControllerProcess, assert_replay_agrees, deploy
from tests.e2e.controlplane import credentials
from tests.e2e.controlplane.nodes import NodeShape, create_nodes, node_names
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, follow, request
from tests.e2e.proxies import Passing, Proxy, forever, let_pass

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]

NODES = 50
PARALLELISM = 5


class Blow(NamedTuple):
    """Where to strike: at what passes, once so many Jobs have finished, and what must hold then."""

    step: str
    strikes: Callable[[Passing], bool]
    finished: int


def creates(moment: str) -> Callable[[Passing], bool]:
    """Give what recognises the creation of a Job at this moment."""
    return lambda passing: (
        passing.moment == moment and passing.method == "POST" and passing.path.endswith("/jobs")
    )


def tells_complete(passing: Passing) -> bool:
    """Recognise the watch event that tells of a Job's Complete."""
    if passing.moment != "line" or "/jobs" not in passing.path:
        return False
    return is_finished(json.loads(passing.body)["object"])


def stores_status(passing: Passing) -> bool:
    """Recognise a status on its way."""
    return passing.moment == "request" and passing.path.endswith("/status")


def tells_running(passing: Passing) -> bool:
    """Recognise the watch event of a Pod that runs."""
    return passing.moment == "line" and "/pods" in passing.path and b"Running" in passing.body


BLOWS = (
    Blow("after an intent", creates("request"), 3),
    Blow("after a create", creates("answer"), 10),
    Blow("before an outcome", tells_complete, 18),
    Blow("a status on its way", stores_status, 26),
    Blow("a Pod's news on its way", tells_running, 34),
)


class Witness:
    """The test's own watch of the Jobs: every one that ever was, and the most at one time."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.created: set[str] = set()
        self.most_unfinished = 0
        self.jobs: dict[str, Json] = {}

    @property
    def finished(self) -> int:
        """How many Jobs have finished."""
        return sum(is_finished(job) for job in self.jobs.values())

    async def watch(self, session: aiohttp.ClientSession) -> None:
        """Watch until cancelled."""
        async with aclosing(follow(session, JOBS, self.jobs)) as changes:
            async for _ in changes:
                self.created |= {job["metadata"]["uid"] for job in self.jobs.values()}
                unfinished = sum(not is_finished(job) for job in self.jobs.values())
                self.most_unfinished = max(self.most_unfinished, unfinished)


@asynccontextmanager
async def witnessing(session: aiohttp.ClientSession) -> AsyncIterator[Witness]:
    """Watch the Jobs while the context lasts."""
    witness = Witness()
    task = asyncio.create_task(witness.watch(session))
    try:
        yield witness
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def strike(
    proxy: Proxy, controller: ControllerProcess, witness: Witness, blow: Blow
) -> Passing:
    """Run until the blow's moment, hold what passes there, and kill; give what was held."""
    struck: asyncio.Future[Passing] = asyncio.get_running_loop().create_future()

    async def hook(passing: Passing) -> None:
        if not struck.done() and witness.finished >= blow.finished and blow.strikes(passing):
            struck.set_result(passing)
            await forever(passing)

    proxy.hook = hook
    controller.start()
    held = await asyncio.wait_for(struck, 90)
    controller.kill()
    proxy.hook = let_pass
    return held


def assert_step(blow: Blow, held: Passing, log: str, on_server: set[str]) -> None:
    """The log ends as it must when the process dies at that very step."""
    told = rows(log)
    answered = {row["cause"] for row in told if row["type"].startswith("Intent")}
    name = json.loads(held.body)["metadata"]["name"] if held.method == "POST" else ""
    intended = [
        row
        for row in told
        if row["type"] == "CreateJobIntended" and row["data"]["job_name"] == name
    ]
    if blow.step == "after an intent":
        assert [row["seq"] in answered for row in intended] == [False]
        assert name not in on_server
    elif blow.step == "after a create":
        assert [row["seq"] in answered for row in intended] == [False]
        assert name in on_server
    elif blow.step == "before an outcome":
        uid = json.loads(held.body)["object"]["metadata"]["uid"]
        levels = [row["data"]["level"] for row in told if row["subject"].endswith(uid)]
        assert levels
        assert all(level.get("outcome") not in {"Complete", "Failed"} for level in levels)


@pytest.mark.usefixtures("clean")
async def test_five_kills_at_different_steps_change_nothing(
    control_plane: ControlPlane, session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """Fifty nodes, five at a time, five SIGKILLs: fifty Jobs ever, never more than five at once."""
    token = deploy(control_plane)
    pool = "resource-pool.aibrix.ai/name=latency-pool"
    control_plane.kubectl("label", "namespace", "default", "--overwrite", pool)
    await create_nodes(session, node_names(NODES, "gpu"), NodeShape(labels=POOL))
    async with Proxy(control_plane).serving() as proxy, witnessing(session) as witness:
        kubeconfig = credentials.write_kubeconfig(
            tmp_path / "kubeconfig", proxy.address, control_plane.ca_file, token
        )
        await request(session, "POST", WARMUPS, sample(parallelism=PARALLELISM))
        controller = ControllerProcess(kubeconfig, tmp_path, lease_seconds=6)
        for blow in BLOWS:
            held = await strike(proxy, controller, witness, blow)
            warmup = await request(session, "GET", f"{WARMUPS}/{NAME}")
            assert warmup.get("status", {}).get("phase") not in ENDS, blow.step
            listed = await request(session, "GET", JOBS)
            on_server = {job["metadata"]["name"] for job in listed["items"]}
            assert_step(blow, held, controller.log, on_server)
        with controller:
            warmup = await ended(session, seconds=120)
            await controller.wait_until_quiet()
            assert len(witness.created) == NODES
            assert witness.most_unfinished <= PARALLELISM
    assert warmup["status"]["phase"] == "Succeeded"
    assert_replay_agrees(controller.log, warmup)
