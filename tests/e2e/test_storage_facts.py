"""What Kubernetes does with claims, volumes and the Pods that wait for them.

The controller, and the simulator that plays a cluster for its tests, rely on these facts. The words
are pasted here as the components of this version say them.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import NamedTuple

import aiohttp
import pytest
import pytest_asyncio

from tests.e2e.controlplane import stages
from tests.e2e.controlplane.nodes import create_nodes, delete_nodes
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, Objects, RequestError, request, wait_until
from tests.e2e.storage import (
    ABSENT_CLASS,
    ABSENT_PROVISIONER,
    STATIC_CLASS,
    WAITING_CLASS,
    Storage,
    is_bound,
    open_classes,
    selected_node,
    volume_body,
)

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

# On the claim, by the volume binder of the controller manager (`persistentvolume-controller`).
NO_CONSUMER = ("Normal", "WaitForFirstConsumer", (
    "waiting for first consumer to be created before binding"
))  # fmt: skip
NO_SCHEDULED_POD = "waiting for pod {} to be scheduled"  # Normal, WaitForPodScheduled
NO_VOLUME_YET = ("Normal", "ExternalProvisioning", (
    "Waiting for a volume to be created either by the external provisioner "
    f"'{ABSENT_PROVISIONER}' or manually by the system administrator. If volume creation is "
    "delayed, please verify that the provisioner is running and correctly registered."
))  # fmt: skip
STATIC_ONLY = ("Warning", "ProvisioningFailed", (
    "no volume plugin matched name: kubernetes.io/no-provisioner"
))  # fmt: skip
NO_CLASS = ("Warning", "ProvisioningFailed", (
    'storageclass.storage.k8s.io "nowhere" not found'
))  # fmt: skip

# Of the Pod, in its condition PodScheduled (with the reason) and in an Event FailedScheduling. N is
# a count of Nodes, which lags behind what happens to them.
CHOSEN_NODE_GONE = ("SchedulerError", (
    'running PreBind plugin "VolumeBinding": binding volumes: '
    'failed to get node "{0}": node "{0}" not found'
))  # fmt: skip
NO_NODE_FITS = ("Unschedulable", (
    "N/N nodes are available: N node(s) didn't find available persistent volumes to bind. "
    "no new claims to deallocate, preemption: N/N nodes are available: "
    "N Preemption is not helpful for scheduling."
))  # fmt: skip
CLAIM_UNBOUND = ("Unschedulable", (
    "N/N nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"
))  # fmt: skip
# The same, as long as the scheduler has not seen a claim that was made just before.
CLAIM_UNSEEN = ("Unschedulable", (
    'N/N nodes are available: persistentvolumeclaim "{}" not found. not found'
))  # fmt: skip

# Of a Pod whose node is gone, within a minute of that: it is Failed, and then deleted.
NODE_GONE = ("DisruptionTarget", "DeletionByPodGC", "PodGC: node no longer exists")


class Place(NamedTuple):
    """A namespace of the test's own, with one node for all its Pods."""

    storage: Storage
    name: str

    @property
    def session(self) -> aiohttp.ClientSession:
        """As the admin."""
        return self.storage.session

    @property
    def pods(self) -> str:
        """The Pods of the namespace."""
        return f"/api/v1/namespaces/{self.name}/pods"

    @property
    def jobs(self) -> str:
        """The Jobs of the namespace."""
        return f"/apis/batch/v1/namespaces/{self.name}/jobs"

    async def start_job(self, name: str, claim: str, image: str = "model:v1") -> None:
        """Create a Job whose Pod mounts a claim, shaped like a hydration."""
        spec = {"backoffLimit": 0, "template": {"spec": _pod_spec(claim, image)}}
        await request(self.session, "POST", self.jobs, {"metadata": {"name": name}, "spec": spec})

    async def unscheduled(self, job: str, told: tuple[str, str]) -> Json:
        """Wait until the Pod of a Job says this of not being scheduled; give the Pod."""

        def found(pods: Objects) -> bool:
            return any(_why_unscheduled(pod) == told for pod in pods.values())

        pods = await wait_until(
            self.session, self.pods, found, label_selector=f"batch.kubernetes.io/job-name={job}"
        )
        [pod] = pods.values()
        return pod


def _pod_spec(claim: str, image: str) -> Json:
    volume = {"name": "artifact", "persistentVolumeClaim": {"claimName": claim}}
    mount = {"name": "artifact", "mountPath": "/mnt/artifact"}
    container = {"name": "hydrate", "image": image, "volumeMounts": [mount]}
    return {"restartPolicy": "Never", "containers": [container], "volumes": [volume]}


