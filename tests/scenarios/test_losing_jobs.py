"""Jobs that go: by hand, by their TTL, with their node, or slowly; and no Job runs twice."""

import asyncio

import pytest

from adapters.ports import MERGE_PATCH, Request
from adapters.simulator.clock import SECOND, Span
from adapters.simulator.plans import NodePlan
from adapters.simulator.resources import JOB, path_of
from adapters.simulator.worlds import World
from adapters.store.memory_logs import MemoryLog
from machines.intents import StampTtl
from tests.running.fakes import StubbornLog
from tests.running.living import living, phase, status
from tests.running.stories import manifest, pool_world
from tests.running.virtual import in_world
from tests.scenarios.endings import Ledger, closed, has_ended
from tests.scenarios.playing import Hands

DAYS = 86_400
HELD = "example.com/held"
SLOW = NodePlan(run=Span(30 * SECOND, 40 * SECOND))


def job_names(world: World) -> list[str]:
    """The names of the Jobs that are there."""
    return [job["metadata"]["name"] for job in world.listed("Job")]


def job_uids(world: World) -> list[str]:
    """Their uids."""
    return [job["metadata"]["uid"] for job in world.listed("Job")]


def hold(world: World, name: str, *finalizers: str) -> None:
    """Have these finalizers, and no other, hold a Job."""
    body = {"metadata": {"finalizers": list(finalizers)}}
    path = path_of(JOB, "default", name)
    response = world.api.answer(Request("PATCH", path, body=body, content_type=MERGE_PATCH))
    assert response.ok, response.body


@pytest.mark.parametrize("seconds", [0.0, 0.6, 1.1])
def test_a_job_that_goes_as_its_warmup_ends(seconds: float) -> None:
    """Deleted by hand while its TTL is on its way, it hinders neither end nor others [S14]"""
    world = pool_world("n1", "n2", "n3")
    ledger = Ledger(world)
    world.apply(manifest(policies={"ttlSecondsAfterFinished": 60}))

    async def story() -> None:
        async with living(world) as life:
            life.api.seconds = 0.5
            state = life.controller.writer.state
            await life.until(
                lambda: any(isinstance(one.intent, StampTtl) for one in state.open.values())
            )
            await asyncio.sleep(seconds)
            world.delete_job("default", job_names(world)[0])
            await life.ended()
            assert phase(world) == "Succeeded"
            await life.until(lambda: not world.listed("Job"), seconds=90)
            assert not state.open
            assert not state.jobs
            assert sum(ledger.made.values()) == 3
            await closed(life, ledger)

    in_world(world, story)


def test_a_job_made_again_owes_its_namesake_nothing() -> None:
    """What comes late of the old Job's Pods is the old uid's, not the new Job's [S40]"""
    hands = Hands("n1")
    ledger = Ledger(hands.world)

    async def story() -> None:
        async with living(hands.world) as life:
            hands.world.apply(manifest(policies={"retryLimit": 1}))
            await life.until(lambda: hands.world.listed("Job"))
            old = hands.job("n1")["metadata"]
            (pods,) = (each for each in hands.world.api.cursors if each.kind == "Pod")
            pods.hold()
            pod = hands.make_pod("n1")
            await asyncio.sleep(1)
            hands.set_pod(pod, "Running")
            hands.world.cluster.kubelets.stop("n1")
            hands.world.delete_job("default", old["name"])
            await life.until(lambda: job_uids(hands.world) not in ([], [old["uid"]]), seconds=60)
            assert job_names(hands.world) == [old["name"]]
            pods.release()
            await asyncio.sleep(5)
            assert status(hands.world)["activeNodes"] == 1
            hands.set_pod(pod, "Failed")
            hands.world.cluster.kubelets.start("n1")
            await asyncio.sleep(60)
            assert (status(hands.world)["activeNodes"], len(job_names(hands.world))) == (1, 1)
            assert status(hands.world)["targets"][0]["reason"] == "JobRunning"
            hands.end("n1", "Complete")
            await life.ended()
            assert (phase(hands.world), ledger.made["n1"]) == ("Succeeded", 2)
            await closed(life, ledger)

    in_world(hands.world, story)


def test_a_finished_job_that_its_ttl_took_is_not_run_again() -> None:
    """Complete, gone by its TTL, an hour, a restart, a whole list: nothing runs again [S56]"""
    world = pool_world("n1", "n2")
    ledger = Ledger(world)
    log = StubbornLog(MemoryLog("log"))
    world.apply(manifest(policies={"ttlSecondsAfterFinished": 60}))

    async def story() -> None:
        async with living(world, log) as life:
            await life.ended()
            await life.until(lambda: not world.listed("Job"), seconds=90)
            await asyncio.sleep(3600)
        async with living(world, log) as life:
            await life.until(lambda: life.controller.synced)
            world.cluster.compact()
            world.api.cut_watches()
            world.add_node("n3", pool="gpu")
            await asyncio.sleep(3600)
            assert (phase(world), status(world)["succeededNodes"]) == ("Succeeded", 2)
            assert dict(ledger.made) == {"n1": 1, "n2": 1}
            await closed(life, ledger)

    in_world(world, story)


