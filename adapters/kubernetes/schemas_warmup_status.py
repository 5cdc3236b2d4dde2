"""What became of a ModelWarmup: the schema of `status`, a pure table.

The phases are the machines' own published words, so a state cannot be renamed there and be
refused here.
"""

from adapters.kubernetes.schemas_pods import Schema
from machines.phases import PUBLISHED_TARGET_PHASES, PUBLISHED_WARMUP_PHASES

_TIME: Schema = {"type": "string", "format": "date-time"}
_COUNT: Schema = {"type": "integer", "format": "int32", "minimum": 0}
_WORDS: Schema = {"type": "string", "maxLength": 1024}

_TARGET: Schema = {
    "type": "object",
    "description": "One node that has not succeeded, or not yet.",
    "required": ["nodeName"],
    "properties": {
        "nodeName": {"type": "string", "description": "Name of the node."},
        "source": {
            "type": "string",
            "description": "First entry of spec.targets that asks for the node, as target[0].",
        },
        "sourceCount": {**_COUNT, "description": "How many entries ask for the node."},
        "revision": {"type": "string", "description": "Revision that its Job runs."},
        "jobName": {"type": "string", "description": "Name of its Job, once there is one."},
        "phase": {
            "type": "string",
            "enum": list(PUBLISHED_TARGET_PHASES),
            "description": "Where the node stands.",
        },
        "reason": {**_WORDS, "description": "Why, in one word: the Job's own when it has one."},
        "message": {**_WORDS, "description": "Why, in words; the nearest cause comes first."},
        "lastTransitionTime": {
            **_TIME,
            "description": "When phase, reason or message last changed.",
        },
    },
}

_CONDITION: Schema = {
    "type": "object",
    "description": "One aspect of the warmup, as in meta/v1 Condition.",
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
        "lastTransitionTime": {**_TIME, "description": "When status last changed."},
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

WARMUP_STATUS: Schema = {
    "type": "object",
    "description": "What became of it, as the log of warmlog tells.",
    "properties": {
        "phase": {
            "type": "string",
            "enum": list(PUBLISHED_WARMUP_PHASES),
            "description": "Where the warmup stands. Failed means that no node succeeded, "
            "Degraded that some did.",
        },
        "observedGeneration": {
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "description": "Generation of the object that this status is about.",
        },
        "observedRevision": {
            "type": "string",
            "description": "Revision of what runs on the nodes: 12 hexadecimal digits that do "
            "not depend on targets and policies.",
        },
        "desiredNodes": {
            **_COUNT,
            "description": "Nodes to warm, named ones that are still waited for included.",
        },
        "activeNodes": {**_COUNT, "description": "Nodes whose Job has not ended."},
        "succeededNodes": {**_COUNT, "description": "Nodes whose Job succeeded."},
        "failedNodes": {
            **_COUNT,
            "description": "Nodes that failed, or that did not appear in time.",
        },
        "skippedNodes": {
            **_COUNT,
            "description": "Nodes that a selector matches outside the authorisation boundary.",
        },
        "omittedTargetDetails": {
            **_COUNT,
            "description": "Nodes that would stand in targets, too, if there were room.",
        },
        "startTime": {**_TIME, "description": "When the warmup was first looked at."},
        "completionTime": {**_TIME, "description": "When it ended."},
        "targets": {
            "type": "array",
            "x-kubernetes-list-type": "atomic",
            "maxItems": 256,
            "description": "Nodes that have not succeeded: failed ones first, then running, then "
            "pending, each by name.",
            "items": _TARGET,
        },
        "conditions": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
            "description": "Conditions. Finished is True on any end, so it can be waited for.",
            "items": _CONDITION,
        },
        "warmlog": {
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
        },
    },
}
