"""The live loop, against the simulated API server under asyncio and on virtual time."""

import asyncio

import pytest

from adapters.running.limits import Limits
from adapters.running.witnessing import INBOX_ROWS
from adapters.running.writing import open_writer
from adapters.simulator.clock import SECOND, Span
from adapters.simulator.faults import Loss, every
from adapters.simulator.plans import NodePlan
from adapters.store.memory_logs import MemoryLog
from engine.errors import Fenced, LogFull, LogUnavailable
from machines.observations import Reachability
from tests.running.fakes import WRITER, StubbornLog
from tests.running.living import Life, check, living, phase, status
from tests.running.stories import CLUSTER, manifest, pool_world
from tests.running.virtual import in_world

NODES = ("n1", "n2", "n3", "n4")


def test_a_whole_warmup() -> None:
    """Each node gets one Job, never more at once than allowed, and the end is in log and status."""
    world = pool_world(*NODES)

    async def story() -> None:
        async with living(world) as life:
            await asyncio.sleep(1)
            world.apply(manifest(policies={"parallelism": 2}))
            most = 0

            def ended() -> bool:
                nonlocal most
                most = max(most, status(world).get("activeNodes", 0) if phase(world) else 0)
                return phase(world) == "Succeeded"

            await life.until(ended)
            await life.ended()
            assert most == 2
            await check(life)
            creates = [r for r in life.api.writes if r.method == "POST" and "/jobs" in r.path]
            assert len(creates) == len(NODES) == len(world.listed("Job"))
            assert life.types.count("StatusStored") == 1
            assert not life.controller.writer.state.timers

    in_world(world, story)


def test_an_intent_is_durable_before_its_request() -> None:
    """Whenever a Job is created or changed, the intent's row is in the log already."""
    world = pool_world(*NODES)
    world.apply(manifest())

    async def story() -> None:
        async with living(world) as life:
            seen = 0

            def kept() -> bool:
                nonlocal seen
                for request in life.api.writes[seen:]:
                    name = request.body["metadata"]["name"] if request.method == "POST" else ""
                    assert any(
                        name in row.data for row in life.log.rows if row.type == "CreateJobIntended"
                    )
                seen = len(life.api.writes)
                return phase(world) == "Succeeded"

            await life.until(kept)

    in_world(world, story)


@pytest.mark.parametrize("trouble", [LogUnavailable("locked"), LogFull("no space left")])
def test_nothing_is_lost_or_done_while_the_store_takes_no_rows(trouble: LogUnavailable) -> None:
    """Observations wait, no request leaves, the words are told; then it goes on as if never."""
    world = pool_world(*NODES)

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: life.controller.synced)
            life.log.trouble = trouble
            world.apply(manifest())
            await asyncio.sleep(20)
            world.add_node("n5", pool="gpu")
            await asyncio.sleep(20)
            assert life.api.writes == []
            assert life.controller.store_words == str(trouble)
            assert life.controller.writer.unsent_rows > 0
            life.log.trouble = None
            await life.until(lambda: not life.controller.store_words, seconds=6)
            await life.ended()
            assert status(world)["succeededNodes"] == 5
            await check(life)

    in_world(world, story)


def test_deadlines_fire() -> None:
    """A name without a machine fails when its time-out is over, although nothing happens then."""
    world = pool_world("n1")
    world.apply(
        manifest(targets=[{"nodes": {"names": ["n1", "n9"]}}], policies={"jobTimeoutSeconds": 60})
    )

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: phase(world) == "Running", seconds=10)
            begun = world.cluster.now
            await life.ended()
            assert phase(world) == "Degraded"
            assert "DeadlinePassed" in life.types
            assert world.cluster.now - begun > 55 * SECOND
            await check(life)

    in_world(world, story)


@pytest.mark.parametrize("seconds", [0, 0.001, 1.5, 4, 30])
def test_cancelling_leaves_no_task(seconds: float) -> None:
    """Whenever it is stopped, everything that it began has ended (`in_world` looks)."""
    world = pool_world(*NODES)
    world.apply(manifest())

    async def story() -> Life:
        async with living(world) as life:
            life.api.seconds = 0.5
            await asyncio.sleep(seconds)
        return life

    life = in_world(world, story)
    assert life.task.cancelled()


