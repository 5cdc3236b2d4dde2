"""Pools: a namespace with Nodes of its own, so that tests can share one controller."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple

import aiohttp

from machines.labels import ENABLED, POOL
from tests.e2e.conditions import ENDS
from tests.e2e.controlplane.nodes import NodeShape, create_nodes, delete_nodes
from tests.e2e.controlplane.watching import (
    PATIENCE_SECONDS,
    Json,
    Objects,
    RequestError,
    request,
    wait_until,
)


class Pool(NamedTuple):
    """A namespace, and the pool of the same name."""

    name: str
    session: aiohttp.ClientSession

    def path(self, kind: str) -> str:
        """The collection of a kind in this namespace."""
        group = {"jobs": "/apis/batch/v1", "modelwarmups": "/apis/model.aibrix.ai/v1alpha1"}
        return f"{group.get(kind, '/api/v1')}/namespaces/{self.name}/{kind}"

    async def warm(
        self,
        name: str,
        *,
        named: Sequence[str] = (),
        annotations: Mapping[str, str] | None = None,
        **policies: int,
    ) -> Json:
        """Create a warmup of one image for the whole pool, or for nodes by name."""
        image = {"image": "busybox:1.36", "command": ["true"]}
        selected: Json = {"nodeSelector": {"matchLabels": {POOL: self.name}}}
        spec: Json = {
            "targets": [{"nodes": {"names": list(named)}} if named else selected],
            "imagePreload": {"images": [image]},
            "policies": policies,
        }
        body: Json = {"apiVersion": "model.aibrix.ai/v1alpha1", "kind": "ModelWarmup"}
        body |= {"metadata": {"name": name, "annotations": annotations or {}}, "spec": spec}
        return await request(self.session, "POST", self.path("modelwarmups"), body)

    async def until(
        self, name: str, holds: Callable[[Json], bool], seconds: float = PATIENCE_SECONDS
    ) -> Json:
        """Wait until something holds of a warmup's status; give the warmup."""

        def found(warmups: Objects) -> bool:
            return holds(warmups.get(name, {}).get("status", {}))

        path = self.path("modelwarmups")
        return (await wait_until(self.session, path, found, timeout_seconds=seconds))[name]

    async def end_of(self, name: str) -> Json:
        """Wait until a warmup has ended; give it."""
        return await self.until(name, lambda status: status.get("phase") in ENDS)


def targets(status: Mapping[str, Any]) -> dict[str, Json]:
    """The details of a status, by the name of the node."""
    return {target["nodeName"]: target for target in status.get("targets", ())}


def condition(status: Mapping[str, Any], kind: str) -> Json:
    """One condition of a status; empty when it has none."""
    found = (each for each in status.get("conditions", ()) if each["type"] == kind)
    return next(found, {})


@asynccontextmanager
async def open_pool(
    session: aiohttp.ClientSession,
    name: str,
    nodes: Iterable[str],
    labels: Mapping[str, str] | None = None,
) -> AsyncIterator[Pool]:
    """Make a namespace with a pool of Nodes; all of it goes at the end, Pods before their Nodes."""
    pool, names = Pool(name, session), list(nodes)
    metadata = {"name": name, "labels": {POOL: name, **(labels or {})}}
    body: Json = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
    await request(session, "POST", "/api/v1/namespaces", body)
    accounts = pool.path("serviceaccounts")
    await wait_until(session, accounts, lambda found: "default" in found)
    await create_nodes(session, names, NodeShape(labels={POOL: name, ENABLED: "true"}))
    try:
        yield pool
    finally:
        options: Json = {"propagationPolicy": "Background"}
        for kind in ("modelwarmups", "jobs"):
            await request(session, "DELETE", pool.path(kind), options)
            await wait_until(session, pool.path(kind), lambda found: not found)
        await wait_until(session, pool.path("pods"), lambda found: not found)
        await delete_nodes(session, names)
        # A test may have deleted its namespace.
        with suppress(RequestError):
            await request(session, "DELETE", f"/api/v1/namespaces/{name}")
