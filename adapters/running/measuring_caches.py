"""Measuring caches: what ModelCaches and their clusters come to in figures."""

from collections import Counter

from adapters.http.metrics import Labels, Metric
from adapters.running.figures import counted, earliest
from machines.caches.conditions import matched_entries
from machines.caches.entries import PUBLISHED_ENTRY_PHASES, EntryState
from machines.caches.states import Cache
from machines.caches.statuses import cluster_row
from machines.states import State

_CLUSTER = ("inferencecluster",)


def cache_metrics(state: State) -> list[Metric]:
    """Give how models are staged, cluster by cluster, and how the clusters are reached."""
    caches = [cache for cache in state.caches.values() if not cache.gone]
    entries = [entry for cache in caches for entry in matched_entries(cache)]
    stands = [(entry.cluster, entry.state.value) for entry in entries]
    waiting = [
        (entry.cluster, entry.moved_at) for entry in entries if entry.state is not EntryState.READY
    ]
    refused = Counter[Labels]()
    for entry in entries:
        refused[entry.cluster,] += len(entry.refusals)
    reached: dict[Labels, float] = {
        (name,): cluster_row(state, served)[0] == "True" for name, served in state.served.items()
    }
    return [
        Metric("warmlog_caches", "ModelCaches", _caches(caches), ("namespace", "ready")),
        Metric(
            "warmlog_cache_entries", "ModelCaches on a cluster that is selected",
            counted(stands, PUBLISHED_ENTRY_PHASES), (*_CLUSTER, "phase"),
        ),
        Metric(
            "warmlog_cache_waiting_timestamp_seconds",
            "since when the entry that waits longest is in its phase, in seconds since 1970",
            earliest(waiting), _CLUSTER,
        ),
        Metric(
            "warmlog_cache_refused_changes", "changes that the cluster's API server refuses",
            dict(refused), _CLUSTER,
        ),
        Metric("warmlog_cluster_reachable", "1 while a cluster is reached", reached, _CLUSTER),
    ]  # fmt: skip


def _caches(caches: list[Cache]) -> dict[Labels, float]:
    counted: dict[Labels, float] = {}
    for cache in caches:
        namespace, entries = cache.subject.namespace, matched_entries(cache)
        ready = bool(entries) and all(entry.state is EntryState.READY for entry in entries)
        for each in ("true", "false"):
            counted.setdefault((namespace, each), 0)
        counted[namespace, "true" if ready else "false"] += 1
    return counted
