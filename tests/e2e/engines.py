"""ModelReplicas as end-to-end tests serve them: nodes with devices, engines and their Pods."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from machines import labels
from machines.replicas.names import workload_name
from tests.e2e.caches import API, MERGE_PATCH, PATIENCE_SECONDS, Site, Team
from tests.e2e.controlplane.nodes import NodeShape, create_nodes
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, Objects, request, wait_until
from tests.e2e.joining import apply

POOL = "h100"
DEVICE_CLASS = "gpu.warmlog.test"
DEVICES_PER_NODE = 8
_DRA = "/apis/resource.k8s.io/v1"


@contextmanager
def device_class(control_plane: ControlPlane) -> Iterator[None]:
    """Let Pods claim the devices of this class while the context lasts."""
    name: Json = {"metadata": {"name": DEVICE_CLASS}, "spec": {}}
    apply(control_plane, {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", **name})
    try:
        yield
    finally:
        control_plane.kubectl("delete", "deviceclass", DEVICE_CLASS)


async def add_engine_nodes(site: Site, *names: str) -> None:
    """Create Nodes of the pool, with devices that Pods there may claim."""
    await create_nodes(site.session, names, NodeShape(labels={labels.POOL_NAME: POOL}))
    for name in names:
        devices: list[Json] = [{"name": f"gpu-{index}"} for index in range(DEVICES_PER_NODE)]
        pool: Json = {"name": name, "generation": 1, "resourceSliceCount": 1}
        spec: Json = {"driver": DEVICE_CLASS, "nodeName": name, "pool": pool, "devices": devices}
        body: Json = {"metadata": {"name": name}, "spec": spec}
        await request(site.session, "POST", f"{_DRA}/resourceslices", body)


async def remove_devices(site: Site) -> None:
    """Have no devices any more."""
    await request(site.session, "DELETE", f"{_DRA}/resourceslices")


class Engines(NamedTuple):
    """The ModelReplicas of a team."""

    team: Team

    @property
    def path(self) -> str:
        """The team's ModelReplicas."""
        return f"{API}/namespaces/{self.team.namespace}/modelreplicas"

    async def serve(self, name: str, site: Site, cache: str = "", *, gang: bool = False) -> Json:
        """Create a ModelReplica of one engine, on one node or on two."""
        roles = ("Leader", "Worker") if gang else ("Standalone",)
        reference: Json = {"modelCacheRef": {"name": cache}} if cache else {}
        engine: Json = {"name": "main", "members": [_member(role) for role in roles]}
        spec: Json = {"clusterName": site.name, "engines": [engine], **reference}
        body: Json = {"apiVersion": "modelplane.ai/v1alpha1", "kind": "ModelReplica"}
        return await request(
            self.team.session, "POST", self.path, body | {"metadata": {"name": name}, "spec": spec}
        )

    async def until(
        self, name: str, holds: Callable[[Json], bool], seconds: float = PATIENCE_SECONDS
    ) -> Json:
        """Wait until something holds of a ModelReplica that has a status; give it."""

        def found(replicas: Objects) -> bool:
            return "status" in replicas.get(name, {}) and holds(replicas[name])

        session = self.team.session
        return (await wait_until(session, self.path, found, timeout_seconds=seconds))[name]

    async def until_said(self, name: str, kind: str, reason: str, *words: str) -> Json:
        """Wait until a condition has this reason and these words; give the ModelReplica."""

        def said(replica: Json) -> bool:
            _, found, message = condition(replica, kind)
            return found == reason and all(each in message for each in words)

        return await self.until(name, said)

    async def delete(self, name: str) -> None:
        """Ask for the deletion of a ModelReplica."""
        await request(self.team.session, "DELETE", f"{self.path}/{name}")

    async def until_gone(self, name: str) -> None:
        """Wait until a ModelReplica is gone."""
        await wait_until(
            self.team.session, self.path, lambda found: name not in found,
            timeout_seconds=PATIENCE_SECONDS,
        )  # fmt: skip

    async def until_workload(self, name: str, site: Site) -> Json:
        """Wait until the Deployment of a replica's engine is there; give it."""
        wanted = workload_name(name, "main")
        found = await wait_until(
            site.session, paths(site)["Deployment"], lambda there: wanted in there,
            timeout_seconds=PATIENCE_SECONDS,
        )  # fmt: skip
        return found[wanted]

    async def clear(self) -> None:
        """Delete all of them, and wait until they are gone."""
        await request(self.team.session, "DELETE", self.path)
        await wait_until(
            self.team.session, self.path, lambda found: not found, timeout_seconds=PATIENCE_SECONDS
        )


def paths(site: Site) -> dict[str, str]:
    """The collections of what replicas are composed of, by kind."""
    where = f"namespaces/{site.namespace}"
    return {
        "Deployment": f"/apis/apps/v1/{where}/deployments",
        "Service": f"/api/v1/{where}/services",
        "ResourceClaimTemplate": f"{_DRA}/{where}/resourceclaimtemplates",
    }


async def composed(site: Site) -> dict[str, list[str]]:
    """The names of what is composed in a team's namespace, by kind."""
    found = {}
    for kind, path in paths(site).items():
        items = (await request(site.session, "GET", path))["items"]
        found[kind] = sorted(each["metadata"]["name"] for each in items)
    return found


async def annotate(site: Site, kind: str, name: str, **metadata: Json) -> Json:
    """Change the metadata of an object that is composed."""
    where = f"{paths(site)[kind]}/{name}"
    return await request(site.session, "PATCH", where, {"metadata": metadata}, MERGE_PATCH)


def condition(replica: Json, kind: str) -> tuple[str, str, str]:
    """Status, reason and message of a condition; empty when there is none."""
    for each in replica.get("status", {}).get("conditions", ()):
        if each["type"] == kind:
            return each["status"], each["reason"], each["message"]
    return "", "", ""


def _member(role: str) -> Json:
    container: Json = {
        "name": "engine",
        "image": "vllm/vllm-openai:v0.9.1",
        "args": ["--model", "x"],
    }
    member: Json = {
        "role": role,
        "nodePoolName": POOL,
        "deviceRequests": [{"name": "gpu", "deviceClassName": DEVICE_CLASS}],
        "template": {"spec": {"containers": [container]}},
    }
    return member | ({"worker": {"nodes": 1}} if role == "Worker" else {})
