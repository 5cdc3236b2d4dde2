"""Drifting: whether an object still is what was applied last.

What an object bears of ours says which body was applied; the fields that our manager owned right
after that say whether somebody has taken one over since, by an edit.
"""

from machines.replicas.composing import Part, find_part, parts_of
from machines.replicas.levels import PartLevel, WorkloadLevel
from machines.replicas.mounting import offer_of
from machines.replicas.part_names import part_names
from machines.replicas.placing import Place, known_place
from machines.replicas.states import Owned, Replica
from machines.replicas.wishes import APPLY
from machines.states import Known, State


def is_as_applied(known: Known, part: Part) -> bool:
    """Say whether what was applied last is what is wanted now."""
    return applied_of(known) == part.digest


def was_applied(replica: Replica, known: Known, part: Part) -> bool:
    """Say whether what is wanted now was applied before: whoever edits it since is put right."""
    noted = replica.owned.get(known.subject.uid)
    return noted is not None and noted.applied == part.digest


def is_drifted(replica: Replica, known: Known) -> bool:
    """Say whether fields that were ours after our last apply are somebody else's now."""
    noted = replica.owned.get(known.subject.uid)
    ours = noted is not None and noted.applied == applied_of(known)
    return ours and noted is not None and noted.fields != fields_of(known)


def follow_owned(state: State, replica: Replica) -> None:
    """Note what we own of each object that bears what we applied.

    Not while an apply is under way, or was answered and what came of it was not seen: what is
    known then is of before.
    """
    place = known_place(state, replica)
    if place is None or replica.spec is None:
        return
    there = {}
    for kind, name in part_names(replica.subject.name, replica.spec):
        known, what = find_part(place, kind, name), f"{APPLY} {kind} {name}"
        if known is None:
            continue
        there[known.subject.uid] = True
        is_settled = what not in replica.open and what not in replica.made
        if is_settled and applied_of(known) and _is_news(state, replica, place, known):
            replica.owned[known.subject.uid] = Owned(applied_of(known), fields_of(known))
    replica.owned = {uid: noted for uid, noted in replica.owned.items() if uid in there}


def applied_of(known: Known) -> str:
    """Give the digest that an object bears of what was applied last."""
    level = known.level
    return level.applied if isinstance(level, WorkloadLevel | PartLevel) else ""


def fields_of(known: Known) -> str:
    """Give the digest of the fields that our manager owns."""
    level = known.level
    return level.fields if isinstance(level, WorkloadLevel | PartLevel) else ""


def _is_news(state: State, replica: Replica, place: Place, known: Known) -> bool:
    """Say whether nothing was noted yet, or it is of an apply before what is wanted now."""
    noted = replica.owned.get(known.subject.uid)
    if noted is None:
        return True
    if noted.applied == applied_of(known):
        return False
    parts = parts_of(replica, place, offer_of(state, replica))
    names = known.subject.kind, known.subject.name
    return any(names == (part.kind, part.name) and is_as_applied(known, part) for part in parts)
