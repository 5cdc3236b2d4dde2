"""Accepting: which spec of a replica is acted on, and which later edits of it are taken over.

A replica is pinned to the cluster of its first spec: another one is told and not followed. All else
is, but a spec that can never work: then what ran before is left running as it is.
"""

from engine.canonical_json import loads_or_none
from engine.events import Event, Subject
from machines.replicas.indexing import index_replica, unindex_replica
from machines.replicas.levels import ReplicaLevel
from machines.replicas.specs import parse_replica
from machines.replicas.states import Replica
from machines.states import State

CLUSTER_FIELD = "spec.clusterName"


def begin(state: State, event: Event, subject: Subject, level: ReplicaLevel) -> None:
    """A ModelReplica is seen for the first time."""
    parsed = parse_replica(loads_or_none(level.spec))
    replica = Replica(
        event.cluster,
        subject,
        level,
        parsed.spec,
        parsed.faults,
        since=event.at,
        moved_at=event.at,
        held=level.held,
        untouched=not level.held,
        cluster_name=_cluster_name(level),
    )
    state.replicas[subject.uid] = replica
    index_replica(state, replica)


def accept(state: State, replica: Replica, level: ReplicaLevel) -> None:
    """A ModelReplica is seen again: what may be followed of its spec is."""
    edited = level.spec != replica.level.spec
    if level.held and not replica.held and not replica.open:
        replica.untouched = False  # it is held, but not by what this log asked for
    replica.level, replica.held, replica.gone = level, level.held, False
    if not edited:
        return
    unindex_replica(state, replica)
    parsed = parse_replica(loads_or_none(level.spec))
    replica.spec, replica.faults = parsed.spec, parsed.faults
    named = parsed.spec.cluster_name if parsed.spec else ""
    if not replica.cluster_name:
        replica.cluster_name = named
    moved = bool(named) and named != replica.cluster_name
    replica.spec_changed = (CLUSTER_FIELD,) if moved else ()
    index_replica(state, replica)


def _cluster_name(level: ReplicaLevel) -> str:
    """Give the cluster that a spec names, if it does, be it one that cannot be read otherwise."""
    raw = loads_or_none(level.spec)
    name = raw.get("clusterName") if isinstance(raw, dict) else None
    return name if isinstance(name, str) else ""
