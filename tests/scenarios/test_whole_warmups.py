"""Whole warmups under the live loop: what no single step shows."""

import asyncio

from adapters.simulator.clock import SECOND, Span
from adapters.simulator.plans import Ending, NodePlan
from tests.running.living import Life, check, living, phase, status
from tests.running.stories import manifest, pool_world
from tests.running.virtual import in_world


def created(life: Life) -> int:
    """How many Jobs were asked for."""
    return sum(each.method == "POST" and "/jobs" in each.path for each in life.api.writes)


def lists(life: Life) -> int:
    """How many times anything but leases and single objects was listed."""
    kinds = ("nodes", "namespaces", "jobs", "pods", "modelwarmups")
    return sum(each.method == "GET" and each.path.endswith(kinds) for each in life.api.requests)


def test_a_queue_longer_than_time_limit_and_ttl() -> None:
    """Who comes last has its whole time, and who came first is not run again [W8] [W10]"""
    plan = NodePlan(pull=Span(30 * SECOND, 35 * SECOND))
    world = pool_world("n1", "n2", "n3", "n4", "n5", plan=plan)
    policies = {"parallelism": 1, "jobTimeoutSeconds": 60, "ttlSecondsAfterFinished": 1}
    world.apply(manifest(policies=policies))

    async def story() -> None:
        async with living(world) as life:
            begun = world.cluster.now
            await life.until(lambda: created(life) == 5)
            assert len(world.listed("Job")) == 5
            await life.ended()
            assert world.cluster.now - begun > 150 * SECOND
            assert (phase(world), status(world)["succeededNodes"]) == ("Succeeded", 5)
            assert created(life) == 5

    in_world(world, story)


def test_the_object_outlives_its_jobs() -> None:
    """The TTL takes the Jobs; the ModelWarmup stays and goes on saying how it ended [W110]"""
    world = pool_world("n1", plan=NodePlan(ending=Ending.FAIL))
    world.apply(manifest(policies={"retryLimit": 0, "ttlSecondsAfterFinished": 1}))

    async def story() -> None:
        async with living(world) as life:
            await life.ended()
            end = status(world)
            await life.until(lambda: not world.listed("Job"))
            await asyncio.sleep(3600)
            assert status(world) == end
            assert (end["phase"], end["targets"][0]["reason"]) == ("Failed", "BackoffLimitExceeded")
            assert {each.method for each in life.api.writes} == {"POST", "PATCH"}

    in_world(world, story)


def test_retries_that_nobody_asked_for_are_few_and_paused() -> None:
    """Without a retry limit a failing node is tried three times, with growing pauses [W98]"""
    world = pool_world("n1", plan=NodePlan(ending=Ending.FAIL))
    world.apply(manifest())

    async def story() -> None:
        async with living(world) as life:
            begun = world.cluster.now
            await life.ended()
            assert (phase(world), len(world.listed("Pod")), created(life)) == ("Failed", 3, 1)
            assert world.cluster.now - begun > 30 * SECOND

    in_world(world, story)


def test_what_is_watched_is_not_listed_again() -> None:
    """A node that joins later gets its Job at once, and for that nothing is listed [W24] [W89]"""
    world = pool_world("n1", plan=NodePlan(ending=Ending.HANG))
    world.apply(manifest())

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: created(life) == 1)
            listed = lists(life)
            world.add_node("n2", pool="gpu", plan=NodePlan(ending=Ending.HANG))
            await life.until(lambda: created(life) == 2, seconds=5)
            await asyncio.sleep(20)
            sent = len(life.api.writes)
            for turn in range(30):
                world.heartbeat("n1")
                world.relabel_node("n2", {"turn": str(turn)})
                await asyncio.sleep(1)
            assert (len(life.api.writes), lists(life)) == (sent, listed)
            await check(life)

    in_world(world, story)
