"""The node-Job machine: one target of one ModelWarmup, from "wanted" to its outcome.

One instance exists per warmup and node UID (and per name that is demanded while no machine bears
it). It models what the warmup knows of that machine, not the Job object itself.

States
    Pending    wanted, and no Job of ours exists for it now: it waits for a slot, for the machine
               to exist or to be authorised, or for the API server to accept its Job
    Hydrating  a Job of ours exists and has not ended, also while its Pod cannot be scheduled
    Ready      the Job was Complete: an outcome
    Failed     the Job was Failed, or can never be made: an outcome
    Withdrawn  a selected machine that left before it had an outcome: it counts nowhere, unless
               its Job ends before it is deleted

Invariants
    An outcome sticks: no trigger leads out of Ready or Failed.
    Only the Job's conditions make an outcome; counters, Pods and the Job's absence never do,
    except for the stated limits (recreated or disrupted too often, waited too long, refused for
    good, a Pod that can never run).
    A trigger that is not in the table changes nothing and is recorded as ignored.
"""

from enum import StrEnum

from engine.machine_tables import Move, compile_table


class NodeJobState(StrEnum):
    """Where one target stands."""

    PENDING = "Pending"
    HYDRATING = "Hydrating"
    READY = "Ready"
    FAILED = "Failed"
    WITHDRAWN = "Withdrawn"


class NodeJobTrigger(StrEnum):
    """What can happen to one target."""

    JOB_FOUND = "job_found"
    JOB_COMPLETED = "job_completed"
    JOB_FAILED = "job_failed"
    JOB_VANISHED = "job_vanished"
    VANISHED_TOO_OFTEN = "vanished_too_often"
    REFUSED_FOR_GOOD = "refused_for_good"
    HOPELESS = "hopeless"
    DISRUPTED_TOO_OFTEN = "disrupted_too_often"
    WAITED_TOO_LONG = "waited_too_long"
    NAMED_NODE_LEFT = "named_node_left"
    SELECTED_NODE_LEFT = "selected_node_left"
    NODE_RETURNED = "node_returned"


_S = NodeJobState
_T = NodeJobTrigger
# A Job may end before the delete that follows a withdrawal reaches it: that is an outcome, too.
_UNDECIDED = (_S.PENDING, _S.HYDRATING, _S.WITHDRAWN)

NODE_JOB_MOVES: tuple[Move[NodeJobState, NodeJobTrigger], ...] = (
    Move(_T.JOB_FOUND, (_S.PENDING,), _S.HYDRATING, "a Job of ours runs for this machine"),
    Move(_T.JOB_COMPLETED, _UNDECIDED, _S.READY, "condition Complete is True"),
    Move(_T.JOB_FAILED, _UNDECIDED, _S.FAILED, "condition Failed is True"),
    Move(_T.JOB_VANISHED, (_S.HYDRATING,), _S.PENDING, "the Job went without an outcome"),
    Move(_T.VANISHED_TOO_OFTEN, (_S.HYDRATING,), _S.FAILED, "retryLimit recreations are used up"),
    Move(_T.REFUSED_FOR_GOOD, (_S.PENDING,), _S.FAILED, "the API server will never accept it"),
    Move(_T.HOPELESS, (_S.HYDRATING,), _S.FAILED, "its Pod waits for what can never be"),
    Move(_T.DISRUPTED_TOO_OFTEN, (_S.HYDRATING,), _S.FAILED, "retryLimit + 3 disruptions"),
    Move(_T.WAITED_TOO_LONG, (_S.PENDING,), _S.FAILED, "the target wait has passed"),
    Move(
        _T.NAMED_NODE_LEFT,
        (_S.PENDING, _S.HYDRATING),
        _S.PENDING,
        "a named machine is gone or not authorised: the name waits again",
    ),
    Move(
        _T.SELECTED_NODE_LEFT,
        (_S.PENDING, _S.HYDRATING),
        _S.WITHDRAWN,
        "a selected machine is gone, relabelled or not authorised",
    ),
    Move(_T.NODE_RETURNED, (_S.WITHDRAWN,), _S.PENDING, "the selection holds the machine again"),
)

NODE_JOBS = compile_table("node Job", _S, _T, _S.PENDING, NODE_JOB_MOVES)

OUTCOMES = frozenset({_S.READY, _S.FAILED})
UNFINISHED = frozenset({_S.PENDING, _S.HYDRATING})
