"""An InferenceCluster: the schemas of its `spec` and `status`, pure tables.

The object is shared. Of Modelplane's public API only that has a schema which is used here: how to
reach the cluster, where claims get their storage, and the serving stack. All else is kept as it
was written, without a look at it, so that its manifests apply unchanged.
"""

from adapters.kubernetes.rules import FORBIDDEN, REQUIRED, rule
from adapters.kubernetes.schemas_pods import UNTYPED, Schema
from adapters.kubernetes.schemas_status_parts import TIME, conditions
from machines.caches.cluster_specs import (
    BLOCK_BY_SOURCE,
    DEFAULT_KUBECONFIG_KEY,
    EXISTING,
    STACKS,
    STANDARD,
)

_OPEN: Schema = {"type": "object", **UNTYPED}
_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 253}

_CACHE: Schema = {
    **_OPEN,
    "description": "Storage for ModelCaches.",
    "properties": {
        "storageClassName": {
            **_NAME,
            "description": "StorageClass for claims that many nodes mount (ReadWriteMany). "
            "status.cache.storageClassName comes before it.",
        },
    },
}

_SECRET_REF: Schema = {
    "type": "object",
    "description": "Secret with a kubeconfig for the cluster, in the namespace that the "
    "controller reads such Secrets from: modelplane-system where it exists.",
    "required": ["name"],
    "properties": {
        "name": {**_NAME, "description": "Name of the Secret."},
        "key": {
            **_NAME,
            "default": DEFAULT_KUBECONFIG_KEY,
            "description": "Key of that Secret under which the kubeconfig lies.",
        },
    },
}


def _block(source: str) -> Schema:
    """Give the schema of what configures a source."""
    if source == EXISTING:
        return {
            **_OPEN,
            "description": f"A cluster that was there before. Required when source is {source}.",
            "required": ["secretRef"],
            "properties": {"secretRef": _SECRET_REF, "cache": _CACHE},
        }
    return {
        **_OPEN,
        "description": f"The cluster when source is {source}.",
        "properties": {"cache": _CACHE},
    }


CLUSTER_SPEC: Schema = {
    **_OPEN,
    "description": "How to reach a cluster, and what it offers.",
    "required": ["cluster"],
    "properties": {
        "cluster": {
            **_OPEN,
            "description": "The cluster itself.",
            "required": ["source"],
            "properties": {
                "source": {
                    "type": "string",
                    "enum": list(BLOCK_BY_SOURCE),
                    "description": "Where the cluster comes from. Existing is reached by a "
                    "kubeconfig, InCluster is the one that the controller runs in, and all others "
                    "are made by Modelplane.",
                },
                **{block: _block(source) for source, block in BLOCK_BY_SOURCE.items()},
            },
            "x-kubernetes-validations": [
                rule(
                    f"!has(self.source) || self.source != '{EXISTING}' || has(self.existing)",
                    f"must be given: source is {EXISTING}",
                    REQUIRED,
                    field=".existing",
                ),
            ],
        },
        "stack": {
            "type": "string",
            "default": STANDARD,
            "enum": list(STACKS),
            "description": "Serving stack of the cluster. It cannot be changed.",
            "x-kubernetes-validations": [
                {
                    "rule": "self == oldSelf",
                    "message": "must not be changed: create a new InferenceCluster instead",
                    "reason": FORBIDDEN,
                },
            ],
        },
        "nodePools": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "description": "Pools of nodes with accelerators.",
            "items": {
                **_OPEN,
                "description": "One pool.",
                "required": ["name"],
                "properties": {"name": {"type": "string", "description": "Name of the pool."}},
            },
        },
    },
}

# Others have conditions here as well, who do not fill every field.
_CONDITION: Schema = {
    **_OPEN,
    "description": "One aspect, as in meta/v1 Condition.",
    "required": ["type", "status"],
    "properties": {
        "type": {"type": "string", "description": "Name of the aspect."},
        "status": {"type": "string", "description": "Whether it holds: True, False or Unknown."},
        "observedGeneration": {
            "type": "integer",
            "format": "int64",
            "description": "Generation of the object that it was found for.",
        },
        "lastTransitionTime": {**TIME, "description": "When status last changed."},
        "reason": {"type": "string", "description": "Why, in one word for programs."},
        "message": {"type": "string", "description": "Why, in words for people."},
    },
}

CLUSTER_STATUS: Schema = {
    **_OPEN,
    "description": "What is known of the cluster. warmlog writes the condition Reachable only.",
    "properties": {
        "providerConfigRef": {
            **_OPEN,
            "description": "How Modelplane reaches the cluster, once it made it.",
            "properties": {
                "name": {
                    "type": "string",
                    "description": "Name of the Secret with its kubeconfig.",
                },
            },
        },
        "gateway": {
            **_OPEN,
            "description": "The cluster's gateway.",
            "properties": {"address": {"type": "string", "description": "Its outer address."}},
        },
        "cache": {
            **_OPEN,
            "description": "Storage for ModelCaches.",
            "properties": {
                "storageClassName": {
                    "type": "string",
                    "maxLength": 253,
                    "description": "StorageClass for claims that many nodes mount.",
                },
            },
        },
        "conditions": conditions(
            "Conditions. Reachable says whether the cluster answers, and what its client says.",
            _CONDITION,
        ),
    },
}