@pytest.mark.parametrize("kept", ["all", "half", "nothing"])
def test_days_later_a_restart_runs_nothing_again(kept: str) -> None:
    """Neither with its log, nor with one from a backup, nor with none at all [S58]"""
    world = pool_world("n1", "n2")
    ledger = Ledger(world)
    world.apply(manifest())

    async def first() -> StubbornLog:
        async with living(world) as life:
            await life.ended()
            for name in job_names(world):
                world.delete_job("default", name)
            await asyncio.sleep(5)
            return life.log

    async def later(log: StubbornLog) -> None:
        await asyncio.sleep(3 * DAYS)
        async with living(world, log) as life:
            await life.until(lambda: life.controller.synced)
            world.annotate("ModelWarmup", "default", "warm", {"team": "a"})
            await asyncio.sleep(60)
            found = status(world)
            counts = (found["desiredNodes"], found["succeededNodes"])
            assert (found["phase"], *counts) == ("Succeeded", 2, 2)
            assert dict(ledger.made) == {"n1": 1, "n2": 1}
            if kept == "all":
                assert "Recovered" not in life.types
            await closed(life, ledger)

    async def story() -> None:
        whole = await first()
        if kept == "all":
            await later(whole)
            return
        restored = MemoryLog("log" if kept == "half" else "another")
        if kept == "half":
            half = next(row.seq for row in whole.rows if row.type == "IntentDone")
            restored.rows.extend(whole.rows[:half])
        await later(StubbornLog(restored))

    in_world(world, story)


def test_a_pod_or_node_that_is_lost_is_noticed() -> None:
    """Though the Job stays active: its Pod's loss is no failure, its node's loss ends it [S61]"""
    hands = Hands("n1", "n2")
    ledger = Ledger(hands.world)

    async def story() -> None:
        async with living(hands.world) as life:
            hands.world.apply(manifest())
            await life.until(lambda: len(hands.world.listed("Job")) == 2)
            lost = hands.job("n1")["metadata"]["uid"]
            pod = hands.make_pod("n1")
            await asyncio.sleep(1)
            hands.world.delete_pod("default", pod)
            hands.make_pod("n1")
            await asyncio.sleep(10)
            assert status(hands.world)["activeNodes"] == 2
            hands.world.delete_node("n1")
            await life.until(lambda: len(hands.world.listed("Job")) == 1, seconds=5)
            assert hands.job("n2")["metadata"]["uid"] != lost
            await life.until(lambda: status(hands.world)["desiredNodes"] == 1, seconds=5)
            hands.end("n2", "Complete")
            await life.ended()
            assert (phase(hands.world), status(hands.world)["succeededNodes"]) == ("Succeeded", 1)
            await life.until(lambda: not hands.world.listed("Pod"), seconds=90)
            await closed(life, ledger)

    in_world(hands.world, story)


def test_a_job_that_a_finalizer_holds_has_no_second_beside_it() -> None:
    """Deleted and not gone, it keeps its node and its slot; the next comes after it [S62]"""
    world = pool_world("n1", "n2", plan=SLOW)
    ledger = Ledger(world)

    async def story() -> None:
        async with living(world) as life:
            world.apply(manifest(policies={"parallelism": 1}))
            await life.until(lambda: world.listed("Pod"))
            (name,) = job_names(world)
            hold(world, name, HELD)
            (uid,) = job_uids(world)
            world.delete_job("default", name)
            await asyncio.sleep(120)
            assert job_names(world) == [name]
            found = {each["nodeName"]: each["reason"] for each in status(world)["targets"]}
            assert found == {"n1": "JobTerminating", "n2": "WaitingForSlot"}
            hold(world, name)
            await life.until(lambda: job_uids(world) not in ([], [uid]))
            await life.ended()
            assert (dict(ledger.made), ledger.most) == ({"n1": 2, "n2": 1}, 1)
            await closed(life, ledger)

    in_world(world, story)


def test_a_failed_job_that_a_finalizer_holds_is_not_followed_by_another() -> None:
    """A node that failed has no second attempt of ours, held or let go [S62]"""
    hands = Hands("n1", "n2")
    ledger = Ledger(hands.world)

    async def story() -> None:
        async with living(hands.world) as life:
            hands.world.apply(manifest())
            await life.until(lambda: len(hands.world.listed("Job")) == 2)
            hands.hold("n1", HELD)
            hands.end("n1", "Failed", "BackoffLimitExceeded", "too often")
            name = hands.job("n1")["metadata"]["name"]
            hands.world.delete_job("default", name)
            await asyncio.sleep(120)
            assert status(hands.world)["failedNodes"] == 1
            hands.hold("n1")
            await asyncio.sleep(60)
            hands.end("n2", "Complete")
            await life.ended()
            assert (phase(hands.world), dict(ledger.made)) == ("Degraded", {"n1": 1, "n2": 1})
            await closed(life, ledger)

    in_world(hands.world, story)


def test_an_end_stops_what_still_runs_whatever_the_ttl() -> None:
    """A node that can never work fails at once, and its active Job goes without its TTL [S64]"""
    hands = Hands("n1", "n2")
    ledger = Ledger(hands.world)
    waiting = {"reason": "InvalidImageName", "message": "it names no image"}

    async def story() -> None:
        async with living(hands.world) as life:
            hands.world.apply(manifest(policies={"ttlSecondsAfterFinished": DAYS}))
            await life.until(lambda: len(hands.world.listed("Job")) == 2)
            hands.make_pod("n1")
            pod = hands.make_pod("n2")
            await asyncio.sleep(1)
            entry = {"name": "image-0", "state": {"waiting": waiting}}
            hands.set_pod(pod, "Pending", containerStatuses=[entry])
            hands.end("n1", "Complete")
            await life.ended()
            assert (phase(hands.world), status(hands.world)["failedNodes"]) == ("Degraded", 1)
            await life.until(lambda: len(hands.world.listed("Job")) == 1, seconds=5)
            (left,) = hands.world.listed("Job")
            assert has_ended(left)
            assert left["spec"]["ttlSecondsAfterFinished"] == DAYS
            await life.until(lambda: len(hands.world.listed("Pod")) <= 1, seconds=60)
            await closed(life, ledger)

    in_world(hands.world, story)
