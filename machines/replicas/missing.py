"""Missing: whether anything is known of why a workload of a replica would be gone now."""

from machines.replicas.indexing import object_key
from machines.replicas.leaving import is_leaving
from machines.replicas.levels import WorkloadLevel
from machines.replicas.owning import is_ours
from machines.replicas.placing import place_of
from machines.states import Known, State


def is_unexpected_workload(state: State, cluster: str, known: Known) -> bool:
    """Say whether a workload is to be asked for before its absence is believed.

    Engines serve in it: one that only was not shown must not be composed a second time.
    """
    if not isinstance(known.level, WorkloadLevel) or known.level.deleting:
        return False
    for uid in state.replica_index.get(object_key(*known.subject[:3]), ()):
        replica = state.replicas[uid]
        place = place_of(state, replica)
        there = place is not None and place.name == cluster and is_ours(state, replica, known)
        if there and not is_leaving(replica):
            return True
    return False