def test_who_is_superseded_stops() -> None:
    """When another writer opens a term, the next row ends this one with Fenced."""
    world = pool_world("n1")

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: life.controller.synced)
            await open_writer(life.log, WRITER, world.cluster.now)
            world.apply(manifest())
            await asyncio.wait({life.task}, timeout=5)
            error = life.task.exception()
            assert isinstance(error, BaseExceptionGroup)
            assert error.split(Fenced)[1] is None
            assert life.api.writes == []

    in_world(world, story)


@pytest.mark.parametrize("fault", [Loss.REQUEST, Loss.REPLY])
def test_uncertain_intents_are_looked_up_once_synced(fault: Loss) -> None:
    """What an earlier session left open is looked up after the lists, and decided upon then."""
    world = pool_world("n1")
    world.apply(manifest())
    log = StubbornLog(MemoryLog("log"))

    async def story() -> None:
        async with living(world, log) as first:
            world.api.faults.add(every("POST", "/jobs"), fault)
            await first.until(lambda: "IntentUnknown" in first.types, seconds=5)
        world.api.faults.add(every("GET", "/pods"), Loss.REQUEST, times=3)
        async with living(world, log) as second:
            await second.until(lambda: len(second.api.requests) >= 5, seconds=1)
            assert not second.controller.synced
            assert not any("/jobs/" in request.path for request in second.api.requests)
            await second.until(lambda: second.controller.synced, seconds=20)
            await second.ended()
            jobs = [r for r in second.api.requests if "/jobs" in r.path and r.query == ()]
            assert (jobs[0].method, "/jobs/" in jobs[0].path) == ("GET", True)
            creates = [r for r in second.api.writes if r.method == "POST" and "/jobs" in r.path]
            assert len(creates) == (1 if fault is Loss.REQUEST else 0)
            assert phase(world) == "Succeeded"
            await check(second)

    in_world(world, story)


def test_a_crash_leaves_intents_that_the_next_session_settles() -> None:
    """A session that dies with requests in flight is followed by one that repeats none in vain."""
    world = pool_world(*NODES)
    world.apply(manifest())
    log = StubbornLog(MemoryLog("log"))

    async def story() -> None:
        async with living(world, log) as first:
            first.api.seconds = 5
            await first.until(lambda: "CreateJobIntended" in first.types, seconds=100)
        async with living(world, log) as second:
            await second.ended()
            assert len(world.listed("Job")) == len(NODES)
            assert second.types.count("SessionStarted") == 2
            await check(second)

    in_world(world, story)


def test_the_inbox_is_bounded() -> None:
    """While the store takes no rows, observers wait once the inbox is full, and go on later."""
    world = pool_world("n1")

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: life.controller.synced)
            controller = life.controller
            life.log.trouble = LogUnavailable("locked")
            await controller.observe((Reachability(CLUSTER, reachable=False, words="no"),))
            await asyncio.sleep(1)
            many = (Reachability(CLUSTER, reachable=True),) * (INBOX_ROWS + 1)
            await controller.observe(many)
            waiting = asyncio.create_task(controller.observe(many[:1]))
            await asyncio.sleep(60)
            assert not waiting.done()
            assert controller.waiting_observations == INBOX_ROWS + 1
            life.log.trouble = None
            await asyncio.wait_for(waiting, 10)
            await life.until(lambda: controller.waiting_observations == 0, seconds=5)

    in_world(world, story)


def test_a_cluster_that_falls_silent_loses_nothing() -> None:
    """While nobody answers nothing is concluded; afterwards it goes on where it was."""
    world = pool_world(*NODES, plan=NodePlan(run=Span(20 * SECOND, 20 * SECOND)))
    world.apply(manifest(policies={"jobTimeoutSeconds": 60}))

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: status(world).get("activeNodes") == 4 if phase(world) else 0)
            world.api.faults.unreachable = "no route to host"
            world.api.cut_watches("no route to host")
            await asyncio.sleep(300)
            assert "Unreachable" in life.types
            assert "Gone" not in life.types
            assert len(life.controller.writer.state.jobs) == 4
            world.api.faults.unreachable = ""
            await life.ended()
            assert phase(world) == "Succeeded"
            await check(life)

    in_world(world, story)


