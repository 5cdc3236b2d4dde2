"""Asking: which workloads' Pods are to be read, as no watch shows them. Reading needs no intent.

Those that are not available, and whose rollout is not at its end: why an engine's Pods do not run
is said by the Pods alone.
"""

from collections.abc import Iterator
from typing import NamedTuple

from engine.events import Subject
from machines.replicas.indexing import object_key
from machines.replicas.leaving import is_abandoned, is_leaving
from machines.replicas.moving import is_available, is_rolling, workloads_there
from machines.replicas.placing import known_place, place_of
from machines.replicas.states import Heard, Replica
from machines.states import Known, State


class EngineQuestion(NamedTuple):
    """Whose Pods to read, and since when the answer is waited for (UTC nanoseconds)."""

    cluster: str  # in the log
    subject: Subject  # of the workload
    replica: Subject
    since: int


def engine_questions(state: State) -> Iterator[EngineQuestion]:
    """Give the workloads whose Pods are to be read."""
    for uid in state.asking_replicas:
        replica = state.replicas[uid]
        place = place_of(state, replica)
        for known in _silent(state, replica):
            if place is not None:
                yield EngineQuestion(place.name, known.subject, replica.subject, known.at)


def engine_events(state: State, subject: Subject) -> Heard | None:
    """Give what was last read of a workload's Pods; None when nobody has to know."""
    for uid in state.replica_index.get(object_key(*subject[:3]), ()):
        replica = state.replicas[uid]
        if any(known.subject.uid == subject.uid for known in _silent(state, replica)):
            return replica.heard.get(subject.uid, Heard())
    return None


def follow_engine_questions(state: State, replica: Replica) -> None:
    """Note whether a replica has anything to ask; what was heard of what is available is over."""
    silent = {known.subject.uid for known in _silent(state, replica)}
    replica.heard = {uid: heard for uid, heard in replica.heard.items() if uid in silent}
    if silent:
        state.asking_replicas[replica.subject.uid] = True
    else:
        state.asking_replicas.pop(replica.subject.uid, None)


def _silent(state: State, replica: Replica) -> Iterator[Known]:
    place = known_place(state, replica)
    if place is None or is_abandoned(replica) or is_leaving(replica):
        return
    for known in workloads_there(state, replica, place).values():
        if known is not None and (not is_available(known) or is_rolling(known)):
            yield known
