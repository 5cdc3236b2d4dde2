"""`warmlog uninstall` against two real API servers: what is left, and what letting go changes."""

import base64
import json
import subprocess
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from adapters.cli.exit_codes import ExitCode
from machines.caches import hydration_bodies as bodies
from machines.caches.hydration_settings import HydrationSettings
from machines.caches.specs import CacheSpec
from machines.labels import CACHE_IN_USE
from tests.e2e.controllers import WARMLOG
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, request, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

TEAM, PLACE = "leaving", "mp-leaving"
CACHES = f"/apis/modelplane.ai/v1alpha1/namespaces/{TEAM}/modelcaches"
CLUSTERS = "/apis/modelplane.ai/v1alpha1/inferenceclusters"
TOKEN = "hf_e2eNobodyMaySeeThis"
SPEC = CacheSpec("HuggingFace", "org/model", "", "hub", "HF_TOKEN", 10, ())


def uninstalled(kubeconfig: Path, *arguments: str, secrets: str = TEAM, code: int = 0) -> Any:
    """What the command says to programs; it has to end with this code and tell no token."""
    asked = ("--cluster-secret-namespace", secrets, "--lease-namespace", TEAM, "-o", "json")
    done = subprocess.run(
        [WARMLOG, "uninstall", "--kubeconfig", kubeconfig, *asked, *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    assert TOKEN not in done.stdout + done.stderr
    return json.loads(done.stdout)


def secret_body(name: str, **values: str) -> Json:
    """A Secret of these values."""
    data = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": data}


async def make_home(session: aiohttp.ClientSession, west: ControlPlane) -> str:
    """A ModelCache that warmlog holds, and the way to the other cluster; the uid of the first."""
    await request(session, "POST", "/api/v1/namespaces", {"metadata": {"name": TEAM}})
    secrets = f"/api/v1/namespaces/{TEAM}/secrets"
    kubeconfig = west.kubeconfig_text(west.admin_token)
    await request(session, "POST", secrets, secret_body("leaving-west", kubeconfig=kubeconfig))
    named = {"apiVersion": "modelplane.ai/v1alpha1"}
    existing = {"source": "Existing", "existing": {"secretRef": {"name": "leaving-west"}}}
    cluster = {"metadata": {"name": "leaving-west"}, "spec": {"cluster": existing}}
    await request(session, "POST", CLUSTERS, {**named, "kind": "InferenceCluster", **cluster})
    hub = {"source": "HuggingFace", "huggingFace": {"repo": SPEC.repo, "sizeGiB": 10}}
    metadata = {"name": "qwen", "finalizers": ["else.example/keep", CACHE_IN_USE]}
    cache = {**named, "kind": "ModelCache", "metadata": metadata, "spec": hub}
    made = await request(session, "POST", CACHES, cache)
    return str(made["metadata"]["uid"])


async def make_west(session: aiohttp.ClientSession, uid: str) -> None:
    """What a ModelCache has on its cluster."""
    await request(session, "POST", "/api/v1/namespaces", {"metadata": {"name": PLACE}})
    names = bodies.CacheNames(TEAM, "qwen", uid, PLACE)
    core = f"/api/v1/namespaces/{PLACE}"
    claim = bodies.claim(names, SPEC, "none")
    await request(session, "POST", f"{core}/persistentvolumeclaims", claim)
    token = {**bodies.token_secret(names), "data": secret_body("x", HF_TOKEN=TOKEN)["data"]}
    await request(session, "POST", f"{core}/secrets", token)
    job = bodies.hydration_job(names, SPEC, "claim-uid", HydrationSettings())
    await request(session, "POST", f"/apis/batch/v1/namespaces/{PLACE}/jobs", job)


def ours(cluster: Json) -> list[Json]:
    """What this test left on a cluster, which others use, too."""
    return [each for each in cluster["left"] if each["owner"]["namespace"] == TEAM]


async def test_what_is_left_is_listed_and_let_go(
    with_crds: ControlPlane,
    second_control_plane: ControlPlane,
    session: aiohttp.ClientSession,
    second_session: aiohttp.ClientSession,
) -> None:
    """A deleted ModelCache hangs without warmlog; let go it is gone, and its claim stays."""
    uid = await make_home(session, second_control_plane)
    await make_west(second_session, uid)
    try:
        found = uninstalled(with_crds.kubeconfig)
        [west] = [each for each in found["clusters"] if not each["home"]]
        left = [(each["kind"], each["owner"]["uid"], each["ownerStanding"]) for each in ours(west)]
        kinds = ("Job", "PersistentVolumeClaim", "Secret")
        assert left == [(kind, uid, "EXISTS") for kind in kinds]
        [cache] = [each for each in found["caches"] if each["namespace"] == TEAM]
        assert (cache["released"], cache["deleting"]) == (False, False)
        await request(session, "DELETE", f"{CACHES}/qwen")
        assert (await request(session, "GET", f"{CACHES}/qwen"))["metadata"]["deletionTimestamp"]
        done = uninstalled(with_crds.kubeconfig, "--yes")
        assert [each["released"] for each in done["caches"] if each["uid"] == uid] == [True]
        rest = await request(session, "GET", f"{CACHES}/qwen")
        assert rest["metadata"]["finalizers"] == ["else.example/keep"]
        unheld = [{"op": "remove", "path": "/metadata/finalizers"}]
        with_crds.kubectl(
            "patch", "modelcache", "qwen", "-n", TEAM, "--type=json", "-p", json.dumps(unheld)
        )
        await wait_until(session, CACHES, lambda caches: not caches)
        after = uninstalled(with_crds.kubeconfig)
        [west] = [each for each in after["clusters"] if not each["home"]]
        assert [each["ownerStanding"] for each in ours(west)] == ["GONE"] * 3
    finally:
        await request(session, "DELETE", f"{CLUSTERS}/leaving-west")


async def test_a_cluster_that_does_not_answer_is_named(
    with_crds: ControlPlane, session: aiohttp.ClientSession
) -> None:
    """An address at which nobody listens costs the list of that cluster alone."""
    place, nowhere = "leaving-nobody", "https://127.0.0.1:9"
    text = with_crds.kubeconfig_text(with_crds.admin_token).replace(with_crds.server, nowhere)
    await request(session, "POST", "/api/v1/namespaces", {"metadata": {"name": place}})
    secret = secret_body("nobody", kubeconfig=text)
    await request(session, "POST", f"/api/v1/namespaces/{place}/secrets", secret)
    existing = {"source": "Existing", "existing": {"secretRef": {"name": "nobody"}}}
    named = {"apiVersion": "modelplane.ai/v1alpha1", "kind": "InferenceCluster"}
    body = {**named, "metadata": {"name": "nobody"}, "spec": {"cluster": existing}}
    await request(session, "POST", CLUSTERS, body)
    try:
        code = ExitCode.CLUSTER_UNUSABLE
        found = uninstalled(with_crds.kubeconfig, secrets=place, code=code)
        [lost] = [each for each in found["clusters"] if each["inferenceClusters"] == ["nobody"]]
        assert lost["troubles"] == [f"it does not answer: {nowhere}: connection refused"]
    finally:
        await request(session, "DELETE", f"{CLUSTERS}/nobody")
