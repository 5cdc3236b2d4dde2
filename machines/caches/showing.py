"""Showing: when what is published of a cache or cluster has changed, and by which event.

A status carries as `position` the seq of the event that last changed it, and a replay has to give
the very bytes that the server holds. So the status itself is compared, by its digest.
"""

from hashlib import sha256

from engine.canonical_json import dumps
from engine.events import Event
from machines.caches.conditions import condition_rows, turned
from machines.caches.states import Cache
from machines.caches.statuses import cache_status, cluster_row
from machines.states import State

# Rows about a whole cluster, and kinds of objects, that may change how a cluster is reached.
_ABOUT_CLUSTERS = frozenset(
    {
        "SessionStarted",
        "Synced",
        "Reachable",
        "Unreachable",
        "ClusterRolledBack",
        "Unread",
    }
)
_KINDS = ("InferenceCluster", "Secret", "Namespace")


def show_cache(state: State, cache: Cache, event: Event) -> None:
    """Note since when conditions hold, and the position of a status that is another than before."""
    if not cache.enrolled:
        return  # it has no entries yet, while its status may publish mounts
    rows = condition_rows(state, cache)
    cache.condition_times = turned(rows, cache.condition_times, event.at)
    status = cache_status(state, cache, rows)
    del status["warmlog"]
    face = sha256(dumps(status).encode()).hexdigest()[:16]
    if face != cache.face:
        cache.face, cache.position = face, event.seq


def show_clusters(state: State, event: Event) -> None:
    """Note since when each cluster is reached, or is not, and where its condition changed last."""
    about = event.subject.startswith(_KINDS) or event.type in _ABOUT_CLUSTERS
    if not about:
        return
    for served in state.served.values():
        row = cluster_row(state, served)
        face = dumps(list(row))
        if face == served.face:
            continue
        if not served.face.startswith(f'["{row[0]}"'):
            served.changed_at = event.at
        served.face, served.position = face, event.seq
