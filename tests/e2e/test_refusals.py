"""What a cluster refuses: in the status and in `kubectl describe`, in the server's own words."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager
from typing import Any

import aiohttp
import pytest

from machines.labels import ENABLED, POOL, SUSPEND, TARGET_NODE
from tests.e2e.conditions import rows
from tests.e2e.controllers import ControllerProcess, assert_replay_agrees
from tests.e2e.controlplane.nodes import NodeShape, create_nodes, delete_nodes
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, Objects, follow, request, wait_until
from tests.e2e.pools import Pool, condition, open_pool, targets

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

NAME = "refused"
SOON_SECONDS = 5  # from the creation of a warmup until it says what is refused
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
ENFORCE = "pod-security.kubernetes.io/enforce"
QUOTA_WORDS = "is forbidden: exceeded quota: few, requested: pods=1, used: …, limited: pods="
GOING_WORDS = "namespace going is being deleted"
POLICY_WORDS = "no Job for this node today"


async def allow_pods(pool: Pool, count: int) -> None:
    """Allow so many Pods at a time in a pool's namespace."""
    body: Json = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}}
    body["spec"] = {"hard": {"pods": str(count)}}
    path = pool.path("resourcequotas")
    await request(pool.session, "POST", path, body)
    # It holds once its status says what there is.
    await wait_until(pool.session, path, lambda found: "used" in found["few"].get("status", {}))


async def refused_soon(control_plane: ControlPlane, pool: Pool, reason: str, words: str) -> Json:
    """Wait until a node's detail, JobsCreated and `kubectl describe` tell of a refusal."""

    def refused(status: Mapping[str, Any]) -> bool:
        told = [one for one in targets(status).values() if one.get("reason") == reason]
        created = condition(status, "JobsCreated")
        return bool(
            any(words in one["message"] for one in told)
            and created.get("status") == "False"
            and words in created["message"]
        )

    warmup = await pool.until(NAME, refused, SOON_SECONDS)
    assert words in control_plane.kubectl("describe", "mw", NAME, "-n", pool.name)
    status: Json = warmup["status"]
    return status


async def test_a_quota_of_no_pods_is_told_once_and_to_the_end(
    control_plane: ControlPlane, session: aiohttp.ClientSession, controller: ControllerProcess
) -> None:
    """The quota's words stay the same however often Kubernetes tries, and outlive the Job."""

    def tried_again(found: Objects) -> bool:
        told = [one["reason"] for one in found.values() if one["involvedObject"]["kind"] == "Job"]
        return told.count("FailedCreate") >= 3

    async with open_pool(session, "no-pods", ["none-a"]) as pool:
        await allow_pods(pool, 0)
        await pool.warm(NAME, jobTimeoutSeconds=8)
        told = await refused_soon(control_plane, pool, "FailedCreate", QUOTA_WORDS + "0")
        await wait_until(session, pool.path("events"), tried_again)
        await controller.wait_until_quiet()
        now = await request(session, "GET", f"{pool.path('modelwarmups')}/{NAME}")
        assert now["status"] == told
        ended = await pool.end_of(NAME)
        [detail] = ended["status"]["targets"]
        assert detail["reason"] == "DeadlineExceeded"
        assert QUOTA_WORDS in detail["message"]
        await controller.wait_until_quiet()
        assert_replay_agrees(controller.log, ended)


class Crowd:
    """The most Pods of a namespace that had not ended at one time."""

    def __init__(self) -> None:
        """Begin with none."""
        self.most = 0

    async def watch(self, pool: Pool) -> None:
        """Watch until cancelled."""
        pods: dict[str, Json] = {}
        async with aclosing(follow(pool.session, pool.path("pods"), pods)) as changes:
            async for _ in changes:
                phases = [pod["status"]["phase"] for pod in pods.values()]
                unfinished = [each for each in phases if each in {"Pending", "Running"}]
                self.most = max(self.most, len(unfinished))


