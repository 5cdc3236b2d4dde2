"""How Jobs end, played by hand: only a Job's own Complete or Failed is an outcome."""

import asyncio
from typing import Any

import pytest

from tests.running.living import Life, living, status
from tests.running.stories import manifest
from tests.running.virtual import in_world
from tests.scenarios.endings import Ledger, closed
from tests.scenarios.playing import INTERIM, Hands, exited

BACKOFF = ("BackoffLimitExceeded", "Job has reached the specified backoff limit")
DISRUPTED = {
    "type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet",
    "message": "Pod was terminated in response to imminent node shutdown.",
}  # fmt: skip


def detail(hands: Hands, node: str) -> dict[str, Any]:
    """What the server's status says of a node; empty when it lists none of that name."""
    found = [each for each in status(hands.world)["targets"] if each["nodeName"] == node]
    return found[0] if found else {}


def figures(hands: Hands) -> tuple[int, int, int]:
    """How many nodes are active, have succeeded and have failed."""
    found = status(hands.world)
    return found["activeNodes"], found["succeededNodes"], found["failedNodes"]


async def begun(life: Life, hands: Hands, jobs: int, **spec: Any) -> None:
    """Apply the warmup, and wait until so many Jobs are there and shown as active."""
    hands.world.apply(manifest(**spec))
    await life.until(lambda: len(hands.world.listed("Job")) == jobs, seconds=20)
    await life.until(lambda: status(hands.world)["activeNodes"] == jobs, seconds=20)


def test_a_job_that_failed_after_its_pod_was_gone() -> None:
    """Its node is Failed with the Job's own reason, and the two others go on and end [S13]"""
    hands = Hands("n1", "n2", "n3")
    ledger = Ledger(hands.world)

    async def story() -> None:
        async with living(hands.world) as life:
            await begun(life, hands, 3)
            pod = hands.make_pod("n1")
            await asyncio.sleep(1)
            hands.world.delete_pod("default", pod)
            await life.until(lambda: not hands.world.listed("Pod"), seconds=60)
            hands.end("n1", "Failed", *BACKOFF)
            await asyncio.sleep(2)
            assert detail(hands, "n1")["reason"] == "BackoffLimitExceeded"
            assert detail(hands, "n1")["message"].endswith(BACKOFF[1])
            assert figures(hands) == (2, 0, 1)
            hands.end("n2", "Complete")
            hands.end("n3", "Complete")
            await life.ended()
            assert (status(hands.world)["phase"], figures(hands)) == ("Degraded", (0, 2, 1))
            await closed(life, ledger)

    in_world(hands.world, story)


def test_counters_that_contradict_each_other() -> None:
    """A Job that counts no active and one ready Pod, in its back-off, is one that runs [S41]"""
    hands = Hands("n1", "n2")
    ledger = Ledger(hands.world)

    async def story() -> None:
        async with living(hands.world) as life:
            await begun(life, hands, 1, policies={"parallelism": 1})
            pod = hands.make_pod("n1")
            await asyncio.sleep(1)
            hands.set_pod(pod, "Running")
            hands.world.delete_pod("default", pod)
            hands.report("n1", active=0, ready=1, failed=1, terminating=1)
            await asyncio.sleep(1)
            assert (figures(hands), len(hands.world.listed("Job"))) == ((1, 0, 0), 1)
            assert {each["phase"] for each in status(hands.world)["targets"]} == {
                "Running", "Pending",
            }  # fmt: skip
            hands.end("n1", "Complete")
            await life.until(lambda: len(hands.world.listed("Job")) == 2, seconds=60)
            hands.end("n2", "Complete")
            await life.ended()
            assert figures(hands) == (0, 2, 0)
            await closed(life, ledger)

    in_world(hands.world, story)


def test_a_pod_that_is_told_to_go_may_still_succeed() -> None:
    """A Pod with a deletion timestamp has not failed: its Job completes, its node is warm [S46]"""
    hands = Hands("n1")
    ledger = Ledger(hands.world)

    async def story() -> None:
        async with living(hands.world) as life:
            await begun(life, hands, 1, policies={"retryLimit": 0})
            pod = hands.make_pod("n1")
            await asyncio.sleep(1)
            hands.set_pod(pod, "Running")
            hands.world.cluster.kubelets.stop("n1")
            hands.world.delete_pod("default", pod)
            hands.report("n1", failed=1, terminating=1)
            await asyncio.sleep(5)
            assert (detail(hands, "n1")["reason"], figures(hands)) == ("JobRunning", (1, 0, 0))
            hands.set_pod(pod, "Succeeded", **exited(0))
            await asyncio.sleep(5)
            assert figures(hands) == (1, 0, 0)
            hands.end("n1", "Complete")
            await life.until(lambda: figures(hands) == (0, 1, 0))
            hands.world.cluster.kubelets.start("n1")
            await life.ended()
            assert status(hands.world)["phase"] == "Succeeded"
            await closed(life, ledger)

    in_world(hands.world, story)


