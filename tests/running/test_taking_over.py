"""Taking over, as a whole: the original left Jobs in every state, and warmlog goes on with them."""

import asyncio
from typing import Any

from adapters.simulator.clock import SECOND, Span
from adapters.simulator.driving import start
from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.worlds import World
from adapters.store.memory_logs import MemoryLog
from tests.running.fakes import WRITER
from tests.running.living import check, living, phase, status
from tests.running.originals import original_job, original_status, write_status
from tests.running.stories import manifest, pool_world
from tests.running.virtual import in_world

SLOW = NodePlan(pull=Span(40 * SECOND, 40 * SECOND))
PLANS = {
    "fails": NodePlan(ending=Ending.FAIL, message="disk is full"),
    "runs": SLOW,
    "stuck": NodePlan(pull_failures=None),
}


def left_behind(*names: str, **policies: int) -> tuple[World, dict[str, Any]]:
    """A cluster in which the original has made a Job for each of these nodes, a while ago."""
    world = pool_world(*names, plans=PLANS)
    made = world.apply(manifest(policies=policies))
    write_status(world, made, original_status())
    for name in names:
        world.apply(original_job(made, name))
    world.cluster.advance(world.cluster.now + 20 * SECOND)
    return world, made


def jobs_of(world: World, node: str) -> list[dict[str, Any]]:
    """The Jobs that there are for a node."""
    annotation = "model.aibrix.ai/target-node"
    return [
        job for job in world.listed("Job") if job["metadata"]["annotations"][annotation] == node
    ]


def test_each_job_counts_as_what_it_is() -> None:
    """Done, failed, running, or made for a machine that another one has replaced [W45]"""
    world, _ = left_behind("done", "fails", "runs", "replaced", ttlSecondsAfterFinished=3000)
    (old,) = jobs_of(world, "replaced")
    world.replace_node("replaced")
    world.cluster.advance(world.cluster.now + 2 * SECOND)

    async def story() -> None:
        async with living(world) as life:
            await asyncio.sleep(4)
            found = status(world)
            assert (found["desiredNodes"], found["failedNodes"]) == (4, 1)
            assert len(jobs_of(world, "runs")) == 1
            await life.ended()
            found = status(world)
            assert (found["phase"], found["succeededNodes"]) == ("Degraded", 3)
            assert [len(jobs_of(world, name)) for name in ("done", "fails", "runs")] == [1, 1, 1]
            new = [job["metadata"]["uid"] for job in jobs_of(world, "replaced")]
            assert len(new) == 2
            assert old["metadata"]["uid"] in new
            ttls = {job["spec"].get("ttlSecondsAfterFinished") for job in world.listed("Job")}
            assert ttls == {3000}
            await check(life)

    in_world(world, story)


def test_why_its_pod_does_not_run_is_in_status() -> None:
    """The registry's words of a Pod that no watch shows are told, and survive it."""
    world, _ = left_behind("stuck")

    async def story() -> None:
        async with living(world) as life:
            await asyncio.sleep(10)
            detail = status(world)["targets"][0]
            assert detail["reason"] == "ImagePullBackOff"
            assert "not found" in detail["message"]
            await asyncio.sleep(600)
            reads = [one for one in life.api.requests if "controller-uid" in str(one.query)]
            assert len(reads) < 25
            assert life.types.count("JobPodsRead") < 6
            await life.ended()
            detail = status(world)["targets"][0]
            assert detail["reason"] == "DeadlineExceeded"
            assert detail["message"].startswith("ImagePullBackOff: ")
            await check(life)

    in_world(world, story)


def test_its_pods_hold_the_slot() -> None:
    """When its node is not to be warmed any more, the next Job waits for its Pod to end."""
    plan = NodePlan(ending=Ending.HANG, stop=Span(20 * SECOND, 20 * SECOND))
    world = pool_world("n1", "n2", plans={"n1": plan})
    made = world.apply(manifest(policies={"parallelism": 1}))
    write_status(world, made, original_status())
    world.apply(original_job(made, "n1"))
    world.cluster.advance(world.cluster.now + 10 * SECOND)

    async def story() -> None:
        async with living(world) as life:
            await asyncio.sleep(5)
            world.relabel_node("n1", {"model.aibrix.ai/warmup-enabled": None})
            await life.until(lambda: not jobs_of(world, "n1"), seconds=5)
            await asyncio.sleep(15)
            assert (len(world.listed("Pod")), jobs_of(world, "n2")) == (1, [])
            await life.until(lambda: jobs_of(world, "n2"), seconds=60)
            assert not any(pod["spec"].get("nodeName") == "n1" for pod in world.listed("Pod"))
            await life.ended()
            assert phase(world) == "Succeeded"
            await check(life)

    in_world(world, story)


def test_what_has_ended_there_stays_ended() -> None:
    """A terminal status is kept, no Job is made, and what still ran is deleted."""
    world = pool_world("n1", "n2", plan=SLOW)
    ended = original_status(
        "Degraded", desiredNodes=2, succeededNodes=1, failedNodes=1,
        completionTime="2026-01-01T10:00:00Z",
        targets=[
            {"nodeName": "n1", "phase": "Failed", "reason": "BackoffLimitExceeded",
             "message": "Job has reached the specified backoff limit", "attempt": 3,
             "source": "target[0]", "sourceCount": 1},
        ],
    )  # fmt: skip
    made = world.apply(manifest())
    write_status(world, made, ended)
    world.apply(original_job(made, "n1"))

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: not world.listed("Job"), seconds=10)
            found = status(world)
            assert (found["phase"], found["succeededNodes"]) == ("Degraded", 1)
            assert found["targets"][0]["reason"] == "BackoffLimitExceeded"
            assert found["warmlog"]["uid"] == made["metadata"]["uid"]
            assert "CreateJobIntended" not in life.types

    in_world(world, story)


async def test_the_driver_takes_over_as_the_loop_does() -> None:
    """In a simulated world the Pods are read as well, and all comes to its end."""
    world, _ = left_behind("runs", "stuck")
    log = MemoryLog("log")
    driver = await start(world, log, WRITER)
    await driver.run()
    assert phase(world) == "Degraded"
    types = [row.type for row in log.rows]
    assert "JobPodsRead" in types
    assert "CreateJobIntended" not in types
