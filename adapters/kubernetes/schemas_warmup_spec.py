"""What a ModelWarmup asks for: the schema of `spec`, a pure table.

Fields and bounds are those of AIBrix's public API, no more and no fewer, so that its manifests
apply unchanged. There are no defaults: the controller applies them when it reads, and the stored
spec stays as its author wrote it. Every rule here is one that the API server can afford: one
whose worst case, at the bounds below, would cost too much is refused. What it cannot afford stands
in `policies.py`.

Kubernetes forgives an unchanged spec what a new bound or pattern has against it, so an object from
before it keeps its labels and status editable. Rules look at new objects only (`rules.py`).
"""

from adapters.kubernetes.rules import (
    DUPLICATE,
    FORBIDDEN,
    INVALID,
    REQUIRED,
    container_rules,
    reserved_names_rule,
    rule,
    unique_names_rule,
)
from adapters.kubernetes.schemas_pods import (
    CONTAINER,
    DNS_SUBDOMAIN,
    IMAGE,
    PULL_POLICY,
    VOLUME,
    Schema,
)
from machines.spec_parts import MAX_ARGUMENTS, MAX_ENTRIES, MAX_TARGETS, OPERATORS
from machines.syntaxes import LABEL_KEY, LABEL_VALUE

_LABEL_VALUE: Schema = {
    "type": "string",
    "maxLength": LABEL_VALUE.longest,
    "pattern": f"^{LABEL_VALUE.pattern}$",
}

_REQUIREMENT: Schema = {
    "type": "object",
    "description": "One requirement on the labels of a node.",
    "required": ["key", "operator"],
    "properties": {
        "key": {
            "type": "string",
            "maxLength": LABEL_KEY.longest,
            "pattern": f"^{LABEL_KEY.pattern}$",
            "description": "Label that it is about.",
        },
        "operator": {
            "type": "string",
            "enum": list(OPERATORS),
            "description": "How the label relates to the values.",
        },
        "values": {
            "type": "array",
            "x-kubernetes-list-type": "atomic",
            "description": "Needed with In and NotIn, not allowed with Exists and DoesNotExist.",
            "items": _LABEL_VALUE,
        },
    },
}

_NODE_SELECTOR: Schema = {
    "type": "object",
    "description": "Nodes by their labels. Those that match while the warmup is not finished "
    "join it, nodes outside the authorisation boundary are skipped.",
    "x-kubernetes-map-type": "atomic",
    "properties": {
        "matchLabels": {
            "type": "object",
            "description": "Labels that a node must have, each with exactly this value.",
            "additionalProperties": _LABEL_VALUE,
        },
        "matchExpressions": {
            "type": "array",
            "x-kubernetes-list-type": "atomic",
            "description": "Requirements that a node must all meet.",
            "items": _REQUIREMENT,
        },
    },
}

_TARGET: Schema = {
    "type": "object",
    "description": "Some nodes, either by name or by selector.",
    "properties": {
        "nodes": {
            "type": "object",
            "description": "Nodes by name.",
            "required": ["names"],
            "properties": {
                "names": {
                    "type": "array",
                    "x-kubernetes-list-type": "atomic",
                    "minItems": 1,
                    "maxItems": MAX_TARGETS,
                    "description": "Names of Nodes. One that does not exist yet is waited for.",
                    "items": DNS_SUBDOMAIN,
                },
            },
        },
        "nodeSelector": _NODE_SELECTOR,
    },
}

_TARGETS: Schema = {
    "type": "array",
    "x-kubernetes-list-type": "atomic",
    "minItems": 1,
    "maxItems": MAX_ENTRIES,
    "description": "Nodes to warm: the union of all entries, each node once.",
    "items": _TARGET,
    "x-kubernetes-validations": [
        rule(
            "self.all(t, has(t.nodes) != has(t.nodeSelector))",
            "each must have exactly one of nodes and nodeSelector",
            INVALID,
        ),
        rule(
            "self.all(t, !has(t.nodeSelector) || "
            "(has(t.nodeSelector.matchLabels) && size(t.nodeSelector.matchLabels) > 0) || "
            "(has(t.nodeSelector.matchExpressions) && size(t.nodeSelector.matchExpressions) > 0))",
            "a nodeSelector must not be empty: it would select every node",
            REQUIRED,
        ),
        rule(
            "self.map(t, has(t.nodes) && has(t.nodes.names) ? size(t.nodes.names) : 0)"
            f".sum() <= {MAX_TARGETS}",
            f"must not name more than {MAX_TARGETS} nodes in all entries together",
            INVALID,
        ),
    ],
}

_IMAGE_ENTRY: Schema = {
    "type": "object",
    "description": "One image, pulled by running a command in it that ends by itself.",
    "required": ["image", "command"],
    "properties": {
        "image": {**IMAGE, "description": "Image to pull; a digest never means another image."},
        "command": {
            "type": "array",
            "x-kubernetes-list-type": "atomic",
            "minItems": 1,
            "maxItems": MAX_ARGUMENTS,
            "description": "Command of the container. It must exit 0 without starting a server: "
            "there is none that works in every image.",
            "items": {"type": "string"},
        },
        "args": {
            "type": "array",
            "x-kubernetes-list-type": "atomic",
            "maxItems": MAX_ARGUMENTS,
            "description": "Arguments of the command.",
            "items": {"type": "string"},
        },
        "imagePullPolicy": {
            **PULL_POLICY,
            "description": "When the kubelet pulls the image. Empty acts as IfNotPresent.",
        },
    },
}

