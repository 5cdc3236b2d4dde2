"""A driven controller does what the live one does when store, clock, network or lease fail it."""

import pytest

from adapters.running.writing import Identity
from adapters.simulator.clock import SECOND
from adapters.simulator.driven_sessions import Host
from adapters.simulator.driving import Driver, start
from adapters.simulator.faults import Death, SenderDied, Stay, every
from adapters.simulator.resources import JOB, WARMUP
from adapters.simulator.worlds import World
from adapters.store.memory_logs import MemoryLog
from property_tests.ending import watch_rest
from property_tests.faults.elders import Elder, Lease
from property_tests.faults.failing_logs import FailingLog, StoreTrouble, StoreTroubles
from property_tests.faults.shifting_clocks import ShiftingClock
from property_tests.invariants import judge
from property_tests.running import run
from property_tests.warmup_worlds import TARGETS
from property_tests.watched_worlds import NAMESPACE_NAME, POOL, WatchedWorld, warmup_manifest
from property_tests.witnessing import Witness

IDENTITY = Identity("0", "code", "settings")


def begun(log: MemoryLog, **policies: int) -> WatchedWorld:
    """A world of two machines that are wished warm."""
    world = WatchedWorld(1, Witness(log, "log"))
    for name in ("n0", "n1"):
        world.add_node(name, pool=POOL)
    world.apply(warmup_manifest("w0", TARGETS["selected"], **policies))
    return world


def rest(driver: Driver, seconds: int = 600) -> None:
    """Drive for so long, or until nothing is left to do."""
    run(driver.run(until_at=driver.now + seconds * SECOND))


def check(world: WatchedWorld, driver: Driver) -> None:
    """Every invariant holds of all that happened, and from now on nothing happens."""
    watch_rest(world.witness, driver, [world], lambda: rest(driver))
    judge(world.witness.evidence)


def phase(world: World) -> str:
    """What the warmup's status says."""
    (warmup,) = world.listed(WARMUP.kind, NAMESPACE_NAME)
    return str((warmup.get("status") or {}).get("phase"))


@pytest.mark.parametrize("trouble", [StoreTrouble.LOCKED, StoreTrouble.FULL, StoreTrouble.UNSAID])
@pytest.mark.parametrize("skipped", range(12))
def test_nothing_is_acted_upon_that_the_store_has_not_taken(
    trouble: StoreTrouble, skipped: int
) -> None:
    """Whichever commit fails, what it holds waits for it, and all comes to its end."""
    log, troubles = MemoryLog("log"), StoreTroubles()
    world = begun(log)
    driver = run(start(world, FailingLog(log, troubles), IDENTITY))
    troubles.add(trouble, times=4, skipped=skipped)
    rest(driver)
    assert phase(world) == "Succeeded"
    check(world, driver)


def test_while_the_store_takes_nothing_the_world_hears_nothing() -> None:
    """No request that changes anything is sent, and the store is tried again for ever."""
    log, troubles = MemoryLog("log"), StoreTroubles()
    world = begun(log)
    driver = run(start(world, FailingLog(log, troubles), IDENTITY))
    troubles.add(StoreTrouble.FULL, times=1_000)
    version = world.cluster.storage.version
    rest(driver, 60)
    (warmup,) = world.listed(WARMUP.kind, NAMESPACE_NAME)
    assert (world.listed(JOB.kind), warmup.get("status"), len(log.rows)) == ([], None, 1)
    assert driver.writer.unsent_rows
    assert world.cluster.storage.version > version  # while the cluster goes on
    troubles.clear()
    rest(driver)
    assert phase(world) == "Succeeded"


