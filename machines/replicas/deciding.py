"""Deciding: what is to be applied, created, changed or deleted for a replica, with which body."""

from collections.abc import Iterator
from typing import Any

from machines import labels
from machines.caches.deciding import Decided
from machines.caches.hydration_bodies import namespace
from machines.intents import Apply, Change, Create, Delete, ObjectIntent, object_uid
from machines.job_bodies import body_digest
from machines.replicas.composing import body_of, parts_of
from machines.replicas.kinds import WORKLOADS
from machines.replicas.mounting import offer_of
from machines.replicas.placing import place_of
from machines.replicas.states import Replica
from machines.replicas.timing import is_waiting
from machines.replicas.wishes import APPLY, CREATE, DELETE, Wish, what_of
from machines.replicas.wishing import wishes
from machines.states import State


def replica_intents(state: State, replica: Replica) -> Iterator[Decided]:
    """Give what a replica calls for now, in a fixed order; nothing while its facts are unknown."""
    begun: set[str] = set()  # of one name there may be two, while the end of one was not seen
    for wish in wishes(state, replica):
        if wish.what not in begun and _is_free(replica, wish):
            begun.add(wish.what)
            yield Decided(wish.cluster, _intent(replica, wish))


def replica_body(state: State, intent: ObjectIntent) -> dict[str, Any] | None:
    """Rebuild what an open intent writes; None for a delete, and when it cannot be rebuilt."""
    replica = state.replicas.get(intent.owner_uid)
    if replica is None or isinstance(intent, Delete):
        return None
    if isinstance(intent, Change):
        return {"finalizer": labels.REPLICA_WORKLOADS}
    if isinstance(intent, Create):
        return namespace(intent.name)
    place = place_of(state, replica)
    if place is None:
        return None
    parts, wanted = parts_of(replica, place, offer_of(state, replica)), (intent.kind, intent.name)
    part = next((one for one in parts if (one.kind, one.name) == wanted), None)
    return body_of(replica, place, part) if part is not None else None


def is_replica_body(intent: Apply, body: dict[str, Any] | None) -> bool:
    """Say whether the body of an apply is the one that was decided upon."""
    notes = body["metadata"]["annotations"] if body is not None else {}
    return bool(notes.get(labels.APPLIED) == intent.digest)


def replica_still_wants(state: State, cluster: str, intent: ObjectIntent) -> bool:
    """Say whether an open intent is wanted at the moment at which it would be sent."""
    replica = state.replicas.get(intent.owner_uid)
    wanted = (cluster, what_of(intent), object_uid(intent))
    return replica is not None and any(
        (wish.cluster, wish.what, wish.uid) == wanted for wish in wishes(state, replica)
    )


def _is_free(replica: Replica, wish: Wish) -> bool:
    waits = ("made", "retry", "repair") if wish.repairs else ("made", "retry")
    is_open = wish.what in replica.open or _is_overlapping(replica, wish)
    return not (is_open or any(is_waiting(replica, verb, wish.what) for verb in waits))


def _is_overlapping(replica: Replica, wish: Wish) -> bool:
    """Say whether the same engine is being applied as another kind of workload.

    One after the other: what an engine is given with an apply is noted until its answer.
    """
    others = (f"{APPLY} {kind} {wish.name}" for kind in WORKLOADS)
    workload = wish.verb == APPLY and wish.kind in WORKLOADS
    return workload and any(what in replica.open for what in others)


def _intent(replica: Replica, wish: Wish) -> ObjectIntent:
    place = replica.subject.uid, wish.kind, wish.namespace, wish.name
    if wish.verb == DELETE:
        return Delete(*place, wish.uid)
    if wish.verb == CREATE:
        return Create(*place, body_digest(namespace(wish.name)))
    if wish.verb == APPLY:
        return Apply(*place, wish.uid, wish.part.digest if wish.part else "")
    return Change(*place, wish.uid, wish.verb, body_digest({"finalizer": labels.REPLICA_WORKLOADS}))
