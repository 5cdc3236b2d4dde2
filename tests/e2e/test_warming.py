"""A ModelWarmup on a real API server, warmed by `warmlog run` under the shipped role."""

from pathlib import Path

import aiohttp
import pytest

from tests.e2e.conditions import (
    JOBS,
    NAME,
    POOL,
    SAMPLE,
    WARMUPS,
    ended,
    rows,
    sample,
    target_names,
)
from tests.e2e.controllers import ControllerProcess, assert_replay_agrees
from tests.e2e.controlplane import stages
from tests.e2e.controlplane.nodes import NodeShape, create_nodes, delete_nodes, node_names
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, Objects, request, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

CONTROL_PLANE_LABEL = "node-role.kubernetes.io/control-plane"
LASTING = f"gpu-{stages.HANGING}"  # the node whose Pod runs until it is told to end
PODS = "/api/v1/namespaces/default/pods"


async def label_node(session: aiohttp.ClientSession, name: str) -> None:
    """Put a node into the pool."""
    patch = {"metadata": {"labels": POOL}}
    kind = "application/merge-patch+json"
    await request(session, "PATCH", f"/api/v1/nodes/{name}", patch, kind)


async def end_pod_on(session: aiohttp.ClientSession, node: str) -> None:
    """Wait until the Pod on a node runs, and have it complete.

    What stops and starts kwok with Pods under way would now and then leave one as it is: its first
    look at the Pods of a node may come after its own first change of one, and undo what is next.
    """

    def running(pods: Objects) -> list[str]:
        return [
            name
            for name, pod in pods.items()
            if pod["spec"].get("nodeName") == node and pod["status"].get("phase") == "Running"
        ]

    (name,) = running(await wait_until(session, PODS, lambda pods: bool(running(pods))))
    change = {"metadata": {"annotations": {stages.END_ANNOTATION: stages.COMPLETED}}}
    kind = "application/merge-patch+json"
    await request(session, "PATCH", f"{PODS}/{name}", change, kind)


@pytest.mark.usefixtures("clean")
async def test_the_sample_warms_its_pool_and_nothing_else(
    control_plane: ControlPlane, session: aiohttp.ClientSession, kubeconfig: Path, tmp_path: Path
) -> None:
    """Three nodes get a Job, and one that is labelled meanwhile; one labelled afterwards none."""
    await create_nodes(session, [*node_names(2, "gpu"), LASTING], NodeShape(labels=POOL))
    await create_nodes(session, ["late", "later", "outside"])
    control = NodeShape(labels={**POOL, CONTROL_PLANE_LABEL: ""})
    await create_nodes(session, ["control-plane"], control)
    with ControllerProcess(kubeconfig, tmp_path) as controller:
        control_plane.kubectl("apply", "-f", str(SAMPLE))
        await wait_until(session, JOBS, lambda jobs: len(jobs) == 3)
        await label_node(session, "late")
        jobs = await wait_until(session, JOBS, lambda jobs: len(jobs) == 4)
        await end_pod_on(session, LASTING)  # until then the warmup goes on
        warmup = await ended(session)
        assert warmup["status"]["phase"] == "Succeeded"
        assert warmup["status"]["succeededNodes"] == warmup["status"]["desiredNodes"] == 4
        await controller.wait_until_quiet()
        await label_node(session, "later")
        await controller.wait_until_quiet()
    jobs = await wait_until(session, JOBS, bool)
    assert target_names(jobs) == ["gpu-0000", "gpu-0001", LASTING, "late"]
    assert {job["spec"]["ttlSecondsAfterFinished"] for job in jobs.values()} == {3600}
    assert_replay_agrees(controller.log, warmup)


@pytest.mark.usefixtures("clean")
async def test_a_half_failing_warmup_says_which_node_and_why(
    session: aiohttp.ClientSession, kubeconfig: Path, tmp_path: Path
) -> None:
    """One node whose container fails makes Degraded, with the node and the exit code named."""
    await create_nodes(session, ["gpu-good", "gpu-failing"], NodeShape(labels=POOL))
    with ControllerProcess(kubeconfig, tmp_path) as controller:
        await request(session, "POST", WARMUPS, sample(retryLimit=0))
        warmup = await ended(session)
        await controller.wait_until_quiet()
    status = warmup["status"]
    assert (status["phase"], status["succeededNodes"], status["failedNodes"]) == ("Degraded", 1, 1)
    detail = status["targets"][0]
    assert (detail["nodeName"], detail["reason"]) == ("gpu-failing", "BackoffLimitExceeded")
    assert "exit code 1" in detail["message"]
    assert_replay_agrees(controller.log, warmup)


