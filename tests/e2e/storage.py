"""Storage of which tests decide: classes that provision nothing, claims, volumes, Events."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

import aiohttp

from tests.e2e.controlplane.watching import (
    PATIENCE_SECONDS,
    Json,
    RequestError,
    request,
    wait_until,
)

CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
VOLUMES = "/api/v1/persistentvolumes"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
# A provisioner that nobody is: claims wait for it until a test binds them.
ABSENT_PROVISIONER = "storage.warmlog.test/absent"
NO_PROVISIONER = "kubernetes.io/no-provisioner"
# Names of the classes that `classes` gives.
WAITING_CLASS = "waiting"  # binds when a Pod is scheduled; its provisioner does not exist
ABSENT_CLASS = "absent"  # binds at once; its provisioner does not exist
STATIC_CLASS = "static"  # binds at once, and to volumes made by hand only


def class_body(name: str, provisioner: str, *, waits: bool) -> Json:
    """A StorageClass that binds when a Pod is scheduled (`waits`), or at once."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
        "volumeBindingMode": "WaitForFirstConsumer" if waits else "Immediate",
    }


def classes() -> list[Json]:
    """The StorageClasses that tests use."""
    return [
        class_body(WAITING_CLASS, ABSENT_PROVISIONER, waits=True),
        class_body(ABSENT_CLASS, ABSENT_PROVISIONER, waits=False),
        class_body(STATIC_CLASS, NO_PROVISIONER, waits=False),
    ]


def claim_body(name: str, class_name: str, size_gib: int = 1) -> Json:
    """A claim that many nodes may mount, as those of a ModelCache."""
    return {
        "metadata": {"name": name},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": class_name,
            "resources": {"requests": {"storage": f"{size_gib}Gi"}},
        },
    }


def volume_body(name: str, class_name: str, size_gib: int, claim: Json | None = None) -> Json:
    """A volume for whoever asks, or for one claim; it is kept when that claim goes.

    The claim's uid stands in it: without, a claim that waits is only bound at the next turn of the
    binder, which takes up to 15 s.
    """
    spec: Json = {
        "capacity": {"storage": f"{size_gib}Gi"},
        "accessModes": ["ReadWriteMany"],
        "storageClassName": class_name,
        "persistentVolumeReclaimPolicy": "Retain",
        "nfs": {"server": "storage.warmlog.test", "path": f"/{name}"},
    }
    if claim is not None:
        spec["claimRef"] = {
            "kind": "PersistentVolumeClaim",
            **{key: claim["metadata"][key] for key in ("namespace", "name", "uid")},
        }
    return {"metadata": {"name": name}, "spec": spec}


def selected_node(claim: Json) -> str | None:
    """The node that the scheduler chose for a claim, if it did."""
    found: str | None = claim["metadata"].get("annotations", {}).get(SELECTED_NODE)
    return found


def is_bound(claim: Json) -> bool:
    """Whether a claim has its volume."""
    return bool(claim["status"].get("phase") == "Bound")


