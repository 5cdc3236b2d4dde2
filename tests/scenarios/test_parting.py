"""Parting: what becomes of Jobs and Pods when their node, or their ModelWarmup, goes."""

import asyncio

import pytest

from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.worlds import World
from machines.labels import ENABLED
from tests.running.living import Life, check, living
from tests.running.stories import manifest, pool_world
from tests.running.virtual import in_world

HANGS = NodePlan(ending=Ending.HANG)


def running_pods(world: World) -> list[str]:
    """The nodes on which a Pod of a Job runs."""
    found = world.listed("Pod")
    return sorted(pod["spec"]["nodeName"] for pod in found if pod["status"]["phase"] == "Running")


def deletions(life: Life) -> int:
    """How often a deletion was asked for."""
    return sum(request.method == "DELETE" for request in life.api.requests)


def test_a_node_that_loses_its_label_is_left_by_its_pod() -> None:
    """The Pod goes with the Job, though a plain deletion of a Job would leave it running [W46]"""
    world = pool_world("n1", "n2", plan=HANGS)
    world.apply(manifest())

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: running_pods(world) == ["n1", "n2"])
            world.relabel_node("n1", {ENABLED: None})
            await life.until(lambda: running_pods(world) == ["n2"], seconds=60)
            assert len(world.listed("Job")) == deletions(life) == 1

    in_world(world, story)


@pytest.mark.parametrize("seconds", [0.0, 5.0])
def test_orphans_are_left_alone(seconds: float) -> None:
    """A ModelWarmup deleted with `--cascade=orphan` leaves the Jobs it has, and makes no more.

    Nothing of them is deleted by the controller, so that who asked for orphans has them; each ends
    by itself within its time limit, and they are found by their label [W75]
    """
    world = pool_world("n1", "n2", "n3", plan=HANGS)
    made = world.apply(manifest(policies={"parallelism": 2, "jobTimeoutSeconds": 300}))

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: running_pods(world) == ["n1", "n2"])
            life.api.seconds = seconds  # so that what is seen comes before what is asked
            world.delete_warmup("default", "warm", propagation="Orphan")
            await life.until(lambda: world.find("ModelWarmup", "default", "warm") is None)
            await asyncio.sleep(60)
            assert running_pods(world) == ["n1", "n2"]
            await life.until(lambda: running_pods(world) == [], seconds=600)
            jobs = world.listed("Job")
            assert {job["metadata"]["labels"]["model.aibrix.ai/warmup"] for job in jobs} == {
                made["metadata"]["uid"]
            }
            assert len(jobs) == 2
            assert deletions(life) == 0
            await check(life)

    in_world(world, story)
