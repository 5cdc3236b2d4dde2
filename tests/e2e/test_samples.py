"""The samples on a real control plane, applied with kubectl as their README says."""

import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from engine.events import Subject
from machines.intents import CreateJob
from machines.job_bodies import job_body
from machines.specs import parse
from tests.e2e.conditions import JOBS, POOL, WARMUPS, ended
from tests.e2e.controllers import ControllerProcess, assert_replay_agrees, assert_replays_agree
from tests.e2e.controlplane.nodes import NodeShape, create_nodes
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, request, wait_until
from tests.samples.manifests import NAMES, manifest, path_of

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

# Pod Security level -> the samples that its table in the README says it lets through.
LEVELS = {
    "privileged": set(NAMES),
    "baseline": {"modelwarmup", "gpu-precheck"},
    "restricted": {"gpu-precheck"},
}


def warmup_name(sample: str) -> str:
    """The name of a sample's warmup."""
    name: str = manifest(sample)["metadata"]["name"]
    return name


@pytest.mark.usefixtures("clean")
async def test_every_sample_runs_to_its_end(
    control_plane: ControlPlane, session: aiohttp.ClientSession, kubeconfig: Path, tmp_path: Path
) -> None:
    """On two nodes with a GPU each sample ends as Succeeded, and the log replays to each status."""
    nodes = ["gpu-a", "gpu-b"]
    await create_nodes(session, nodes, NodeShape(labels=POOL, gpus=1))
    with ControllerProcess(kubeconfig, tmp_path) as controller:
        for sample in NAMES:
            control_plane.kubectl("apply", "-f", str(path_of(sample)))
        control_plane.kubectl(
            "wait", "--for=condition=Finished", "--timeout=90s", "mw", "--all", timeout_seconds=100
        )
        await controller.wait_until_quiet()
    warmups = await wait_until(session, WARMUPS, bool)
    jobs = await wait_until(session, JOBS, bool)
    for sample in NAMES:
        warmup = warmups[warmup_name(sample)]
        assert_succeeded(warmup, sample, len(nodes))
        owned = [job for job in jobs.values() if owner(job) == warmup["metadata"]["uid"]]
        assert len(owned) == len(nodes)
        for job in owned:
            assert_runs_the_sample(job, sample)
    assert_replays_agree(controller.log, warmups)


def assert_succeeded(warmup: Json, sample: str, nodes: int) -> None:
    """Every node succeeded, none failed, and Complete has the reason that fits the sample."""
    status = warmup["status"]
    counts = {key: status.get(key) for key in ("desiredNodes", "succeededNodes", "failedNodes")}
    assert status["phase"] == "Succeeded"
    assert counts == {"desiredNodes": nodes, "succeededNodes": nodes, "failedNodes": 0}
    [complete] = [each for each in status["conditions"] if each["type"] == "Complete"]
    custom = "custom" in manifest(sample)["spec"]
    assert complete["status"] == "True"
    assert complete["reason"] == ("WarmupSucceeded" if custom else "ImagePreloadSucceeded")


def assert_runs_the_sample(job: Json, sample: str) -> None:
    """A Job has the sample's containers and policies, and goes when the sample says."""
    spec, pod = manifest(sample)["spec"], job["spec"]["template"]["spec"]
    images = spec.get("imagePreload", {}).get("images", [])
    custom, policies = spec.get("custom", {}), spec["policies"]
    first = [one["name"] for one in custom.get("initContainers", [])]
    then = [f"image-{index}" for index in range(len(images))]
    then += [one["name"] for one in custom.get("containers", [])]
    assert [one["name"] for one in pod.get("initContainers", [])] == first
    assert [one["name"] for one in pod["containers"]] == then
    assert job["spec"]["activeDeadlineSeconds"] == policies["jobTimeoutSeconds"]
    assert job["spec"]["backoffLimit"] == policies["retryLimit"]
    assert job["spec"]["ttlSecondsAfterFinished"] == policies["ttlSecondsAfterFinished"]


def owner(job: Json) -> str:
    """The UID of a Job's controller."""
    [reference] = job["metadata"]["ownerReferences"]
    uid: str = reference["uid"]
    return uid


@pytest.mark.usefixtures("clean")
async def test_the_gpu_check_waits_for_a_gpu_and_says_so(
    control_plane: ControlPlane, session: aiohttp.ClientSession, kubeconfig: Path, tmp_path: Path
) -> None:
    """Without a GPU it is Unschedulable in the scheduler's words; once there is one, it is done."""
    await create_nodes(session, ["bare"], NodeShape(labels=POOL))
    sample = "gpu-precheck"

    def is_unschedulable(found: Any) -> bool:
        targets = found.get(sample, {}).get("status", {}).get("targets", ())
        return any(target.get("reason") == "Unschedulable" for target in targets)

    with ControllerProcess(kubeconfig, tmp_path) as controller:
        control_plane.kubectl("apply", "-f", str(path_of(sample)))
        await wait_until(session, WARMUPS, is_unschedulable)
        told = control_plane.kubectl("describe", "mw", sample)
        assert "no node is available: Insufficient nvidia.com/gpu" in told
        warmup = json.loads(control_plane.kubectl("get", "mw", sample, "-o", "json"))
        assert warmup["status"]["phase"] == "Running"
        resources = {"nvidia.com/gpu": "1"}
        gpus = {"status": {"capacity": resources, "allocatable": resources}}
        path = "/api/v1/nodes/bare/status"
        await request(session, "PATCH", path, gpus, "application/merge-patch+json")
        warmup = await ended(session, sample)
        await controller.wait_until_quiet()
    assert_succeeded(warmup, sample, 1)
    assert_replay_agrees(controller.log, warmup)


def pod_of(sample: str, namespace: str) -> Json:
    """A Pod as a sample's Jobs make it."""
    parsed = parse(manifest(sample)["spec"]).spec
    assert parsed is not None
    subject = Subject("ModelWarmup", namespace, sample, "uid")
    intent = CreateJob("uid", namespace, sample, "uid", "node", "revision", "digest")
    spec = job_body(parsed, subject, "latency-pool", intent)["spec"]["template"]["spec"]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": sample}, "spec": spec}


@pytest.mark.parametrize("level", LEVELS)
async def test_pod_security_is_as_the_readme_says(
    session: aiohttp.ClientSession, level: str
) -> None:
    """A namespace of each level lets the Pods of the samples through that its table names."""
    name = f"security-{level}"
    labels = {"pod-security.kubernetes.io/enforce": level}
    body: Json = {"apiVersion": "v1", "kind": "Namespace"}
    body["metadata"] = {"name": name, "labels": labels}
    await request(session, "POST", "/api/v1/namespaces", body)
    accounts = f"/api/v1/namespaces/{name}/serviceaccounts"
    await wait_until(session, accounts, lambda found: "default" in found)
    path = f"/api/v1/namespaces/{name}/pods?dryRun=All"
    passed = set()
    for sample in NAMES:
        async with session.post(path, json=pod_of(sample, name)) as response:
            assert response.status in {201, 403}, await response.text()
            passed |= {sample} if response.status == 201 else set()
    assert passed == LEVELS[level]
    await request(session, "DELETE", f"/api/v1/namespaces/{name}")
