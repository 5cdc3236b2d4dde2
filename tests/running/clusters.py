"""Simulated clusters that models are staged to, and kubeconfigs that lead to them."""

from typing import Any

import yaml

from adapters.simulator.clock import SECOND
from adapters.simulator.connecting import PREFIX
from adapters.simulator.plans import ProvisionerPlan
from adapters.simulator.worlds import World
from tests.repository import ROOT
from tests.running.living import Life, check
from tests.running.stories import CLUSTER

OWN = "warmlog-system"
STORAGE = "shared"
CACHE = "small"
WORKLOADS = "mp-default-9nhvb"  # where the caches of the namespace `default` have their objects
DEFINITIONS = ("modelwarmup", "modelcache", "inferencecluster")


def home_world(*nodes: str, definitions: bool = True) -> World:
    """The cluster that warmlog runs in, with nodes and storage."""
    world = _world(7, CLUSTER, *nodes)
    world.add_namespace(OWN)
    if definitions:
        install(world)
    return world


def other_world(seed: int, *nodes: str) -> World:
    """Another cluster, with nodes and storage."""
    return _world(seed, f"world-{seed}", *nodes)


def _world(seed: int, name: str, *nodes: str) -> World:
    world = World(seed, name=name)
    for node in nodes or ("n1",):
        world.add_node(node)
    world.add_storage_class(STORAGE, plan=ProvisionerPlan())
    world.cluster.advance(world.cluster.now + 2 * SECOND)
    return world


def install(world: World) -> None:
    """Install the definitions of all kinds."""
    for kind in DEFINITIONS:
        world.install(yaml.safe_load((ROOT / "crds" / f"{kind}.yaml").read_text()))


def serve(world: World, name: str, other: str = "") -> None:
    """Have a cluster served by an InferenceCluster: this one, or one that a kubeconfig leads to."""
    if not other:
        world.add_inference_cluster(name, class_name=STORAGE)
        return
    point(world, name, other)
    secret = f"{name}-kubeconfig"
    world.add_inference_cluster(name, source="Existing", secret=secret, class_name=STORAGE)


def point(world: World, name: str, other: str) -> None:
    """Have the kubeconfig of a cluster lead to another world."""
    world.set_secret(OWN, f"{name}-kubeconfig", {"kubeconfig": f"{PREFIX}{other}"})


def entries(world: World, name: str = CACHE) -> dict[str, Any]:
    """The entries of a cache's status on the server, by cluster."""
    found = world.find("ModelCache", "default", name) or {}
    return {one["name"]: one for one in found.get("status", {}).get("clusters", ())}


def phases(world: World, name: str = CACHE) -> dict[str, str]:
    """The phases of a cache's entries on the server, by cluster."""
    return {cluster: entry["phase"] for cluster, entry in entries(world, name).items()}


def reachable(world: World, name: str) -> tuple[str, str]:
    """Status and message of a cluster's condition on the server; both empty while it has none."""
    found = world.find("InferenceCluster", "", name) or {}
    for row in found.get("status", {}).get("conditions", ()):
        if row["type"] == "Reachable":
            return row["status"], row["message"]
    return "", ""


def three_worlds() -> tuple[World, dict[str, World]]:
    """Home, and two clusters that it serves: east and west."""
    home, others = home_world("n1"), {"east": other_world(8), "west": other_world(9)}
    for name in others:
        serve(home, name, name)
    return home, others


async def settled(life: Life) -> None:
    """Wait until nothing is under way, and compare log and server."""
    await life.until(lambda: not life.unsent and not life.state.open)
    await check(life)
