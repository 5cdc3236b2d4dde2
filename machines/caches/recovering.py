"""Recovering: what a cache's own status tells when the log lacks its history, or the end of it.

What was published stays published until the facts of its cluster are known in this log; then the
latch decides. A status of another uid proves nothing, and is not recorded.
"""

from typing import Any

from engine.events import Event
from machines.caches.entries import EntryState
from machines.caches.reaching import log_cluster
from machines.caches.selecting import is_known
from machines.caches.states import Cache, Entry
from machines.caches.stirring import stir
from machines.origins import is_later, is_of
from machines.states import State

_TOLD = frozenset({EntryState.READY, EntryState.HYDRATING, EntryState.FAILED})


def tells_of(cache_uid: str, status: Any) -> bool:
    """Say whether a status is warmlog's own, of this very object, and has entries."""
    return is_of(cache_uid, status) and bool(told_phases(status))


def tells_of_later(state: State, cache: Cache, status: Any) -> bool:
    """Say whether a status tells of a mount that was published after an older log ended.

    It is of another log, or of a later position than this log knows; and the facts of the mount's
    cluster do not tell yet.
    """
    if not tells_of(cache.subject.uid, status):
        return False
    phases = told_phases(status)
    return is_later(status, state.log_id, cache.position) and any(
        _is_news(state, cache, name, phase) for name, phase in phases.items()
    )


def told_phases(status: dict[str, Any]) -> dict[str, str]:
    """Give the phases worth keeping, by cluster; whatever has another shape is left out."""
    rows = status.get("clusters")
    return {
        row["name"]: row["phase"]
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict)
        and isinstance(row.get("name"), str)
        and isinstance(row.get("phase"), str)
        and row["phase"] in _TOLD
    }


def fold_cache_recovered(state: State, event: Event, cache: Cache, status: dict[str, Any]) -> None:
    """Keep what the status tells, for entries that no fact has moved yet."""
    cache.recovered = told_phases(status)
    for name, phase in cache.recovered.items():
        entry = cache.entries.get(name)
        if entry is not None and (_is_new(entry) or _is_news(state, cache, name, phase)):
            entry.state, entry.recovered, entry.had = EntryState(phase), True, True
    stir(state, cache.subject.uid)


def _is_new(entry: Entry) -> bool:
    """Say whether nothing was ever seen of an entry."""
    return entry.state is EntryState.PENDING and not entry.claim_uid


def _is_news(state: State, cache: Cache, name: str, phase: str) -> bool:
    """Say whether it is Ready as told, while nothing tells yet what its cluster holds."""
    entry, served = cache.entries.get(name), state.served.get(name)
    cluster = state.clusters.get(log_cluster(served)) if served else None
    if phase != EntryState.READY or is_known(cluster):
        return False
    if entry is None:
        return cache.recovered.get(name) != phase
    return entry.state is not EntryState.READY