def test_statuses_come_at_most_five_a_second() -> None:
    """However much happens, one warmup's status is patched five times a second at most."""
    quick = NodePlan(Span(0, 10**7), Span(0, 10**7))
    world = pool_world(*(f"n{number}" for number in range(60)), plan=quick)
    world.apply(manifest(policies={"parallelism": 60}))

    async def story() -> None:
        async with living(world) as life:
            begun = world.cluster.now
            await life.ended()
            seconds = (world.cluster.now - begun) / SECOND
            patches = [request for request in life.api.writes if request.path.endswith("/status")]
            assert 1 < len(patches) <= 5 * seconds + 1

    in_world(world, story)


def test_effects_are_bounded() -> None:
    """No more requests are under way at once than the limits allow."""
    world = pool_world(*(f"n{number}" for number in range(12)))

    async def story() -> None:
        limits = Limits(effects=3, statuses=1)
        async with living(world, limits=limits) as life:
            await life.until(lambda: life.controller.synced)
            life.api.most_at_once = 0
            life.api.seconds = 0.3
            world.apply(manifest(policies={"parallelism": 12}))
            await life.until(lambda: len(world.listed("Job")) == 12)
            assert 3 <= life.api.most_at_once <= 4

    in_world(world, story)


def test_an_older_list_after_a_restart_is_doubted() -> None:
    """The versions that the log holds are known to the next session's watches."""
    world = pool_world("n1")
    world.apply(manifest())
    log = StubbornLog(MemoryLog("log"))

    async def story() -> None:
        async with living(world, log) as first:
            await first.ended()
        rows = len(log.rows)
        world.api.faults.list_version = 1
        async with living(world, log) as second:
            second.api.seconds = 0.5
            await asyncio.sleep(0.7)
            lists = [one for one in second.api.requests if ("limit", "500") in one.query]
            assert len(lists) == 10  # each kind's list, and it again
            assert not second.controller.synced
            world.api.faults.clear()
            await second.until(lambda: second.controller.synced)
            await asyncio.sleep(10)
            added = [row.type for row in log.rows[rows:]]
            assert set(added) <= {"SessionStarted", "Synced", "Reachable"}

    in_world(world, story)


def test_idle_restarts_add_no_object_row() -> None:
    """Restarts on a cluster in which nothing happens say that they began, and send no status."""
    world = pool_world(*NODES)
    world.apply(manifest())
    log = StubbornLog(MemoryLog("log"))

    async def story() -> None:
        async with living(world, log) as first:
            await first.ended()
        rows = len(log.rows)
        for _ in range(5):
            async with living(world, log) as again:
                await again.until(lambda: again.controller.synced)
                await asyncio.sleep(5)
                assert again.api.writes == []
                assert again.unsent == 0
                assert again.news == []
        types = {row.type for row in log.rows[rows:]}
        assert types == {"SessionStarted", "Synced"}
        assert len(log.rows) - rows == 5 * 6

    in_world(world, story)


@pytest.mark.parametrize(
    ("seconds", "trouble"), [(1.0, None), (1.0, LogFull("full")), (60.0, None)]
)
def test_a_stop_waits_for_the_batch_that_is_being_written(
    seconds: float, trouble: LogUnavailable | None
) -> None:
    """What the log holds then is known, unless the store takes too long, or takes nothing."""
    world = pool_world("n1")

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: life.controller.synced and not life.unsent)
            life.log.seconds, life.log.trouble = seconds, trouble
            asked = len(life.log.asked)
            world.apply(manifest())
            await life.until(lambda: len(life.log.asked) > asked)
            life.task.cancel()
            await asyncio.gather(life.task, return_exceptions=True)
            is_written = seconds < 5 and trouble is None
            assert (life.controller.writer.unsent_rows == 0) is is_written
            assert (len(life.log.rows) == life.controller.writer.cursor.position) is is_written

    in_world(world, story)
