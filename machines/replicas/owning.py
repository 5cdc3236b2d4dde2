"""Owning: whose an object on a cluster is that has a name of a replica's."""

from machines.caches.levels import Owner
from machines.caches.owning import Ownership, judged, named_owner
from machines.kinds import REPLICA
from machines.replicas.kinds import CLAIM_TEMPLATE
from machines.replicas.levels import PartLevel, WorkloadLevel
from machines.replicas.states import Replica
from machines.states import Known, State


def ownership(state: State, replica: Replica, known: Known | None) -> Ownership:
    """Say whose an object is that is known under a name of this replica.

    What bears no annotations of ours is taken over when its Pods, or what it selects, are labelled
    as this replica's; a ResourceClaimTemplate by its name alone, as Modelplane gave it no mark.
    """
    if known is None:
        return Ownership.ABSENT
    owner, serving = marks_of(known)
    mine = replica.subject
    unmarked = known.subject.kind == CLAIM_TEMPLATE
    marked = serving == mine.name or unmarked or known.subject.uid in replica.owned
    return judged(owner, mine, marked=marked, exists=_exists(state, owner.uid))


def is_ours(state: State, replica: Replica, known: Known | None) -> bool:
    """Say whether an object is there, and this very replica's or to be taken over by it."""
    return ownership(state, replica, known) in {Ownership.OURS, Ownership.OPEN}


def marks_of(known: Known) -> tuple[Owner, str]:
    """Give whose an object says it is, and the replica that its Pods' label names."""
    level = known.level
    if isinstance(level, WorkloadLevel | PartLevel):
        return level.owner, level.serving
    return Owner(), ""


def owner_words(known: Known) -> str:
    """Say whose another's object is, as its annotations and labels tell."""
    return named_owner(REPLICA, *marks_of(known))


def _exists(state: State, uid: str) -> bool:
    owner = state.replicas.get(uid)
    return owner is not None and not owner.gone
