"""Sharing: nodes that several ModelWarmups want, and that others work on as well."""

import asyncio
from typing import Any

from adapters.simulator.clock import SECOND, Span
from adapters.simulator.plans import NodePlan
from tests.running.living import check, living, status
from tests.running.stories import manifest, pool_world
from tests.running.virtual import in_world

SLOW = NodePlan(run=Span(60 * SECOND, 60 * SECOND))


def test_two_warmups_of_one_node_run_beside_each_other() -> None:
    """Each gets its Job at once; should the disk not suffice, an eviction is told, and no failure.

    None waits for the other, so nobody's ModelWarmup holds up somebody else's [W68].
    """
    world = pool_world("n1", plan=SLOW)
    for name in ("warm", "other"):
        world.apply(manifest(name))

    async def story() -> None:
        async with living(world) as life:

            def pods() -> list[str]:
                found = world.listed("Pod")
                return [
                    pod["metadata"]["name"] for pod in found if pod["status"]["phase"] == "Running"
                ]

            await life.until(lambda: len(pods()) == 2, seconds=30)
            evicted = next(name for name in pods() if name.startswith("other"))
            world.evict_pod("default", evicted, "The node was low on resource: ephemeral-storage.")

            def detail() -> Any:
                return status(world, "other")["targets"][0]

            await life.until(lambda: detail()["reason"] == "JobDisrupted", seconds=30)
            assert detail()["phase"] == "Running"
            assert "disrupted once" in detail()["message"]
            assert "ephemeral-storage" in detail()["message"]
            await life.ended()
            await life.ended("other")
            for name in ("warm", "other"):
                assert status(world, name)["phase"] == "Succeeded"
            await check(life)

    in_world(world, story)


def test_labels_that_nobody_selects_by_cost_one_row_each() -> None:
    """An agent that relabels nodes has nothing listed, decided or written anew."""
    world = pool_world("n1", "n2", plan=NodePlan(run=Span(900 * SECOND, 900 * SECOND)))
    for name in ("warm", "other", "third"):
        world.apply(manifest(name))

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: life.types.count("CreateJobIntended") == 6)
            await asyncio.sleep(30)
            rows, requests = len(life.log.rows), len(life.api.requests)
            for turn in range(20):
                world.relabel_node("n1", {"agent.example/turn": str(turn)})
                await asyncio.sleep(1)
            assert life.types[rows:] == ["NodeSeen"] * 20
            assert life.api.requests[requests:] == []

    in_world(world, story)
