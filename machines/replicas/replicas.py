"""The replica machine: one ModelReplica, from "wanted" to "serves".

One instance exists per replica UID. It models what is known of its engines: whether they were
composed on its cluster, and whether they are available there.

States
    Waiting    nothing was ever composed: its cluster, or its cache, or itself is in the way
    Deploying  its engines were composed, and not each of them is available
    Serving    each of its engines is available

Invariants
    Nothing is composed of a replica with a cache before that cache's mount is published on its
    cluster; what was composed once is never taken away because of a cache or a cluster.
    Once composed, a replica never waits again: a workload that somebody deleted is composed anew
    with the mount that it had.
    A cluster that does not answer, or was not listed, moves nothing: what was known stays.
    A trigger that is not in the table changes nothing and is recorded as ignored.
"""

from enum import StrEnum

from engine.machine_tables import Move, compile_table


class ReplicaState(StrEnum):
    """Where one replica stands."""

    WAITING = "Waiting"
    DEPLOYING = "Deploying"
    SERVING = "Serving"


class ReplicaTrigger(StrEnum):
    """What the facts, taken together, say of one replica; the first that holds, if any does."""

    AVAILABLE = "available"
    COMPOSED = "composed"


_S = ReplicaState
_T = ReplicaTrigger

REPLICA_MOVES: tuple[Move[ReplicaState, ReplicaTrigger], ...] = (
    Move(
        _T.COMPOSED,
        (_S.WAITING, _S.SERVING),
        _S.DEPLOYING,
        "an engine was composed, and not each of them is available",
    ),
    Move(
        _T.AVAILABLE,
        (_S.WAITING, _S.DEPLOYING),
        _S.SERVING,
        "each engine's workload is available",
    ),
)

REPLICAS = compile_table("replica", _S, _T, _S.WAITING, REPLICA_MOVES)