@pytest.mark.parametrize("trouble", [StoreTrouble.DEATH_BEFORE, StoreTrouble.DEATH_AFTER])
@pytest.mark.parametrize("skipped", range(12))
def test_a_death_at_any_commit_loses_nothing(trouble: StoreTrouble, skipped: int) -> None:
    """The next life acts upon what was recorded, and decides again what was not."""
    log, troubles = MemoryLog("log"), StoreTroubles()
    world = begun(log)
    store = FailingLog(log, troubles)
    troubles.add(trouble, skipped=skipped + 1)
    driver = run(start(world, store, IDENTITY))
    try:
        rest(driver)
    except SenderDied:
        driver = run(start(world, store, IDENTITY))
        rest(driver)
    assert phase(world) == "Succeeded"
    check(world, driver)


@pytest.mark.parametrize("death", list(Death))
@pytest.mark.parametrize(
    ("method", "part", "skipped"),
    [("POST", "/jobs", 0), ("POST", "/jobs", 1), *(("PATCH", "/status", n) for n in range(4))],
)
def test_a_death_at_any_request_loses_nothing(
    death: Death, method: str, part: str, skipped: int
) -> None:
    """Between append and send, and between send and answer, of Jobs and of statuses."""
    log = MemoryLog("log")
    world = begun(log, parallelism=1)
    driver = run(start(world, log, IDENTITY))
    world.cluster.api.faults.add(every(method, part), death, skipped=skipped)
    with pytest.raises(SenderDied):
        rest(driver)
    driver = run(start(world, log, IDENTITY))
    rest(driver)
    assert phase(world) == "Succeeded"
    assert len(world.listed(JOB.kind)) == 2
    check(world, driver)


@pytest.mark.parametrize("seconds", [7200, -7200])
def test_a_clock_that_is_set_loses_no_deadline_and_turns_no_time_back(seconds: int) -> None:
    """The log's instants never go back, and what waits for an instant is done when it comes."""
    log = MemoryLog("log")
    world = begun(log)
    world.apply(warmup_manifest("w1", [{"nodes": {"names": ["n9"]}}]))  # a node waited for 300 s
    clock = ShiftingClock(lambda: world.cluster.now)
    driver = run(start(world, log, IDENTITY, host=Host(wall=clock)))
    rest(driver, 30)
    clock.jump(seconds)
    rest(driver, 30)
    driver = run(start(world, log, IDENTITY, host=Host(wall=clock)))
    rest(driver)
    assert [row.at for row in log.rows] == sorted(row.at for row in log.rows)
    ended = {
        item["metadata"]["name"]: item["status"]["phase"] for item in world.listed(WARMUP.kind)
    }
    assert ended == {"w0": "Succeeded", "w1": "Failed"}
    check(world, driver)


@pytest.mark.parametrize("stay", list(Stay))
def test_who_lost_the_log_sends_and_records_nothing_more(stay: Stay) -> None:
    """What was under way is its last request; the log refuses its next row, and that ends it."""
    log = MemoryLog("log")
    world = begun(log, parallelism=1)
    lease = Lease()
    elder = Elder(run(start(world, log, IDENTITY, host=Host(guard=lease))), lease)
    world.cluster.api.faults.add(every("POST", "/jobs"), stay)
    elder.work(30)
    assert len(world.listed(JOB.kind)) == (1 if stay is Stay.BACK else 0)
    elder.lose_lease()
    driver = run(start(world, log, IDENTITY))
    run(driver.turn())
    rows = list(log.rows)
    assert elder.go_on()
    assert log.rows == rows
    assert len(world.listed(JOB.kind)) == 1
    rest(driver)
    assert phase(world) == "Succeeded"
    assert len(world.listed(JOB.kind)) == 2
    check(world, driver)


def test_who_holds_no_lease_halts_before_its_next_write() -> None:
    """It may read, but what it has decided already is never sent."""
    log = MemoryLog("log")
    world = begun(log)
    lease = Lease()
    elder = Elder(run(start(world, log, IDENTITY, host=Host(guard=lease))), lease)
    while not elder.driver.writer.state.open:
        elder.work(1)
    elder.lose_lease()
    assert not elder.go_on()
    assert not elder.go_on()
    assert world.listed(JOB.kind) == []
