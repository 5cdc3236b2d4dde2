"""A thousand nodes on a real control plane: warmlog next to a script that only creates the Jobs.

Both make the same 1,000 node-pinned Jobs on the same 1,000 KWOK nodes, whose Pods complete at once,
and are timed from the first request to the last Job's Complete (for warmlog: to `Succeeded` in the
status). What is reported is the ratio of the two in one run.

    python -m benchmarks.bench_thousand_nodes
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import aiohttp

from engine.events import Subject
from machines.intents import CreateJob
from machines.job_bodies import job_body
from machines.job_names import job_name
from machines.revisions import revision
from machines.specs import WarmupSpec, parse
from tests.e2e.conditions import ENDS, JOBS, NAME, POOL, WARMUPS, is_finished, phase, sample
from tests.e2e.controllers import ControllerProcess, assert_replay_agrees, deploy
from tests.e2e.controlplane import stages
from tests.e2e.controlplane.nodes import NodeShape, create_nodes, node_names
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, request, wait_until

NODES = 1000
SECONDS = 300
BAR, AIM = 2.0, 1.5
CONCURRENCY = 32  # of the script, the same as warmlog's effects
BACKGROUND = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}


class Result(NamedTuple):
    """Both wall times, in seconds."""

    script_seconds: float
    warmlog_seconds: float
    phase: str

    @property
    def ratio(self) -> float:
        """How many times longer warmlog takes."""
        return self.warmlog_seconds / self.script_seconds


async def measure(folder: Path) -> Result:
    """Run both, the script first. Raises TimeoutError when one does not end in time."""
    with ControlPlane(folder / "control-plane", kubelet_stages=stages.FAST) as control_plane:
        token = deploy(control_plane)
        pool = "resource-pool.aibrix.ai/name=latency-pool"
        control_plane.kubectl("label", "namespace", "default", "--overwrite", pool)
        kubeconfig = control_plane.kubeconfig_for(token, folder / "kubeconfig")
        async with control_plane.open_session() as session:
            nodes = NodeShape(labels=POOL)
            await create_nodes(session, node_names(NODES), nodes, ready_timeout_seconds=SECONDS)
            script_seconds = await time_script(session)
            await clear(session)
            with ControllerProcess(kubeconfig, folder) as controller:
                await controller.wait_until_quiet()
                begun = time.monotonic()
                await request(session, "POST", WARMUPS, sample(parallelism=NODES))
                warmup = await ended_warmup(session)
                seconds = time.monotonic() - begun
                await controller.wait_until_quiet(timeout_seconds=SECONDS)
            assert_replay_agrees(controller.log, warmup)
    return Result(script_seconds, seconds, warmup["status"]["phase"])


async def time_script(session: aiohttp.ClientSession) -> float:
    """Create a Job for each node, and wait until all are Complete."""
    spec = parse(sample()["spec"]).spec
    assert spec is not None
    begun = time.monotonic()
    waiting = asyncio.create_task(all_finished(session))
    places = asyncio.Semaphore(CONCURRENCY)

    async def create(name: str) -> None:
        async with places:
            await request(session, "POST", JOBS, script_job(spec, name))

    await asyncio.gather(*(create(name) for name in node_names(NODES)))
    await waiting
    return time.monotonic() - begun


def script_job(spec: WarmupSpec, node_name: str) -> Json:
    """Give the Job that warmlog would make, without its owner."""
    subject = Subject("ModelWarmup", "default", "script", "00000000-0000-0000-0000-000000000000")
    made = revision(spec)
    name = job_name(subject.name, subject.uid, node_name, made)
    intent = CreateJob(subject.uid, subject.namespace, name, node_name, node_name, made, "")
    body = job_body(spec, subject, "latency-pool", intent)
    del body["metadata"]["ownerReferences"]
    return body


async def all_finished(session: aiohttp.ClientSession) -> None:
    """Wait until every Job is finished."""

    def condition(jobs: Mapping[str, Json]) -> bool:
        return len(jobs) == NODES and all(map(is_finished, jobs.values()))

    await wait_until(session, JOBS, condition, timeout_seconds=SECONDS)


async def ended_warmup(session: aiohttp.ClientSession) -> Json:
    """Wait until the warmup has ended, and give it."""
    found = await wait_until(
        session, WARMUPS, lambda warmups: phase(warmups, NAME) in ENDS, timeout_seconds=SECONDS
    )
    return found[NAME]


async def clear(session: aiohttp.ClientSession) -> None:
    """Delete the script's Jobs, and wait for their Pods to go."""
    await request(session, "DELETE", JOBS, BACKGROUND)
    pods = "/api/v1/namespaces/default/pods"
    await wait_until(session, pods, lambda left: not left, timeout_seconds=SECONDS)


def main() -> int:
    """Print the figures; exit 1 when the bar is missed."""
    with tempfile.TemporaryDirectory() as folder:
        result = asyncio.run(measure(Path(folder)))
    told = {**result._asdict(), "ratio": round(result.ratio, 2), "bar": BAR, "aim": AIM}
    sys.stdout.write(json.dumps(told) + "\n")
    return 0 if result.phase == "Succeeded" and result.ratio <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
