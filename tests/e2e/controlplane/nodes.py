"""Fake Nodes, made quickly and waited for."""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

import aiohttp

from tests.e2e.controlplane.watching import PATIENCE_SECONDS, Json, follow, request

_PATH = "/api/v1/nodes"
_NOT_READY_TAINT = "node.kubernetes.io/not-ready"


@dataclass(frozen=True)
class NodeShape:
    """What a fake Node offers: Kubernetes quantities, labels, and taints as in a Node's spec."""

    cpu: str = "32"
    memory: str = "256Gi"
    pods: int = 110
    gpus: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Sequence[Mapping[str, str]] = ()


def node_names(count: int, prefix: str = "node") -> list[str]:
    """Names that sort as they count: ``node-0000``, ``node-0001`` and so on."""
    return [f"{prefix}-{index:04d}" for index in range(count)]


def node_body(name: str, shape: NodeShape) -> Json:
    """The Node as it is created, with the labels that a kubelet would add."""
    resources = {"cpu": shape.cpu, "memory": shape.memory, "pods": str(shape.pods)}
    if shape.gpus:
        resources["nvidia.com/gpu"] = str(shape.gpus)
    standard_labels = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {**standard_labels, **shape.labels}},
        "spec": {"taints": [dict(taint) for taint in shape.taints]},
        "status": {"capacity": resources, "allocatable": resources},
    }


async def create_nodes(
    session: aiohttp.ClientSession,
    names: Iterable[str],
    shape: NodeShape = NodeShape(),
    *,
    concurrency: int = 32,
    ready_timeout_seconds: float | None = 60,
) -> None:
    """Create Nodes and wait until Pods can be scheduled on each of them.

    At most `concurrency` requests are open at a time. A timeout of None does not wait. Raises
    RequestError, also for a name that exists, and TimeoutError.
    """
    wanted = list(names)
    await _bounded(
        concurrency, (request(session, "POST", _PATH, node_body(name, shape)) for name in wanted)
    )
    if ready_timeout_seconds is not None:
        await wait_until_ready(session, wanted, timeout_seconds=ready_timeout_seconds)


async def delete_nodes(
    session: aiohttp.ClientSession, names: Iterable[str], *, concurrency: int = 32
) -> None:
    """Delete Nodes; RequestError for a name that does not exist."""
    await _bounded(concurrency, (request(session, "DELETE", f"{_PATH}/{name}") for name in names))


async def wait_until_ready(
    session: aiohttp.ClientSession,
    names: Iterable[str],
    *,
    timeout_seconds: float = PATIENCE_SECONDS,
) -> None:
    """Watch until every named Node is ready and no longer tainted as not ready; TimeoutError."""
    missing = set(names)
    nodes: dict[str, Json] = {}
    try:
        async with asyncio.timeout(timeout_seconds):
            async with aclosing(follow(session, _PATH, nodes)) as changes:
                async for changed in changes:
                    ready = {name for name in changed & missing if _is_ready(nodes.get(name))}
                    missing -= ready
                    if not missing:
                        break
    except TimeoutError:
        shown = ", ".join(sorted(missing)[:10])
        raise TimeoutError(
            f"{len(missing)} nodes are not ready after {timeout_seconds} s: {shown}"
        ) from None


def _is_ready(node: Json | None) -> bool:
    if node is None:
        return False
    conditions = node.get("status", {}).get("conditions", [])
    taints = node.get("spec", {}).get("taints", [])
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions) and all(
        one["key"] != _NOT_READY_TAINT for one in taints
    )


async def _bounded(concurrency: int, calls: Iterable[Awaitable[object]]) -> None:
    """Await every call, at most `concurrency` at a time; the first error stops the rest."""
    remaining = iter(calls)

    async def work() -> None:
        for call in remaining:
            await call

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(work())
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