def _why_unscheduled(pod: Json) -> tuple[str, str]:
    for condition in pod["status"].get("conditions", ()):
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            return condition["reason"], _without_counts(condition["message"])
    return "", ""


def _without_counts(words: str) -> str:
    return re.sub(r"\d+", "N", words)


def has_ended(job: Json, kind: str) -> bool:
    """Whether a Job's condition of a kind is true."""
    conditions = job.get("status", {}).get("conditions", ())
    return any(one["type"] == kind and one["status"] == "True" for one in conditions)


@pytest_asyncio.fixture
async def place(session: aiohttp.ClientSession) -> AsyncIterator[Place]:
    """A namespace with the classes of storage; Pods, claims, volumes and Nodes go at its end."""
    body: Json = {"metadata": {"generateName": "facts-"}}
    made = await request(session, "POST", "/api/v1/namespaces", body)
    name = made["metadata"]["name"]
    place = Place(Storage(session, name), name)
    accounts = f"/api/v1/namespaces/{name}/serviceaccounts"
    await wait_until(session, accounts, lambda found: "default" in found)
    async with open_classes(session):
        yield place
        await request(session, "DELETE", place.jobs, {"propagationPolicy": "Background"})
        await wait_until(session, place.pods, lambda found: not found)
        await request(session, "DELETE", place.storage.claims)
        await request(session, "DELETE", f"/api/v1/namespaces/{name}")
        await request(session, "DELETE", "/api/v1/nodes")


async def test_a_claim_whose_chosen_node_is_gone_waits_until_the_choice_is_forgotten(
    place: Place,
) -> None:
    """No Pod, old or new, finds another node; without the annotation the same Pod does, and a
    volume that is made for the claim lets its Job complete.
    """
    storage, session = place.storage, place.session
    await create_nodes(session, ["first"])
    await storage.ask("weights", WAITING_CLASS)
    await place.start_job("hydrate", "weights")
    await storage.until("weights", lambda claim: selected_node(claim) == "first")
    await create_nodes(session, ["second"])
    await delete_nodes(session, ["first"])
    pod = await place.unscheduled("hydrate", NO_NODE_FITS)
    told = {
        (kind, reason, _without_counts(words))
        for kind, reason, words in await storage.events("Pod", pod["metadata"]["name"])
    }
    assert ("Warning", "FailedScheduling", CHOSEN_NODE_GONE[1].format("first")) in told
    assert ("Warning", "FailedScheduling", NO_NODE_FITS[1]) in told
    await place.start_job("anew", "weights")
    await place.unscheduled("anew", NO_NODE_FITS)
    assert selected_node(await storage.read("weights")) == "first"
    await storage.forget_selected_node("weights")
    await storage.until("weights", lambda claim: selected_node(claim) == "second", seconds=10)
    assert NO_VOLUME_YET in await storage.events("PersistentVolumeClaim", "weights")
    await storage.bind("weights")
    await wait_until(session, place.jobs, lambda jobs: has_ended(jobs["hydrate"], "Complete"))


async def test_a_claim_says_in_events_what_it_waits_for(place: Place) -> None:
    """A consumer, a provisioner that does not come, a volume made by hand, a class."""
    storage = place.storage
    said = {
        WAITING_CLASS: NO_CONSUMER,
        ABSENT_CLASS: NO_VOLUME_YET,
        STATIC_CLASS: STATIC_ONLY,
        "nowhere": NO_CLASS,
    }
    for class_name in said:
        await storage.ask(class_name, class_name)
    for class_name, event in said.items():
        await _until_said(storage, "PersistentVolumeClaim", class_name, event)
    await storage.fail_provisioning(ABSENT_CLASS, "no space left in zone a")
    failed = ("Warning", "ProvisioningFailed", "no space left in zone a")
    assert failed in await storage.events("PersistentVolumeClaim", ABSENT_CLASS)


async def _until_said(storage: Storage, kind: str, name: str, event: tuple[str, str, str]) -> None:
    told: set[tuple[str, str, str]] = set()
    try:
        async with asyncio.timeout(10):
            while event not in told:
                await asyncio.sleep(0.1)
                told = await storage.events(kind, name)
    except TimeoutError:
        raise AssertionError(f"{name} says {told}") from None


