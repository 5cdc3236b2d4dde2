"""Statuses: what is published of a ModelReplica. Bounded in size: of eight engines at most."""

from typing import Any

from engine.canonical_json import loads
from machines.condition_rows import Row, faces, published
from machines.messages import cut
from machines.origins import origin
from machines.replicas.conditions import condition_rows
from machines.replicas.moving import is_available, workloads_there
from machines.replicas.names import workload_name
from machines.replicas.obstacles import said_of
from machines.replicas.part_names import workload_kind
from machines.replicas.placing import place_of
from machines.replicas.states import Replica
from machines.showing import CONDITION_BYTES, cut_to_bytes
from machines.states import Known, State
from machines.statuses import COMMON_PATHS

# Every field that the projection can write: what a served CRD has to keep.
REPLICA_STATUS_PATHS = (
    "observedGeneration",
    "composed",
    "mount.volumes[].name",
    "mount.volumes[].persistentVolumeClaim.claimName",
    *(f"mount.volumeMounts[].{name}" for name in ("name", "mountPath")),
    *(f"mount.env[].{name}" for name in ("name", "value")),
    *(
        f"workloads[].{name}"
        for name in ("engine", "kind", "namespace", "name", "available", "message")
    ),
    *COMMON_PATHS,
)


def replica_status(state: State, replica: Replica) -> dict[str, Any]:
    """Give the whole `.status` of one ModelReplica."""
    return {
        **shown_status(state, replica, condition_rows(state, replica)),
        **origin(replica.subject.uid, state.log_id, replica.position),
    }


def shown_status(state: State, replica: Replica, rows: list[Row]) -> dict[str, Any]:
    """Give the status but for where it comes from; `rows` are its conditions."""
    shown: dict[str, Any] = {
        "observedGeneration": replica.level.generation,
        "conditions": published(rows, replica.condition_times, replica.level.generation),
    }
    if replica.composed:
        shown["composed"] = True
        shown["workloads"] = _workloads(state, replica)
    if replica.kept:
        shown["mount"] = loads(replica.kept)
    return shown


def status_face(state: State, replica: Replica, rows: list[Row]) -> tuple[object, ...]:
    """Give what decides the bytes of `shown_status`."""
    workloads = _workloads(state, replica) if replica.composed else []
    shown = (value for workload in workloads for value in workload.values())
    own = replica.level.generation, replica.composed, replica.kept, *faces(rows)
    return *own, len(workloads), *shown


def _workloads(state: State, replica: Replica) -> list[dict[str, Any]]:
    place = place_of(state, replica)
    if place is None or replica.spec is None:
        return []
    there = workloads_there(state, replica, place)
    return [
        {
            "engine": engine.name,
            "kind": workload_kind(engine),
            "namespace": place.namespace,
            "name": workload_name(replica.subject.name, engine.name),
            **_availability(replica, there[engine.name]),
        }
        for engine in replica.spec.engines
    ]


def _availability(replica: Replica, known: Known | None) -> dict[str, Any]:
    if known is None:
        return {"available": False, "message": "it is not there yet"}
    if is_available(known):
        return {"available": True}
    words = ": ".join(part for part in said_of(replica, known) if part)
    shown = cut_to_bytes(cut(words), CONDITION_BYTES)
    return {"available": False, **({"message": shown} if shown else {})}
