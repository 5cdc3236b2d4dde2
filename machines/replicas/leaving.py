"""Leaving: what a replica has on its cluster, and when nothing of it is left there."""

from machines.caches.changes import ChangeKind
from machines.caches.owning import Ownership
from machines.kinds import REPLICA
from machines.labels import ABANDON
from machines.replicas.composing import find_part
from machines.replicas.owning import is_ours, marks_of, ownership
from machines.replicas.part_names import part_names
from machines.replicas.placing import Place, is_known_whole, place_of, served_of
from machines.replicas.states import Replica
from machines.states import Known, State

_RELEASE = f"{ChangeKind.RELEASE.value} {REPLICA} "  # as `what_of` it, before the name


def is_abandoned(replica: Replica) -> bool:
    """Say whether somebody asks to let go of everything without clearing it away."""
    return (ABANDON, "true") in replica.level.annotations


def is_leaving(replica: Replica) -> bool:
    """Say whether nothing of a replica is wanted any more."""
    return replica.gone or replica.level.deleting


def ours_there(state: State, replica: Replica, place: Place) -> list[Known]:
    """Give what is there of a replica: what bears its annotations, or its names and no other's.

    Of what bears no annotations only that is counted which was composed for it before. What a
    replica left that is gone itself is its namesake's, if there is one by now that wants it.
    """
    inherited = _inherited(state, replica) if replica.gone else set()
    found: dict[str, Known] = {}
    for part in state.parts.get(replica.subject.uid, ()):
        known = place.cluster.objects[part.kind].get(part.uid)
        ours = ownership(state, replica, known) is Ownership.OURS
        if part.cluster == place.name and known is not None and ours:
            found[part.uid] = known
    names = part_names(replica.subject.name, replica.spec) if replica.spec else ()
    for kind, name in names:
        known = find_part(place, kind, name)
        if known is None or not is_ours(state, replica, known):
            continue
        if replica.composed or any(marks_of(known)[0]):
            found.setdefault(known.subject.uid, known)
    return [
        one
        for one in found.values()
        if (one.subject.kind, one.subject.name) not in inherited
        and one.subject.kind not in place.cluster.unserved  # a kind that is gone took all along
    ]


def has_left(state: State, replica: Replica) -> bool:
    """Say whether a replica that is not wanted has nothing left on its cluster, as is known."""
    if any(what != _RELEASE + replica.subject.name for what in replica.open):
        return False
    if served_of(state, replica) is None:
        return True  # nothing can be done there any more
    place = place_of(state, replica)
    if place is None or not is_known_whole(place):
        return replica.untouched and not (replica.composed or replica.had)
    return not ours_there(state, replica, place)


def _inherited(state: State, replica: Replica) -> set[tuple[str, str]]:
    """Give what another ModelReplica of this name wants on the same cluster, and takes over."""
    place = replica.subject[:3], replica.cluster_name
    heirs = [
        one
        for one in state.replicas.values()
        if (one.subject[:3], one.cluster_name) == place and not is_leaving(one)
    ]
    return {part for one in heirs if one.spec for part in part_names(one.subject.name, one.spec)}
