"""Asking for Events: refused Pods are told while they are, by the loop and by the driver alike."""

import asyncio

from adapters.running.asking import AskingBook
from adapters.simulator.driving import start
from adapters.store.memory_logs import MemoryLog
from tests.running.fakes import WRITER
from tests.running.living import check, living, status
from tests.running.stories import CLUSTER, manifest, pool_world
from tests.running.virtual import in_world

WORDS = "exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0"


def test_refused_pods_are_told_within_seconds() -> None:
    """A quota keeps every Pod out: five seconds later the status has the server's words [W37]"""
    world = pool_world("n1", "n2")
    world.forbid("Pod", "default", WORDS)
    world.apply(manifest())

    async def story() -> None:
        async with living(world) as life:
            await asyncio.sleep(5)
            found = status(world)
            details = {each["nodeName"]: each for each in found["targets"]}
            assert {each["reason"] for each in details.values()} == {"FailedCreate"}
            assert "exceeded quota: none" in details["n1"]["message"]
            conditions = {each["type"]: each for each in found["conditions"]}
            assert conditions["JobsCreated"]["status"] == "False"
            rows = life.types.count("EventsRead")
            await asyncio.sleep(300)
            assert life.types.count("EventsRead") == rows == 2
            world.allow("Pod", "default")
            await life.ended()
            assert status(world)["phase"] == "Succeeded"
            await check(life)
            events = [each for each in life.api.requests if each.path.endswith("/events")]
            assert len(events) < 40

    in_world(world, story)


def test_a_quota_that_demands_requests_is_told() -> None:
    """Pods of images have no requests; a quota that demands some says so in the status [W69]"""
    demand = "failed quota: q: must specify limits.cpu for: image-0; requests.cpu for: image-0"
    world = pool_world("n1")
    world.forbid("Pod", "default", demand)
    world.apply(manifest())

    async def story() -> None:
        async with living(world):
            await asyncio.sleep(5)
            (detail,) = status(world)["targets"]
            assert (detail["phase"], detail["reason"]) == ("Running", "FailedCreate")
            assert demand in detail["message"]

    in_world(world, story)


def test_nobody_is_asked_while_all_runs() -> None:
    """A Job whose Pod starts within two seconds is never asked about."""
    world = pool_world("n1")
    world.apply(manifest())

    async def story() -> None:
        async with living(world) as life:
            await life.ended()
            assert not [each for each in life.api.requests if each.path.endswith("/events")]

    in_world(world, story)


def test_the_driver_asks_as_the_loop_does() -> None:
    """In a simulated world the words are in the log, and the end comes when Pods may be made."""
    world = pool_world("n1")
    world.forbid("Pod", "default", WORDS)
    world.apply(manifest(policies={"jobTimeoutSeconds": 60}))

    async def story() -> None:
        log = MemoryLog("log")
        driver = await start(world, log, WRITER)
        await driver.run()
        assert "EventsRead" in [row.type for row in log.rows]
        found = status(world)
        assert found["phase"] == "Failed"
        assert found["targets"][0]["message"].startswith("FailedCreate: Error creating: ")
        assert found["targets"][0]["reason"] == "DeadlineExceeded"

    asyncio.run(story())


def test_a_new_silence_is_asked_about_from_the_start() -> None:
    """The waits grow within one silence, and begin anew with the next one."""
    world = pool_world("n1")
    world.forbid("Pod", "default", WORDS)
    world.apply(manifest())

    async def story() -> None:
        async with living(world) as life:
            await asyncio.sleep(1)
            state, book = life.controller.writer.state, AskingBook(CLUSTER)
            (uid,) = state.silent
            since = state.silent[uid]
            first = book.next_due(state)
            assert first is not None
            assert book.due(state, first - 1) == {}
            assert [one.job_uid for one in book.due(state, first)["default"]] == [uid]
            second = book.next_due(state)
            assert second is not None
            assert second > first
            state.silent[uid] = since + 1
            assert book.next_due(state) == first + 1

    in_world(world, story)
