"""Conditions of a ModelReplica.

| type          | True        | False, the first that holds                                   |
|---------------|-------------|---------------------------------------------------------------|
| Supported     | Supported   | Unsupported                                                   |
| ModelAccepted | Accepted    | InvalidSpec, Unsupported, WaitingForCluster, WaitingForCache, |
|               |             | Deploying                                                     |
| ModelReady    | Serving     | ModelStarting, WaitingForModel                                |
| Ready         | Available   | Refused, Waiting, Progressing                                 |

What runs stays Accepted and Serving whatever its cache, or a cluster that does not answer: words
beside True say so. The others are there only while they have something to say: SpecChanged (True:
a cluster was named that is not followed), Terminating (True), Contested (True).
"""

from collections.abc import Iterator

from machines.condition_rows import Row, contested_row
from machines.labels import ABANDON
from machines.messages import cut
from machines.replicas.holding import (
    INVALID,
    NO_CLUSTER,
    UNSUPPORTED,
    Hold,
    hold_of,
    hold_words,
    kept_words,
)
from machines.replicas.leaving import is_abandoned, is_leaving
from machines.replicas.obstacles import (
    awaited_words,
    going_words,
    left_there,
    refused_words,
    starting_words,
    todo_words,
    unseen_words,
    waiting_rollouts,
)
from machines.replicas.placing import cluster_trouble, no_way_words, served_of, silence_words
from machines.replicas.replicas import ReplicaState
from machines.replicas.states import Replica
from machines.replicas.supporting import unsupported_words
from machines.states import State

_LEAVING = "the ModelReplica is being deleted"
_ABANDONED = f'annotation {ABANDON} is "true": nothing is composed, changed or deleted any more'


def condition_rows(state: State, replica: Replica) -> list[Row]:
    """Give every condition as the state has it now."""
    accepted = _accepted(state, replica)
    return [
        _supported(state, replica),
        accepted,
        _model_ready(state, replica, accepted),
        _ready(state, replica, accepted),
        *_troubles(state, replica),
    ]


def changed_words(replica: Replica) -> str:
    """Name what of the stored spec is not followed."""
    return (
        f"{' and '.join(replica.spec_changed)} was changed, and is not followed: the replica "
        f"stays on {replica.cluster_name}; make another one for another cluster"
    )


def terminating_row(state: State, replica: Replica) -> Row:
    """Say what a replica that is being deleted still waits for."""
    left, silent = left_there(state, replica), cluster_trouble(state, replica)
    if is_abandoned(replica):
        return _terminating("Abandoned", _ABANDONED, replica.left.words)
    if served_of(state, replica) is None:
        return _terminating("ClusterGone", silent, replica.left.words)
    if silent:
        after = f"still to be deleted there: {left}" if left else ""
        return _terminating(NO_CLUSTER, silent, after)
    refused = refused_words(state, replica)
    nothing = "" if refused else f"nothing of it is left on cluster {replica.cluster_name}"
    return _terminating("CleaningUp", *refused, f"still there: {left}" if left else nothing)


def _terminating(reason: str, *said: str) -> Row:
    return Row("Terminating", "True", reason, cut("; ".join(filter(None, said))))


def _supported(state: State, replica: Replica) -> Row:
    words = unsupported_words(state, replica)
    if words:
        return Row("Supported", "False", UNSUPPORTED, cut(words))
    return Row("Supported", "True", "Supported")


def _accepted(state: State, replica: Replica) -> Row:
    hold = hold_of(state, replica)
    if hold is not None and _counts(state, replica, hold):
        return Row("ModelAccepted", "False", hold.reason, cut(hold_words(state, hold)))
    over = _over(replica)
    if over and replica.composed:
        return Row("ModelAccepted", "True", "Accepted", over)
    unseen = unseen_words(state, replica)
    if not replica.composed or unseen:
        waits = [*unseen, todo_words(state, replica) or awaited_words(state, replica)]
        said = [over] if over else refused_words(state, replica) or waits
        return Row("ModelAccepted", "False", "Deploying", cut("; ".join(filter(None, said))))
    return Row("ModelAccepted", "True", "Accepted", cut(kept_words(state, replica)))


def _over(replica: Replica) -> str:
    """Say why nothing is composed of a replica any more; "" while it is."""
    if is_abandoned(replica):
        return _ABANDONED
    return _LEAVING if is_leaving(replica) else ""


def _counts(state: State, replica: Replica, hold: Hold) -> bool:
    """Say whether what is in the way concerns a replica that runs, too."""
    if not replica.composed or hold.reason in (INVALID, UNSUPPORTED):
        return True
    return hold.reason == NO_CLUSTER and bool(no_way_words(state, replica))


def _model_ready(state: State, replica: Replica, accepted: Row) -> Row:
    if replica.state is ReplicaState.SERVING:
        return Row("ModelReady", "True", "Serving", _rollouts(state, replica))
    if replica.composed and accepted.status == "True":
        return Row("ModelReady", "False", "ModelStarting", _starting(state, replica))
    return Row("ModelReady", "False", "WaitingForModel", accepted.message)


def _ready(state: State, replica: Replica, accepted: Row) -> Row:
    refused = refused_words(state, replica)
    if refused:
        return Row("Ready", "False", "Refused", cut("; ".join(refused)))
    if is_leaving(replica):
        return Row("Ready", "False", "Progressing", terminating_row(state, replica).message)
    if accepted.status != "True" or is_abandoned(replica):
        return Row("Ready", "False", "Waiting", accepted.message)
    going, todo = going_words(state, replica), todo_words(state, replica)
    if going or todo:
        said = [*going, todo, silence_words(state, replica)]
        return Row("Ready", "False", "Progressing", cut("; ".join(filter(None, said))))
    if replica.state is not ReplicaState.SERVING:
        return Row("Ready", "False", "Progressing", _starting(state, replica))
    said = [silence_words(state, replica), _rollouts(state, replica)]
    return Row("Ready", "True", "Available", cut("; ".join(filter(None, said))))


def _rollouts(state: State, replica: Replica) -> str:
    return cut("; ".join(one.words for one in waiting_rollouts(state, replica)))


def _starting(state: State, replica: Replica) -> str:
    said = [silence_words(state, replica), *starting_words(state, replica)]
    return cut(_over(replica) or "; ".join(filter(None, said)))


def _troubles(state: State, replica: Replica) -> Iterator[Row]:
    if replica.spec_changed:
        yield Row("SpecChanged", "True", "EditIgnored", cut(changed_words(replica)))
    if is_leaving(replica):
        yield terminating_row(state, replica)
    if replica.contested_by:
        yield contested_row(replica.contested_by)
