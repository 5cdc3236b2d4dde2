"""What became of a ModelCache: the schema of `status`, a pure table."""

from adapters.kubernetes.schemas_mounts import mount
from adapters.kubernetes.schemas_pods import Schema
from adapters.kubernetes.schemas_status_parts import (
    OBSERVED_GENERATION,
    WARMLOG,
    atomic_list,
    conditions,
)
from machines.caches.entries import PUBLISHED_ENTRY_PHASES

_CLUSTER: Schema = {
    "type": "object",
    "description": "One cluster and the model's staging there.",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "description": "Name of the InferenceCluster."},
        "phase": {
            "type": "string",
            "enum": list(PUBLISHED_ENTRY_PHASES),
            "description": "Where the staging stands.",
        },
        "message": {
            "type": "string",
            "description": "What it waits for, or why it failed, with names.",
        },
        "mount": mount(
            "What an engine on this cluster needs to have the model; only while the phase is Ready."
        ),
        "retained": {
            "type": "boolean",
            "description": "True when the cluster is no longer selected, and the model is kept "
            "there for what still uses it.",
        },
    },
}

CACHE_STATUS: Schema = {
    "type": "object",
    "description": "What became of it, as the log of warmlog tells.",
    "properties": {
        "observedGeneration": OBSERVED_GENERATION,
        "summary": {
            "type": "object",
            "description": "The selected clusters in one figure.",
            "properties": {
                "ready": {
                    "type": "string",
                    "description": "On how many the model is ready, and on how many it has to be, "
                    "as 2/3.",
                },
            },
        },
        "clusters": atomic_list("Every selected cluster, by name.", _CLUSTER),
        "conditions": conditions(
            "Conditions. Ready is True when the model is ready on every selected cluster."
        ),
        "warmlog": WARMLOG,
    },
}
