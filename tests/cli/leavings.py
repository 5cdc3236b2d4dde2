"""Clusters on which ModelCaches have left things, for `warmlog uninstall` to find."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from typer.testing import Result

from adapters.ports import Request
from adapters.simulator.resources import CACHE, LEASE, path_of
from adapters.simulator.worlds import World
from machines.caches import hydration_bodies as bodies
from machines.caches.hydration_settings import HydrationSettings
from machines.caches.specs import CacheSpec
from tests.cli.commands import warmlog
from tests.cli.serving import Served, served
from tests.simulator.building import put

SPEC = CacheSpec("HuggingFace", "org/model", "", "hub", "HF_TOKEN", 10, ())
PLACE = "mp-ml-team-51733"
TOKEN = "hf_nobodyMayEverSeeThis"


def cache(world: World, name: str, *finalizers: str) -> bodies.CacheNames:
    """A ModelCache with these finalizers."""
    made = world.make_cache("ml-team", name)
    patch = {"metadata": {"finalizers": list(finalizers)}}
    path = path_of(CACHE, "ml-team", name)
    answer = world.api.handle(Request("PATCH", path, (), patch, "application/merge-patch+json"))
    assert answer.ok
    return bodies.CacheNames("ml-team", name, made["metadata"]["uid"], PLACE)


def staged(world: World, names: bodies.CacheNames) -> None:
    """A cluster on which a ModelCache has its claim, and a Job that still runs with its token."""
    if world.find("Namespace", "", PLACE) is None:
        world.add_namespace(PLACE)
    made = world.apply(bodies.claim(names, SPEC, "rwx"))
    data = world.add_secret("elsewhere", "x", {"HF_TOKEN": TOKEN})["data"]
    world.apply({**bodies.token_secret(names), "data": data})
    job = bodies.hydration_job(names, SPEC, made["metadata"]["uid"], HydrationSettings())
    world.apply(job)
    world.delete_secret("elsewhere", "x")


def home_world(*names: str) -> World:
    """The cluster that warmlog runs in, with InferenceClusters of these names."""
    world = World(5, name="home")
    for each in ("kube-system", "ml-team", "modelplane-system", "elsewhere"):
        world.add_namespace(each)
    for name in names:
        world.add_inference_cluster(name, source="Existing", secret=name)
    return world


def west_world() -> World:
    """Another cluster."""
    world = World(6, name="west")
    world.add_namespace("kube-system")
    world.add_namespace("elsewhere")
    return world


@contextmanager
def two_served(home: World, west: World, folder: Path) -> Iterator[tuple[Served, Served]]:
    """Both served, and the kubeconfig of the second one in its Secret."""
    (folder / "west").mkdir()
    with served(west, folder / "west") as second, served(home, folder) as first:
        home.add_secret("modelplane-system", "west", {"kubeconfig": second.kubeconfig.read_text()})
        yield first, second


def uninstalled(server: Served, *arguments: str) -> Result:
    """How the command ends on a served cluster."""
    return warmlog("uninstall", "--kubeconfig", server.kubeconfig, *arguments)


def told(server: Served, *arguments: str) -> dict[str, Any]:
    """What it says to programs."""
    found = json.loads(uninstalled(server, *arguments, "-o", "json").stdout)
    assert isinstance(found, dict)
    return found


def lease(world: World, holder: str) -> None:
    """A Lease that this one holds."""
    world.add_namespace("warmlog-system")
    spec = {"holderIdentity": holder, "leaseDurationSeconds": 30}
    metadata = {"name": "warmlog", "namespace": "warmlog-system"}
    world.apply(
        {"apiVersion": LEASE.api_version, "kind": "Lease", "metadata": metadata, "spec": spec}
    )


def finalizers(world: World, name: str) -> list[str]:
    """The finalizers of a ModelCache."""
    found = world.must_find("ModelCache", "ml-team", name)["metadata"].get("finalizers")
    return list(found or ())


def with_ready(world: World, name: str, ready: str) -> None:
    """A ModelCache whose status has this summary."""
    held = world.must_find("ModelCache", "ml-team", name)
    status = {**held, "status": {"summary": {"ready": ready}}}
    assert put(world, f"{path_of(CACHE, 'ml-team', name)}/status", status).ok


def claimed(world: World, names: bodies.CacheNames, size: int) -> None:
    """A bound claim of a ModelCache."""
    world.apply(bodies.claim(names, SPEC._replace(size_gib=size), "rwx"))
