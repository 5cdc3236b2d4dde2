"""Waiting: for a watch that lags, for the next try, for a Pod that is stuck, for the log."""

import asyncio

import pytest

from adapters.simulator.clock import SECOND, Span
from adapters.simulator.faults import Loss, every
from adapters.simulator.plans import Ending, NodePlan
from adapters.store.memory_logs import MemoryLog
from engine.errors import LogUnavailable
from tests.running.fakes import StubbornLog
from tests.running.living import living, phase, status
from tests.running.stories import manifest, pool_world
from tests.running.virtual import in_world
from tests.scenarios.endings import Ledger, closed

QUOTA = "exceeded quota: jobs, requested: count/jobs.batch=1, used: 8, limited: 8"


def test_what_was_just_created_is_not_missed() -> None:
    """A watch that has not shown our Job for a minute makes no failure and no second one [S8]"""
    world = pool_world("n1", plan=NodePlan(run=Span(SECOND, SECOND)))
    ledger = Ledger(world)

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: life.controller.synced)
            await asyncio.sleep(1)
            (jobs,) = (each for each in world.api.cursors if each.kind == "Job")
            jobs.hold()
            world.apply(manifest())
            await asyncio.sleep(60)
            assert status(world)["activeNodes"] == 1
            creates = [each for each in life.api.writes if each.path.endswith("/jobs")]
            assert len(creates) == 1
            wrong = {"Gone", "IntentRefused", "IntentUnknown", "IntentAbsent"}
            assert not wrong & set(life.types)
            assert {each.type for each in life.news} == {"Normal"}
            jobs.release()
            await life.ended()
            assert (phase(world), ledger.made["n1"]) == ("Succeeded", 1)
            await closed(life, ledger)

    in_world(world, story)


def test_a_job_is_found_by_its_name() -> None:
    """Its create's answer is lost and no watch shows it: its name tells that it is there [W103]"""
    world = pool_world("n1", plan=NodePlan(run=Span(SECOND, SECOND)))
    ledger = Ledger(world)

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: life.controller.synced)
            await asyncio.sleep(1)
            (jobs,) = (each for each in world.api.cursors if each.kind == "Job")
            jobs.hold()
            world.api.faults.add(every("POST", "/jobs"), Loss.REPLY)
            world.apply(manifest())
            await asyncio.sleep(60)
            assert "IntentUnknown" in life.types
            assert (status(world)["activeNodes"], ledger.made["n1"]) == (1, 1)
            jobs.release()
            await life.ended()
            assert (phase(world), ledger.made["n1"]) == ("Succeeded", 1)
            await closed(life, ledger)

    in_world(world, story)


def test_one_budget_for_all_attempts() -> None:
    """Retries that fit are made; when the time is over, the last failure is told with it [S11]"""
    failing = NodePlan(ending=Ending.FAIL, exit_code=9, run=Span(20 * SECOND, 20 * SECOND))
    world = pool_world("n1", "n2", plans={"n1": failing, "n2": failing._replace(failures=1)})
    ledger = Ledger(world)
    world.apply(manifest(policies={"jobTimeoutSeconds": 75, "retryLimit": 5}))

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: world.listed("Job"))
            for job in world.listed("Job"):
                assert job["spec"]["activeDeadlineSeconds"] == 75
                assert job["spec"]["backoffLimit"] == 5
            await life.ended()
            found = status(world)
            assert (found["succeededNodes"], found["failedNodes"]) == (1, 1)
            (failed,) = found["targets"]
            assert (failed["nodeName"], failed["reason"]) == ("n1", "DeadlineExceeded")
            assert "code 9" in failed["message"]
            assert failed["message"].endswith("active longer than specified deadline")
            await closed(life, ledger)

    in_world(world, story)


