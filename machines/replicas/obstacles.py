"""Obstacles: what keeps a composed replica from serving, in words, object by object."""

from collections.abc import Iterator

from machines.caches.owning import Ownership
from machines.replicas.composing import find_part
from machines.replicas.levels import WorkloadLevel
from machines.replicas.moving import is_available, workloads_there
from machines.replicas.owning import owner_words, ownership
from machines.replicas.part_names import part_names
from machines.replicas.placing import place_of
from machines.replicas.states import Replica
from machines.states import Known, State


def refused_words(state: State, replica: Replica) -> list[str]:
    """Name each object that is refused, or that somebody else has, with the server's words."""
    return [*_taken(state, replica), *_refusals(replica)]


def _taken(state: State, replica: Replica) -> Iterator[str]:
    place = place_of(state, replica)
    names = part_names(replica.subject.name, replica.spec) if replica.spec and place else []
    for kind, name in names:
        known = find_part(place, kind, name) if place else None
        if known is not None and ownership(state, replica, known) is Ownership.OTHERS:
            yield f"{kind} {known.subject.namespace}/{name} belongs to {owner_words(known)}"


def _refusals(replica: Replica) -> Iterator[str]:
    for what, refusal in sorted(replica.refusals.items()):
        verb, kind, name = what.split(" ", 2)
        said = ": ".join(part for part in (refusal.reason, refusal.words) if part)
        yield f"to {verb.lower()} {kind} {name} was refused: {said}"


def workload_words(replica: Replica, known: Known | None) -> str:
    """Say why a workload is not available, as its Pods and its own conditions tell."""
    if known is None:
        return "it was not seen yet"
    level, heard = known.level, replica.heard.get(known.subject.uid)
    said = heard.said if heard is not None else None
    if said is not None and (said.reason or said.words):
        return ": ".join(part for part in said if part)
    if isinstance(level, WorkloadLevel) and (level.reason or level.message):
        return ": ".join(part for part in (level.reason, level.message) if part)
    return "it says nothing yet"


def starting_words(state: State, replica: Replica) -> list[str]:
    """Name each workload that is not available, and why."""
    place = place_of(state, replica)
    if place is None:
        return []
    return [
        f"engine {engine}: {workload_words(replica, known)}"
        for engine, known in workloads_there(state, replica, place).items()
        if known is None or not is_available(known)
    ]
