"""The published words: what each internal state is called in a CR's status.

The CRD's enums are generated from these tables.
"""

from machines.node_jobs import NodeJobState
from machines.warmups import WarmupState

WARMUP_PHASE = {
    WarmupState.PENDING: "Pending",
    WarmupState.HYDRATING: "Running",
    WarmupState.READY: "Succeeded",
    WarmupState.DEGRADED: "Degraded",
    WarmupState.FAILED: "Failed",
}

# A withdrawn target has left the warmup: it has no phase and stands in no list.
TARGET_PHASE = {
    NodeJobState.PENDING: "Pending",
    NodeJobState.HYDRATING: "Running",
    NodeJobState.READY: "Succeeded",
    NodeJobState.FAILED: "Failed",
}

PUBLISHED_WARMUP_PHASES = tuple(WARMUP_PHASE.values())
PUBLISHED_TARGET_PHASES = tuple(TARGET_PHASE.values())
WARMUP_STATE_BY_PHASE = {phase: state for state, phase in WARMUP_PHASE.items()}
