"""`warmlog plan` and `warmlog retry` against a real API server: foretold, refused, tried again."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from adapters.cli.exit_codes import ExitCode
from machines.job_names import MASK
from tests.e2e.conditions import JOBS, NAME, POOL, WARMUPS, ended, sample, target_names
from tests.e2e.controllers import WARMLOG, ControllerProcess, run_warmlog
from tests.e2e.controlplane.nodes import NodeShape, create_nodes
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, RequestError, request, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

QUOTAS = "/api/v1/namespaces/default/resourcequotas"
POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
BINDINGS = f"{POLICIES.removesuffix('policies')}policybindings"
CONTROL_PLANE_LABEL = "node-role.kubernetes.io/control-plane"
DENIED = "gpu-1 is not for warmups before Monday"


def run_on_cluster(kubeconfig: Path, *arguments: str, code: int = 0) -> tuple[str, str]:
    """Run a command against the cluster, which has to end with this code: stdout and stderr."""
    done = subprocess.run(
        [WARMLOG, *arguments, "--kubeconfig", kubeconfig],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout, done.stderr


def written(folder: Path, manifest: Json) -> str:
    """The name of a file that holds this manifest."""
    path = folder / "manifest.yaml"
    path.write_text(yaml.safe_dump(manifest))
    return str(path)


def planned(kubeconfig: Path, folder: Path, manifest: Json, *, code: int = 0) -> dict[str, Any]:
    """The plan of one manifest, as programs read it."""
    text, _ = run_on_cluster(kubeconfig, "plan", written(folder, manifest), "-o", "json", code=code)
    [item] = json.loads(text)["items"]
    assert isinstance(item, dict)
    return item


def verdicts(plan: dict[str, Any]) -> dict[str, str]:
    """What each dry run showed."""
    return {probe["kind"]: probe["verdict"] for probe in plan["dryRuns"]}


def words(plan: dict[str, Any], kind: str) -> str:
    """What the server said to a dry run."""
    [found] = [probe["words"] for probe in plan["dryRuns"] if probe["kind"] == kind]
    return str(found)


async def count_all(session: aiohttp.ClientSession) -> dict[str, int]:
    """How many objects of the kinds that a plan speaks of there are."""
    paths = (JOBS, WARMUPS, "/api/v1/namespaces/default/pods")
    return {path: len((await request(session, "GET", path))["items"]) for path in paths}


@asynccontextmanager
async def quota(session: aiohttp.ClientSession, **hard: int) -> AsyncIterator[None]:
    """Have a quota in force while the context lasts."""
    limits = {name.replace("__", "/").replace("_", "."): str(value) for name, value in hard.items()}
    body = {"metadata": {"name": "tight"}, "spec": {"hard": limits}}
    await request(session, "POST", QUOTAS, {"apiVersion": "v1", "kind": "ResourceQuota", **body})
    try:
        await wait_until(
            session, QUOTAS, lambda found: "hard" in found.get("tight", {}).get("status", {})
        )
        yield
    finally:
        await request(session, "DELETE", f"{QUOTAS}/tight")
        await wait_until(session, QUOTAS, lambda found: not found)


@asynccontextmanager
async def denial(session: aiohttp.ClientSession) -> AsyncIterator[None]:
    """Have an admission policy in force that denies the Job of one node."""
    rule = {"apiGroups": ["batch"], "apiVersions": ["v1"], "operations": ["CREATE"]}
    node = "object.metadata.annotations[?'model.aibrix.ai/target-node'].orValue('')"
    group = {"apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": "not-gpu-1"}}
    policy = {
        **group,
        "kind": "ValidatingAdmissionPolicy",
        "spec": {
            "matchConstraints": {"resourceRules": [{**rule, "resources": ["jobs"]}]},
            "validations": [{"expression": f"{node} != 'gpu-1'", "message": DENIED}],
        },
    }
    binding = {
        **group,
        "kind": "ValidatingAdmissionPolicyBinding",
        "spec": {"policyName": "not-gpu-1", "validationActions": ["Deny"]},
    }
    await request(session, "POST", POLICIES, policy)
    await request(session, "POST", BINDINGS, binding)
    try:
        await in_force(session)
        yield
    finally:
        await request(session, "DELETE", f"{BINDINGS}/not-gpu-1")
        await request(session, "DELETE", f"{POLICIES}/not-gpu-1")


async def in_force(session: aiohttp.ClientSession) -> None:
    """Wait until the server denies what the policy denies: it compiles policies in its own time."""
    pod = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "x", "annotations": {"model.aibrix.ai/target-node": "gpu-1"}},
        "spec": {"template": {"spec": pod}},
    }
    async with asyncio.timeout(60):
        while True:
            try:
                await request(session, "POST", f"{JOBS}?dryRun=All", job)
            except RequestError:
                return
            await asyncio.sleep(0.2)


@pytest.mark.usefixtures("clean")
async def test_a_plan_creates_nothing_and_foretells_every_job(
    control_plane: ControlPlane, session: aiohttp.ClientSession, kubeconfig: Path, tmp_path: Path
) -> None:
    """After the plan there is nothing; after the apply there are the very Jobs that it named."""
    await create_nodes(session, ["gpu-1", "gpu-2", "gpu-3"], NodeShape(labels=POOL))
    control_plane.kubectl("cordon", "gpu-1")
    master = NodeShape(labels={**POOL, CONTROL_PLANE_LABEL: ""})
    await create_nodes(session, ["master"], master)
    manifest = sample()
    manifest["spec"]["targets"].append({"nodes": {"names": ["gpu-2", "absent"]}})
    plan = planned(control_plane.kubeconfig, tmp_path, manifest)
    assert verdicts(plan) == {"ModelWarmup": "allowed", "Job": "allowed", "Pod": "allowed"}
    assert [each["node"] for each in plan["waiting"]] == ["absent"]
    assert [each["node"] for each in plan["skipped"]] == ["master"]
    assert set((await count_all(session)).values()) == {0}
    with ControllerProcess(kubeconfig, tmp_path):
        warmup = await request(session, "POST", WARMUPS, manifest)
        jobs = await wait_until(session, JOBS, lambda jobs: len(jobs) == 3)
    uid = warmup["metadata"]["uid"]
    foretold = {node["node"]: node["job"] for node in plan["nodes"]}
    assert {name.replace(MASK, uid[:8]) for name in foretold.values()} == set(jobs)
    assert sorted(foretold) == target_names(jobs)
    assert list(foretold) == ["gpu-2", "gpu-3", "gpu-1"]
    revisions = {job["metadata"]["labels"]["model.aibrix.ai/revision"] for job in jobs.values()}
    assert revisions == {plan["revision"]}
    again = planned(control_plane.kubeconfig, tmp_path, manifest)
    assert (again["standing"], again["object"]["uid"]) == ("same", uid)
    assert {node["job"] for node in again["nodes"]} == set(jobs)


@pytest.mark.usefixtures("clean", "kubeconfig")
async def test_a_quota_of_jobs_refuses_the_dry_run(
    control_plane: ControlPlane, session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """The server's own words about the quota are shown, and nothing is created."""
    await create_nodes(session, ["gpu-1"], NodeShape(labels=POOL))
    async with quota(session, count__jobs_batch=0):
        plan = planned(control_plane.kubeconfig, tmp_path, sample(), code=ExitCode.DIFFERENT)
        text, _ = run_on_cluster(
            control_plane.kubeconfig, "plan", written(tmp_path, sample()), code=ExitCode.DIFFERENT
        )
    assert verdicts(plan) == {"ModelWarmup": "allowed", "Job": "refused", "Pod": "allowed"}
    assert words(plan, "Job").endswith(
        "is forbidden: exceeded quota: tight, requested: count/jobs.batch=1, used:"
        " count/jobs.batch=0, limited: count/jobs.batch=0"
    )
    assert MASK in words(plan, "Job")
    assert "so the controller would try again, up to once a minute, until it is accepted" in text
    assert set((await count_all(session)).values()) == {0}