@asynccontextmanager
async def watching(pool: Pool) -> AsyncIterator[Crowd]:
    """Watch the Pods of a pool's namespace while the context lasts."""
    crowd = Crowd()
    task = asyncio.create_task(crowd.watch(pool))
    try:
        yield crowd
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_quota_of_two_pods_lets_all_finish_two_at_a_time(
    control_plane: ControlPlane, session: aiohttp.ClientSession, controller: ControllerProcess
) -> None:
    """Whoever gets no Pod says so and waits; in the end every node is warm, and it is all told."""
    names = [f"few-{letter}" for letter in "abcd"]
    async with open_pool(session, "few-pods", names) as pool, watching(pool) as crowd:
        await allow_pods(pool, 2)
        await pool.warm(NAME)
        await refused_soon(control_plane, pool, "FailedCreate", QUOTA_WORDS + "2")
        ended = await pool.end_of(NAME)
        assert (ended["status"]["phase"], ended["status"]["succeededNodes"]) == ("Succeeded", 4)
        assert condition(ended["status"], "JobsCreated")["status"] == "True"
        assert crowd.most == 2
        await controller.wait_until_quiet()
        assert_replay_agrees(controller.log, ended)


async def test_restricted_pod_security_is_told_until_it_is_lifted(
    control_plane: ControlPlane, session: aiohttp.ClientSession, controller: ControllerProcess
) -> None:
    """An image that may run as root is refused with the rule that it breaks; then it runs [W37]"""
    labels = {ENFORCE: "restricted"}
    async with open_pool(session, "strict", ["strict-a"], labels) as pool:
        await pool.warm(NAME)
        words = 'violates PodSecurity "restricted:latest"'
        status = await refused_soon(control_plane, pool, "FailedCreate", words)
        assert "runAsNonRoot != true" in status["targets"][0]["message"]
        control_plane.kubectl("label", "namespace", "strict", "--overwrite", f"{ENFORCE}=baseline")
        ended = await pool.end_of(NAME)
        assert ended["status"]["phase"] == "Succeeded"
        assert condition(ended["status"], "JobsCreated")["status"] == "True"
        await controller.wait_until_quiet()
        assert_replay_agrees(controller.log, ended)


@asynccontextmanager
async def denying(pool: Pool, node: str) -> AsyncIterator[None]:
    """Have every Job for a node denied while the context lasts; it begins once that holds."""
    metadata = {"name": f"not-{node}"}
    jobs = {"apiGroups": ["batch"], "apiVersions": ["v1"], "operations": ["CREATE"]}
    expression = f"object.metadata.?annotations['{TARGET_NODE}'].orValue('') != '{node}'"
    policy: Json = {"apiVersion": ADMISSION.removeprefix("/apis/"), "metadata": metadata}
    policy |= {"kind": "ValidatingAdmissionPolicy"}
    policy["spec"] = {
        "matchConstraints": {"resourceRules": [{**jobs, "resources": ["jobs"]}]},
        "validations": [{"expression": expression, "message": POLICY_WORDS}],
    }
    binding = {**policy, "kind": "ValidatingAdmissionPolicyBinding"}
    binding["spec"] = {"policyName": metadata["name"], "validationActions": ["Deny"]}
    policies, bindings = (
        f"{ADMISSION}/validatingadmissionpolic{end}" for end in ("ies", "ybindings")
    )
    await request(pool.session, "POST", policies, policy)
    await request(pool.session, "POST", bindings, binding)
    while not await is_denied(pool, node):
        await asyncio.sleep(0.05)
    yield
    await request(pool.session, "DELETE", f"{bindings}/{metadata['name']}")
    await request(pool.session, "DELETE", f"{policies}/{metadata['name']}")


