"""The driver over replicas: engines are composed and go, wherever a life of the controller ends."""

import pytest

from adapters.simulator.clock import SECOND
from adapters.simulator.driving import Driver, start
from adapters.simulator.faults import Loss, every
from adapters.simulator.worlds import World
from adapters.store.memory_logs import MemoryLog
from engine.verifying import verify
from machines.domain import WARMLOG
from tests.running.clusters import CACHE, entries, other_world, serve
from tests.running.engines import (
    REPLICA,
    SERVER,
    condition,
    delete,
    deployment,
    engine_world,
    make_replica,
    reason,
)

COMPOSED = ("Deployment", "Service", "ResourceClaimTemplate")


def staged_world() -> World:
    """A world with a cache and a replica that waits for it."""
    world = engine_world()
    world.make_cache("default", CACHE)
    make_replica(world)
    return world


async def until_served(driver: Driver) -> None:
    """Drive until the engine serves with the mount that is published, and nothing is open."""
    await driver.run(until_at=driver.now + 600 * SECOND)
    world = driver.world
    assert reason(world, "Ready") == "Available"
    replica = world.must_find("ModelReplica", "default", REPLICA)
    assert replica["status"]["mount"] == entries(world)["home"]["mount"]
    assert not driver.writer.state.open


async def check(log: MemoryLog) -> None:
    """Today's code decides what the log says."""
    assert [str(found) async for found in verify(WARMLOG, log)] == []


async def test_the_same_world_gives_the_same_log() -> None:
    """Nothing but the seed decides what happens."""
    told = []
    for _ in range(2):
        log = MemoryLog("log")
        await until_served(await start(staged_world(), log, SERVER))
        told.append([row[2:] for row in log.rows])
    assert told[0] == told[1]


@pytest.mark.parametrize("turns", range(12, 130, 13))
async def test_a_crash_between_two_turns_loses_nothing(turns: int) -> None:
    """Another life goes on from the log; no engine is composed twice, and all of it goes."""
    world = staged_world()
    log = MemoryLog("log")
    driver = await start(world, log, SERVER)
    for _ in range(turns):
        if not await driver.turn():
            due = driver.next_at()
            if due is None:
                break
            driver.advance(due)
    driver = await start(world, log, SERVER)
    await until_served(driver)
    found = deployment(world)
    assert found is not None
    assert found["metadata"]["generation"] == 1
    delete(world)
    for _ in range(turns % 7):
        await driver.turn()
    driver = await start(world, log, SERVER)
    await driver.run(until_at=driver.now + 600 * SECOND)
    assert world.find("ModelReplica", "default", REPLICA) is None
    assert {kind: world.listed(kind) for kind in COMPOSED} == {kind: [] for kind in COMPOSED}
    await check(log)


@pytest.mark.parametrize("loss", Loss)
async def test_an_apply_without_an_answer_is_looked_up(loss: Loss) -> None:
    """Whether it landed or not, there is one Deployment in the end, written once."""
    world = staged_world()
    world.api.faults.add(every("PATCH", "/deployments/"), loss)
    log = MemoryLog("log")
    driver = await start(world, log, SERVER)
    await until_served(driver)
    assert [row.type for row in log.rows].count("IntentUnknown") == 1
    found = deployment(world)
    assert found is not None
    assert found["metadata"]["generation"] == 1
    await check(log)


async def test_a_cluster_that_falls_silent_is_told_and_changes_nothing() -> None:
    """A replica on another cluster serves; while that does not answer, what runs stays, and so it
    is said; it goes on where it was.
    """
    world, other = engine_world(), other_world(8)
    serve(world, "east", "east")
    other.relabel_node("n1", {"modelplane.ai/pool": "h100"})
    make_replica(world, cluster="east", cache="")
    log = MemoryLog("log")
    driver = await start(world, log, SERVER, others={"east": other})
    await driver.run(until_at=driver.now + 300 * SECOND)
    assert reason(world, "Ready") == "Available"
    before = other.listed("Deployment")
    other.lose_api("no route to host")
    await driver.run(until_at=driver.now + 300 * SECOND)
    ready = condition(world, "Ready")
    assert ready[:2] == ("True", "Available")
    assert "no route to host" in ready[2]
    other.regain_api()
    await driver.run(until_at=driver.now + 300 * SECOND)
    assert condition(world, "Ready") == ("True", "Available", "")
    assert other.listed("Deployment") == before
    await check(log)


async def test_a_kind_that_is_served_no_more_is_said_to_be_unread() -> None:
    """When a definition is deleted, its watch ends and is refused: a list says so at once."""
    world = staged_world()
    world.serve("LeaderWorkerSet")
    log = MemoryLog("log")
    driver = await start(world, log, SERVER)
    await until_served(driver)
    world.stop_serving("LeaderWorkerSet")
    await driver.run(until_at=driver.now + 60 * SECOND)
    assert driver.writer.state.clusters["sim"].unserved == {"LeaderWorkerSet": True}
    await check(log)
