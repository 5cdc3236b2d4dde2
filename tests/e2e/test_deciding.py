"""What ModelWarmup decides, where the real scheduler, Job, TTL and garbage collectors take part."""

from typing import Any

import aiohttp
import pytest

from machines.labels import ENABLED, POOL, SUSPEND, TARGET_NODE, TARGET_WAIT_SECONDS
from tests.e2e.controllers import ControllerProcess, assert_replay_agrees
from tests.e2e.controlplane.nodes import NodeShape, create_nodes, delete_nodes
from tests.e2e.controlplane.watching import Objects, request, wait_until
from tests.e2e.pools import Pool, condition, open_pool, targets

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

MERGE = "application/merge-patch+json"


async def patch(session: aiohttp.ClientSession, path: str, body: dict[str, Any]) -> None:
    """Change an object."""
    await request(session, "PATCH", path, body, MERGE)


async def annotate(pool: Pool, name: str, **marks: str | None) -> None:
    """Set or take off `suspend` of a warmup."""
    body = {"metadata": {"annotations": {SUSPEND: marks["suspend"]}}}
    await patch(pool.session, f"{pool.path('modelwarmups')}/{name}", body)


def nodes_of(jobs: Objects) -> list[str]:
    """The nodes that Jobs are for."""
    return sorted(job["metadata"]["annotations"][TARGET_NODE] for job in jobs.values())


async def test_what_ended_stays_ended_when_its_jobs_are_gone(
    session: aiohttp.ClientSession, controller: ControllerProcess
) -> None:
    """The TTL takes the Jobs away, and a restart makes none of them again [S56] [S58]"""
    async with open_pool(session, "pruned", ["pruned-1", "pruned-2"]) as pool:
        await pool.warm("brief", ttlSecondsAfterFinished=1)
        ended = await pool.end_of("brief")
        await wait_until(session, pool.path("jobs"), lambda jobs: not jobs)
        await controller.wait_until_quiet()
        controller.stop()
        controller.start()
        await controller.wait_until_quiet()
        await create_nodes(
            session, ["pruned-3"], NodeShape(labels={POOL: "pruned", ENABLED: "true"})
        )
        await controller.wait_until_quiet()
        assert await wait_until(session, pool.path("jobs"), lambda _: True) == {}
        after = await request(session, "GET", f"{pool.path('modelwarmups')}/brief")
        assert after["status"] == ended["status"]
        assert after["status"]["phase"] == "Succeeded"
        await delete_nodes(session, ["pruned-3"])
        assert_replay_agrees(controller.log, after)


async def test_a_warmup_that_is_deleted_takes_its_jobs_with_it(
    session: aiohttp.ClientSession, controller: ControllerProcess
) -> None:
    """Jobs and Pods go, no other Job is made, and another one of the same name starts anew [W4]"""
    async with open_pool(session, "short", ["hanging-short-1", "hanging-short-2"]) as pool:
        made = await pool.warm("lived", parallelism=1)
        await wait_until(session, pool.path("pods"), lambda pods: len(pods) == 1)
        await request(session, "DELETE", f"{pool.path('modelwarmups')}/lived")
        for kind in ("jobs", "pods"):
            await wait_until(session, pool.path(kind), lambda found: not found)
        await controller.wait_until_quiet()
        again = await pool.warm("lived", parallelism=1)
        jobs = await wait_until(session, pool.path("jobs"), bool)
        owners = [job["metadata"]["ownerReferences"][0]["uid"] for job in jobs.values()]
        assert owners == [again["metadata"]["uid"]] != [made["metadata"]["uid"]]


async def test_nodes_that_would_refuse_the_pod_come_last(
    session: aiohttp.ClientSession, controller: ControllerProcess
) -> None:
    """A taint holds nobody up, is told from the start, and ends when it is taken off [W38]"""
    async with open_pool(session, "tainted", ["tainted-1", "tainted-2", "tainted-3"]) as pool:
        taint = {"key": "maintenance", "effect": "NoSchedule"}
        node = "/api/v1/nodes/tainted-1"
        await patch(session, node, {"spec": {"taints": [taint]}})
        await patch(session, "/api/v1/nodes/tainted-2", {"spec": {"unschedulable": True}})
        await pool.warm("patient", parallelism=1)
        await pool.until("patient", lambda status: status.get("succeededNodes") == 1)

        def told(status: dict[str, Any]) -> bool:
            detail = targets(status).get("tainted-1", {})
            words = "node(s) had untolerated taint"
            return detail.get("reason") == "Unschedulable" and words in detail["message"]

        status = (await pool.until("patient", told))["status"]
        assert targets(status)["tainted-2"]["reason"] == "NodeUnschedulable"
        await patch(session, node, {"spec": {"taints": []}})
        await pool.until("patient", lambda status: status.get("succeededNodes") == 2)
        await patch(session, "/api/v1/nodes/tainted-2", {"spec": {"unschedulable": None}})
        ended = await pool.end_of("patient")
        assert ended["status"]["phase"] == "Succeeded"
        assert_replay_agrees(controller.log, ended)


