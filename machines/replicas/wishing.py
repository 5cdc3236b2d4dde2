"""Wishing: everything that a replica wants done now, in a fixed order, while enough is known.

The finalizer comes before anything is composed; the namespace before what is in it; the templates
of an engine's devices before its workload, since a Pod without its template never starts.
"""

from collections.abc import Iterator

from machines.caches.changes import ChangeKind
from machines.caches.owning import Ownership
from machines.replicas.composing import Part, find_part, parts_of
from machines.replicas.drifting import is_as_applied, is_drifted, was_applied
from machines.replicas.holding import NO_CACHE, hold_of, is_half_composed
from machines.replicas.kinds import CLAIM_TEMPLATE, NAMESPACE, WORKLOADS
from machines.replicas.leaving import has_left, is_abandoned, is_leaving, ours_there
from machines.replicas.mounting import offer_of
from machines.replicas.owning import ownership
from machines.replicas.placing import (
    Place,
    home_is_known,
    known_place,
    place_of,
    unlisted_kinds,
)
from machines.replicas.states import Replica
from machines.replicas.wishes import APPLY, CREATE, DELETE, Wish
from machines.states import Known, State


def wishes(state: State, replica: Replica) -> Iterator[Wish]:
    """Give what a replica wants done, asked for already or not."""
    if not home_is_known(state, replica):
        return
    held = replica.level.held and not replica.gone
    if is_abandoned(replica):
        if held:
            yield _own(replica, ChangeKind.RELEASE)
    elif is_leaving(replica):
        yield from _leaving(state, replica)
        if held and has_left(state, replica):
            yield _own(replica, ChangeKind.RELEASE)
    elif replica.spec is not None and not held:
        yield _own(replica, ChangeKind.HOLD)
    else:
        yield from _staying(state, replica)


def _staying(state: State, replica: Replica) -> Iterator[Wish]:
    place = known_place(state, replica)
    if place is None:
        return
    hold = hold_of(state, replica)
    if hold is None:
        yield from _composing(state, replica, place)
    elif hold.reason == NO_CACHE and is_half_composed(state, replica):
        for wish in _leaving(state, replica):
            if wish.kind not in WORKLOADS:  # what runs is never taken away for a cache
                yield wish


def _composing(state: State, replica: Replica, place: Place) -> Iterator[Wish]:
    if place.namespace not in place.cluster.namespace_uids:
        yield Wish(place.name, CREATE, NAMESPACE, "", place.namespace)
        return
    parts = parts_of(replica, place, offer_of(state, replica))
    for part in parts:
        wish = _wish(state, replica, place, part, parts)
        if wish is not None:
            yield wish
    wanted = {(part.kind, part.name) for part in parts}
    if parts:
        for known in ours_there(state, replica, place):
            if (known.subject.kind, known.subject.name) not in wanted:
                yield _delete(place, known)


def _wish(
    state: State, replica: Replica, place: Place, part: Part, parts: list[Part]
) -> Wish | None:
    known = find_part(place, part.kind, part.name)
    whose = ownership(state, replica, known)
    if whose is Ownership.OTHERS or _is_going(known):
        return None
    if part.kind in WORKLOADS and not _has_templates(state, replica, place, part, parts):
        return None
    if known is None:
        return Wish(place.name, APPLY, part.kind, place.namespace, part.name, part=part)
    if part.kind == CLAIM_TEMPLATE and _is_unchangeable(replica, part):
        return _delete(place, known)
    if is_as_applied(known, part) and not is_drifted(replica, known):
        return None
    uid, repairs = known.subject.uid, was_applied(replica, known, part)
    return Wish(place.name, APPLY, part.kind, place.namespace, part.name, uid, part, repairs)


def _has_templates(
    state: State, replica: Replica, place: Place, workload: Part, parts: list[Part]
) -> bool:
    """Say whether the templates of an engine's devices are there as they are to be."""
    for part in parts:
        if part.kind != CLAIM_TEMPLATE or part.engine != workload.engine:
            continue
        known = find_part(place, part.kind, part.name)
        ours = ownership(state, replica, known) is Ownership.OURS
        if known is None or not ours or not is_as_applied(known, part):
            return False
    return True


def _is_unchangeable(replica: Replica, part: Part) -> bool:
    """Say whether the server would not have the template changed: it is made anew then.

    One that is invalid by itself takes nothing away from those that use the old one.
    """
    refusal = replica.refusals.get(f"{APPLY} {part.kind} {part.name}")
    return refusal is not None and refusal.reason == "Invalid" and "immutable" in refusal.words


def _leaving(state: State, replica: Replica) -> Iterator[Wish]:
    place = place_of(state, replica)
    if place is None or not place.cluster.reachable:
        return
    for known in ours_there(state, replica, place):
        if not _is_going(known) and not unlisted_kinds(place, (known.subject.kind,)):
            yield _delete(place, known)


def _is_going(known: Known | None) -> bool:
    return known is not None and bool(getattr(known.level, "deleting", False))


def _delete(place: Place, known: Known) -> Wish:
    kind, namespace, name, uid = known.subject
    return Wish(place.name, DELETE, kind, namespace, name, uid)


def _own(replica: Replica, change: ChangeKind) -> Wish:
    subject = replica.subject
    return Wish(
        replica.cluster, change.value, subject.kind, subject.namespace, subject.name, subject.uid
    )
