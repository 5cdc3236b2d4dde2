"""Cutting off: what it means for replicas that the InferenceCluster they are pinned to is gone."""

from machines.replicas.indexing import cluster_key
from machines.states import State


def fold_replicas_cut_off(state: State, served: str, cluster: str) -> None:
    """Forget what was under way there, and what was there; what was composed stays composed."""
    for uid in state.replica_index.get(cluster_key(served), ()):
        replica = state.replicas[uid]
        replica.open = {what: seq for what, seq in replica.open.items() if seq in state.open}
        # What an apply without an answer has done, its workload tells, should it be seen again.
        replica.engines = {
            name: engine for name, engine in replica.engines.items() if engine.applying is None
        }
        replica.owned.clear()
    left = {
        uid: tuple(part for part in parts if part.cluster != cluster)
        for uid, parts in state.parts.items()
    }
    state.parts = {uid: parts for uid, parts in left.items() if parts}