async def test_an_outcome_belongs_to_the_machine(
    session: aiohttp.ClientSession, controller: ControllerProcess
) -> None:
    """A new machine under an old name is one more target; one that leaves is withdrawn [W45]"""
    shape = NodeShape(labels={POOL: "machines", ENABLED: "true"})
    async with open_pool(session, "machines", ["machine-1", "hanging-machine-2"]) as pool:
        await pool.warm("uids")
        await pool.until("uids", lambda status: status.get("succeededNodes") == 1)
        await delete_nodes(session, ["machine-1"])
        await create_nodes(session, ["machine-1"], shape)
        await pool.until("uids", lambda status: status.get("succeededNodes") == 2)
        jobs = await wait_until(session, pool.path("jobs"), lambda jobs: len(jobs) == 3)
        assert nodes_of(jobs) == ["hanging-machine-2", "machine-1", "machine-1"]
        label = {"metadata": {"labels": {ENABLED: None}}}
        await patch(session, "/api/v1/nodes/hanging-machine-2", label)
        ended = await pool.end_of("uids")
        counts = {key: ended["status"][key] for key in ("desiredNodes", "succeededNodes")}
        assert counts == {"desiredNodes": 2, "succeededNodes": 2}
        await wait_until(session, pool.path("pods"), lambda pods: len(pods) <= 2)
        jobs = await wait_until(session, pool.path("jobs"), lambda jobs: len(jobs) == 2)
        assert nodes_of(jobs) == ["machine-1", "machine-1"]
        assert_replay_agrees(controller.log, ended)


async def test_a_named_node_is_waited_for(
    session: aiohttp.ClientSession, controller: ControllerProcess
) -> None:
    """One that joins in time is warmed; one that does not fails, and only then [W39] [W40]"""
    async with open_pool(session, "named", ["named-1"]) as pool:
        wait = {TARGET_WAIT_SECONDS: "4"}
        await pool.warm("roll", named=["named-2", "named-3"], annotations=wait)
        status = (await pool.until("roll", lambda status: condition(status, "Progressing") != {}))[
            "status"
        ]
        assert status["phase"] == "Pending"
        assert condition(status, "Progressing")["reason"] == "WaitingForTargets"
        shape = NodeShape(labels={POOL: "named", ENABLED: "true"})
        await create_nodes(session, ["named-2"], shape, ready_timeout_seconds=None)
        ended = await pool.end_of("roll")
        assert ended["status"]["phase"] == "Degraded"
        assert targets(ended["status"])["named-3"]["reason"] == "NodeNotFound"
        assert ended["status"]["succeededNodes"] == 1
        await delete_nodes(session, ["named-2"])
        assert_replay_agrees(controller.log, ended)


async def test_a_suspended_warmup_creates_nothing(
    session: aiohttp.ClientSession, controller: ControllerProcess
) -> None:
    """While the annotation holds it no Job is made; without it all are [W97]"""
    async with open_pool(session, "paused", ["paused-1", "paused-2"]) as pool:
        await pool.warm("halted", annotations={SUSPEND: "true"})

        def held(status: dict[str, Any]) -> bool:
            return condition(status, "Progressing").get("reason") == "Suspended"

        await pool.until("halted", held)
        await controller.wait_until_quiet()
        assert await wait_until(session, pool.path("jobs"), lambda _: True) == {}
        await annotate(pool, "halted", suspend=None)
        ended = await pool.end_of("halted")
        assert ended["status"]["phase"] == "Succeeded"
        assert_replay_agrees(controller.log, ended)


async def test_jobs_that_somebody_deletes_are_made_again_so_often(
    session: aiohttp.ClientSession, controller: ControllerProcess
) -> None:
    """Twice with a retry limit of two; the third time the node fails as JobDeleted [W57]"""
    async with open_pool(session, "robbed", ["hanging-robbed"]) as pool:
        await pool.warm("again", retryLimit=2)
        seen: set[str] = set()
        for _ in range(3):
            jobs = await wait_until(
                session,
                pool.path("jobs"),
                lambda jobs: any(job["metadata"]["uid"] not in seen for job in jobs.values()),
            )
            for name, job in jobs.items():
                seen.add(job["metadata"]["uid"])
                options = {"propagationPolicy": "Background", "gracePeriodSeconds": 0}
                await request(session, "DELETE", f"{pool.path('jobs')}/{name}", options)
        ended = await pool.end_of("again")
        assert targets(ended["status"])["hanging-robbed"]["reason"] == "JobDeleted"
        assert len(seen) == 3
        assert_replay_agrees(controller.log, ended)
