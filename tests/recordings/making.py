"""Make the recordings again: `python -m tests.recordings.making [NAME…]`, from the repository.

Each story plays in the simulated cluster with the real controller, on a SQLite log that
`warmlog export` turns into the file. What must come of it is written into `expected.json`, to be
read by a person before it is committed. README.md here says when to do this.
"""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from adapters.code_digests import code_digest, code_version
from adapters.running.writing import Identity
from adapters.simulator.clock import SECOND
from adapters.simulator.driving import Driver, start
from adapters.simulator.faults import Loss, every
from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.worlds import World
from adapters.store.copying import export_file
from adapters.store.databases import SqlLog
from adapters.store.memory_logs import MemoryLog
from adapters.store.opening import open_log
from tests.cli.commands import pool_world, printed, sample
from tests.recordings import any_order, unlucky_nodes
from tests.recordings.reading import COURSES, EXPECTED, FOLDER, Expected, outcomes, write_expected
from tests.running.clusters import CACHE
from tests.running.engines import DEPLOYMENT, SERVER, WORKLOADS, engine_world, make_replica

WRITER = Identity(code_version(), code_digest(), "5e77" * 16)
NAME = "runtime-image-warmup"
QUOTA = "exceeded quota: jobs, requested: count/jobs.batch=1, used: 8, limited: 8"
PODS = "exceeded quota: gpus, requested: requests.nvidia.com/gpu=1, used: 8, limited: 8"

Story = Callable[[SqlLog], Awaitable[None]]


async def run(driver: Driver, seconds: int) -> None:
    """Let so much virtual time pass."""
    until = driver.now + seconds * SECOND
    await driver.run(until_at=until)
    driver.world.cluster.advance(until)


async def turn_until(driver: Driver, done: Callable[[], bool]) -> None:
    """Take turns until something is so; what would come next never happens: a crash."""
    for _ in range(10_000):
        if done():
            return
        if not await driver.turn():
            due = driver.next_at()
            assert due is not None
            driver.world.cluster.advance(due)
    raise AssertionError("the story does not come to its crash")


def world_of(plans: dict[str, NodePlan]) -> World:
    """A pool of three nodes, some with plans of their own."""
    world = pool_world()
    for name in ("gpu-a", "gpu-b", "gpu-c"):
        world.add_node(name, pool="latency-pool", plan=plans.get(name))
    world.cluster.advance(world.cluster.now + 2 * SECOND)
    return world


def jobs_of(world: World) -> list[str]:
    """The names of the Jobs that exist."""
    return [job["metadata"]["name"] for job in world.listed("Job", "default")]


async def one_node_cannot_pull(log: SqlLog) -> None:
    """On one of three nodes the image cannot be pulled, until its Job's time is over."""
    world = world_of({"gpu-b": NodePlan(pull_failures=None)})
    world.apply(sample(policies={"parallelism": 2, "jobTimeoutSeconds": 90}))
    await run(await start(world, log, WRITER), 300)


async def containers_fail(log: SqlLog) -> None:
    """One node's Pods fail once and then succeed, another's fail more often than is allowed."""
    world = world_of(
        {
            "gpu-a": NodePlan(ending=Ending.FAIL, failures=1),
            "gpu-c": NodePlan(ending=Ending.FAIL, exit_code=42, message="disk is full"),
        }
    )
    world.apply(sample(policies={"retryLimit": 1, "ttlSecondsAfterFinished": 60}))
    await run(await start(world, log, WRITER), 300)


async def jobs_are_refused(log: SqlLog) -> None:
    """A quota refuses every Job for a while, then lets them through."""
    world = world_of({})
    world.forbid("Job", "default", QUOTA)
    world.apply(sample())
    driver = await start(world, log, WRITER)
    await run(driver, 100)
    world.allow("Job", "default")
    await run(driver, 300)


async def crashes_around_a_create(log: SqlLog) -> None:
    """The controller dies after an intent, after a create, and after one without an answer.

    The first create never left and is made again; the others landed and are found by look-ups. So
    is the last node's, whose answer is lost while the controller lives on.
    """
    world = world_of({})
    world.apply(sample(policies={"parallelism": 1}))
    first = await start(world, log, WRITER)
    await turn_until(first, lambda: bool(first.writer.state.open))
    second = await start(world, log, WRITER)
    await turn_until(second, lambda: len(jobs_of(world)) == 1)
    third = await start(world, log, WRITER)
    world.api.faults.add(every("POST", "/jobs"), Loss.REPLY, times=1)
    await turn_until(third, lambda: len(jobs_of(world)) == 2)
    world.api.faults.add(every("POST", "/jobs"), Loss.REPLY, times=1)
    await run(await start(world, log, WRITER), 120)


async def jobs_deleted_by_hand(log: SqlLog) -> None:
    """Somebody deletes a Job that runs, and one that has ended; the outcome stays."""
    slow = NodePlan(run=NodePlan().run._replace(low=20 * SECOND, high=20 * SECOND))
    world = world_of({"gpu-a": slow})
    world.apply(sample(policies={"parallelism": 3}))
    driver = await start(world, log, WRITER)
    await run(driver, 12)
    for name in jobs_of(world):
        world.delete_job("default", name)
    await run(driver, 120)


