"""What is decided for a cache, carried out on a real API server: each change is done once."""

import base64
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import aiohttp
import pytest
import pytest_asyncio

from adapters.kubernetes.acting import look_up, perform
from adapters.kubernetes.configuring import access_from_kubeconfig
from adapters.kubernetes.crd_checking import caches_served
from adapters.kubernetes.discretion import DiscreetApi
from adapters.kubernetes.http_api import HttpApi
from adapters.kubernetes.kinds import INFERENCE_CLUSTER, MODEL_CACHE, get_request
from adapters.kubernetes.statuses import Stored, store_condition, store_status
from adapters.kubernetes.vaults import SecretVault
from adapters.ports import Request
from engine.events import Subject
from machines.caches.changes import ChangeKind
from machines.intents import CacheIntent, Change, Create, Delete, Effect
from machines.observations import Answer, Done, Refused
from tests.e2e.controlplane.running import ControlPlane

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

NAMESPACE = "mp-staging-objects"
MARKS = {"modelplane.ai/modelcache": "qwen"}
OWNER = {
    "warmlog.dev/cache-namespace": "ml-team",
    "warmlog.dev/cache-name": "qwen",
    "warmlog.dev/cache-uid": "cache-uid",
}
MARKER = "hf-e2e-marker"
SECONDS = 30

CLAIM: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {
        "name": "claim",
        "labels": MARKS,
        "annotations": {"volume.kubernetes.io/selected-node": "gone", "team": "x"},
    },
    "spec": {
        "accessModes": ["ReadWriteMany"],
        "storageClassName": "none",
        "resources": {"requests": {"storage": "1Gi"}},
    },
}


class Cluster(NamedTuple):
    """The real API server behind a vault."""

    api: DiscreetApi
    vault: SecretVault

    async def act(self, intent: CacheIntent, body: Any = None) -> Answer:
        """Carry out, and look up that it landed."""
        effect = Effect(1, "ic/west", intent, body)
        tokens = self.vault.tokens("home")
        performed = await perform(effect, self.api, timeout_seconds=SECONDS, tokens=tokens)
        assert MARKER not in str(performed)
        if isinstance(performed.answer, Done):
            looked = await look_up(effect, self.api, timeout_seconds=SECONDS)
            assert isinstance(looked.answer, Done)
        return performed.answer

    async def twice(self, intent: CacheIntent, body: Any) -> None:
        """Carry out, and find it done."""
        first = await self.act(intent, body)
        assert isinstance(first, Done)
        assert not first.found
        assert await self.act(intent, body) == Done(first.uid, found=True)

    async def send(self, method: str, path: str, body: Any = None) -> Any:
        """Do what somebody else would do."""
        request = Request(method, path, body=body)
        response = await self.api.send(request, timeout_seconds=SECONDS)
        assert response.ok, response
        return response.body


@pytest_asyncio.fixture
async def cluster(
    control_plane: ControlPlane, server: aiohttp.ClientSession
) -> AsyncIterator[Cluster]:
    """The server, reached as a kubeconfig out of a Secret says."""
    assert not server.closed
    access = await access_from_kubeconfig(control_plane.kubeconfig_text(control_plane.admin_token))
    api, vault = HttpApi("ic/west", access), SecretVault(b"k" * 32)
    yield Cluster(DiscreetApi(api, vault), vault)
    await api.close()


async def test_a_claim_and_its_token_are_made_changed_and_let_go(cluster: Cluster) -> None:
    """Twice each, as after a crash; a Pod that mounts the claim holds it."""
    make = Create("cache-uid", "Namespace", "", NAMESPACE, "d")
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    made = await cluster.act(make, body)  # unless another test has made it
    assert isinstance(made, Done)
    assert await cluster.act(make, body) == Done(made.uid, found=True)
    place = ("cache-uid", "PersistentVolumeClaim", NAMESPACE, "claim")
    made = await cluster.act(Create(*place, "d"), CLAIM)
    assert isinstance(made, Done)
    own = {"labels": MARKS, "annotations": OWNER}
    await cluster.twice(Change(*place, made.uid, ChangeKind.OWN, "d"), own)
    latch = {"annotations": {"warmlog.dev/hydrated": f"{made.uid}/abc"}}
    await cluster.twice(Change(*place, made.uid, ChangeKind.LATCH, "d"), latch)
    heal = Change(*place, made.uid, ChangeKind.HEAL, "d")
    assert await cluster.act(heal, {"selectedNode": "gone"}) == Done(made.uid)
    grow = Change(*place, made.uid, ChangeKind.GROW, "d")
    assert isinstance(await cluster.act(grow, {"storage": "2Gi"}), Refused)
    path = f"/api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims/claim"
    notes = (await cluster.send("GET", path))["metadata"]["annotations"]
    assert notes == {"team": "x", **OWNER, **latch["annotations"]}
    pods = f"/api/v1/namespaces/{NAMESPACE}/pods"
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "claim"}}
    spec = {"containers": [{"name": "c", "image": "i"}], "volumes": [volume]}
    await cluster.send("POST", pods, {"metadata": {"name": "engine"}, "spec": spec})
    held = await cluster.act(Delete(*place, made.uid))
    assert isinstance(held, Refused)
    assert held.reason == "ClaimInUse"
    await cluster.send("DELETE", f"{pods}/engine", {"gracePeriodSeconds": 0})
    assert await cluster.act(Delete(*place, made.uid)) == Done(made.uid)


