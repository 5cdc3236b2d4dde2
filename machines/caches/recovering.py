"""Recovering: what a cache's own status tells when the log has no history of it.

What was published stays published until the facts of its cluster are known in this log; then the
latch decides. A status of another uid proves nothing, and is not recorded.
"""

from typing import Any

from engine.events import Event
from machines.caches.entries import EntryState
from machines.caches.states import Cache
from machines.states import State

_TOLD = frozenset({EntryState.READY, EntryState.HYDRATING, EntryState.FAILED})


def tells_of(cache_uid: str, status: Any) -> bool:
    """Say whether a status is warmlog's own, of this very object, and has entries."""
    ours = status.get("warmlog") if isinstance(status, dict) else None
    mine = isinstance(ours, dict) and ours.get("uid") == cache_uid
    return mine and bool(told_phases(status))


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
        if entry is not None and entry.state is EntryState.PENDING and not entry.claim_uid:
            entry.state, entry.recovered, entry.had = EntryState(phase), True, True
    state.stirred[cache.subject.uid] = True
