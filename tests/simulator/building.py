"""Manifests, requests and short ways to look at a simulated world."""

from typing import Any

from adapters.ports import JSON_PATCH, MERGE_PATCH, Request, Response
from adapters.simulator.clock import SECOND
from adapters.simulator.plans import NodePlan
from adapters.simulator.resources import JOB, NAMESPACE, NODE, POD, WARMUP, path_of
from adapters.simulator.storage import Manifest
from adapters.simulator.watching import WatchCursor
from adapters.simulator.worlds import World

TEAM = "models"
JOBS, PODS, WARMUPS = (path_of(each, TEAM) for each in (JOB, POD, WARMUP))
NODES, NAMESPACES = path_of(NODE), path_of(NAMESPACE)


def world_of(*nodes: str, seed: int = 1, plan: NodePlan | None = None) -> World:
    """A world with one namespace and ready nodes, all in the pool `gpu`."""
    world = World(seed)
    world.add_namespace(TEAM, pool="gpu")
    for node in nodes:
        world.add_node(node, pool="gpu", plan=plan)
    pass_time(world, 2)
    return world


def pass_time(world: World, seconds: float) -> None:
    """Let virtual time pass."""
    world.cluster.advance(world.cluster.now + int(seconds * SECOND))


def let_all_happen(world: World, *, within_seconds: float = 3600) -> None:
    """Let time pass until nothing is due any more."""
    end = world.cluster.now + int(within_seconds * SECOND)
    while (due := world.cluster.next_at()) is not None:
        assert due <= end, "the cluster does not come to rest"
        world.cluster.advance(due)


def pinned(node: str) -> Manifest:
    """A required node affinity on one node by name."""
    field = {"key": "metadata.name", "operator": "In", "values": [node]}
    terms = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def job_body(
    name: str, node: str = "", *, marks: dict[str, str] | None = None, **spec: Any
) -> Manifest:
    """A Job of one Pod; its other spec fields are by keyword."""
    pod: Manifest = {
        "restartPolicy": "Never",
        "containers": [{"name": "image-0", "image": "busybox:1", "command": ["true"]}],
    }
    if node:
        pod["affinity"] = pinned(node)
    labels = {"job": name} if marks is None else marks
    template = {"metadata": {"labels": labels}, "spec": pod}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": TEAM, "labels": labels},
        "spec": {"template": template, **spec},
    }


def warmup_body(name: str, **spec: Any) -> Manifest:
    """A ModelWarmup of one image on one named node."""
    image = {"image": "busybox:1", "command": ["true"]}
    return {
        "apiVersion": "model.aibrix.ai/v1alpha1",
        "kind": "ModelWarmup",
        "metadata": {"name": name, "namespace": TEAM},
        "spec": {
            "targets": [{"nodes": {"names": ["n1"]}}],
            "imagePreload": {"images": [image]},
            **spec,
        },
    }


def get(world: World, path: str, **query: str) -> Response:
    """GET."""
    return world.api.handle(Request("GET", path, tuple(query.items())))


def post(world: World, path: str, body: Any, **query: str) -> Response:
    """POST."""
    return world.api.handle(Request("POST", path, tuple(query.items()), body))


def put(world: World, path: str, body: Any) -> Response:
    """PUT."""
    return world.api.handle(Request("PUT", path, body=body))


def patch(world: World, path: str, *operations: Manifest) -> Response:
    """JSON patch."""
    body = list(operations)
    return world.api.handle(Request("PATCH", path, body=body, content_type=JSON_PATCH))


def merge(world: World, path: str, body: Manifest) -> Response:
    """Merge patch."""
    return world.api.handle(Request("PATCH", path, body=body, content_type=MERGE_PATCH))


def delete(world: World, path: str, **options: Any) -> Response:
    """DELETE with options."""
    return world.api.handle(Request("DELETE", path, body=options))


def watch(world: World, path: str, **query: str) -> WatchCursor:
    """Watch from now on, unless the query says since when."""
    version = str(world.cluster.storage.version)
    return world.api.open_watch(
        Request("GET", path, tuple({"resourceVersion": version, **query}.items()))
    )


def told(cursor: WatchCursor) -> list[tuple[str, str]]:
    """Take the events of a watch as (type, name)."""
    return [(event["type"], event["object"]["metadata"]["name"]) for event in cursor.take()]


def causes(response: Response) -> list[tuple[str, str]]:
    """The (reason, field) of each cause of a refusal."""
    listed = response.body["details"]["causes"]
    return [(cause["reason"], cause["field"]) for cause in listed]


def summary(response: Response) -> tuple[int, str]:
    """Code and reason of a refusal."""
    return response.code, response.body["reason"]


def names(response: Response) -> list[str]:
    """The names in a list."""
    return [item["metadata"]["name"] for item in response.body["items"]]


def conditions(item: Manifest) -> list[tuple[str, str, str]]:
    """The (type, status, reason) of each condition."""
    listed = (item.get("status") or {}).get("conditions") or ()
    return [(each["type"], each["status"], each.get("reason", "")) for each in listed]


def job(world: World, name: str) -> Manifest:
    """A Job as it is now."""
    return world.must_find("Job", TEAM, name)


def pods_of(world: World, name: str) -> list[Manifest]:
    """The Pods of a Job, oldest first."""
    found = [
        pod
        for pod in world.listed("Pod", TEAM)
        if pod["metadata"]["labels"]["batch.kubernetes.io/job-name"] == name
    ]
    return sorted(found, key=lambda pod: str(pod["metadata"]["creationTimestamp"]))


def pod_of(world: World, name: str) -> Manifest:
    """The one Pod of a Job."""
    (pod,) = pods_of(world, name)
    return pod


def events_about(world: World, name: str) -> list[tuple[str, str]]:
    """The (reason, message) of the Events about objects of this name."""
    return [
        (event["reason"], event["message"])
        for event in world.listed("Event")
        if event["involvedObject"]["name"] == name
    ]