async def is_denied(pool: Pool, node: str) -> bool:
    """Whether a Job for a node would be denied by now: a policy holds a moment after it is made."""
    container = {"name": "c", "image": "i"}
    job: Json = {"apiVersion": "batch/v1", "kind": "Job"}
    job["metadata"] = {"name": "tried", "annotations": {TARGET_NODE: node}}
    job["spec"] = {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}
    async with pool.session.post(f"{pool.path('jobs')}?dryRun=All", json=job) as response:
        return response.status == 422


async def test_a_policy_against_one_nodes_job_stops_no_other_node(
    control_plane: ControlPlane, session: aiohttp.ClientSession, controller: ControllerProcess
) -> None:
    """The others finish while the one waits with the policy's words; without it, that one does."""
    names = ["denied-a", "denied-b", "denied-c"]
    async with open_pool(session, "denied", names) as pool:
        async with denying(pool, "denied-b"):
            await pool.warm(NAME)
            status = await refused_soon(control_plane, pool, "JobCreateRejected", POLICY_WORDS)
            assert "tried again at" in targets(status)["denied-b"]["message"]
            waiting = await pool.until(NAME, lambda status: status.get("succeededNodes") == 2)
            assert waiting["status"]["phase"] == "Running"
            assert set(targets(waiting["status"])) == {"denied-b"}
        ended = await pool.end_of(NAME)
        assert (ended["status"]["phase"], ended["status"]["succeededNodes"]) == ("Succeeded", 3)
        assert condition(ended["status"], "JobsCreated")["status"] == "True"
        await controller.wait_until_quiet()
        assert_replay_agrees(controller.log, ended)


@contextmanager
def without_collecting(control_plane: ControlPlane) -> Iterator[None]:
    """Let what is deleted stay a while: a namespace goes for as long as the context lasts."""
    control_plane.stop_component("kube-controller-manager", crash=True)
    try:
        yield
    finally:
        control_plane.start_component("kube-controller-manager")


async def test_nothing_is_created_in_a_namespace_that_goes(
    control_plane: ControlPlane, session: aiohttp.ClientSession, controller: ControllerProcess
) -> None:
    """Once it is seen to go no create is decided; what was done stays, and the reason is told."""
    going = ("-n", "going")
    late = NodeShape(labels={POOL: "going", ENABLED: "true"})

    def told_of_late(status: Mapping[str, Any], words: str) -> bool:
        return words in targets(status).get("going-late", {}).get("message", "")

    async with open_pool(session, "going", ["going-a", "going-hanging"]) as pool:
        await pool.warm(NAME)
        await pool.until(NAME, lambda status: status.get("succeededNodes") == 1)
        control_plane.kubectl("annotate", "mw", NAME, *going, f"{SUSPEND}=true")
        await create_nodes(session, ["going-late"], late)
        await pool.until(NAME, lambda status: told_of_late(status, SUSPEND))
        with without_collecting(control_plane):
            await request(session, "DELETE", "/api/v1/namespaces/going")
            told = await pool.until(NAME, lambda status: told_of_late(status, GOING_WORDS))
            assert GOING_WORDS in control_plane.kubectl("describe", "mw", NAME, *going)
            assert (told["status"]["phase"], told["status"]["succeededNodes"]) == ("Running", 1)
            await controller.wait_until_quiet()
            assert_replay_agrees(controller.log, told)
            # Now nothing but the namespace keeps it from creating the last Job.
            control_plane.kubectl("annotate", "mw", NAME, *going, f"{SUSPEND}-")
        await wait_until(session, "/api/v1/namespaces", lambda found: "going" not in found)
        await controller.wait_until_quiet()
        await delete_nodes(session, ["going-late"])
    assert created_for(controller.log, "going") == ["going-a", "going-hanging"]


def created_for(log: str, namespace: str) -> list[str]:
    """The nodes for which a Job was to be created in a namespace, sorted, repetitions included."""
    intended = [row["data"] for row in rows(log) if row["type"] == "CreateJobIntended"]
    return sorted(one["node_name"] for one in intended if one["namespace"] == namespace)
