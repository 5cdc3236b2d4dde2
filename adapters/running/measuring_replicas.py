"""Measuring replicas: what ModelReplicas come to in figures, cluster by cluster."""

from collections import Counter
from collections.abc import Iterable

from adapters.http.metrics import Labels, Metric
from engine.instants import SECOND
from machines.replicas.replicas import ReplicaState
from machines.replicas.states import Replica
from machines.replicas.wishes import APPLY
from machines.states import State

_CLUSTER = ("inferencecluster",)
_OUTCOMES = ("applied", "open", "refused")


def replica_metrics(state: State) -> list[Metric]:
    """Give how engines come to serve, and what the clusters make of what they are composed of."""
    replicas = [replica for replica in state.replicas.values() if not replica.gone]
    return [
        Metric("warmlog_replicas", "ModelReplicas", _states(replicas), (*_CLUSTER, "state")),
        Metric(
            "warmlog_replica_waiting_timestamp_seconds",
            "since when the ModelReplica waits that has not served for longest, in seconds since "
            "1970",
            _waiting(replicas), _CLUSTER,
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


def _states(replicas: list[Replica]) -> dict[Labels, float]:
    counted: dict[Labels, float] = {
        (one.cluster_name, state.value): 0 for one in replicas for state in ReplicaState
    }
    for one in replicas:
        counted[one.cluster_name, one.state.value] += 1
    return counted


def _waiting(replicas: list[Replica]) -> dict[Labels, float]:
    since: dict[Labels, float] = {}
    for one in replicas:
        if one.state is not ReplicaState.SERVING:
            key, moved = (one.cluster_name,), (one.moved_at or one.since) / SECOND
            since[key] = min(since.get(key, moved), moved)
    return since


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