async def test_a_token_is_copied_and_rotated(cluster: Cluster) -> None:
    """Only the digest of what was written is seen."""
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    await cluster.act(Create("cache-uid", "Namespace", "", NAMESPACE, "d"), body)
    place = ("cache-uid", "Secret", NAMESPACE, "token")
    metadata = {"name": "token", "labels": MARKS, "annotations": OWNER}
    token = _token(cluster.vault, f"{MARKER}-1")
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "token": token}
    made = await cluster.act(Create(*place, "d"), secret)
    assert isinstance(made, Done)
    rotated = {"token": _token(cluster.vault, f"{MARKER}-2")}
    await cluster.twice(Change(*place, made.uid, ChangeKind.ROTATE, "d"), rotated)
    assert cluster.vault.text_of("ic/west", NAMESPACE, "token", "HF_TOKEN") == f"{MARKER}-2"
    assert await cluster.act(Delete(*place, made.uid)) == Done(made.uid)


async def test_a_cache_is_held_told_and_released(cluster: Cluster) -> None:
    """Our finalizer beside another one, and the status whole."""
    assert await caches_served(cluster.api, timeout_seconds=SECONDS) == ""
    finalizers = ["example.com/other"]
    spec = {"source": "HuggingFace", "huggingFace": {"repo": "a/b", "sizeGiB": 1}}
    raw = {
        "apiVersion": "modelplane.ai/v1alpha1",
        "kind": "ModelCache",
        "metadata": {"name": "held", "finalizers": finalizers},
        "spec": spec,
    }
    uid = (await cluster.send("POST", MODEL_CACHE.path("default"), raw))["metadata"]["uid"]
    place = (uid, "ModelCache", "default", "held", uid)
    ours = {"finalizer": "warmlog.dev/cache-in-use"}
    await cluster.twice(Change(*place, ChangeKind.HOLD, "d"), ours)
    subject = Subject("ModelCache", "default", "held", uid)
    status = {"summary": {"ready": "0/0"}}
    stored = await store_status(cluster.api, subject, status, None, timeout_seconds=SECONDS)
    assert isinstance(stored, Stored)
    await cluster.twice(Change(*place, ChangeKind.RELEASE, "d"), ours)
    path = get_request(MODEL_CACHE, "default", "held").path
    found = await cluster.send("GET", path)
    assert (found["metadata"]["finalizers"], found["status"]) == (finalizers, status)
    other = {"finalizer": finalizers[0]}
    await cluster.twice(Change(*place, ChangeKind.RELEASE, "d"), other)
    await cluster.send("DELETE", path)


async def test_one_condition_is_put_beside_those_of_others(cluster: Cluster) -> None:
    """An InferenceCluster's status is everybody's."""
    raw = {
        "apiVersion": "modelplane.ai/v1alpha1",
        "kind": "InferenceCluster",
        "metadata": {"name": "shared"},
        "spec": {"cluster": {"source": "InCluster"}},
    }
    body = await cluster.send("POST", INFERENCE_CLUSTER.path(), raw)
    subject = Subject("InferenceCluster", "", "shared", body["metadata"]["uid"])
    for kind, status in (("Reachable", "False"), ("Ready", "True"), ("Reachable", "True")):
        condition = {
            "type": kind,
            "status": status,
            "reason": "Tried",
            "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        for _ in range(2):
            stored = await store_condition(cluster.api, subject, condition, timeout_seconds=SECONDS)
            assert isinstance(stored, Stored)
    path = get_request(INFERENCE_CLUSTER, "", "shared").path
    found = await cluster.send("GET", path)
    said = {one["type"]: one["status"] for one in found["status"]["conditions"]}
    assert said == {"Reachable": "True", "Ready": "True"}
    await cluster.send("DELETE", path)


def _token(vault: SecretVault, value: str) -> dict[str, str]:
    """Let the user's Secret hold this value; give what names it."""
    encoded = base64.b64encode(value.encode()).decode()
    metadata = {"namespace": "ml-team", "name": "hub"}
    vault.keep("home", {"metadata": metadata, "data": {"HF_TOKEN": encoded}})
    return {**metadata, "key": "HF_TOKEN", "digest": vault.digest(encoded)}
