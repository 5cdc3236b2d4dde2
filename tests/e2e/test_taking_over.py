"""Taking over from AIBrix's own controller, and keeping what is ours, on a real API server."""

from pathlib import Path

import aiohttp
import pytest

from machines.labels import REVISION, TARGET_NODE, TARGET_NODE_UID, WARMUP_UID
from tests.e2e.conditions import JOBS, NAME, POOL, WARMUPS, ended, is_finished, rows, sample
from tests.e2e.controllers import ControllerProcess, assert_replay_agrees
from tests.e2e.controlplane.nodes import NodeShape, create_nodes, delete_nodes
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, Objects, request, wait_until
from tests.running.originals import original_job, original_status

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

PODS = "/api/v1/namespaces/default/pods"
MERGE = "application/merge-patch+json"
DONE, FAILS, RUNS, REPLACED = "gpu-done", "gpu-failing", "gpu-hanging", "gpu-replaced"


def of_node(jobs: Objects, node: str) -> list[Json]:
    """The Jobs that there are for a node."""
    return [job for job in jobs.values() if job["metadata"]["annotations"][TARGET_NODE] == node]


def finished(jobs: Objects) -> set[str]:
    """The nodes whose every Job has ended."""
    return {
        job["metadata"]["annotations"][TARGET_NODE] for job in jobs.values() if is_finished(job)
    }


async def leave_behind(session: aiohttp.ClientSession) -> Json:
    """Leave a warmup as the original does: a Job done, one failed, one running, one outlived."""
    nodes = [DONE, FAILS, RUNS, REPLACED]
    await create_nodes(session, nodes, NodeShape(labels=POOL))
    warmup = await request(session, "POST", WARMUPS, sample())
    told = {"status": original_status(desiredNodes=4, activeNodes=4)}
    await request(session, "PATCH", f"{WARMUPS}/{NAME}/status", told, MERGE)
    for node in nodes:
        await request(session, "POST", JOBS, original_job(warmup, node))
    jobs = await wait_until(session, JOBS, lambda jobs: finished(jobs) == {*nodes} - {RUNS})
    await delete_nodes(session, [REPLACED])
    await create_nodes(session, [REPLACED], NodeShape(labels=POOL))
    machine = await request(session, "GET", f"/api/v1/nodes/{REPLACED}")
    (job,) = of_node(jobs, REPLACED)
    assert job["metadata"]["creationTimestamp"] < machine["metadata"]["creationTimestamp"]
    return warmup


def _hanging(pods: Objects) -> list[str]:
    return [
        name
        for name, pod in pods.items()
        if pod["spec"].get("nodeName") == RUNS and pod["status"].get("phase") == "Running"
    ]


async def let_finish(session: aiohttp.ClientSession) -> None:
    """Have the one Pod that hangs come to a good end, as its kubelet would say."""
    pods = await wait_until(session, PODS, lambda pods: len(_hanging(pods)) == 1)
    (name,) = _hanging(pods)
    done = {"status": {"phase": "Succeeded"}}
    await request(session, "PATCH", f"{PODS}/{name}/status", done, MERGE)


@pytest.mark.usefixtures("clean")
async def test_each_job_of_the_original_counts_as_what_it_is(
    session: aiohttp.ClientSession, kubeconfig: Path, tmp_path: Path
) -> None:
    """Done, failed and running ones count for their nodes, one of an older machine not [W45]"""
    await leave_behind(session)
    with ControllerProcess(kubeconfig, tmp_path) as controller:
        await wait_until(session, JOBS, lambda jobs: len(of_node(jobs, REPLACED)) == 2)
        await let_finish(session)
        warmup = await ended(session)
        await controller.wait_until_quiet()
    status = warmup["status"]
    figures = ("phase", "desiredNodes", "succeededNodes", "failedNodes")
    assert tuple(status[name] for name in figures) == ("Degraded", 4, 3, 1)
    assert status["targets"][0]["nodeName"] == FAILS
    jobs = await wait_until(
        session,
        JOBS,
        lambda jobs: all("ttlSecondsAfterFinished" in job["spec"] for job in jobs.values()),
    )
    assert [len(of_node(jobs, node)) for node in (DONE, FAILS, RUNS, REPLACED)] == [1, 1, 1, 2]
    told = rows(controller.log)
    assert "JobPodsRead" in {row["type"] for row in told}
    assert [row["type"] for row in told].count("CreateJobIntended") == 1
    assert_replay_agrees(controller.log, warmup)


