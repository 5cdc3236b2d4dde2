"""Missing: whether anything is known of why a cache's claim, Job or Pod would be gone now."""

from machines.caches.indexing import entry_of
from machines.caches.levels import ClaimLevel, HydrationJobLevel, HydrationPodLevel
from machines.states import Known, State


def is_unexpected(state: State, cluster: str, known: Known) -> bool:
    """Say whether an object of a cache is to be asked for before its absence is believed.

    A claim holds what was staged, and an unfinished Job or Pod may go on writing into it: without
    our label both work on, and are shown by no watch.
    """
    level = known.level
    if not isinstance(level, ClaimLevel | HydrationJobLevel | HydrationPodLevel) or level.deleting:
        return False
    if not isinstance(level, ClaimLevel) and level.ended:
        return False
    return entry_of(state, cluster, known.subject) is not None
