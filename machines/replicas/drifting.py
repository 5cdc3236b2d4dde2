"""Drifting: whether an object still is what was applied last.

What an object bears of ours says which body was applied; the fields that our manager owned right
after that say whether somebody has taken one over since, by an edit.
"""

from machines.replicas.composing import Part
from machines.replicas.levels import PartLevel, WorkloadLevel
from machines.replicas.states import Replica
from machines.states import Known


def is_as_applied(known: Known, part: Part) -> bool:
    """Say whether what was applied last is what is wanted now."""
    level = known.level
    return isinstance(level, WorkloadLevel | PartLevel) and level.applied == part.digest


def is_drifted(replica: Replica, known: Known) -> bool:
    """Say whether fields that were ours after our last apply are somebody else's now."""
    owned = replica.owned.get(known.subject.uid)
    return owned is not None and owned != fields_of(known)


def note_owned(replica: Replica, known: Known) -> None:
    """Note what our manager owns of an object, where nothing was noted since our apply."""
    replica.owned.setdefault(known.subject.uid, fields_of(known))


def fields_of(known: Known) -> str:
    """Give the digest of the fields that our manager owns."""
    level = known.level
    return level.fields if isinstance(level, WorkloadLevel | PartLevel) else ""
