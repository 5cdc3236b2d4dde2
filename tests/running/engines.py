"""Worlds in which a ModelReplica's engines run, and what the server holds of them."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import yaml

from adapters.ports import Request
from adapters.simulator.worlds import World
from machines import labels
from machines.caches.child_names import workload_namespace
from machines.caches.settings import CachingSettings
from machines.replicas.names import workload_name
from tests.replicas.builders import engine, spec_of
from tests.repository import ROOT
from tests.running.clusters import CACHE, home_world, serve
from tests.running.fakes import WRITER, StubbornLog
from tests.running.living import Life, living

REPLICA = "chat"
HOME = "home"  # the InferenceCluster that is the world itself
WORKLOADS = workload_namespace("default", "")
DEPLOYMENT = workload_name(REPLICA, "main")
SERVER = WRITER._replace(caching=CachingSettings(replicas=True))


@asynccontextmanager
async def serving(
    world: World, log: StubbornLog | None = None, others: Mapping[str, World] | None = None
) -> AsyncIterator[Life]:
    """Run a session that serves ModelReplicas where it can."""
    async with living(world, log, others=others, identity=SERVER) as life:
        yield life


def engine_world(*, definition: bool = True) -> World:
    """A cluster that serves itself, with all definitions; that of ModelReplicas may be missing."""
    world = home_world("n1")
    world.relabel_node("n1", {labels.POOL_NAME: "h100"})
    serve(world, HOME)
    if definition:
        define_replicas(world)
    return world


def define_replicas(world: World) -> None:
    """Install the definition of ModelReplicas."""
    world.install(yaml.safe_load((ROOT / "crds" / "modelreplica.yaml").read_text()))


def make_replica(
    world: World,
    name: str = REPLICA,
    *,
    cluster: str = HOME,
    cache: str = CACHE,
    gang: bool = False,
    copies: int = 1,
) -> dict[str, Any]:
    """Apply a ModelReplica of one engine, on one node or on two."""
    spec = spec_of(engine(gang=gang, copies=copies), cluster=cluster, cache=cache)
    return world.apply({
        "apiVersion": "modelplane.ai/v1alpha1", "kind": "ModelReplica",
        "metadata": {"name": name, "namespace": "default"}, "spec": spec,
    })  # fmt: skip


def condition(world: World, kind: str, name: str = REPLICA) -> tuple[str, str, str]:
    """Status, reason and message of a condition on the server; empty while there is none."""
    found = world.find("ModelReplica", "default", name) or {}
    for row in found.get("status", {}).get("conditions", ()):
        if row["type"] == kind:
            return row["status"], row["reason"], row["message"]
    return "", "", ""


def reason(world: World, kind: str, name: str = REPLICA) -> str:
    """The reason of a condition on the server."""
    return condition(world, kind, name)[1]


def deployment(world: World) -> dict[str, Any] | None:
    """The Deployment of the replica's engine, if it is there."""
    return world.find("Deployment", WORKLOADS, DEPLOYMENT)


def delete(world: World, name: str = REPLICA) -> None:
    """Ask for the deletion of a ModelReplica."""
    path = f"/apis/modelplane.ai/v1alpha1/namespaces/default/modelreplicas/{name}"
    assert world.api.answer(Request("DELETE", path)).ok
