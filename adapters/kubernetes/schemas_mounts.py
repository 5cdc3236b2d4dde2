"""The schema of a mount: what ModelCaches publish, and ModelReplicas keep, for engines to have.

Whoever could write more into it than this could run anything in their Pods: claims as volumes, and
plain values in the environment, nothing else.
"""

from adapters.kubernetes.schemas_pods import Schema
from adapters.kubernetes.schemas_status_parts import atomic_list

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


def mount(description: str) -> Schema:
    """Give the schema of a mount."""
    return {
        "type": "object",
        "description": description,
        "properties": {
            "volumes": atomic_list("Volumes of the Pod.", _VOLUME),
            "volumeMounts": atomic_list("Mounts of the engine's container.", _VOLUME_MOUNT),
            "env": atomic_list("Variables of the engine's container.", _VARIABLE),
        },
    }
