"""Folding facts about replicas, and about what they are composed of.

A fact only notes what it says and which replicas it may have moved; `settling` then brings those
to where their facts put them. So facts may come in any order, twice or together.
"""

from engine.events import Event, Subject
from machines.caches.states import Said
from machines.multimaps import put, take
from machines.naming import put_name, take_name
from machines.replicas.accepting import accept, begin
from machines.replicas.indexing import (
    namespace_of,
    object_key,
    reindex_replicas,
)
from machines.replicas.kinds import NAMESPACE, SERVICE
from machines.replicas.levels import PartLevel, ReplicaLevel, ServingLevel, WorkloadLevel
from machines.replicas.states import Heard, PartRef
from machines.replicas.stirring import stir_key, stir_replica
from machines.states import Known, State


def fold_serving_level(
    state: State, event: Event, subject: Subject, level: ServingLevel, old: Known | None
) -> None:
    """A replica, or an object that replicas are composed of, is at this level."""
    cluster = state.clusters[event.cluster]
    put_name(cluster, cluster.names, "/".join(subject[:3]), subject)
    if isinstance(level, ReplicaLevel):
        replica = state.replicas.get(subject.uid)
        if replica is None:
            begin(state, event, subject, level)
        else:
            accept(state, replica, level)
        _stir_namesakes(state, subject.uid)
        return
    if old is not None:
        _drop(state, event.cluster, old)
        stir_replica(state, _owner_uid(old))
    if level.owner.uid:
        part = PartRef(event.cluster, subject.kind, subject.uid)
        put(state.parts, level.owner.uid, part)
    _stir_about(state, subject, level.owner.uid)


def fold_serving_gone(state: State, event: Event, subject: Subject, known: Known | None) -> None:
    """A replica, or an object that replicas are composed of, is gone."""
    cluster = state.clusters[event.cluster]
    take_name(cluster, cluster.names, "/".join(subject[:3]), subject)
    replica = state.replicas.get(subject.uid)
    if replica is not None:
        replica.gone = True
        _stir_namesakes(state, subject.uid)
    elif known is not None:
        _drop(state, event.cluster, known)
        _stir_about(state, subject, _owner_uid(known))


def fold_namespace_of_replicas(state: State, name: str) -> None:
    """A namespace came, went, or is going."""
    stir_key(state, object_key(NAMESPACE, "", name))


def fold_replica_settings(state: State) -> None:
    """The controller started anew, perhaps with other settings."""
    reindex_replicas(state)
    for uid in state.replicas:
        stir_replica(state, uid)


def fold_engine_events(state: State, event: Event, subject: Subject, said: Said) -> None:
    """The Pods of a workload were read, and say this."""
    for uid in state.replica_index.get(object_key(*subject[:3]), ()):
        state.replicas[uid].heard[subject.uid] = Heard(said, event.at)
        stir_replica(state, uid)


def fold_replica_deadline(state: State, uid: str, due: int) -> None:
    """Instants that a replica waited for have come."""
    replica = state.replicas[uid]
    replica.waits = {key: at for key, at in replica.waits.items() if at > due}
    stir_replica(state, uid)


def fold_replica_contested(state: State, event: Event, uid: str, manager: str) -> None:
    """Somebody else keeps writing the replica's status, or does not any more."""
    replica = state.replicas[uid]
    replica.contested_by, replica.contested_at = manager, event.at
    stir_replica(state, uid)


def _stir_namesakes(state: State, uid: str) -> None:
    """A replica came or went: what it has, or had, may be another's of its name now, or not."""
    stir_replica(state, uid)
    replica = state.replicas[uid]
    stir_key(state, object_key(SERVICE, namespace_of(state, replica), replica.subject.name))


def _stir_about(state: State, subject: Subject, owner_uid: str) -> None:
    stir_key(state, object_key(*subject[:3]))
    stir_replica(state, owner_uid)


def _drop(state: State, cluster: str, known: Known) -> None:
    part = PartRef(cluster, known.subject.kind, known.subject.uid)
    take(state.parts, _owner_uid(known), part)


def _owner_uid(known: Known) -> str:
    level = known.level
    return level.owner.uid if isinstance(level, WorkloadLevel | PartLevel) else ""