async def an_end_is_recovered(log: SqlLog) -> None:
    """The log is lost after the end; the new one takes the end over from the status."""
    world = world_of({"gpu-b": NodePlan(ending=Ending.FAIL)})
    world.apply(sample(policies={"retryLimit": 0}))
    with tempfile.TemporaryDirectory() as folder:
        async with await open_log(Path(folder, "lost.db"), create=True, log_id="lost") as lost:
            await run(await start(world, lost, WRITER), 120)
    await run(await start(world, log, WRITER), 60)


async def nodes_come_and_go(log: SqlLog) -> None:
    """A node joins while the warmup runs, one leaves, one is replaced, one cannot be scheduled."""
    world = world_of({})
    world.taint("gpu-c", [("maintenance", "", "NoSchedule")])
    world.apply(sample(policies={"parallelism": 1}))
    driver = await start(world, log, WRITER)
    await run(driver, 5)
    world.add_node("gpu-d", pool="latency-pool")
    world.delete_node("gpu-b")
    await run(driver, 30)
    world.replace_node("gpu-c")
    await run(driver, 60)
    world.taint("gpu-c", [])
    await run(driver, 120)


async def nobody_gets_there(log: SqlLog) -> None:
    """A name that no machine bears, evictions, deleted Jobs and a failure: each is too many."""
    await unlucky_nodes.nobody_gets_there(log, WRITER)


async def engines_are_refused(log: SqlLog) -> None:
    """A quota refuses an engine for a while; a crash follows, and an answer that is lost."""
    world = served_world()
    world.forbid("Deployment", WORKLOADS, PODS)
    await run(await start(world, log, SERVER), 60)
    world.allow("Deployment", WORKLOADS)
    world.api.faults.add(every("PATCH", "/deployments"), Loss.REPLY, times=1)
    await run(await start(world, log, SERVER), 120)


async def a_mount_is_recovered(log: SqlLog) -> None:
    """The cache is deleted, log and engine are lost; it comes back with the mount it had."""
    world = served_world()
    with tempfile.TemporaryDirectory() as folder:
        async with await open_log(Path(folder, "lost.db"), create=True, log_id="lost") as lost:
            await run(await start(world, lost, SERVER), 120)
    world.delete_cache("default", CACHE)
    world.delete_deployment(WORKLOADS, DEPLOYMENT)
    await run(await start(world, log, SERVER), 60)


def served_world() -> World:
    """A cluster that serves itself, with a ModelCache and a ModelReplica that waits for it."""
    world = engine_world()
    world.make_cache("default", CACHE)
    make_replica(world)
    return world


DEMOS: dict[str, tuple[str, ...]] = {
    "demo": ("--nodes", "6", "--seed", "5", "--fail-rate", "0.3"),
    "demo_caches": ("--story", "caches", "--seed", "5"),
    "demo_replicas": ("--story", "replicas", "--seed", "5"),
}
STORIES: dict[str, Story] = {
    story.__name__: story
    for story in (
        one_node_cannot_pull,
        containers_fail,
        jobs_are_refused,
        crashes_around_a_create,
        jobs_deleted_by_hand,
        an_end_is_recovered,
        nodes_come_and_go,
        nobody_gets_there,
        engines_are_refused,
        a_mount_is_recovered,
    )
}
NAMES = (*DEMOS, *STORIES, *any_order.STORIES)


async def _play(story: Story, path: Path, log_id: str) -> None:
    async with await open_log(path, create=True, log_id=log_id) as log:
        await story(log)


def make(name: str, folder: Path) -> Path:
    """Play one story, and export its log into `folder`."""
    made = folder / f"{name}.jsonl"
    if name in any_order.STORIES:
        told = MemoryLog(name)
        told.rows = any_order.rows_of(any_order.STORIES[name], WRITER)
        asyncio.run(export_file(told, made))
        return made
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "log.db")
        if name in DEMOS:
            printed("demo", *DEMOS[name], "--log", path)
        else:
            asyncio.run(_play(STORIES[name], path, name))
        printed("export", path, "-o", made)
    return made


def main(names: list[str]) -> None:
    """Make the named recordings, or all, and write down what must come of them."""
    expected: dict[str, Expected] = {}
    for path in sorted(FOLDER.glob("*.jsonl")):
        expected[path.stem] = asyncio.run(outcomes(path))
    for name in names or NAMES:
        path = make(name, FOLDER)
        expected[name] = asyncio.run(outcomes(path))
        sys.stderr.write(f"{path.name}: {path.stat().st_size} bytes\n")
    write_expected(EXPECTED, expected)
    printed("verify", *sorted(FOLDER.glob("*.jsonl")), "--write-expected", COURSES)


if __name__ == "__main__":
    main(sys.argv[1:])
