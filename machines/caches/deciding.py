"""Deciding: what is to be created, changed or deleted for a cache, and with which body.

A wish becomes an intent unless one of its name is open in its entry, was just answered and is not
seen yet, or was refused and waits.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from machines import labels
from machines.caches import hydration_bodies as bodies
from machines.caches.changes import ChangeKind
from machines.caches.finding import CLAIM, JOB, NAMESPACE, namespace_of
from machines.caches.indexing import entries_on
from machines.caches.reaching import log_cluster
from machines.caches.selecting import storage_class
from machines.caches.states import Cache, Entry
from machines.caches.timing import is_waiting
from machines.caches.tokens import token_of
from machines.caches.wishes import Wish, wish_of
from machines.caches.wishing import wishes
from machines.intents import CacheIntent, Change, Create, Delete, ObjectIntent
from machines.job_bodies import body_digest
from machines.states import SECRET, State


class Decided(NamedTuple):
    """An intent, and the cluster in which it is to be carried out (its name in the log)."""

    cluster: str
    intent: ObjectIntent


def cache_intents(state: State, cache: Cache) -> Iterator[Decided]:
    """Give what a cache calls for now, in a fixed order; nothing while its facts are unknown.

    Of its entries only those count that were settled since: the others call for nothing new.
    """
    begun: set[tuple[str, str]] = set()
    for wish in wishes(state, cache, sorted(cache.settled) if cache.settled else None):
        if (wish.entry, wish.what) in begun or not _is_free(cache, wish):
            continue
        intent = _intent(state, cache, wish)
        if intent is not None:
            begun.add((wish.entry, wish.what))
            yield Decided(wish.cluster, intent)


def cache_body(state: State, cluster: str, intent: CacheIntent) -> dict[str, Any] | None:
    """Rebuild what an open intent writes; None for a delete, and when it cannot be rebuilt."""
    cache = state.caches.get(intent.owner_uid)
    if cache is None or isinstance(intent, Delete):
        return None
    found = entries_on(state, cache, cluster)
    name = found[0].cluster if found and intent.kind != cache.subject.kind else ""
    return _body(state, cache, wish_of(cluster, name, intent))


def cache_still_wants(state: State, cluster: str, intent: CacheIntent) -> bool:
    """Say whether an open intent is wanted at the moment at which it would be sent."""
    cache = state.caches.get(intent.owner_uid)
    if cache is None:
        return False
    wanted = wish_of(cluster, "", intent)
    return any(wish._replace(entry="") == wanted for wish in wishes(state, cache))


def _is_free(cache: Cache, wish: Wish) -> bool:
    entry = cache.entries.get(wish.entry)
    is_open = wish.what in (entry.open if entry else cache.open)
    return not (
        is_open
        or is_waiting(cache, entry, "made", wish.what)
        or is_waiting(cache, entry, "retry", wish.what)
    )


def _intent(state: State, cache: Cache, wish: Wish) -> CacheIntent | None:
    place = cache.subject.uid, wish.kind, wish.namespace, wish.name
    if wish.uid and wish.change is None:
        return Delete(*place, wish.uid)
    body = _body(state, cache, wish)
    if body is None:
        return None
    if wish.change is None:
        return Create(*place, body_digest(body))
    return Change(*place, wish.uid, wish.change.value, body_digest(body))


def _body(state: State, cache: Cache, wish: Wish) -> dict[str, Any] | None:
    if wish.change in (ChangeKind.HOLD, ChangeKind.RELEASE):
        return {"finalizer": labels.CACHE_IN_USE}
    entry = cache.entries.get(wish.entry)
    if entry is None or cache.spec is None:
        return None
    if wish.change is not None:
        return _CHANGES[wish.change](state, cache, entry, wish)
    return _CREATES[wish.kind](state, cache, entry)


def _names(state: State, cache: Cache) -> bodies.CacheNames:
    subject = cache.subject
    namespace = namespace_of(state, cache)
    return bodies.CacheNames(subject.namespace, subject.name, subject.uid, namespace)


def _namespace(state: State, cache: Cache, entry: Entry) -> dict[str, Any] | None:
    return bodies.namespace(namespace_of(state, cache))


def _claim(state: State, cache: Cache, entry: Entry) -> dict[str, Any] | None:
    served = state.served.get(entry.cluster)
    cluster = state.clusters.get(log_cluster(served)) if served else None
    if served is None or cluster is None or cache.spec is None:
        return None
    return bodies.claim(_names(state, cache), cache.spec, storage_class(served, cluster))


def _secret(state: State, cache: Cache, entry: Entry) -> dict[str, Any] | None:
    return {**bodies.token_secret(_names(state, cache)), "token": _token(state, cache)}


def _job(state: State, cache: Cache, entry: Entry) -> dict[str, Any] | None:
    if cache.spec is None:
        return None
    settings = state.caching.hydration
    return bodies.hydration_job(_names(state, cache), cache.spec, entry.claim_uid, settings)


def _token(state: State, cache: Cache) -> dict[str, str]:
    """Say which value is meant, by its place and digest; the edge fills it in."""
    spec = cache.spec
    return {
        "namespace": cache.subject.namespace,
        "name": spec.secret_name if spec else "",
        "key": spec.secret_key if spec else "",
        "digest": token_of(state, cache).digest,
    }


def _own(state: State, cache: Cache, entry: Entry, wish: Wish) -> dict[str, Any]:
    names = _names(state, cache)
    return {"labels": bodies.cache_labels(names), "annotations": bodies.owner_annotations(names)}


def _latch(state: State, cache: Cache, entry: Entry, wish: Wish) -> dict[str, Any]:
    return {"annotations": {labels.HYDRATED: f"{wish.uid}/{cache.fingerprint}"}}


def _grow(state: State, cache: Cache, entry: Entry, wish: Wish) -> dict[str, Any]:
    return {"storage": f"{cache.spec.size_gib if cache.spec else 0}Gi"}


def _heal(state: State, cache: Cache, entry: Entry, wish: Wish) -> dict[str, Any]:
    return {"selectedNode": entry.chosen.node_name}


def _rotate(state: State, cache: Cache, entry: Entry, wish: Wish) -> dict[str, Any]:
    return {"token": _token(state, cache)}


_CREATES: dict[str, Callable[[State, Cache, Entry], dict[str, Any] | None]] = {
    NAMESPACE: _namespace,
    CLAIM: _claim,
    SECRET: _secret,
    JOB: _job,
}
_CHANGES: dict[ChangeKind, Callable[[State, Cache, Entry, Wish], dict[str, Any]]] = {
    ChangeKind.OWN: _own,
    ChangeKind.LATCH: _latch,
    ChangeKind.GROW: _grow,
    ChangeKind.HEAL: _heal,
    ChangeKind.ROTATE: _rotate,
}
