"""GPUs of fake Nodes, as a DRA driver publishes them: the scheduler gives them to Pods."""

import aiohttp

from tests.e2e.caches import Site
from tests.e2e.controlplane import stages
from tests.e2e.controlplane.nodes import NodeShape, create_nodes
from tests.e2e.controlplane.watching import Json, request
from tests.e2e.replicas import POOL

DRIVER = "gpu.nvidia.com"
COUNT = 32
DRA = "/apis/resource.k8s.io/v1"


async def add_engine_node(site: Site) -> None:
    """Create a Node of the pool in which engines run, with GPUs; Pods run there until deleted."""
    name = f"{stages.HANGING}-{POOL}-{site.name}"
    shape = NodeShape(labels={"modelplane.ai/pool": POOL})
    await create_nodes(site.session, [name], shape)
    await _offer(site.session, name)


async def _offer(session: aiohttp.ClientSession, node: str) -> None:
    """Say which GPUs a Node has."""
    cel = f'device.driver == "{DRIVER}"'
    for plural, name, spec in (
        ("deviceclasses", DRIVER, {"selectors": [{"cel": {"expression": cel}}]}),
        ("resourceslices", node, _slice(node)),
    ):
        body: Json = {"metadata": {"name": name}, "spec": spec}
        await request(session, "POST", f"{DRA}/{plural}", body)


async def take_away(session: aiohttp.ClientSession) -> None:
    """No Node has a GPU any more."""
    for plural in ("resourceslices", "deviceclasses"):
        await request(session, "DELETE", f"{DRA}/{plural}")


def _slice(node: str) -> Json:
    pool = {"name": node, "generation": 1, "resourceSliceCount": 1}
    devices = [{"name": f"gpu-{number}"} for number in range(COUNT)]
    return {"driver": DRIVER, "nodeName": node, "pool": pool, "devices": devices}
