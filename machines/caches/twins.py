"""Twins: two InferenceClusters that are one cluster, of which one works for each cache.

It is the older one, unless a cache selects the other alone: then that is where it is wanted.
"""

from machines.caches.reaching import log_cluster
from machines.caches.states import Cache, ServedCluster
from machines.multimaps import put
from machines.states import State

KUBE_SYSTEM = "kube-system"  # its uid is the one by which a cluster is known


def working_twin(state: State, served: ServedCluster, cache: Cache | None = None) -> str:
    """Name the InferenceCluster that is the same cluster and works instead of this; "" for none."""
    names = state.twins.get(_identity(state, served), ()) if state.twins else ()
    if not names:
        return ""
    twins = [state.served[name] for name in names]
    works = min(
        twins, key=lambda one: (not _is_selected(cache, one), one.level.created, one.subject.uid)
    )
    return "" if works.subject.uid == served.subject.uid else works.subject.name


def index_twins(state: State) -> None:
    """Note anew which InferenceClusters are one cluster: one of them or its identity changed."""
    found: dict[str, tuple[str, ...]] = {}
    for name, served in state.served.items():
        mine = _identity(state, served)
        if mine:
            put(found, mine, name)
    state.twins = {mine: names for mine, names in found.items() if len(names) > 1}


def twins_of(state: State, name: str) -> tuple[str, ...]:
    """Give the InferenceClusters that are the same cluster as this one, itself included."""
    return next((names for names in state.twins.values() if name in names), ())


def _is_selected(cache: Cache | None, served: ServedCluster) -> bool:
    entry = cache.entries.get(served.subject.name) if cache else None
    return entry is not None and entry.selected


def _identity(state: State, served: ServedCluster) -> str:
    cluster = state.clusters.get(log_cluster(served))
    return cluster.namespace_uids.get(KUBE_SYSTEM, "") if cluster else ""
