"""Composing: everything that a replica is to have on its cluster, with the bodies.

Each part is a function of the spec, the mounts and the cluster's stack: what is wanted is compared
with what is there by the digest that each object bears of what was applied last. The body of a
part is made when it goes out: what is wanted is asked far more often than what that looks like.
"""

from functools import lru_cache
from typing import NamedTuple

from machines.replicas import bodies
from machines.replicas.bodies import Body
from machines.replicas.levels import WorkloadLevel
from machines.replicas.mounting import Offer, effective_mount
from machines.replicas.mounts import mount_of
from machines.replicas.names import ReplicaNames
from machines.replicas.placing import Place
from machines.replicas.specs import EngineSpec
from machines.replicas.states import Replica
from machines.states import Known

_KEPT = 4096  # of what is worked out of specs, names and mounts


class Part(NamedTuple):
    """One object that is wanted."""

    kind: str
    name: str
    digest: str  # that the object bears once this was applied
    engine: str = ""  # whose it is; "" of the Service, which is all engines'
    mount: str | None = None  # of a workload: canonical JSON text, "" for none


def parts_of(replica: Replica, place: Place, offer: Offer | None) -> list[Part]:
    """Give what a replica wants now, what others wait for first; nothing while it has to wait."""
    if replica.spec is None:
        return []
    names = names_of(replica, place)
    parts = [_service(names)]
    for engine in replica.spec.engines:
        mount = effective_mount(replica, engine.name, offer)
        if mount is None:
            return []
        parts += _parts_of_engine(names, engine, mount, dynamo=place.dynamo)
    return parts


def body_of(replica: Replica, place: Place, part: Part) -> Body:
    """Give what is applied for a part, as what is there now calls for."""
    made = _bodies_like(replica, place, part)
    return next(bodies.stamped(body) for body in made if body["metadata"]["name"] == part.name)


def names_of(replica: Replica, place: Place) -> ReplicaNames:
    """Give the names that bodies are made with."""
    subject = replica.subject
    return ReplicaNames(subject.namespace, subject.name, subject.uid, place.namespace)


def find_part(place: Place, kind: str, name: str) -> Known | None:
    """Give what is known of an object of this name on a replica's cluster."""
    return place.cluster.find(kind, place.namespace, name)


def is_composed_with(
    replica: Replica, place: Place, engine: EngineSpec, level: WorkloadLevel
) -> bool:
    """Say whether a workload bears what was applied with the very mount that its Pods have."""
    names = names_of(replica, place)
    workload = _parts_of_engine(names, engine, level.mount, dynamo=place.dynamo)[-1]
    return workload.digest == level.applied


def is_scaled(level: WorkloadLevel, engine: EngineSpec) -> bool:
    """Say whether somebody else says how many copies there are, and the user did not since.

    Of what was never applied here that is seen by its number alone: Modelplane's own is `copies`.
    """
    followed = level.copies == engine.copies if level.copies else level.replicas != engine.copies
    return bool(level.scaled_by) and followed


@lru_cache(maxsize=_KEPT)
def _service(names: ReplicaNames) -> Part:
    return _part(bodies.service(names))


@lru_cache(maxsize=_KEPT)
def _parts_of_engine(
    names: ReplicaNames, engine: EngineSpec, mount: str, *, dynamo: bool
) -> tuple[Part, ...]:
    templates = [_part(body, engine.name) for body in bodies.claim_templates(names, engine)]
    body = bodies.workload(names, engine, mount_of(mount), dynamo=dynamo, replicas=True)
    return (*templates, _part(body, engine.name, mount))


def _part(body: Body, engine: str = "", mount: str | None = None) -> Part:
    kind, name = body["kind"], body["metadata"]["name"]
    return Part(kind, name, bodies.applied_digest(body), engine, mount)


def _bodies_like(replica: Replica, place: Place, part: Part) -> list[Body]:
    """Give the body of a part, among those of its sort."""
    names, engines = names_of(replica, place), replica.spec.engines if replica.spec else ()
    engine = next((one for one in engines if one.name == part.engine), None)
    if engine is None:
        return [bodies.service(names)]
    if part.mount is None:
        return bodies.claim_templates(names, engine)
    known = find_part(place, part.kind, part.name)
    level, mount = known.level if known else None, mount_of(part.mount)
    scaled = isinstance(level, WorkloadLevel) and is_scaled(level, engine)
    return [bodies.workload(names, engine, mount, dynamo=place.dynamo, replicas=not scaled)]
