"""What a member of an engine runs: the schema of its Pod template, a pure table.

Of a Pod it has what Modelplane's public API has: one container, its variables, and the Secrets of
its registry. Volumes come from the cache alone, so there are none to write here.
"""

from adapters.kubernetes.rules import FORBIDDEN, INVALID, Rule, lasting_rules
from adapters.kubernetes.schemas_pods import IMAGE, Schema
from adapters.kubernetes.schemas_status_parts import atomic_list
from machines.replicas.members import (
    LONGEST_ANNOTATION,
    MOST_PAIRS,
    RESERVED_PREFIX,
    VARIABLE,
)
from machines.replicas.mounts import ENGINE
from machines.syntaxes import LABEL_KEY, LABEL_VALUE

_NAME: Schema = {"type": "string", "minLength": 1}
_OPTIONAL: Schema = {
    "type": "boolean",
    "description": "Whether the Pod starts without it.",
}


def _key_of(kind: str) -> Schema:
    return {
        "type": "object",
        "description": f"A key of a {kind} in the namespace of the Pod.",
        "required": ["name", "key"],
        "properties": {
            "name": {**_NAME, "description": f"Name of the {kind}."},
            "key": {**_NAME, "description": f"Key of that {kind}."},
            "optional": _OPTIONAL,
        },
    }


_VARIABLE: Schema = {
    "type": "object",
    "description": "One variable, with a value or a source of one.",
    "required": ["name"],
    "properties": {
        "name": {
            **_NAME,
            "maxLength": VARIABLE.longest,
            "pattern": f"^{VARIABLE.pattern}$",
            "description": "Name of the variable.",
        },
        "value": {"type": "string", "description": "Its value."},
        "valueFrom": {
            "type": "object",
            "description": "Where the value comes from: exactly one of these.",
            "minProperties": 1,
            "maxProperties": 1,
            "properties": {
                "secretKeyRef": _key_of("Secret"),
                "configMapKeyRef": _key_of("ConfigMap"),
                "fieldRef": {
                    "type": "object",
                    "description": "A field of the Pod.",
                    "required": ["fieldPath"],
                    "properties": {
                        "fieldPath": {
                            **_NAME,
                            "description": "Path of the field, as status.podIP.",
                        },
                        "apiVersion": {
                            "type": "string",
                            "description": "Version in which the path is written.",
                        },
                    },
                },
            },
        },
    },
}

_CONTAINER: Schema = {
    "type": "object",
    "description": "The engine's container.",
    "required": ["name", "image"],
    "properties": {
        "name": {
            "type": "string",
            "enum": [ENGINE],
            "description": f"Always {ENGINE}.",
        },
        "image": {**IMAGE, "minLength": 1, "description": "Image that it runs."},
        "command": atomic_list("Command. The image's own when left out.", {"type": "string"}),
        "args": atomic_list("Arguments. Nothing is added to them.", {"type": "string"}),
        "env": atomic_list(
            "Variables. One that warmlog would set as well stands as it is written here.",
            _VARIABLE,
        ),
    },
}

_METADATA: Schema = {
    "type": "object",
    "description": "Labels and annotations of the Pods.",
    "properties": {
        "labels": {
            "type": "object",
            "maxProperties": MOST_PAIRS,
            "description": f"Labels. Those that begin with {RESERVED_PREFIX} are not for users.",
            "additionalProperties": {
                "type": "string",
                "maxLength": LABEL_VALUE.longest,
                "pattern": f"^{LABEL_VALUE.pattern}$",
            },
        },
        "annotations": {
            "type": "object",
            "maxProperties": MOST_PAIRS,
            "description": "Annotations.",
            "additionalProperties": {"type": "string", "maxLength": LONGEST_ANNOTATION},
        },
    },
}

TEMPLATE: Schema = {
    "type": "object",
    "description": "What each of its Pods runs.",
    "properties": {
        "metadata": _METADATA,
        "spec": {
            "type": "object",
            "description": "The Pod.",
            "required": ["containers"],
            "properties": {
                "containers": {
                    **atomic_list(f"Exactly one, called {ENGINE}.", _CONTAINER),
                    "minItems": 1,
                    "maxItems": 1,
                },
                "imagePullSecrets": atomic_list(
                    "Secrets with which the image is pulled, in the namespace of the Pod.",
                    {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {**_NAME, "description": "Its name."}},
                    },
                ),
            },
        },
    },
}


def _of_each(keys: str, holds: str) -> str:
    """Give the expression, standing at the engine, that each key of each member is fine."""
    place = f"m.template.metadata.{keys}"
    return (
        "!has(self.members) || self.members.all(m, !has(m.template) || "
        f"!has(m.template.metadata) || !has({place}) || {place}.all(k, {holds}))"
    )


def metadata_rules() -> list[Rule]:
    """Give the rules, standing at the engine, about keys of its Pods' labels and annotations."""
    return [
        *lasting_rules(
            _of_each("labels", f"!k.startsWith('{RESERVED_PREFIX}')"),
            f"must have no template.metadata.labels that begin with {RESERVED_PREFIX}",
            FORBIDDEN,
            field=".members",
        ),
        *lasting_rules(
            _of_each("labels", f"k.matches(r'^{LABEL_KEY.pattern}$')"),
            "must have keys in template.metadata.labels that a label can have",
            INVALID,
            field=".members",
        ),
        # Kubernetes looks at the key of an annotation as if it were written in lower case.
        *lasting_rules(
            _of_each("annotations", f"k.matches(r'(?i)^{LABEL_KEY.pattern}$')"),
            "must have keys in template.metadata.annotations that an annotation can have",
            INVALID,
            field=".members",
        ),
    ]
