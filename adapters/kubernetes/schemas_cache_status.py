"""What became of a ModelCache: the schema of `status`, a pure table.

A mount is what engines get from a cache, and whoever could write more into it than this could run
anything in their Pods: claims as volumes, and plain values in the environment, nothing else.
"""

from adapters.kubernetes.schemas_pods import Schema
from adapters.kubernetes.schemas_status_parts import OBSERVED_GENERATION, WARMLOG, conditions
from machines.caches.entries import PUBLISHED_ENTRY_PHASES

_READ_ONLY: Schema = {"type": "boolean", "description": "Whether nothing may be written there."}

_VOLUME: Schema = {
    "type": "object",
    "description": "One volume: a claim of the namespace in which the engines run.",
    "required": ["name", "persistentVolumeClaim"],
    "properties": {
        "name": {"type": "string", "description": "Name of the volume."},
        "persistentVolumeClaim": {
            "type": "object",
            "description": "The claim.",
            "required": ["claimName"],
            "properties": {
                "claimName": {"type": "string", "description": "Name of the claim."},
                "readOnly": _READ_ONLY,
            },
        },
    },
}

_VOLUME_MOUNT: Schema = {
    "type": "object",
    "description": "Where a volume appears in an engine's container.",
    "required": ["name", "mountPath"],
    "properties": {
        "name": {"type": "string", "description": "Name of the volume."},
        "mountPath": {"type": "string", "description": "Folder in the container."},
        "subPath": {"type": "string", "description": "Folder in the volume."},
        "readOnly": _READ_ONLY,
    },
}

_VARIABLE: Schema = {
    "type": "object",
    "description": "One variable of an engine's environment.",
    "required": ["name", "value"],
    "properties": {
        "name": {"type": "string", "description": "Name of the variable."},
        "value": {"type": "string", "description": "Its value."},
    },
}


def _list(description: str, item: Schema) -> Schema:
    return {
        "type": "array",
        "x-kubernetes-list-type": "atomic",
        "description": description,
        "items": item,
    }


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
        "mount": {
            "type": "object",
            "description": "What an engine on this cluster needs to have the model; only while the "
            "phase is Ready.",
            "properties": {
                "volumes": _list("Volumes of the Pod.", _VOLUME),
                "volumeMounts": _list("Mounts of the engine's container.", _VOLUME_MOUNT),
                "env": _list("Variables of the engine's container.", _VARIABLE),
            },
        },
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
        "clusters": _list("Every selected cluster, by name.", _CLUSTER),
        "conditions": conditions(
            "Conditions. Ready is True when the model is ready on every selected cluster."
        ),
        "warmlog": WARMLOG,
    },
}
