"""Projecting: which objects have a status, and what it is."""

from collections.abc import Iterator
from typing import Any

from engine.events import Event
from engine.stepping import Projection
from machines.caches.states import Cache
from machines.caches.statuses import cache_status, cluster_status
from machines.replicas.states import Replica
from machines.replicas.statuses import replica_status
from machines.states import State, Warmup
from machines.statuses import warmup_status

Owner = Warmup | Cache | Replica


def projections(state: State) -> Iterator[Projection]:
    """Give the status of every object that exists.

    Of an InferenceCluster it is our condition alone; the rest of its status is others'.
    """
    for owners in (state.warmups, state.caches, state.replicas):
        for owner in owners.values():
            if has_status(owner):
                yield Projection(owner.cluster, owner.subject, status_of(state, owner))
    for served in state.served.values():
        yield Projection(served.home, served.subject, cluster_status(state, served))


def changed_owners(state: State, event: Event) -> Iterator[Owner]:
    """Give the objects whose status is all ours, and was changed by the event folded last.

    They are looked for among the objects that were touched since the state was last at rest.
    """
    for uid, touched in state.dirty.items():
        owner = state.warmups.get(uid) or state.caches.get(uid) or state.replicas.get(uid)
        if owner is None or touched != event.seq or owner.position != event.seq:
            continue
        if has_status(owner):
            yield owner


def status_of(state: State, owner: Owner) -> dict[str, Any]:
    """Give the whole status of an object whose status is all ours."""
    if isinstance(owner, Warmup):
        return warmup_status(state, owner)
    return cache_status(state, owner) if isinstance(owner, Cache) else replica_status(state, owner)


def has_status(owner: Owner) -> bool:
    """Say whether an object exists and has a status of ours."""
    if isinstance(owner, Warmup):
        return not owner.gone
    return not owner.gone and (owner.enrolled if isinstance(owner, Cache) else owner.told)