@pytest.mark.usefixtures("clean")
async def test_an_end_of_the_original_is_kept(
    session: aiohttp.ClientSession, kubeconfig: Path, tmp_path: Path
) -> None:
    """A terminal status stays, and what still ran for it is deleted."""
    warmup = await leave_behind(session)
    told = original_status("Degraded", desiredNodes=4, succeededNodes=2, failedNodes=2)
    await request(session, "PATCH", f"{WARMUPS}/{NAME}/status", {"status": told}, MERGE)
    with ControllerProcess(kubeconfig, tmp_path) as controller:
        await wait_until(session, JOBS, lambda jobs: not of_node(jobs, RUNS))
        await controller.wait_until_quiet()
    warmup = await request(session, "GET", f"{WARMUPS}/{NAME}")
    status = warmup["status"]
    assert (status["phase"], status["succeededNodes"], status["failedNodes"]) == ("Degraded", 2, 2)
    assert status["warmlog"]["uid"] == warmup["metadata"]["uid"]
    assert "CreateJobIntended" not in {row["type"] for row in rows(controller.log)}
    assert_replay_agrees(controller.log, warmup)


def bears(job: Json, uid: str) -> bool:
    """Say whether a Job bears all that is ours."""
    metadata = job["metadata"]
    owners = [one["uid"] for one in metadata.get("ownerReferences", ()) if one.get("controller")]
    return (
        metadata.get("labels", {}).get(WARMUP_UID) == uid
        and bool(metadata["labels"].get(REVISION))
        and {TARGET_NODE, TARGET_NODE_UID} <= metadata.get("annotations", {}).keys()
        and owners == [uid]
    )


@pytest.mark.usefixtures("clean")
async def test_what_somebody_takes_off_is_put_back(
    control_plane: ControlPlane, session: aiohttp.ClientSession, kubeconfig: Path, tmp_path: Path
) -> None:
    """Labels, annotations and the owner are back in seconds; the Job is made once, and counts."""
    await create_nodes(session, [RUNS], NodeShape(labels=POOL))
    with ControllerProcess(kubeconfig, tmp_path) as controller:
        made = await request(session, "POST", WARMUPS, sample())
        uid = made["metadata"]["uid"]
        (name,) = await wait_until(session, JOBS, lambda jobs: len(jobs) == 1)
        for change in (
            ("label", "job", name, f"{WARMUP_UID}-"),
            ("label", "job", name, "team=x", f"{WARMUP_UID}-", f"{REVISION}-"),
            ("annotate", "job", name, f"{TARGET_NODE_UID}-", f"{TARGET_NODE}-"),
            ("patch", "job", name, "--type=merge", "-p", '{"metadata":{"ownerReferences":null}}'),
        ):
            control_plane.kubectl(*change)
            await wait_until(session, JOBS, lambda jobs: bears(jobs[name], uid), timeout_seconds=10)
        await let_finish(session)
        warmup = await ended(session)
        await controller.wait_until_quiet()
    assert (warmup["status"]["phase"], warmup["status"]["succeededNodes"]) == ("Succeeded", 1)
    told = [row["type"] for row in rows(controller.log)]
    assert (told.count("CreateJobIntended"), told.count("RestoreJobIntended")) == (1, 4)
    assert_replay_agrees(controller.log, warmup)
