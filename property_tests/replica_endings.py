"""Endings: after any story the faults stop, and a willing world does what is asked of it."""

from collections.abc import Iterator

from machines.caches.asking import release_questions
from machines.caches.owning import Ownership
from machines.observations import ClaimUsersRead, Deleted, Observation
from machines.replicas.composing import find_part
from machines.replicas.holding import hold_of
from machines.replicas.leaving import is_abandoned, is_leaving
from machines.replicas.owning import ownership
from machines.replicas.part_names import part_names
from machines.replicas.placing import place_of, served_of
from machines.replicas.replicas import ReplicaState
from machines.replicas.states import Replica
from machines.states import SERVING_KINDS, State
from property_tests import cache_actions as cached
from property_tests import replica_actions as act
from property_tests.cache_chaos import place
from property_tests.replica_chaos import ReplicaChaos

ROUNDS = 12


def come_to_rest(chaos: ReplicaChaos) -> None:
    """Let every cluster answer, everything be listed, and all that is asked for be done."""
    for index in range(-1, 2):
        chaos.take(cached.Reaches(index, reachable=True))
    for index in range(2):
        chaos.take(cached.PlaceIs(index, system=False, terminating=False))
        chaos.take(cached.ClassIs(index))
    chaos.take(cached.Restart(listed=True))
    for _ in range(ROUNDS):
        chaos.take(act.EverythingListed())
        for index in range(2):
            chaos.tell(list(_gone(chaos, place(index))))
        chaos.tell([
            ClaimUsersRead(one.cluster, one.subject, ()) for one in release_questions(chaos.state)
        ])  # fmt: skip
        chaos.take(act.AllDone(3))
        chaos.take(cached.TimePasses(61))


def unfinished(state: State) -> Iterator[str]:
    """Say which replicas did not get where they were to get."""
    for seq, one in state.open.items():
        if one.owner.kind == "ModelReplica":
            yield f"{seq} {one.intent} is still open"
    for replica in state.replicas.values():
        if is_leaving(replica):
            released = replica.level.deleting and not replica.level.held
            if not is_abandoned(replica) and not released:
                yield f"{replica.subject} is still there"
        elif not (_is_well(state, replica) or is_abandoned(replica)):
            yield f"{replica.subject} is {replica.state} and wants {replica.todo}"


def _is_well(state: State, replica: Replica) -> bool:
    if hold_of(state, replica) is not None or served_of(state, replica) is None:
        return True
    if replica.spec is None or _is_taken(state, replica):
        return True
    return replica.state is ReplicaState.SERVING and not replica.todo


def _is_taken(state: State, replica: Replica) -> bool:
    place_ = place_of(state, replica)
    names = part_names(replica.subject.name, replica.spec) if replica.spec else []
    return place_ is not None and any(
        ownership(state, replica, find_part(place_, kind, name)) is Ownership.OTHERS
        for kind, name in names
    )


def _gone(chaos: ReplicaChaos, cluster: str) -> Iterator[Observation]:
    for kind in SERVING_KINDS:
        for known in chaos.known(cluster, kind):
            if getattr(known.level, "deleting", False):
                yield Deleted(cluster, known.subject, chaos.version())