class Storage(NamedTuple):
    """The claims of one namespace of one cluster."""

    session: aiohttp.ClientSession
    namespace: str

    @property
    def claims(self) -> str:
        """The collection of claims."""
        return f"/api/v1/namespaces/{self.namespace}/persistentvolumeclaims"

    async def ask(self, name: str, class_name: str, size_gib: int = 1) -> Json:
        """Create a claim."""
        return await request(
            self.session, "POST", self.claims, claim_body(name, class_name, size_gib)
        )

    async def read(self, name: str) -> Json:
        """Read a claim."""
        return await request(self.session, "GET", f"{self.claims}/{name}")

    async def until(
        self, name: str, holds: Callable[[Json], bool], seconds: float = PATIENCE_SECONDS
    ) -> Json:
        """Wait until something holds of a claim, which need not exist yet; give the claim."""
        found = await wait_until(
            self.session,
            self.claims,
            lambda claims: name in claims and holds(claims[name]),
            timeout_seconds=seconds,
        )
        return found[name]

    async def until_gone(self, name: str, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until there is no claim of this name."""
        await wait_until(
            self.session, self.claims, lambda claims: name not in claims, timeout_seconds=seconds
        )

    async def until_none(self, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until there is no claim at all."""
        await wait_until(
            self.session, self.claims, lambda claims: not claims, timeout_seconds=seconds
        )

    async def forget_selected_node(self, name: str) -> None:
        """Take the chosen node off a claim, if the claim is as it is read now."""
        claim = await self.read(name)
        version = claim["metadata"]["resourceVersion"]
        key = SELECTED_NODE.replace("/", "~1")
        patch = [
            {"op": "test", "path": "/metadata/resourceVersion", "value": version},
            {"op": "remove", "path": f"/metadata/annotations/{key}"},
        ]
        kind = "application/json-patch+json"
        await request(self.session, "PATCH", f"{self.claims}/{name}", patch, kind)

    async def bind(self, name: str) -> Json:
        """Do what a provisioner does: make a volume for a claim, and wait until it is bound."""
        claim = await self.read(name)
        spec, uid = claim["spec"], claim["metadata"]["uid"]
        size_gib = int(spec["resources"]["requests"]["storage"].removesuffix("Gi"))
        volume = volume_body(f"volume-{uid}", spec["storageClassName"], size_gib, claim)
        await request(self.session, "POST", VOLUMES, volume)
        return await self.until(name, is_bound)

    async def bind_when_asked(self, name: str) -> Json:
        """As `bind`, as soon as there is the claim."""
        await self.until(name, lambda claim: True)
        return await self.bind(name)

    async def lose_volume(self, name: str) -> Json:
        """Take a claim's volume away under it, finalizers and all; give the claim, now Lost."""
        volume = f"{VOLUMES}/{(await self.read(name))['spec']['volumeName']}"
        await request(self.session, "DELETE", volume)
        await drop_finalizers(self.session, volume)
        return await self.until(name, lambda claim: claim["status"].get("phase") == "Lost")

    async def lose(self, name: str) -> None:
        """Take a claim away under the Pods that mount it."""
        where, uid = f"{self.claims}/{name}", (await self.read(name))["metadata"]["uid"]
        await request(self.session, "DELETE", where)
        await drop_finalizers(self.session, where)
        await wait_until(
            self.session,
            self.claims,
            lambda claims: claims.get(name, {}).get("metadata", {}).get("uid") != uid,
        )

    async def fail_provisioning(self, name: str, words: str) -> None:
        """Say of a claim what a provisioner says that fails: a Warning with these words."""
        claim = await self.read(name)
        about = {key: claim["metadata"][key] for key in ("namespace", "name", "uid")}
        event: Json = {
            "metadata": {"generateName": f"{name}."},
            "involvedObject": {"kind": "PersistentVolumeClaim", "apiVersion": "v1", **about},
            "type": "Warning",
            "reason": "ProvisioningFailed",
            "message": words,
            "source": {"component": ABSENT_PROVISIONER},
            "count": 1,
        }
        path = f"/api/v1/namespaces/{self.namespace}/events"
        claimed = await request(self.session, "POST", path, event)
        # Times are told by whoever records the Event: the server stamps only its creation.
        now = claimed["metadata"]["creationTimestamp"]
        times = {"firstTimestamp": now, "lastTimestamp": now}
        where = f"{path}/{claimed['metadata']['name']}"
        await request(self.session, "PATCH", where, times, "application/merge-patch+json")

    async def events(self, kind: str, name: str) -> set[tuple[str, str, str]]:
        """The type, reason and message of each Event about an object."""
        selector = f"involvedObject.kind={kind},involvedObject.name={name}"
        path = f"/api/v1/namespaces/{self.namespace}/events?fieldSelector={selector}"
        items = (await request(self.session, "GET", path))["items"]
        return {(each["type"], each["reason"], each["message"]) for each in items}


async def drop_finalizers(session: aiohttp.ClientSession, where: str) -> None:
    """Let an object that is being deleted go, if it is still there."""
    without: Json = {"metadata": {"finalizers": None}}
    with suppress(RequestError):
        await request(session, "PATCH", where, without, "application/merge-patch+json")


@asynccontextmanager
async def open_classes(session: aiohttp.ClientSession) -> AsyncIterator[None]:
    """Make the classes of this module; every class and every volume are gone at the end."""
    for body in classes():
        await request(session, "POST", CLASSES, body)
    try:
        yield
    finally:
        await request(session, "DELETE", CLASSES)
        await request(session, "DELETE", VOLUMES)
        await wait_until(session, VOLUMES, lambda found: not found)