@pytest.mark.parametrize("outcome", ["Complete", "Failed"])
def test_an_interim_condition_is_no_end(outcome: str) -> None:
    """FailureTarget and SuccessCriteriaMet end nothing, free no slot and make no Job [S47]"""
    hands = Hands("n1", "n2")
    ledger = Ledger(hands.world)
    words = BACKOFF if outcome == "Failed" else ("CompletionsReached", "Reached expected number")

    async def story() -> None:
        async with living(hands.world) as life:
            await begun(life, hands, 1, policies={"parallelism": 1})
            hands.report("n1", (INTERIM[outcome], *words), terminating=1)
            await asyncio.sleep(300)
            assert (figures(hands), len(hands.world.listed("Job"))) == ((1, 0, 0), 1)
            assert detail(hands, "n1")["phase"] == "Running"
            assert detail(hands, "n1")["reason"] == "JobFinishing"
            assert (words[1] in detail(hands, "n1")["message"]) is (outcome == "Failed")
            hands.end("n1", outcome, *words)
            await life.until(lambda: len(hands.world.listed("Job")) == 2, seconds=5)
            failed = int(outcome == "Failed")
            await life.until(lambda: figures(hands) == (1, 1 - failed, failed), seconds=5)
            hands.end("n2", "Complete")
            await life.ended()
            assert (ledger.most, dict(ledger.made)) == (1, {"n1": 1, "n2": 1})
            await closed(life, ledger)

    in_world(hands.world, story)


def test_what_a_container_said_outlives_its_pod() -> None:
    """Exit code and last words, seen between restarts, stand in the failure's message [S52]"""
    hands = Hands("n1", "n2")
    ledger = Ledger(hands.world)
    again = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 20s restarting"}}

    async def story() -> None:
        async with living(hands.world) as life:
            await begun(life, hands, 2)
            pod = hands.make_pod("n1")
            await asyncio.sleep(1)
            for restarts, words in enumerate(["no such host", "timed out", "disk is full"]):
                ended = {"exitCode": 28, "reason": "Error", "message": words}
                entry = {
                    "name": "image-0", "restartCount": restarts, "state": again,
                    "lastState": {"terminated": ended},
                }  # fmt: skip
                hands.set_pod(pod, "Running", containerStatuses=[entry])
                await asyncio.sleep(70)
            hands.world.delete_pod("default", pod)
            await life.until(lambda: not hands.world.listed("Pod"), seconds=60)
            hands.end("n1", "Failed", *BACKOFF)
            hands.end("n2", "Complete")
            await life.ended()
            assert "code 28" in detail(hands, "n1")["message"]
            assert "disk is full; Job has reached" in detail(hands, "n1")["message"]
            assert detail(hands, "n1")["reason"] == "BackoffLimitExceeded"
            await closed(life, ledger)

    in_world(hands.world, story)


def test_a_failed_pod_with_retries_left() -> None:
    """One failed and one active Pod is a node at work, and it is Ready when its Job is [S59]"""
    hands = Hands("n1")
    ledger = Ledger(hands.world)

    async def story() -> None:
        async with living(hands.world) as life:
            await begun(life, hands, 1, policies={"retryLimit": 3})
            pod = hands.make_pod("n1")
            await asyncio.sleep(1)
            hands.set_pod(pod, "Failed", **exited(1))
            hands.report("n1", failed=1, active=1)
            hands.make_pod("n1")
            await asyncio.sleep(5)
            assert (status(hands.world)["phase"], figures(hands)) == ("Running", (1, 0, 0))
            assert detail(hands, "n1")["reason"] == "JobRetrying"
            hands.end("n1", "Complete")
            await life.ended()
            assert (status(hands.world)["phase"], figures(hands)) == ("Succeeded", (0, 1, 0))
            await closed(life, ledger)

    in_world(hands.world, story)


def test_a_job_that_is_complete_counts_though_its_node_shut_down() -> None:
    """A Job is believed: Complete is success, also when its Pod's node was shutting down [S68]"""
    hands = Hands("n1")
    ledger = Ledger(hands.world)

    async def story() -> None:
        async with living(hands.world) as life:
            await begun(life, hands, 1)
            pod = hands.make_pod("n1")
            await asyncio.sleep(1)
            hands.set_pod(pod, "Running", conditions=[DISRUPTED])
            await asyncio.sleep(2)
            assert "imminent node shutdown" in detail(hands, "n1")["message"]
            hands.set_pod(pod, "Succeeded", conditions=[DISRUPTED], **exited(0))
            await asyncio.sleep(5)
            assert figures(hands) == (1, 0, 0)
            hands.end("n1", "Complete")
            await life.ended()
            assert (status(hands.world)["phase"], figures(hands)) == ("Succeeded", (0, 1, 0))
            await closed(life, ledger)

    in_world(hands.world, story)