@pytest.mark.usefixtures("clean")
async def test_five_idle_restarts_add_session_rows_only(
    session: aiohttp.ClientSession, kubeconfig: Path, tmp_path: Path
) -> None:
    """What is known already is no news: a restart costs its own row and one for each kind."""
    await create_nodes(session, node_names(2, "gpu"), NodeShape(labels=POOL))
    with ControllerProcess(kubeconfig, tmp_path) as controller:
        await request(session, "POST", WARMUPS, sample())
        warmup = await ended(session)
        await controller.wait_until_quiet()
    before = rows(controller.log)
    for _ in range(5):
        with controller:
            await controller.wait_until_quiet()
    added = rows(controller.log)[len(before) :]
    assert {row["type"] for row in added} <= {"SessionStarted", "Synced"}
    kinds = {row["data"]["kind"] for row in added if row["type"] == "Synced"}
    assert len(added) <= 5 * (1 + len(kinds))
    assert_replay_agrees(controller.log, warmup)


@pytest.mark.usefixtures("clean")
async def test_a_nodes_whole_story_is_short(
    session: aiohttp.ClientSession, kubeconfig: Path, tmp_path: Path
) -> None:
    """From the decision to warm a node to its being Ready there are at most ten object rows."""
    await create_nodes(session, node_names(4, "gpu"), NodeShape(labels=POOL))
    with ControllerProcess(kubeconfig, tmp_path) as controller:
        await request(session, "POST", WARMUPS, sample())
        warmup = await ended(session)
        await controller.wait_until_quiet()
    assert_replay_agrees(controller.log, warmup)
    told = rows(controller.log)
    jobs = {row["subject"].split("/")[3] for row in told if row["type"] == "JobSeen"}
    assert len(jobs) == 4
    for job in jobs:
        story = story_of(told, job)
        assert len(story) <= 10, [row["type"] for row in story]


@pytest.mark.usefixtures("clean")
async def test_an_unschedulable_nodes_story_does_not_grow_while_others_join(
    session: aiohttp.ClientSession, kubeconfig: Path, tmp_path: Path
) -> None:
    """The scheduler counts nodes anew each time one joins; what it says stays one fact."""
    taint = {"key": "maintenance", "value": "yes", "effect": "NoSchedule"}
    shape = NodeShape(labels=POOL, taints=[taint])
    await create_nodes(session, ["gpu-tainted"], shape, ready_timeout_seconds=None)
    with ControllerProcess(kubeconfig, tmp_path) as controller:
        await request(session, "POST", WARMUPS, sample())
        await wait_until(session, WARMUPS, is_unschedulable)
        await controller.wait_until_quiet()
        (job,) = {row["subject"].split("/")[3] for row in rows(controller.log) if is_job(row)}
        before = story_of(rows(controller.log), job)
        joined = node_names(500, "other")
        await create_nodes(session, joined)
        await controller.wait_until_quiet()
        after = rows(controller.log)
        assert sum(row["type"] == "NodeSeen" for row in after) > 500
        assert story_of(after, job) == before
        warmup = await request(session, "GET", f"{WARMUPS}/{NAME}")
        assert_replay_agrees(controller.log, warmup)
        await delete_nodes(session, joined)


def is_unschedulable(warmups: Objects) -> bool:
    """Say whether the one target's detail holds the scheduler's word."""
    targets = warmups.get(NAME, {}).get("status", {}).get("targets", ())
    return any(target.get("reason") == "Unschedulable" for target in targets)


def is_job(row: Json) -> bool:
    """Say whether the row is a level of a Job."""
    return bool(row["type"] == "JobSeen")


def story_of(told: list[Json], job_uid: str) -> list[Json]:
    """Give the rows about one node's Job, from the intent to its Complete."""
    (created,) = [
        row for row in told if row["type"] == "IntentDone" and row["data"].get("uid") == job_uid
    ][:1]
    story = [row for row in told if row["seq"] in {created["cause"], created["seq"]}]
    for row in told:
        about_job = row["subject"].endswith(job_uid)
        about_pod = row["data"].get("level", {}).get("jobUid") == job_uid
        if row["type"].endswith("Seen") and (about_job or about_pod):
            story.append(row)
            if row["data"]["level"].get("outcome") == "Complete":
                break
    return story