async def test_a_claim_that_binds_at_once_holds_its_pod_back_until_it_is_bound(
    place: Place,
) -> None:
    """Its Pod says that there is no claim, then that it is unbound; any free volume that is large
    enough will do.
    """
    storage, session = place.storage, place.session
    await create_nodes(session, ["only"])
    await place.start_job("hydrate", "weights")
    await place.unscheduled("hydrate", (CLAIM_UNSEEN[0], CLAIM_UNSEEN[1].format("weights")))
    await storage.ask("weights", STATIC_CLASS, 2)
    await place.unscheduled("hydrate", CLAIM_UNBOUND)
    for size_gib in (1, 2):
        volume = volume_body(f"free-{size_gib}", STATIC_CLASS, size_gib)
        await request(session, "POST", "/api/v1/persistentvolumes", volume)
    claim = await storage.until("weights", is_bound)
    assert claim["spec"]["volumeName"] == "free-2"
    await wait_until(session, place.jobs, lambda jobs: has_ended(jobs["hydrate"], "Complete"))


# Claim -> what becomes of the Pod that mounts it.
FATES = {
    "runs": stages.HANGING,
    "waits": stages.UNCONFIGURED,
    "failed": stages.FAILING,
    "succeeded": "model",
}


async def test_a_deleted_claim_stays_while_any_pod_with_a_node_names_it(place: Place) -> None:
    """Pods that run, wait, failed or succeeded hold it, one without a node does not; a Pod of a
    node that is gone lets go within a minute, its Job counting a failed attempt.
    """
    storage, session = place.storage, place.session
    await create_nodes(session, ["only"])
    await _start_pods_of_every_phase(place)
    for name in (*FATES, "unplaced"):
        await request(session, "DELETE", f"{storage.claims}/{name}")
    await storage.until_gone("unplaced")
    kept = (await request(session, "GET", storage.claims))["items"]
    assert {claim["metadata"]["name"] for claim in kept} == set(FATES)
    await request(session, "DELETE", f"{place.jobs}/runs", {"propagationPolicy": "Background"})
    await storage.until_gone("runs")
    await delete_nodes(session, ["only"])
    await wait_until(session, place.pods, _says_node_gone)
    jobs = await wait_until(session, place.jobs, lambda jobs: has_ended(jobs["waits"], "Failed"))
    assert jobs["waits"]["status"]["failed"] == 1
    for name in FATES:
        await storage.until_gone(name)


async def _start_pods_of_every_phase(place: Place) -> None:
    """For each claim a Job of the same name; wait until each Pod is where it will be."""
    for name, word in FATES.items():
        await place.storage.ask(name, STATIC_CLASS)
        await place.storage.bind(name)
        await place.start_job(name, name, f"{word}:v1")
    await place.storage.ask("unplaced", ABSENT_CLASS)
    await place.start_job("unplaced", "unplaced")
    await place.unscheduled("unplaced", CLAIM_UNBOUND)

    def are_there(jobs: Objects) -> bool:
        return has_ended(jobs["failed"], "Failed") and has_ended(jobs["succeeded"], "Complete")

    await wait_until(place.session, place.jobs, are_there)


def _says_node_gone(pods: Objects) -> bool:
    return any(
        (one["type"], one.get("reason"), one.get("message")) == NODE_GONE
        for pod in pods.values()
        for one in pod["status"].get("conditions", ())
        if pod["status"]["phase"] == "Failed"
    )


async def test_a_role_for_one_secret_lets_its_holder_watch_that_one(
    control_plane: ControlPlane, place: Place
) -> None:
    """A list and a watch by `metadata.name` are allowed for the name in the role, and only so."""
    in_place = ("-n", place.name)
    control_plane.kubectl("create", "serviceaccount", "reader", *in_place)
    verbs = ("--verb=get,list,watch", "--resource=secrets", "--resource-name=hf-token")
    control_plane.kubectl("create", "role", "reader", *verbs, *in_place)
    binding = ("--role=reader", f"--serviceaccount={place.name}:reader")
    control_plane.kubectl("create", "rolebinding", "reader", *binding, *in_place)
    token = control_plane.kubectl("create", "token", "reader", *in_place).strip()
    path = f"/api/v1/namespaces/{place.name}/secrets"
    async with control_plane.open_session(token) as reader:
        for refused in ("", "?fieldSelector=metadata.name=other", "?watch=true"):
            with pytest.raises(RequestError, match="forbidden"):
                await request(reader, "GET", path + refused)
        named = f"{path}?fieldSelector=metadata.name=hf-token"
        listed = await request(reader, "GET", named)
        assert listed["items"] == []
        since = listed["metadata"]["resourceVersion"]
        watch = f"{named}&watch=true&resourceVersion={since}"
        async with reader.get(watch) as response:
            for name in ("other", "hf-token"):
                secret = {"metadata": {"name": name}, "stringData": {"HF_TOKEN": "words"}}
                await request(place.session, "POST", path, secret)
            async with asyncio.timeout(10):
                line = await response.content.readline()
    assert b'"name":"hf-token"' in line
    assert b'"type":"ADDED"' in line
