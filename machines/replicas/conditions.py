"""Conditions of a ModelReplica.

Supported, ModelAccepted, ModelReady and Ready always; SpecChanged (a cluster that was named after
the replica was pinned to another), Terminating and Contested (True) only while they hold.
"""

from collections.abc import Iterator

from machines.caches.conditions import Row
from machines.messages import cut
from machines.replicas.holding import (
    INVALID,
    NO_CLUSTER,
    UNSUPPORTED,
    Hold,
    cache_words,
    hold_of,
)
from machines.replicas.leaving import is_leaving, ours_there
from machines.replicas.moving import workloads_there
from machines.replicas.obstacles import refused_words, starting_words
from machines.replicas.placing import no_way_words, place_of, silence_words
from machines.replicas.replicas import ReplicaState
from machines.replicas.states import Replica
from machines.states import State


def condition_rows(state: State, replica: Replica) -> list[Row]:
    """Give every condition as the state has it now."""
    hold = hold_of(state, replica)
    accepted = _accepted(state, replica, hold)
    return [
        _supported(hold),
        accepted,
        _model_ready(state, replica, accepted),
        _ready(state, replica, accepted),
        *_troubles(state, replica),
    ]


def _supported(hold: Hold | None) -> Row:
    if hold is not None and hold.reason == UNSUPPORTED:
        return Row("Supported", "False", UNSUPPORTED, cut(hold.words))
    return Row("Supported", "True", "Supported")


def _accepted(state: State, replica: Replica, hold: Hold | None) -> Row:
    if hold is not None and _counts(state, replica, hold):
        return Row("ModelAccepted", "False", hold.reason, cut(hold.words))
    place = place_of(state, replica)
    there = workloads_there(state, replica, place) if place is not None else {}
    unseen = [name for name, known in there.items() if known is None]
    if not replica.composed or unseen:
        refused = "; ".join(refused_words(state, replica))
        waits = f"engine {', '.join(unseen)} was not seen on {replica.cluster_name} yet"
        return Row("ModelAccepted", "False", "Deploying", cut(refused or waits))
    return Row("ModelAccepted", "True", "Accepted", cut(cache_words(state, replica)))


def _counts(state: State, replica: Replica, hold: Hold) -> bool:
    """Say whether what is in the way concerns a replica that runs, too."""
    if not replica.composed or hold.reason in (INVALID, UNSUPPORTED):
        return True
    return hold.reason == NO_CLUSTER and bool(no_way_words(state, replica))


def _model_ready(state: State, replica: Replica, accepted: Row) -> Row:
    if replica.state is ReplicaState.SERVING:
        return Row("ModelReady", "True", "Serving")
    if replica.composed and accepted.status == "True":
        return Row("ModelReady", "False", "ModelStarting", _starting(state, replica))
    return Row("ModelReady", "False", "WaitingForModel", accepted.message)


def _ready(state: State, replica: Replica, accepted: Row) -> Row:
    refused = refused_words(state, replica)
    if refused:
        return Row("Ready", "False", "Refused", cut("; ".join(refused)))
    if accepted.status != "True":
        return Row("Ready", "False", "Waiting", accepted.message)
    silent = silence_words(state, replica)
    if replica.todo:
        return Row("Ready", "False", "Progressing", cut(f"still to do: {', '.join(replica.todo)}"))
    if replica.state is not ReplicaState.SERVING:
        return Row("Ready", "False", "Progressing", _starting(state, replica))
    return Row("Ready", "True", "Available", cut(silent))


def _starting(state: State, replica: Replica) -> str:
    return cut("; ".join(starting_words(state, replica)))


def _troubles(state: State, replica: Replica) -> Iterator[Row]:
    if replica.spec_changed:
        said = (
            f"{' and '.join(replica.spec_changed)} was changed, and is not followed: the replica "
            f"stays on {replica.cluster_name}; make another one for another cluster"
        )
        yield Row("SpecChanged", "True", "EditIgnored", said)
    if is_leaving(replica):
        yield _terminating(state, replica)
    if replica.contested_by:
        said = f"{replica.contested_by} keeps writing this status; it is written back once a minute"
        yield Row("Contested", "True", "StatusEdited", said)


def _terminating(state: State, replica: Replica) -> Row:
    silent = silence_words(state, replica)
    if silent:
        return Row("Terminating", "True", "WaitingForCluster", cut(silent))
    place = place_of(state, replica)
    left = ours_there(state, replica, place) if place is not None else []
    names = [f"{known.subject.kind} {known.subject.name}" for known in left]
    said = [*refused_words(state, replica), f"still there: {', '.join(names)}" if names else ""]
    return Row("Terminating", "True", "CleaningUp", cut("; ".join(filter(None, said))))
