"""The harness itself: a real control plane runs Jobs on fake Nodes."""

import asyncio
from contextlib import aclosing
from pathlib import Path

import aiohttp
import pytest

from tests.e2e.controlplane import stages
from tests.e2e.controlplane.nodes import create_nodes, delete_nodes, node_names
from tests.e2e.controlplane.running import ControlPlane, KubectlError
from tests.e2e.controlplane.watching import Json, Objects, follow, request, wait_until

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


# Word in the image -> what is told of the container, each in turn, and what was told last.
FATES = {
    stages.FAILING: (["", "Error"], "warm could not warm up"),
    stages.HANGING: ([""], ""),
    stages.EVICTED: (["", "DisruptionTarget", "Evicted"], "low on resource: ephemeral-storage"),
    stages.VANISHING: (["", "gone"], ""),
    stages.UNPULLABLE: (["ErrImagePull", "ImagePullBackOff"], "unpullable:v1: not found"),
    stages.MISNAMED: (["InvalidImageName"], 'parse image name "misnamed:v1"'),
    stages.NEVER_PULLED: (["ErrImageNeverPull"], "not present with pull policy of Never"),
    stages.UNCONFIGURED: (["CreateContainerConfigError"], 'secret "hf-token" not found'),
    stages.UNSTARTABLE: (["RunContainerError", "StartError"], "file not found in $PATH"),
}


def told_of(pod: Json) -> tuple[str, str] | None:
    """The reason and words of a Pod of one container that a kubelet has taken up."""
    status = pod["status"]
    conditions = [each["type"] for each in status.get("conditions", [])]
    if "reason" in status or "DisruptionTarget" in conditions:
        return status.get("reason", "DisruptionTarget"), status.get("message", "")
    for container in status.get("containerStatuses") or ():
        [state] = container["state"].values()
        return state.get("reason", ""), state.get("message", "")
    return None


async def fates(session: aiohttp.ClientSession, pods: str) -> dict[str, tuple[list[str], str]]:
    """Follow the Pods of one namespace until each word has had its effect; give what was told."""
    found: dict[str, Json] = {}
    seen: dict[str, tuple[list[str], str]] = {word: ([], "") for word in FATES}
    word_of: dict[str, str] = {}
    async with asyncio.timeout(30), aclosing(follow(session, pods, found)) as changes:
        async for changed in changes:
            for name in changed:
                if name in found:
                    word_of[name] = found[name]["metadata"]["labels"]["job-name"]
                told = told_of(found[name]) if name in found else ("gone", "")
                reasons, last = seen[word_of[name]]
                if told is not None and told[0] not in reasons[-1:]:
                    seen[word_of[name]] = ([*reasons, told[0]], told[1] or last)
            if all(seen[word][0][-1:] == reasons[-1:] for word, (reasons, _) in FATES.items()):
                return seen
    raise AssertionError(seen)


async def test_a_word_steers_what_becomes_of_a_pod(session: aiohttp.ClientSession) -> None:
    """With a word in its image a Pod has the fate that the table of words says."""
    await create_nodes(session, ["marked"])
    await create_namespace(session, "marked")
    jobs, pods = "/apis/batch/v1/namespaces/marked/jobs", "/api/v1/namespaces/marked/pods"
    bodies = [job_body(word, "marked", "marked", f"{word}:v1") for word in FATES]
    # Followed from the beginning: one of the Pods is gone at once.
    async with asyncio.TaskGroup() as group:
        following = group.create_task(fates(session, pods))
        for body in bodies:
            await request(session, "POST", jobs, body)
    seen = following.result()
    assert {word: reasons for word, (reasons, _) in seen.items()} == {
        word: reasons for word, (reasons, _) in FATES.items()
    }
    for word, (_, words) in FATES.items():
        assert words in seen[word][1]
    ended = [stages.FAILING, stages.EVICTED, stages.VANISHING, stages.UNSTARTABLE]
    await wait_until(
        session, jobs, lambda found: all(has_condition(found[each], "Failed") for each in ended)
    )
    options: Json = {"propagationPolicy": "Background"}
    await request(session, "DELETE", jobs, options)
    await wait_until(session, pods, lambda found: not found)
    await delete_nodes(session, ["marked"])


