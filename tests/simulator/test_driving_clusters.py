"""The driver over several worlds: kubeconfigs of one lead to others, and all share their time."""

import pytest

from adapters.running.writing import Identity
from adapters.simulator.clock import SECOND
from adapters.simulator.driving import Driver, start
from adapters.simulator.faults import Loss, every
from adapters.simulator.plans import Ending, HydrationPlan
from adapters.simulator.worlds import World
from adapters.store.memory_logs import MemoryLog
from engine.verifying import verify
from machines.domain import WARMLOG
from tests.running.clusters import (
    CACHE,
    entries,
    home_world,
    other_world,
    phases,
    point,
    reachable,
    serve,
)

IDENTITY = Identity("0", "code", "settings")
HOUR = 3600 * SECOND
BOTH = {"east": "Ready", "home": "Ready"}


def worlds() -> tuple[World, dict[str, World]]:
    """Home, which serves itself and another cluster, and a model for both."""
    home, east = home_world("n1"), other_world(8)
    serve(home, "home")
    serve(home, "east", "east")
    home.make_cache("default", CACHE)
    return home, {"east": east}


async def until_ready(driver: Driver) -> None:
    """Drive until both entries are Ready, and all is at rest."""
    await driver.run(until_at=driver.now + 600 * SECOND)
    assert phases(driver.world) == BOTH
    due = driver.next_at()
    assert due is None or due > driver.now + HOUR  # the TTL of a Job that is gone
    assert not driver.writer.state.open


async def check(log: MemoryLog) -> None:
    """Today's code decides what the log says."""
    assert [str(found) async for found in verify(WARMLOG, log)] == []


async def test_a_model_is_staged_in_all_worlds() -> None:
    """Each world has its claim; the log holds the facts of all, in the order of their time."""
    home, others = worlds()
    log = MemoryLog("log")
    driver = await start(home, log, IDENTITY, others=others)
    await until_ready(driver)
    assert {row.cluster for row in log.rows} == {"", "sim", "ic/east"}
    assert [row.at for row in log.rows] == sorted(row.at for row in log.rows)
    assert home.cluster.now == others["east"].cluster.now
    assert reachable(home, "east")[0] == "True"
    await check(log)


async def test_the_same_worlds_give_the_same_log() -> None:
    """Nothing but the seeds decides what happens."""
    told = []
    for _ in range(2):
        home, others = worlds()
        log = MemoryLog("log")
        await until_ready(await start(home, log, IDENTITY, others=others))
        told.append([row[2:] for row in log.rows])
    assert told[0] == told[1]


@pytest.mark.parametrize("turns", range(20, 140, 15))
async def test_a_crash_between_two_turns_loses_nothing(turns: int) -> None:
    """Another life goes on from the log, wherever the first one ended."""
    home, others = worlds()
    log = MemoryLog("log")
    first = await start(home, log, IDENTITY, others=others)
    for _ in range(turns):
        if not await first.turn():
            first.advance(first.next_at() or first.now)
    await until_ready(await start(home, log, IDENTITY, others=others))
    for world in (home, others["east"]):
        assert len(world.listed("PersistentVolumeClaim")) == 1
        assert world.listed("Job") == []
    await check(log)


async def rewound(*, answering: bool = True) -> tuple[Driver, World, World, MemoryLog]:
    """A life that began with lists from before anybody wished anything, and then all the rest."""
    home, east = home_world("n1"), other_world(8)
    past = home.cluster.storage.version
    serve(home, "home")
    serve(home, "east", "east")
    home.make_cache("default", CACHE)
    log, others = MemoryLog("log"), {"east": east}
    await until_ready(await start(home, log, IDENTITY, others=others))
    home.api.faults.list_version = past
    if not answering:
        east.lose_api()
    driver = await start(home, log, IDENTITY, others=others)
    await driver.run(until_at=driver.now)
    home.api.faults.clear()
    assert "ClusterRolledBack" in {row.type for row in log.rows}
    return driver, home, east, log


async def test_a_cluster_that_a_list_lacks_and_a_watch_shows_at_once_is_read_anew() -> None:
    """Nothing is known of it any more, so its session begins again, and all goes on."""
    driver, home, _, log = await rewound()
    told = [row.type for row in log.rows if row.subject.startswith("InferenceCluster//east/")]
    assert "Gone" in told
    await driver.run(until_at=driver.now + 600 * SECOND)
    assert driver.writer.state.clusters["ic/east"].synced
    assert phases(home) == BOTH
    assert reachable(home, "east")[0] == "True"
    await check(log)


