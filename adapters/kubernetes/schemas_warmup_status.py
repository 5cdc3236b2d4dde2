"""What became of a ModelWarmup: the schema of `status`, a pure table.

The phases are the machines' own published words, so a state cannot be renamed there and be
refused here.
"""

from adapters.kubernetes.schemas_pods import Schema
from adapters.kubernetes.schemas_status_parts import (
    OBSERVED_GENERATION,
    TIME,
    WARMLOG,
    conditions,
)
from machines.phases import PUBLISHED_TARGET_PHASES, PUBLISHED_WARMUP_PHASES

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
            **TIME,
            "description": "When phase, reason or message last changed.",
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
        "observedGeneration": OBSERVED_GENERATION,
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
        "startTime": {**TIME, "description": "When the warmup was first looked at."},
        "completionTime": {**TIME, "description": "When it ended."},
        "targets": {
            "type": "array",
            "x-kubernetes-list-type": "atomic",
            "maxItems": 256,
            "description": "Nodes that have not succeeded: failed ones first, then running, then "
            "pending, each by name.",
            "items": _TARGET,
        },
        "conditions": conditions(
            "Conditions. Finished is True on any end, so it can be waited for."
        ),
        "warmlog": WARMLOG,
    },
}
