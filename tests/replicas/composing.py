"""Bodies of replicas, composed from specs as users write them."""

from typing import Any

from machines.caches.mounts import mount
from machines.replicas.bodies import workload
from machines.replicas.mounts import NO_MOUNT, Mount, read_mount
from machines.replicas.names import ReplicaNames
from machines.replicas.specs import EngineSpec, parse_replica
from tests.crds.manifests import Json
from tests.replicas.specs import engine, leader, replica, worker

NAMES = ReplicaNames("ml-team", "r", "replica-uid", "mp-ml-team-51733")
CACHE = read_mount(mount("claim-a"))
GANG = replica(engine(leader(), worker(3), copies=2))


def engines(raw: Json) -> tuple[EngineSpec, ...]:
    """The engines of a spec."""
    parsed = parse_replica(raw)
    assert parsed.spec is not None, parsed.faults
    return parsed.spec.engines


def made(
    raw: Json, given: Mount = NO_MOUNT, *, dynamo: bool = False, replicas: bool = True
) -> dict[str, Any]:
    """The workload of a spec's first engine."""
    return workload(NAMES, engines(raw)[0], given, dynamo=dynamo, replicas=replicas)


def templates(body: Json) -> Json:
    """The Pod templates of a workload by their keys."""
    spec = body["spec"].get("leaderWorkerTemplate", body["spec"])
    return {key: spec[key] for key in spec if key.lower().endswith("template")}


def pods(body: Json) -> list[Any]:
    """Its Pod templates: one, or those of leader and worker."""
    return list(templates(body).values())


def containers(body: Json) -> list[Any]:
    """The container of each of its Pods."""
    return [pod["spec"]["containers"][0] for pod in pods(body)]


def values(body: Json) -> dict[str, Any]:
    """The variables of a Deployment's container; one that stands twice is an error."""
    [only] = containers(body)
    env = only.get("env", [])
    assert len({entry["name"] for entry in env}) == len(env)
    return {entry["name"]: entry.get("value") for entry in env}