@pytest.mark.usefixtures("clean", "kubeconfig")
async def test_what_acts_on_pods_is_told_of_the_pod(
    control_plane: ControlPlane, session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """Quotas of Pods and Pod Security let the Job through; the dry run of its Pod says them."""
    await create_nodes(session, ["gpu-1"], NodeShape(labels=POOL))
    async with quota(session, pods=0):
        plan = planned(control_plane.kubeconfig, tmp_path, sample(), code=ExitCode.DIFFERENT)
    assert verdicts(plan) == {"ModelWarmup": "allowed", "Job": "allowed", "Pod": "refused"}
    assert "exceeded quota: tight, requested: pods=1" in words(plan, "Pod")
    enforce = "pod-security.kubernetes.io/enforce"
    control_plane.kubectl("label", "namespace", "default", f"{enforce}=restricted")
    try:
        plan = planned(control_plane.kubeconfig, tmp_path, sample(), code=ExitCode.DIFFERENT)
    finally:
        control_plane.kubectl("label", "namespace", "default", f"{enforce}-")
    assert verdicts(plan) == {"ModelWarmup": "allowed", "Job": "allowed", "Pod": "refused"}
    assert 'violates PodSecurity "restricted:latest"' in words(plan, "Pod")


@pytest.mark.usefixtures("clean", "kubeconfig")
async def test_a_policys_denial_is_told_with_its_message(
    control_plane: ControlPlane, session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """An admission policy that denies the first node's Job is quoted; another node's passes."""
    await create_nodes(session, ["gpu-1", "gpu-2"], NodeShape(labels=POOL))
    other = sample()
    other["spec"]["targets"] = [{"nodes": {"names": ["gpu-2"]}}]
    async with denial(session):
        plan = planned(control_plane.kubeconfig, tmp_path, sample(), code=ExitCode.DIFFERENT)
        assert verdicts(planned(control_plane.kubeconfig, tmp_path, other))["Job"] == "allowed"
    assert verdicts(plan)["Job"] == "refused"
    assert DENIED in words(plan, "Job")
    assert "not-gpu-1" in words(plan, "Job")
    assert set((await count_all(session)).values()) == {0}


@pytest.mark.usefixtures("clean", "kubeconfig")
async def test_a_field_that_nobody_knows_is_named(
    control_plane: ControlPlane, tmp_path: Path
) -> None:
    """A misspelt field, which would be dropped without a word, is named."""
    manifest = sample()
    manifest["spec"]["policies"]["retries"] = 3
    text, errors = run_on_cluster(
        control_plane.kubeconfig, "plan", written(tmp_path, manifest), code=ExitCode.DIFFERENT
    )
    assert "spec.policies.retries" in text + errors


@pytest.mark.usefixtures("clean", "kubeconfig")
async def test_rights_that_are_missing_are_named(
    control_plane: ControlPlane, session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """An account that may edit the namespace and see no nodes is told, and gets all the rest."""
    await create_nodes(session, ["gpu-1"], NodeShape(labels=POOL))
    control_plane.kubectl("create", "serviceaccount", "author")
    edit = ("--clusterrole=edit", "--serviceaccount=default:author")
    control_plane.kubectl("create", "rolebinding", "author", *edit)
    try:
        token = control_plane.kubectl("create", "token", "author").strip()
        kubeconfig = control_plane.kubeconfig_for(token, tmp_path / "author")
        plan = planned(kubeconfig, tmp_path, sample())
    finally:
        control_plane.kubectl("delete", "rolebinding/author", "serviceaccount/author")
    assert plan["summary"] == "which nodes get a Job is not known, for want of Node"
    [note] = plan["notes"]
    assert note.startswith("nodes may not be read, the right to list them is missing: nodes is")
    assert plan["pool"] == "latency-pool"
    assert verdicts(plan) == {"ModelWarmup": "allowed"}


@pytest.mark.usefixtures("clean")
async def test_a_retry_targets_exactly_the_nodes_that_failed(
    control_plane: ControlPlane, session: aiohttp.ClientSession, kubeconfig: Path, tmp_path: Path
) -> None:
    """Of two nodes one failed: the manifest is accepted, and warms that one alone."""
    await create_nodes(session, ["gpu-good", "gpu-failing"], NodeShape(labels=POOL))
    reference = f"mw/default/{NAME}"
    with ControllerProcess(kubeconfig, tmp_path) as controller:
        manifest = sample(retryLimit=0)
        control_plane.kubectl("apply", "-f", written(tmp_path, manifest))
        assert (await ended(session))["status"]["phase"] == "Degraded"
        await controller.wait_until_quiet()
        text, errors = run_on_cluster(control_plane.kubeconfig, "retry", reference)
        assert errors == ""
        control_plane.kubectl("apply", "-f", "-", input=text)
        retried = await ended(session, f"{NAME}-retry")
        await controller.wait_until_quiet()
        assert retried["spec"]["targets"] == [{"nodes": {"names": ["gpu-failing"]}}]
        assert retried["spec"]["policies"] == manifest["spec"]["policies"]
        assert [each["nodeName"] for each in retried["status"]["targets"]] == ["gpu-failing"]
        assert retried["status"]["desiredNodes"] == 1
        text, _ = run_on_cluster(control_plane.kubeconfig, "retry", f"{reference}-retry")
        assert yaml.safe_load(text)["metadata"]["name"] == f"{NAME}-retry-2"
    recorded = json.loads(run_warmlog("retry", reference, "--log", controller.log, "-o", "json"))
    assert recorded["spec"]["targets"] == retried["spec"]["targets"]
    assert recorded["metadata"]["name"] == f"{NAME}-retry-2"
