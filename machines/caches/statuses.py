"""Statuses: what is published of a ModelCache, and of an InferenceCluster: its one condition.

Bounded in size whatever the clusters: every entry is there with its phase and its mount, which
engines need, and messages share what room is left.
"""

from typing import Any

from engine.instants import rfc3339
from machines.caches.conditions import cache_conditions, condition_rows, matched_entries
from machines.caches.entries import EntryState
from machines.caches.finding import CLAIM, names_of
from machines.caches.messages import Messages, entry_message
from machines.caches.mounts import mount
from machines.caches.obstacles import unread_kinds
from machines.caches.reaching import log_cluster, way_in
from machines.caches.states import Cache, Entry, ServedCluster
from machines.caches.twins import working_twin
from machines.condition_rows import Row, faces
from machines.messages import MESSAGE_LENGTH, cut
from machines.origins import origin
from machines.showing import cut_to_bytes
from machines.states import State
from machines.statuses import COMMON_PATHS

# Every field that the projection can write: what a served CRD has to keep.
CACHE_STATUS_PATHS = (
    "observedGeneration",
    "summary.ready",
    *(f"clusters[].{name}" for name in ("name", "phase", "message", "retained")),
    "clusters[].mount.volumes[].name",
    "clusters[].mount.volumes[].persistentVolumeClaim.claimName",
    *(f"clusters[].mount.volumeMounts[].{name}" for name in ("name", "mountPath")),
    *(f"clusters[].mount.env[].{name}" for name in ("name", "value")),
    *COMMON_PATHS,
)
CLUSTER_STATUS_PATHS = tuple(
    f"conditions[].{name}" for name in ("type", "status", "reason", "message", "lastTransitionTime")
)

REACHABLE = "Reachable"  # the one condition of an InferenceCluster that is ours

_STATUS_BYTES = 1024 * 1024  # the server takes 1.5 MiB
_WHOLE_BYTES = 32 * 1024  # everything but the entries
_ENTRY_BYTES = 760  # an entry without its message: its name at its longest, its mount
_LEAST_BYTES = 64  # of a message, however many entries there are
_MESSAGE_BYTES = 4 * MESSAGE_LENGTH  # no message has more, so that no more room matters


def cache_status(state: State, cache: Cache) -> dict[str, Any]:
    """Give the whole `.status` of one ModelCache."""
    room, said = message_room(cache), Messages(state, cache)
    return {
        **whole_status(state, cache, condition_rows(state, cache, said)),
        "clusters": [
            entry_status(cache, entry, room, said) for _, entry in sorted(cache.entries.items())
        ],
        **origin(cache.subject.uid, state.log_id, cache.position),
    }


def whole_status(state: State, cache: Cache, rows: list[Row]) -> dict[str, Any]:
    """Give what of a status is about the cache as a whole; `rows` are its conditions."""
    return {
        "observedGeneration": cache.level.generation,
        "conditions": cache_conditions(state, cache, rows),
        "summary": {"ready": _summary(cache)},
    }


def whole_face(cache: Cache, rows: list[Row]) -> tuple[object, ...]:
    """Give what decides the bytes of `whole_status`."""
    return cache.level.generation, _summary(cache), *faces(rows)


def _summary(cache: Cache) -> str:
    matched = matched_entries(cache)
    return f"{sum(entry.state is EntryState.READY for entry in matched)}/{len(matched)}"


def message_room(cache: Cache) -> int:
    """Give how many bytes the message of an entry may have."""
    room = (_STATUS_BYTES - _WHOLE_BYTES) // max(1, len(cache.entries)) - _ENTRY_BYTES
    return min(max(room, _LEAST_BYTES), _MESSAGE_BYTES)


def cluster_status(state: State, served: ServedCluster) -> dict[str, Any]:
    """Give what of an InferenceCluster's `.status` is ours: one condition; the rest is others'."""
    return {"conditions": [cluster_condition(state, served)]}


def cluster_condition(state: State, served: ServedCluster) -> dict[str, Any]:
    """Give whether a cluster is reached, and the client's words when it is not."""
    status, reason, message = cluster_row(state, served)
    return {
        "type": REACHABLE,
        "status": status,
        "reason": reason,
        "message": cut(message),
        "lastTransitionTime": rfc3339(served.changed_at),
    }


def cluster_row(state: State, served: ServedCluster) -> tuple[str, str, str]:
    """Give status, reason and message of the condition Reachable."""
    trouble = way_in(state, served).trouble
    if trouble:
        return "False", "AccessMissing", trouble
    cluster = state.clusters.get(log_cluster(served))
    if cluster is not None and not cluster.reachable:
        return "False", "Unreachable", cluster.words or "it does not answer"
    kinds, words = unread_kinds(cluster) if cluster is not None else ("", "")
    if kinds:
        return "False", "AccessDenied", f"{kinds} cannot be read: {words}"
    if cluster is None or not cluster.listed:
        return "Unknown", "NotContacted", "it was not read yet"
    twin = working_twin(state, served)
    same = f"it is the same cluster as InferenceCluster {twin}, which models are staged to"
    return "True", REACHABLE, same if twin else ""


def published_message(state: State, cache: Cache, entry: Entry) -> str:
    """Give the message of an entry as its status has it, cut to the room that there is."""
    return cut_to_bytes(entry_message(state, cache, entry), message_room(cache))


def entry_face(entry: Entry, room: int, said: Messages) -> tuple[object, ...]:
    """Give what decides the bytes of `entry_status`, beside names that stay."""
    return entry.state.value, entry.selected, cut_to_bytes(said.of(entry), room)


def entry_status(cache: Cache, entry: Entry, room: int, said: Messages) -> dict[str, Any]:
    """Give what is published of one entry."""
    shown: dict[str, Any] = {"name": entry.cluster, "phase": entry.state.value}
    message = cut_to_bytes(said.of(entry), room)
    if message:
        shown["message"] = message
    if entry.state is EntryState.READY:
        shown["mount"] = mount(names_of(cache)[CLAIM])
    if not entry.selected:
        shown["retained"] = True
    return shown