@pytest.mark.parametrize("down", [1.0, 5.0, 20.0])
def test_a_restart_keeps_the_time_of_the_next_try(down: float) -> None:
    """After four refusals the next create comes 8 s later, a restart between or not.

    What warmlog itself tries again are creates; a Job's attempts are Kubernetes' own [S50]
    """
    world = pool_world("n1")
    ledger = Ledger(world)
    log = StubbornLog(MemoryLog("log"))
    world.forbid("Job", "default", QUOTA)
    world.apply(manifest())

    def instants(kind: str) -> list[int]:
        return [row.at for row in log.rows if row.type == kind]

    async def story() -> None:
        async with living(world, log) as life:
            await life.until(lambda: len(instants("IntentRefused")) == 4)
            refused = instants("IntentRefused")[-1]
            await asyncio.sleep(1)
        await asyncio.sleep(down)
        async with living(world, log) as life:
            started = world.cluster.now
            await life.until(lambda: len(instants("IntentRefused")) == 5)
            due = max(refused + 8 * SECOND, started)
            assert due <= instants("CreateJobIntended")[-1] < due + SECOND // 2
            world.allow("Job", "default")
            await life.ended()
            assert (phase(world), ledger.made["n1"]) == ("Succeeded", 1)
            await closed(life, ledger)

    in_world(world, story)


def test_a_pod_that_is_stuck_after_a_reboot_is_told_and_bounded() -> None:
    """What its Events say is shown, its time limit ends it, and nobody else waits for it [S55]"""
    world = pool_world("n1", "n2", plans={"n1": NodePlan(starts=False)})
    ledger = Ledger(world)
    world.apply(manifest(policies={"jobTimeoutSeconds": 300}))
    words = "Failed to create pod sandbox: the sandbox of the last boot is gone"

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: phase(world) and status(world)["succeededNodes"] == 1)
            (stuck,) = status(world)["targets"]
            assert stuck["message"] == "its Pod has not started yet"
            world.stop_kubelet("n1")
            await asyncio.sleep(70)
            node = world.must_find("Node", "", "n1")
            rebooted = {**node["status"].get("nodeInfo", {}), "bootID": "another"}
            world.cluster.nodes.change_status(node, lambda now: {**now, "nodeInfo": rebooted})
            world.start_kubelet("n1")
            (pod,) = (each for each in world.listed("Pod") if each["spec"]["nodeName"] == "n1")
            world.cluster.recorder.record(
                pod, "kubelet", "FailedCreatePodSandBox", words, warning=True
            )
            await asyncio.sleep(70)
            (stuck,) = status(world)["targets"]
            assert (stuck["phase"], stuck["reason"]) == ("Running", "FailedCreatePodSandBox")
            assert stuck["message"] == words
            await life.ended()
            (failed,) = status(world)["targets"]
            assert (phase(world), failed["reason"]) == ("Degraded", "DeadlineExceeded")
            assert failed["message"].startswith(f"FailedCreatePodSandBox: {words}; ")
            assert dict(ledger.made) == {"n1": 1, "n2": 1}
            await closed(life, ledger)

    in_world(world, story)


def test_a_decision_that_is_out_of_date_when_it_is_written() -> None:
    """Decided, held up before it was appended, and the object changed: it is not acted on [S67]"""
    world = pool_world("n1", "n2")
    ledger = Ledger(world)

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: life.controller.synced)
            life.log.trouble = LogUnavailable("locked")
            world.apply(manifest("gone"))
            world.apply(manifest("stays"))
            await life.until(lambda: life.controller.writer.unsent_rows)
            await asyncio.sleep(5)
            world.delete_warmup("default", "gone")
            world.relabel_node("n2", {"resource-pool.aibrix.ai/name": "other"})
            await asyncio.sleep(5)
            life.log.trouble = None
            await life.ended("stays")
            assert dict(ledger.made) == {"n1": 1}
            assert status(world, "stays")["desiredNodes"] == 1
            await closed(life, ledger)

    in_world(world, story)
