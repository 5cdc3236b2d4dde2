"""The harness itself: a real control plane runs Jobs on fake Nodes."""

import aiohttp
import pytest

from tests.e2e.controlplane import stages
from tests.e2e.controlplane.nodes import create_nodes, delete_nodes, node_names
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, Objects, request, wait_until

pytestmark = pytest.mark.e2e


def job_body(name: str, namespace: str, node: str, image: str) -> Json:
    """A Job of one Pod that may run on one Node only and is not tried again."""
    pinned = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    affinity = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [pinned]}}
    pod = {
        "restartPolicy": "Never",
        "affinity": {"nodeAffinity": affinity},
        "containers": [{"name": "warm", "image": image}],
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"backoffLimit": 0, "template": {"spec": pod}},
    }


def has_condition(job: Json, kind: str) -> bool:
    """Whether a Job's condition of a kind is true."""
    conditions = job.get("status", {}).get("conditions", [])
    return any(one["type"] == kind and one["status"] == "True" for one in conditions)


async def create_namespace(session: aiohttp.ClientSession, name: str) -> None:
    """Create a namespace and wait for its default service account, without which Pods fail."""
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    await request(session, "POST", "/api/v1/namespaces", body)
    accounts = f"/api/v1/namespaces/{name}/serviceaccounts"
    await wait_until(session, accounts, lambda found: "default" in found)


async def test_pinned_jobs_complete_on_their_nodes(session: aiohttp.ClientSession) -> None:
    """Three Jobs pinned to three Nodes become Complete, each with its Pod on its own Node."""
    names = node_names(3, "pinned")
    await create_nodes(session, names)
    await create_namespace(session, "pinned")
    jobs, pods = "/apis/batch/v1/namespaces/pinned/jobs", "/api/v1/namespaces/pinned/pods"
    for name in names:
        await request(session, "POST", jobs, job_body(name, "pinned", name, "model:v1"))

    def all_complete(found: Objects) -> bool:
        return len(found) == 3 and all(has_condition(job, "Complete") for job in found.values())

    await wait_until(session, jobs, all_complete)
    listed = (await request(session, "GET", pods))["items"]
    ran_on = {pod["metadata"]["labels"]["job-name"]: pod["spec"]["nodeName"] for pod in listed}
    assert ran_on == {name: name for name in names}
    ends = [pod["status"]["containerStatuses"][0]["state"]["terminated"] for pod in listed]
    assert [(end["exitCode"], end["reason"]) for end in ends] == [(0, "Completed")] * 3
    await delete_nodes(session, names)


async def test_marked_images_fail_hang_or_wait(session: aiohttp.ClientSession) -> None:
    """A word in the image makes a Pod fail, run on, or wait for its image; deletion removes it."""
    await create_nodes(session, ["marked"])
    await create_namespace(session, "marked")
    jobs, pods = "/apis/batch/v1/namespaces/marked/jobs", "/api/v1/namespaces/marked/pods"
    for word in (stages.FAILING, stages.HANGING, stages.UNPULLABLE):
        await request(session, "POST", jobs, job_body(word, "marked", "marked", f"{word}:v1"))

    def state(found: Objects, job: str, kind: str) -> Json:
        for pod in found.values():
            if pod["metadata"]["labels"]["job-name"] == job:
                for container in pod["status"].get("containerStatuses", []):
                    entry: Json = container["state"].get(kind, {})
                    return entry
        return {}

    def all_reached(found: Objects) -> bool:
        return (
            state(found, stages.FAILING, "terminated").get("exitCode") == 1
            and bool(state(found, stages.HANGING, "running"))
            and state(found, stages.UNPULLABLE, "waiting").get("reason") == "ImagePullBackOff"
        )

    reached = await wait_until(session, pods, all_reached)
    assert state(reached, stages.FAILING, "terminated")["message"]
    assert state(reached, stages.UNPULLABLE, "waiting")["message"]
    await wait_until(session, jobs, lambda found: has_condition(found[stages.FAILING], "Failed"))
    for word in (stages.FAILING, stages.HANGING, stages.UNPULLABLE):
        options: Json = {"propagationPolicy": "Background"}
        await request(session, "DELETE", f"{jobs}/{word}", options)
    await wait_until(session, pods, lambda found: not found)
    await delete_nodes(session, ["marked"])


async def test_service_account_tokens_are_minted_and_limited(control_plane: ControlPlane) -> None:
    """A token from the TokenRequest API authenticates, and RBAC gives it no rights of its own."""
    token = control_plane.kubectl("create", "token", "default").strip()
    who = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    async with control_plane.open_session(token) as session:
        review = await request(session, "POST", reviews, who)
        assert review["status"]["userInfo"]["username"] == "system:serviceaccount:default:default"
        async with session.get("/api/v1/nodes") as response:
            assert response.status == 403


async def test_components_come_back_with_their_data(
    control_plane: ControlPlane, session: aiohttp.ClientSession
) -> None:
    """An API server and a kubelet that crash and start again serve the same objects as before."""
    await create_namespace(session, "kept")
    for name in ("kube-apiserver", "kwok"):
        control_plane.stop_component(name, crash=True)
        control_plane.start_component(name)
    assert (await request(session, "GET", "/api/v1/namespaces/kept"))["metadata"]["name"] == "kept"
    await create_nodes(session, ["returned"])
    await delete_nodes(session, ["returned"])
