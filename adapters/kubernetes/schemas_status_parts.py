"""Parts that the status of every kind has: the schemas of conditions and of where it comes from."""

from adapters.kubernetes.schemas_pods import Schema

TIME: Schema = {"type": "string", "format": "date-time"}

OBSERVED_GENERATION: Schema = {
    "type": "integer",
    "format": "int64",
    "minimum": 0,
    "description": "Generation of the object that this status is about.",
}

_CONDITION: Schema = {
    "type": "object",
    "description": "One aspect, as in meta/v1 Condition.",
    "required": ["type", "status", "lastTransitionTime", "reason", "message"],
    "properties": {
        "type": {
            "type": "string",
            "maxLength": 316,
            "pattern": r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
            r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
            "description": "Name of the aspect.",
        },
        "status": {
            "type": "string",
            "enum": ["True", "False", "Unknown"],
            "description": "Whether it holds.",
        },
        "observedGeneration": {
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "description": "Generation of the object that it was found for.",
        },
        "lastTransitionTime": {**TIME, "description": "When status last changed."},
        "reason": {
            "type": "string",
            "minLength": 1,
            "maxLength": 1024,
            "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
            "description": "Why, in one word for programs.",
        },
        "message": {
            "type": "string",
            "maxLength": 32768,
            "description": "Why, in words for people.",
        },
    },
}

WARMLOG: Schema = {
    "type": "object",
    "description": "Where this status comes from.",
    "properties": {
        "uid": {"type": "string", "description": "uid of the object it was made for."},
        "log": {"type": "string", "description": "Identity of the log."},
        "position": {
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "description": "Event of that log which last changed this status.",
        },
    },
}


def conditions(description: str, item: Schema | None = None) -> Schema:
    """Give the schema of a list of conditions, merged by type."""
    return {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "description": description,
        "items": item or _CONDITION,
    }


def atomic_list(description: str, item: Schema) -> Schema:
    """Give the schema of a list whose writer writes all of it."""
    return {
        "type": "array",
        "x-kubernetes-list-type": "atomic",
        "description": description,
        "items": item,
    }
