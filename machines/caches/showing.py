"""Showing: when what is published of a cache or cluster has changed, and by which event.

A status carries as `position` the seq of the event that last changed it, and a replay has to give
the very bytes that the server holds. So all that these bytes are made of is compared: a face.
"""

from collections.abc import Collection

from engine.canonical_json import dumps
from engine.events import Event, Subject
from machines.caches.conditions import condition_rows
from machines.caches.messages import Messages
from machines.caches.reaching import REMOTE, names_of_cluster, reached_by
from machines.caches.states import Cache, ServedCluster
from machines.caches.statuses import cluster_row, entry_face, message_room, whole_face
from machines.caches.twins import KUBE_SYSTEM
from machines.condition_rows import turned
from machines.states import SECRET, State

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


def show_cache(state: State, cache: Cache, names: Collection[str], event: Event) -> None:
    """Note since when conditions hold, and the position of a status that is another than before.

    Of its entries those of these names are shown anew, and all when messages have another room.
    """
    if not cache.enrolled:
        return  # it has no entries yet, while its status may publish mounts
    said = Messages(state, cache)
    rows = condition_rows(state, cache, said)
    cache.condition_times = turned(rows, cache.condition_times, event.at)
    room = message_room(cache)
    changed = False
    for entry in cache.entries_on(names if room == cache.room else cache.entries):
        face = entry_face(entry, room, said)
        changed |= face != entry.face
        entry.face = face
    cache.room = room
    whole = (*cache.entries, *whole_face(cache, rows))
    if changed or whole != cache.face:
        cache.face, cache.position = whole, event.seq


def show_clusters(state: State, event: Event) -> None:
    """Note since when each cluster is reached, or is not, and where its condition changed last."""
    if not state.served:
        return
    about = event.type in _ABOUT_CLUSTERS or event.subject.startswith(_KINDS)
    if not about:
        return
    for served in _concerned(state, event):
        row = cluster_row(state, served)
        face = dumps(list(row))
        if face == served.face:
            continue
        if not served.face.startswith(f'["{row[0]}"'):
            served.changed_at = event.at
        served.face, served.position = face, event.seq


def _concerned(state: State, event: Event) -> list[ServedCluster]:
    """Give the clusters that may be reached otherwise: all, if it is not of one of them alone."""
    alone = event.cluster.startswith(REMOTE) and f"/{KUBE_SYSTEM}/" not in event.subject
    if alone:
        return [state.served[name] for name in names_of_cluster(state, event.cluster)]
    kind, _, name, _ = Subject.parse(event.subject)
    if kind == SECRET:
        return reached_by(state, event.cluster, name)
    return list(state.served.values())
