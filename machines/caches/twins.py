"""Twins: two InferenceClusters that are one cluster, of which the older one works."""

from machines.caches.reaching import log_cluster
from machines.caches.states import ServedCluster
from machines.states import State

KUBE_SYSTEM = "kube-system"  # its uid is the one by which a cluster is known


def older_twin(state: State, served: ServedCluster) -> str:
    """Name the InferenceCluster that is the same cluster and works instead of this; "" for none."""
    mine = _identity(state, served)
    if not mine:
        return ""
    twins = [one for one in state.served.values() if _identity(state, one) == mine]
    oldest = min(twins, key=lambda one: (one.level.created, one.subject.uid))
    return "" if oldest.subject.uid == served.subject.uid else oldest.subject.name


def _identity(state: State, served: ServedCluster) -> str:
    cluster = state.clusters.get(log_cluster(served))
    return cluster.namespace_uids.get(KUBE_SYSTEM, "") if cluster else ""