async def test_a_word_in_one_image_leaves_the_other_containers_alone(
    session: aiohttp.ClientSession,
) -> None:
    """A container without a word completes beside one that waits; deleted, both end as unknown."""
    await create_nodes(session, ["mixed"])
    await create_namespace(session, "mixed")
    jobs, pods = "/apis/batch/v1/namespaces/mixed/jobs", "/api/v1/namespaces/mixed/pods"
    body = job_body("mixed", "mixed", "mixed", "unpullable:v1")
    pod = body["spec"]["template"]["spec"]
    pod["containers"].append({"name": "other", "image": "model:v1"})
    # Long enough for the end of the containers to be seen before the Pod is gone.
    body["spec"]["template"]["metadata"] = {"finalizers": ["warmlog.test/kept"]}
    await request(session, "POST", jobs, body)

    def reasons(found: Objects) -> list[str]:
        statuses = [one["status"].get("containerStatuses", ()) for one in found.values()]
        return [
            state["reason"] for each in statuses for one in each for state in one["state"].values()
        ]

    await wait_until(
        session, pods, lambda found: reasons(found) == ["ImagePullBackOff", "Completed"]
    )
    await request(session, "DELETE", jobs, {"propagationPolicy": "Background"})
    kept = await wait_until(session, pods, lambda found: "ContainerStatusUnknown" in reasons(found))
    free: Json = {"metadata": {"finalizers": None}}
    for name in kept:
        await request(session, "PATCH", f"{pods}/{name}", free, "application/merge-patch+json")
    await wait_until(session, pods, lambda found: not found)
    await delete_nodes(session, ["mixed"])


@pytest.mark.parametrize("image", ["hanging:v1", "model:v1"])
async def test_a_pod_that_runs_ends_as_it_is_told(
    session: aiohttp.ClientSession, image: str
) -> None:
    """Told to fail with last words, or to complete, it does so at once, its Job with it."""
    await create_nodes(session, ["told"])
    name = f"told-{image.partition(':')[0]}"
    await create_namespace(session, name)
    jobs, pods = f"/apis/batch/v1/namespaces/{name}/jobs", f"/api/v1/namespaces/{name}/pods"
    for job, end in (("bad", stages.FAILED), ("good", stages.COMPLETED)):
        body = job_body(job, name, "told", image)
        told = {stages.END_ANNOTATION: end, stages.LAST_WORDS_ANNOTATION: '401: "no" {such} token'}
        await request(session, "POST", jobs, body)
        by_job = f"job-name={job}"
        running = await wait_until(session, pods, _all_run, label_selector=by_job)
        for pod in running:
            change = {"metadata": {"annotations": told}}
            merge = "application/merge-patch+json"
            await request(session, "PATCH", f"{pods}/{pod}", change, merge)
    ended = await wait_until(
        session, jobs, lambda found: has_condition(found["good"], "Complete"), timeout_seconds=10
    )
    assert has_condition(ended["bad"], "Failed")
    listed = (await request(session, "GET", pods))["items"]
    words = {pod["metadata"]["labels"]["job-name"]: told_of(pod) for pod in listed}
    assert words == {"bad": ("Error", '401: "no" {such} token'), "good": ("Completed", "")}
    await request(session, "DELETE", jobs, {"propagationPolicy": "Background"})
    await wait_until(session, pods, lambda found: not found)
    await delete_nodes(session, ["told"])


def _all_run(pods: Objects) -> bool:
    return bool(pods) and all(pod["status"].get("phase") == "Running" for pod in pods.values())


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


async def test_a_second_cluster_is_another_one_and_comes_back(
    control_plane: ControlPlane, second_control_plane: ControlPlane, tmp_path: Path
) -> None:
    """It has a namespace `kube-system` of its own, is known by a kubeconfig that names no file, and
    answers as before once its API server is started again.
    """
    second = tmp_path / "second"
    second.write_text(second_control_plane.kubeconfig_text(second_control_plane.admin_token))
    uid = ("get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}")
    told = control_plane.kubectl(*uid), control_plane.kubectl(*uid, kubeconfig=second)
    assert told[0] != told[1]
    second_control_plane.stop_api_server()
    with pytest.raises(KubectlError, match="refused"):
        control_plane.kubectl(*uid, kubeconfig=second)
    second_control_plane.start_api_server()
    assert control_plane.kubectl(*uid, kubeconfig=second) == told[1]
    async with second_control_plane.open_session() as session:
        await create_nodes(session, ["second"])
        await delete_nodes(session, ["second"])
