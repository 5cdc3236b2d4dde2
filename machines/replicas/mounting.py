"""Mounting: which mount each engine is to have now, or that it has to wait for one.

M, what the cache publishes on the replica's cluster, comes first; then K, what the engine was
composed with; and an engine of a replica that nothing was ever composed of waits. A cache is either
there, or known not to be, or not known: then nothing is decided.
"""

from functools import lru_cache
from typing import NamedTuple

from engine.canonical_json import dumps
from machines.caches.entries import EntryState
from machines.caches.finding import CLAIM, names_of
from machines.caches.mounts import mount
from machines.caches.selecting import is_leaving
from machines.caches.states import Cache, Entry
from machines.caches.statuses import published_message
from machines.kinds import CACHE
from machines.replicas.states import Replica
from machines.states import State

NO_MOUNT = ""  # as text


class Offer(NamedTuple):
    """What the cache that a replica refers to offers on its cluster."""

    mount: str = NO_MOUNT  # canonical JSON text; "" while there is none
    words: str = ""  # why there is none, unless its entry there says so itself
    known: bool = True  # false while it is not known what there is
    staged: tuple[Cache, Entry] | None = None  # where there is none, and its entry says why


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
        staged = (cache, entry) if entry is not None else None
        return Offer(words=f"{name} is being deleted", staged=staged)
    if entry is None or not entry.selected:
        return Offer(words=f"{name} does not stage to cluster {replica.cluster_name}")
    if entry.state is EntryState.READY:
        return Offer(_mount_text(names_of(cache)[CLAIM]))
    return Offer(staged=(cache, entry))


def offer_words(state: State, offer: Offer) -> str:
    """Say why a cache offers no mount."""
    said = published_message(state, *offer.staged) if offer.staged is not None else ""
    return said or offer.words


@lru_cache(maxsize=4096)
def _mount_text(claim_name: str) -> str:
    return dumps(mount(claim_name))


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
