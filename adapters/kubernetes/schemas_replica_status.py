"""What became of a ModelReplica: the schema of `status`, a pure table."""

from adapters.kubernetes.schemas_mounts import mount
from adapters.kubernetes.schemas_pods import Schema
from adapters.kubernetes.schemas_status_parts import (
    OBSERVED_GENERATION,
    WARMLOG,
    atomic_list,
    conditions,
)

_WORKLOAD: Schema = {
    "type": "object",
    "description": "What runs one engine.",
    "required": ["engine", "name"],
    "properties": {
        "engine": {"type": "string", "description": "Name of the engine in the spec."},
        "kind": {"type": "string", "description": "Deployment or LeaderWorkerSet."},
        "name": {"type": "string", "description": "Name of the object on the cluster."},
        "namespace": {"type": "string", "description": "Its namespace there."},
        "available": {
            "type": "boolean",
            "description": "Whether its condition Available is True.",
        },
        "message": {"type": "string", "description": "Why it is not available, in its words."},
    },
}

REPLICA_STATUS: Schema = {
    "type": "object",
    "description": "What became of it, as the log of warmlog tells.",
    "properties": {
        "observedGeneration": OBSERVED_GENERATION,
        "composed": {
            "type": "boolean",
            "description": "True once its engines were made on the cluster.",
        },
        "mount": mount(
            "What its engines have of a ModelCache. It is kept here, so that what is deleted by "
            "hand comes back with the same."
        ),
        "workloads": atomic_list("What runs each engine.", _WORKLOAD),
        "conditions": conditions(
            "Conditions. ModelReady is True when every engine serves, ModelAccepted says what is "
            "waited for until then."
        ),
        "warmlog": WARMLOG,
    },
}
