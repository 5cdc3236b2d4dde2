"""The parts of core/v1 Container and Volume that admission has to see; a pure table.

A custom container goes into the Pod untouched, so nothing here has a default and nothing unknown
is pruned: a field of a newer Kubernetes version passes as it stands. What rules look at has a
type. Every other field that Kubernetes has today is named but left without a type, for one
reason: `self == oldSelf` compares a field that no schema names only where both objects have it,
so replacing an unnamed `env` by an unnamed `args` would count as no change. A named field is
compared whole, however deep.
"""

from typing import Any

from machines import syntaxes
from machines.fragments import (
    CONTAINER_FIELDS,
    FLAG,
    OBJECT,
    OBJECTS,
    TEXT,
    TEXTS,
    VOLUME_SOURCES,
)
from machines.spec_parts import PULL_POLICIES

Schema = dict[str, Any]

UNTYPED: Schema = {"x-kubernetes-preserve-unknown-fields": True}

DNS_LABEL: Schema = {
    "type": "string",
    "maxLength": syntaxes.DNS_LABEL.longest,
    "pattern": f"^{syntaxes.DNS_LABEL.pattern}$",
}

DNS_SUBDOMAIN: Schema = {
    "type": "string",
    "maxLength": syntaxes.DNS_SUBDOMAIN.longest,
    "pattern": f"^{syntaxes.DNS_SUBDOMAIN.pattern}$",
}

IMAGE: Schema = {"type": "string", "pattern": f"^{syntaxes.IMAGE_PATTERN}$"}

# Empty is a legal way of saying nothing.
PULL_POLICY: Schema = {"type": "string", "enum": list(PULL_POLICIES)}

# Lists of objects have a type, what is in them has none.
_TYPES: dict[str, Schema] = {
    TEXT: {"type": "string"},
    FLAG: {"type": "boolean"},
    OBJECT: UNTYPED,
    TEXTS: {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "atomic"},
    OBJECTS: {"type": "array", "items": UNTYPED, "x-kubernetes-list-type": "atomic"},
}

CONTAINER: Schema = {
    "type": "object",
    "description": "A container as in a Pod (core/v1 Container), copied there untouched.",
    "required": ["name", "image"],
    "x-kubernetes-preserve-unknown-fields": True,
    "properties": {
        "name": {
            **DNS_LABEL,
            "description": "Name of the container, unique among all of them.",
        },
        "image": {**IMAGE, "description": "Image that the container runs."},
        "imagePullPolicy": {
            **PULL_POLICY,
            "description": "When the kubelet pulls the image.",
        },
        "restartPolicy": {
            "type": "string",
            "description": "Not allowed: a warmup has to end, so its containers are never kept up.",
        },
        **{
            field: {**_TYPES[kind], "description": "As in core/v1 Container."}
            for field, kind in CONTAINER_FIELDS.items()
        },
    },
}

VOLUME: Schema = {
    "type": "object",
    "description": "A volume as in a Pod (core/v1 Volume), copied there untouched: a name and "
    "exactly one source.",
    "required": ["name"],
    # Kubernetes has no other field beside the name than the one source.
    "minProperties": 2,
    "maxProperties": 2,
    "x-kubernetes-preserve-unknown-fields": True,
    "properties": {
        "name": {**DNS_LABEL, "description": "Name by which containers mount the volume."},
        **{
            source: {**UNTYPED, "description": "As in core/v1 Volume."} for source in VOLUME_SOURCES
        },
    },
}
