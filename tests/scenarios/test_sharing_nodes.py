"""Several ModelWarmups on the same nodes: none waits for, overwrites or hinders another."""

import asyncio
from typing import Any

import pytest

from adapters.simulator.clock import SECOND, Span
from adapters.simulator.plans import NodePlan
from adapters.store.memory_logs import MemoryLog
from tests.running.fakes import StubbornLog
from tests.running.living import check, living, phase, status
from tests.running.stories import manifest, pool_world
from tests.running.virtual import in_world
from tests.scenarios.endings import Ledger, closed

NODES = ("n1", "n2", "n3", "n4", "n5")
SLOW = NodePlan(run=Span(60 * SECOND, 60 * SECOND))


def test_two_in_the_same_second_both_begin_at_once() -> None:
    """Of two warmups of one node neither waits for the other: both have a Job within 3 s [S1]"""
    world = pool_world("n1")
    ledger = Ledger(world)

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: life.controller.synced)
            world.apply(manifest("one"))
            world.apply(manifest("two"))
            await asyncio.sleep(3)
            assert ledger.made["n1"] == 2
            for name in ("one", "two"):
                await life.ended(name)
                assert status(world, name)["succeededNodes"] == 1
            await closed(life, ledger)

    in_world(world, story)


def test_twenty_at_once_lose_nothing() -> None:
    """Twenty warmups of five nodes make a hundred Jobs, and each one's totals add up [S2]"""
    world = pool_world(*NODES)
    ledger = Ledger(world)
    names = [f"warm-{number}" for number in range(20)]

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: life.controller.synced)
            for name in names:
                world.apply(manifest(name))
            for name in names:
                await life.ended(name)
            assert ledger.made == dict.fromkeys(NODES, len(names))
            for name in names:
                found = status(world, name)
                assert (found["desiredNodes"], found["succeededNodes"]) == (5, 5)
                assert found["activeNodes"] == found["failedNodes"] == 0
            await closed(life, ledger)

    in_world(world, story)


@pytest.mark.parametrize("between", [0.0, 0.4, 2.0])
def test_one_at_a_time_also_across_restarts(between: float) -> None:
    """A parallelism of 1 is never more than one unfinished Job, stop and start included [S7]"""
    world = pool_world(*NODES[:4], plan=NodePlan(run=Span(3 * SECOND, 9 * SECOND)))
    ledger = Ledger(world)
    log = StubbornLog(MemoryLog("log"))
    world.apply(manifest(policies={"parallelism": 1}))

    async def story() -> None:
        for turn in range(6):
            async with living(world, log) as life:
                await asyncio.sleep(1 + turn * 0.7)
            await asyncio.sleep(between)
        async with living(world, log) as life:
            await life.ended()
            assert ledger.most == 1
            assert ledger.made == dict.fromkeys(NODES[:4], 1)
            assert status(world)["succeededNodes"] == 4
            await closed(life, ledger)

    in_world(world, story)


def test_what_is_there_already_is_no_failure() -> None:
    """A second warmup of the same model and node runs its own Job and succeeds like it [S10]"""
    world = pool_world("n1")
    ledger = Ledger(world)

    async def story() -> None:
        async with living(world) as life:
            for name in ("first", "again"):
                world.apply(manifest(name))
                await life.ended(name)
                assert (phase(world, name), ledger.made["n1"]) == (
                    "Succeeded", 1 + (name == "again"),
                )  # fmt: skip
            await closed(life, ledger)

    in_world(world, story)


def test_five_hundred_come_and_go() -> None:
    """Warmups made and deleted quickly leave nothing: no finalizer of ours can dangle [S65]"""
    world = pool_world("n1")
    ledger = Ledger(world)
    names = [f"brief-{number}" for number in range(500)]

    def held() -> list[Any]:
        return [item["metadata"].get("finalizers") for item in world.listed("ModelWarmup")]

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: life.controller.synced)
            for index, name in enumerate(names):
                world.apply(manifest(name))
                if index % 7 == 0:
                    await asyncio.sleep(0.2)
                assert held() == [None] * len(held())
                if index >= 5:
                    world.delete_warmup("default", names[index - 5])
            for name in names[-5:]:
                world.delete_warmup("default", name)
            await asyncio.sleep(120)
            assert world.listed("ModelWarmup") == world.listed("Job") == world.listed("Pod") == []
            state = life.controller.writer.state
            assert (state.warmups, state.jobs, state.open, state.timers) == ({}, {}, {}, [])
            assert ledger.made["n1"] > 50
            await closed(life, ledger)

    in_world(world, story)


def test_two_warmups_of_one_node_run_beside_each_other() -> None:
    """Each gets its Job at once; should the disk not suffice, an eviction is told, and no failure.

    None waits for the other, so nobody's ModelWarmup holds up somebody else's [W68]
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
            asked = [one.path for one in life.api.requests[requests:]]
            assert all("/customresourcedefinitions/" in path for path in asked)

    in_world(world, story)
