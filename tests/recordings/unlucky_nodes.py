"""Stories of nodes that never get there, each for a reason of its own, in the simulated cluster."""

from collections.abc import Callable
from typing import Any

from adapters.running.writing import Identity
from adapters.simulator.clock import SECOND
from adapters.simulator.driving import Driver, start
from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.worlds import World
from adapters.store.databases import SqlLog
from machines.labels import TARGET_WAIT_SECONDS
from tests.cli.commands import pool_world, sample

HANGING = NodePlan(run=NodePlan().run._replace(low=3600 * SECOND, high=3600 * SECOND))
NODES = ("gpu-a", "gpu-b", "gpu-c", "gpu-z")


async def nobody_gets_there(log: SqlLog, writer: Identity) -> None:
    """A name that no machine bears, evictions, deleted Jobs and a failure: each is too many."""
    world = pool_world()
    for name, plan in zip(NODES, (HANGING, HANGING, NodePlan(ending=Ending.FAIL)), strict=False):
        world.add_node(name, pool="latency-pool", plan=plan)
    world.cluster.advance(world.cluster.now + 2 * SECOND)
    world.apply(named(*NODES))
    driver = await start(world, log, writer)
    for _ in range(6):
        await settle(driver, 100)
        for pod in running(world, "Pod", "gpu-a"):
            world.evict_pod("default", pod, "The node was low on resource: memory.")
        for job in running(world, "Job", "gpu-b"):
            world.delete_job("default", job)
    await settle(driver, 60)


def named(*nodes: str) -> dict[str, Any]:
    """A ModelWarmup that names its nodes, waits for none longer than 20 seconds, tries once."""
    manifest = sample(
        targets=[{"nodes": {"names": list(nodes)}}],
        policies={"parallelism": 4, "retryLimit": 0},
    )
    manifest["metadata"].setdefault("annotations", {})[TARGET_WAIT_SECONDS] = "20"
    return manifest


def running(world: World, kind: str, node: str) -> list[str]:
    """The Pods or Jobs for a node that have not ended."""
    return [
        one["metadata"]["name"]
        for one in world.listed(kind, "default")
        if f"'{node}'" in str(one) and one["status"].get("phase") not in {"Failed", "Succeeded"}
    ]


async def settle(driver: Driver, seconds: int) -> None:
    """Let so much virtual time pass."""
    until = driver.now + seconds * SECOND
    await driver.run(until_at=until)
    driver.world.cluster.advance(until)


UNLUCKY: tuple[Callable[[SqlLog, Identity], Any], ...] = (nobody_gets_there,)