_IMAGE_PRELOAD: Schema = {
    "type": "object",
    "description": "Images to pull onto each node.",
    "properties": {
        "images": {
            "type": "array",
            "x-kubernetes-list-type": "atomic",
            "maxItems": MAX_ENTRIES,
            "description": "Images, each in a container of its own, all at the same time.",
            "items": _IMAGE_ENTRY,
            "x-kubernetes-validations": [
                # `==` on strings without a bound is over budget, `in` is charged by the list.
                rule(
                    "self.all(a, self.exists_one(b, b.image in [a.image]))",
                    "must not list an image twice",
                    DUPLICATE,
                ),
            ],
        },
        "pullSecrets": {
            "type": "array",
            "x-kubernetes-list-type": "atomic",
            "maxItems": MAX_ENTRIES,
            "description": "Secrets with which the images are pulled, in the same namespace.",
            "items": {
                "type": "object",
                "x-kubernetes-map-type": "atomic",
                "required": ["name"],
                "properties": {"name": {**DNS_SUBDOMAIN, "description": "Name of the Secret."}},
            },
        },
    },
}

_CUSTOM: Schema = {
    "type": "object",
    "description": "Containers and volumes of one's own, run on each node as they stand.",
    "properties": {
        "initContainers": {
            "type": "array",
            "x-kubernetes-list-type": "atomic",
            "maxItems": MAX_ENTRIES,
            "description": "Run one by one, in this order, before all others.",
            "items": CONTAINER,
            "x-kubernetes-validations": container_rules(),
        },
        "containers": {
            "type": "array",
            "x-kubernetes-list-type": "atomic",
            "maxItems": MAX_ENTRIES,
            "description": "Run together with the containers of imagePreload.",
            "items": CONTAINER,
            "x-kubernetes-validations": container_rules(),
        },
        "volumes": {
            "type": "array",
            "x-kubernetes-list-type": "atomic",
            "maxItems": MAX_ENTRIES,
            "description": "Volumes that these containers mount.",
            "items": VOLUME,
            "x-kubernetes-validations": [unique_names_rule()],
        },
        "imagePullSecrets": {
            "type": "array",
            "x-kubernetes-list-type": "atomic",
            "maxItems": MAX_ENTRIES,
            "description": "Secrets with which these images are pulled, in the same namespace.",
            "items": {
                "type": "object",
                "x-kubernetes-map-type": "atomic",
                "required": ["name"],
                "properties": {"name": {**DNS_SUBDOMAIN, "description": "Name of the Secret."}},
            },
        },
    },
    "x-kubernetes-validations": [
        rule(
            "!has(self.initContainers) || !has(self.containers) || self.containers.all(c, "
            "!self.initContainers.exists(i, i.name == c.name))",
            "must not use the name of one of initContainers",
            DUPLICATE,
            field=".containers",
        ),
    ],
}

_POLICIES: Schema = {
    "type": "object",
    "description": "How hard to try, and how many at once. What is left out has a default that "
    "is applied when the warmup runs and never stored.",
    "properties": {
        "parallelism": {
            "type": "integer",
            "format": "int32",
            "minimum": 1,
            "description": "Nodes that are warmed at the same time. 8 when left out.",
        },
        "jobTimeoutSeconds": {
            "type": "integer",
            "format": "int64",
            "minimum": 1,
            "description": "Time that one node has for all its attempts together, counted from "
            "the start of its Job. 1800 when left out, more than 30 days is used as 30 days.",
        },
        "retryLimit": {
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "description": "Attempts after the first on one node. 2 when left out, more than 20 "
            "is used as 20.",
        },
        "ttlSecondsAfterFinished": {
            "type": "integer",
            "format": "int32",
            "minimum": 1,
            "description": "Time that the Jobs are kept after the whole warmup has finished. "
            "3600 when left out. The ModelWarmup itself is kept until somebody deletes it.",
        },
    },
}

WARMUP_SPEC: Schema = {
    "type": "object",
    "description": "What to run on which nodes. It cannot be changed: a new warmup is a new "
    "object.",
    "required": ["targets"],
    "properties": {
        "mode": {
            "type": "string",
            "enum": ["", "Once"],
            "description": "How long the warmup lasts. Once, the only mode and the meaning of "
            "empty, warms each node once and finishes.",
        },
        "targets": _TARGETS,
        "imagePreload": _IMAGE_PRELOAD,
        "custom": _CUSTOM,
        "policies": _POLICIES,
    },
    "x-kubernetes-validations": [
        {
            "rule": "self == oldSelf",
            "message": "must not be changed: create a new ModelWarmup instead",
            "reason": FORBIDDEN,
        },
        rule(
            "(has(self.imagePreload) && has(self.imagePreload.images) && "
            "size(self.imagePreload.images) > 0) || (has(self.custom) && "
            "has(self.custom.containers) && size(self.custom.containers) > 0)",
            "needs at least one entry in imagePreload.images or custom.containers",
            REQUIRED,
        ),
        reserved_names_rule("initContainers"),
        reserved_names_rule("containers"),
    ],
}
