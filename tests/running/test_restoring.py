"""Restoring, as a whole: labels taken off a running Job are back, and it counted all the time."""

import asyncio
from collections.abc import Mapping

import pytest

from adapters.simulator.answers import failure
from adapters.simulator.clock import SECOND, Span
from adapters.simulator.plans import NodePlan
from adapters.simulator.worlds import World
from adapters.store.memory_logs import MemoryLog
from machines.labels import REVISION, TARGET_NODE, TARGET_NODE_UID, WARMUP_NAME, WARMUP_UID
from tests.running.fakes import StubbornLog
from tests.running.living import check, living, status
from tests.running.stories import manifest, pool_world
from tests.running.test_settling import only
from tests.running.virtual import in_world

SLOW = NodePlan(pull=Span(60 * SECOND, 60 * SECOND))
OURS = (WARMUP_UID, REVISION, TARGET_NODE, TARGET_NODE_UID, WARMUP_NAME)
Changes = Mapping[str, str | None]


def marks(world: World) -> list[object]:
    """What the Job bears of ours."""
    metadata = world.must_find("Job", "default", only(world, "Job"))["metadata"]
    borne = metadata["labels"] | metadata["annotations"]
    return [*map(borne.get, OURS), metadata["ownerReferences"]]


@pytest.mark.parametrize(
    ("labels", "annotations"),
    [
        ({WARMUP_UID: None}, {}),
        ({WARMUP_UID: "x", REVISION: None}, {}),
        ({}, {TARGET_NODE_UID: None, WARMUP_NAME: "x"}),
        ({WARMUP_UID: None, REVISION: None}, {TARGET_NODE_UID: "x"}),
    ],
)
def test_what_was_taken_off_is_back_within_seconds(labels: Changes, annotations: Changes) -> None:
    """The Job is put right, is made only once, and its end is the node's outcome."""
    world = pool_world("n1", plan=SLOW)
    world.apply(manifest())

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: world.listed("Pod"))
            before, name = marks(world), only(world, "Job")
            world.relabel("Job", "default", name, labels)
            world.annotate("Job", "default", name, dict(annotations))
            assert marks(world) != before
            await life.until(lambda: marks(world) == before, seconds=3)
            await asyncio.sleep(5)
            assert status(world)["activeNodes"] == 1
            await life.ended()
            assert status(world)["succeededNodes"] == 1
            assert life.types.count("CreateJobIntended") == 1
            assert "Gone" not in life.types
            await check(life)

    in_world(world, story)


def test_taken_off_while_nobody_looked() -> None:
    """A Job that the first list after a start does not hold is put right, not made again."""
    world = pool_world("n1", plan=SLOW)
    world.apply(manifest())
    log = StubbornLog(MemoryLog("log"))

    async def story() -> None:
        async with living(world, log) as life:
            await life.until(lambda: world.listed("Pod"))
        before, name = marks(world), only(world, "Job")
        world.relabel("Job", "default", name, {WARMUP_UID: None})
        async with living(world, log) as life:
            await life.until(lambda: marks(world) == before, seconds=2)
            await life.ended()
            assert life.types.count("CreateJobIntended") == 1
            await check(life)

    in_world(world, story)


def test_another_controller_that_keeps_taking_them_off() -> None:
    """Its writes and ours become rare, it is told of, and the Job's end still counts."""
    world = pool_world("n1", plan=NodePlan(pull=Span(900 * SECOND, 900 * SECOND)))
    world.apply(manifest())

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: world.listed("Pod"))
            name = only(world, "Job")
            for _ in range(3000):
                if WARMUP_UID in world.must_find("Job", "default", name)["metadata"]["labels"]:
                    world.relabel("Job", "default", name, {WARMUP_UID: None})
                await asyncio.sleep(0.2)
            assert status(world)["targets"][0]["reason"] == "JobContested"
            assert 5 < life.types.count("RestoreJobIntended") < 20
            assert len(life.log.rows) < 150
            assert "JobContested" in {each.reason for each in life.news}
            await life.ended()
            assert status(world)["succeededNodes"] == 1
            await check(life)

    in_world(world, story)


def test_a_rejected_patch_is_told() -> None:
    """What keeps the labels from being put back is in status, in the server's own words."""
    world = pool_world("n1", plan=SLOW)
    world.apply(manifest())

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: world.listed("Pod"))
            world.api.faults.add(
                lambda request: request.method == "PATCH" and "/jobs/" in request.path,
                failure(403, "Forbidden", "no labels today"),
                times=5,
            )
            world.relabel("Job", "default", only(world, "Job"), {WARMUP_UID: None})
            await asyncio.sleep(10)
            detail = status(world)["targets"][0]
            assert detail["reason"] == "JobContested"
            assert detail["message"].endswith("cannot be put back: no labels today")
            await life.ended()
            assert status(world)["succeededNodes"] == 1
            await check(life)

    in_world(world, story)
