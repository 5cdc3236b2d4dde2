"""Composing: everything that a replica is to have on its cluster, with the bodies.

Each part is a function of the spec, the mounts and the cluster's stack: what is wanted is compared
with what is there by the digest that each object bears of what was applied last.
"""

from typing import Any, NamedTuple

from engine.canonical_json import loads
from machines.replicas import bodies
from machines.replicas.levels import WorkloadLevel
from machines.replicas.mounting import Offer, effective_mount
from machines.replicas.mounts import NO_MOUNT, Mount, read_mount
from machines.replicas.names import ReplicaNames, workload_name
from machines.replicas.part_names import workload_kind
from machines.replicas.placing import Place
from machines.replicas.specs import EngineSpec
from machines.replicas.states import Replica
from machines.states import Known


class Part(NamedTuple):
    """One object that is wanted."""

    kind: str
    name: str
    body: dict[str, Any]
    digest: str  # that the object bears once this was applied
    engine: str = ""  # whose it is; "" of the Service, which is all engines'
    mount: str | None = None  # of a workload: canonical JSON text, "" for none


def parts_of(replica: Replica, place: Place, offer: Offer | None) -> list[Part]:
    """Give what a replica wants now, what others wait for first; nothing while it has to wait."""
    if replica.spec is None:
        return []
    names = names_of(replica, place)
    parts = []
    for engine in replica.spec.engines:
        mount = effective_mount(replica, engine.name, offer)
        if mount is None:
            return []
        parts += [_part(body, engine.name) for body in bodies.claim_templates(names, engine)]
        parts.append(_workload(replica, place, engine, mount))
    return [_part(bodies.service(names)), *parts]


def names_of(replica: Replica, place: Place) -> ReplicaNames:
    """Give the names that bodies are made with."""
    subject = replica.subject
    return ReplicaNames(subject.namespace, subject.name, subject.uid, place.namespace)


def mount_of(text: str) -> Mount:
    """Read a mount that the log holds as text."""
    return read_mount(loads(text)) if text else NO_MOUNT


def find_part(place: Place, kind: str, name: str) -> Known | None:
    """Give what is known of an object of this name on a replica's cluster."""
    return place.cluster.find(kind, place.namespace, name)


def _workload(replica: Replica, place: Place, engine: EngineSpec, mount: str) -> Part:
    kind, name = workload_kind(engine), workload_name(replica.subject.name, engine.name)
    known = find_part(place, kind, name)
    level = known.level if known else None
    scaled = isinstance(level, WorkloadLevel) and is_scaled(level, engine)
    body = bodies.workload(
        names_of(replica, place), engine, mount_of(mount), dynamo=place.dynamo, replicas=not scaled
    )
    return _part(body, engine.name, mount)


def is_scaled(level: WorkloadLevel, engine: EngineSpec) -> bool:
    """Say whether somebody else says how many copies there are, and the user did not since.

    Of what was never applied here that is seen by its number alone: Modelplane's own is `copies`.
    """
    followed = level.copies == engine.copies if level.copies else level.replicas != engine.copies
    return bool(level.scaled_by) and followed


def _part(body: dict[str, Any], engine: str = "", mount: str | None = None) -> Part:
    kind, name = body["kind"], body["metadata"]["name"]
    return Part(kind, name, bodies.stamped(body), bodies.applied_digest(body), engine, mount)
