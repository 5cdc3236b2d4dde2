"""Faces: everything of a cache that its status may show, so that its position follows it."""

from typing import Any

from machines.caches.blocking import block_of
from machines.caches.finding import live_pods, site_of
from machines.caches.states import Cache, Entry
from machines.caches.tokens import token_of
from machines.states import State


def face(state: State, cache: Cache) -> list[Any]:
    """Give what may be shown, as plain JSON."""
    own = [
        cache.level.generation,
        cache.level.deleting,
        [str(fault) for fault in cache.faults],
        list(cache.spec_changed),
        cache.contested_by,
        list(token_of(state, cache)),
    ]
    return [*own, *(_entry(state, cache, entry) for entry in cache.entries.values())]


def _entry(state: State, cache: Cache, entry: Entry) -> list[Any]:
    site = site_of(state, cache, entry)
    pods = live_pods(site.cluster, entry.job_uid) if site else []
    return [
        entry.cluster,
        entry.state.value,
        entry.selected,
        entry.retained,
        list(entry.chosen),
        [str(part) for part in entry.failure],
        list(entry.claim_events),
        list(entry.job_events),
        [[what, refusal.words] for what, refusal in entry.refusals.items()],
        list(block_of(state, cache, entry, site)),
        list(entry.users or ()),
        [site.claim_level.phase, site.cluster.reachable, site.cluster.words] if site else [],
        [list(map(str, pod.level)) for pod in pods],
    ]
