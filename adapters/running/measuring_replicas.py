"""Measuring replicas: what ModelReplicas come to in figures, cluster by cluster."""

from collections import Counter
from collections.abc import Iterable

from adapters.http.metrics import Labels, Metric
from adapters.running.figures import counted, earliest
from engine.instants import SECOND
from machines.replicas.replicas import ReplicaState
from machines.replicas.states import Replica
from machines.replicas.wishes import APPLY
from machines.states import State

_CLUSTER = ("inferencecluster",)
_STATES = tuple(state.value for state in ReplicaState)
_OUTCOMES = ("applied", "open", "refused")


def replica_metrics(state: State) -> list[Metric]:
    """Give how engines come to serve, and what the clusters make of what they are composed of."""
    replicas = [replica for replica in state.replicas.values() if not replica.gone]
    stands = [(one.cluster_name, one.state.value) for one in replicas]
    waiting = [
        (one.cluster_name, one.moved_at or one.since)
        for one in replicas
        if one.state is not ReplicaState.SERVING
    ]
    return [
        Metric(
            "warmlog_replicas", "ModelReplicas", counted(stands, _STATES),
            (*_CLUSTER, "state"),
        ),
        Metric(
            "warmlog_replica_waiting_timestamp_seconds",
            "since when the ModelReplica waits that has not served for longest, in seconds since "
            "1970",
            earliest(waiting), _CLUSTER,
        ),
        Metric(
            "warmlog_replica_start_seconds",
            "seconds from when the newest ModelReplica that serves was first seen until it served",
            _start_seconds(replicas), _CLUSTER,
        ),
        Metric(
            "warmlog_replica_objects",
            "objects of ModelReplicas by what became of their last apply",
            _objects(replicas), (*_CLUSTER, "outcome"),
        ),
    ]  # fmt: skip


def _start_seconds(replicas: list[Replica]) -> dict[Labels, float]:
    serving = [one for one in replicas if one.state is ReplicaState.SERVING]
    serving.sort(key=lambda one: one.since)
    return {(one.cluster_name,): (one.moved_at - one.since) / SECOND for one in serving}


def _objects(replicas: list[Replica]) -> dict[Labels, float]:
    counted: Counter[Labels] = Counter()
    for one in replicas:
        found = len(one.owned), _applies(one.open), _applies(one.refusals)
        for outcome, count in zip(_OUTCOMES, found, strict=True):
            counted[one.cluster_name, outcome] += count
    return dict(counted)


def _applies(changes: Iterable[str]) -> int:
    return sum(what.startswith(f"{APPLY} ") for what in changes)