async def test_a_cache_that_was_held_before_waits_for_clusters_that_are_not_known_yet() -> None:
    """Its deletion is not let through while what it has there may not have been listed."""
    driver, home, east, log = await rewound(answering=False)
    home.delete_cache("default", CACHE)
    await driver.run(until_at=driver.now + 600 * SECOND)
    assert len(home.listed("ModelCache")) == 1
    east.regain_api()
    await driver.run(until_at=driver.now + 600 * SECOND)
    assert home.listed("ModelCache") == []
    for world in (home, east):
        assert world.listed("PersistentVolumeClaim") == []
    await check(log)


async def test_a_lost_answer_of_another_world_is_looked_up() -> None:
    """What was carried out although nobody said so is found, and done once."""
    home, others = worlds()
    log = MemoryLog("log")
    others["east"].api.faults.add(every("POST", "/jobs"), Loss.REPLY)
    driver = await start(home, log, IDENTITY, others=others)
    await until_ready(driver)
    assert [row.type for row in log.rows].count("IntentUnknown") == 1
    await check(log)


async def test_a_partition_of_another_world_changes_words_alone() -> None:
    """While a world does not answer its entry keeps what it had, and says so."""
    home, others = worlds()
    log = MemoryLog("log")
    driver = await start(home, log, IDENTITY, others=others)
    await until_ready(driver)
    before = entries(home)
    others["east"].lose_api("no route to host")
    await driver.run(until_at=driver.now + 60 * SECOND)
    assert "no route to host" in entries(home)["east"]["message"]
    assert (entries(home)["home"], phases(home)) == (before["home"], BOTH)
    assert reachable(home, "east")[0] == "False"
    others["east"].regain_api()
    await driver.run(until_at=driver.now + 60 * SECOND)
    assert entries(home) == before
    assert reachable(home, "east")[0] == "True"
    await check(log)


async def test_a_claim_that_an_ended_pod_keeps_names_that_pod() -> None:
    """Kubernetes keeps a claim for a Pod that has ended; who deletes a cache is told of it."""
    home, others = worlds()
    driver = await start(home, MemoryLog("log"), IDENTITY, others=others)
    await until_ready(driver)
    claim = home.listed("PersistentVolumeClaim")[0]["metadata"]
    home.add_mounting_pod(claim["namespace"], "batch", claim["name"])
    await driver.run(until_at=driver.now + 10 * SECOND)
    home.evict_pod(claim["namespace"], "batch")
    home.delete_cache("default", CACHE)
    await driver.run(until_at=driver.now + 600 * SECOND)
    told = entries(home)["home"]["message"]
    assert told.endswith(
        "Pod batch has ended and still mounts it: it goes once that Pod is deleted"
    )
    home.delete_pod(claim["namespace"], "batch")
    await driver.run(until_at=driver.now + 60 * SECOND)
    assert not home.find("ModelCache", "default", CACHE)


async def test_a_kubeconfig_that_leads_nowhere_is_said() -> None:
    """It is the cluster's condition until it leads to a world."""
    home, others = worlds()
    point(home, "east", "nowhere")
    log = MemoryLog("log")
    driver = await start(home, log, IDENTITY, others=others)
    await driver.run(until_at=driver.now + 300 * SECOND)
    assert phases(home) == {"east": "Pending", "home": "Ready"}
    assert "names no simulated cluster" in reachable(home, "east")[1]
    point(home, "east", "east")
    await until_ready(driver)
    await check(log)


@pytest.mark.parametrize("life", [0, 1])  # on the same log, and on an empty one
@pytest.mark.parametrize("place", ["home", "east"])
async def test_a_restart_reads_tokens_before_the_words_that_may_quote_them(
    place: str, life: int
) -> None:
    """What a Pod said of its token while the controller was away is struck out all the same."""
    home, others = worlds()
    token = "swordfish-of-the-hub"
    home.add_secret("default", "hub", {"HF_TOKEN": token})
    home.make_cache("default", CACHE, authSecret={"name": "hub"})
    world = {"home": home, **others}[place]
    world.plan_hydration("", HydrationPlan(ending=Ending.FAIL, message=f"401: {token} may not"))
    logs = [MemoryLog("log"), MemoryLog("another")]
    driver = await start(home, logs[0], IDENTITY, others=others)
    while not any(pod["status"]["phase"] == "Running" for pod in world.listed("Pod")):
        if not await driver.turn():
            driver.advance(driver.next_at() or driver.now)
    driver.advance(driver.now + 40 * SECOND)
    log = logs[life]
    again = await start(home, log, IDENTITY, others=others)
    await again.run(until_at=driver.now + 60 * SECOND)
    assert any("may not" in row.data for row in log.rows)
    assert [row.type for row in log.rows if token in row.data] == []
    await check(log)
