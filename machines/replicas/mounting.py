"""Mounting: which mount each engine is to have now, or that it has to wait for one.

M, what the cache publishes on the replica's cluster, comes first; then K, what the engine was
composed with; and an engine of a replica that nothing was ever composed of waits. A cache is either
there, or known not to be, or not known: then nothing is decided.
"""

from typing import NamedTuple

from engine.canonical_json import dumps
from machines.caches.entries import EntryState
from machines.caches.finding import CLAIM, names_of
from machines.caches.mounts import mount
from machines.caches.selecting import is_leaving
from machines.caches.states import Cache, Entry
from machines.caches.statuses import published_message
from machines.replicas.kinds import CACHE
from machines.replicas.states import Replica
from machines.states import State

NO_MOUNT = ""  # as text


class Offer(NamedTuple):
    """What the cache that a replica refers to offers on its cluster."""

    mount: str = NO_MOUNT  # canonical JSON text; "" while there is none
    words: str = ""  # why there is none
    known: bool = True  # false while it is not known what there is


def offer_of(state: State, replica: Replica) -> Offer | None:
    """Give what the replica's cache offers; None when it refers to none."""
    spec = replica.spec
    if spec is None or not spec.cache_name:
        return None
    name = f"ModelCache {spec.cache_name}"
    cache = cache_of(state, replica)
    if cache is None:
        return Offer(words=f"{name} not found in namespace {replica.subject.namespace}")
    if not cache.enrolled:
        return Offer(words=f"{name} was not looked at yet", known=False)
    entry = cache.entries.get(replica.cluster_name)
    if is_leaving(cache):
        said = published_message(state, cache, entry) if entry is not None else ""
        return Offer(words=said or f"{name} is being deleted")
    if entry is None or not entry.selected:
        return Offer(words=f"{name} does not stage to cluster {replica.cluster_name}")
    return _offer_of_entry(state, cache, entry)


def _offer_of_entry(state: State, cache: Cache, entry: Entry) -> Offer:
    if entry.state is EntryState.READY:
        return Offer(dumps(mount(names_of(cache)[CLAIM])))
    return Offer(words=published_message(state, cache, entry))


def cache_of(state: State, replica: Replica) -> Cache | None:
    """Give the ModelCache that a replica refers to; None when there is none of that name."""
    home = state.clusters.get(replica.cluster)
    if replica.spec is None or home is None:
        return None
    known = home.find(CACHE, replica.subject.namespace, replica.spec.cache_name)
    cache = state.caches.get(known.subject.uid) if known else None
    return None if cache is None or cache.gone else cache


def effective_mount(replica: Replica, engine: str, offer: Offer | None) -> str | None:
    """Give the mount that an engine is to have now; None when it has to wait for one."""
    if offer is None:
        return NO_MOUNT
    if offer.mount:
        return offer.mount
    before = replica.engines.get(engine)
    if before is not None and before.running:
        return before.kept
    return replica.kept if replica.composed else None
