"""What a ModelReplica asks for: the schema of `spec`, a pure table.

Fields, defaults and bounds are those of Modelplane's public API, so that its manifests apply
unchanged, and so are the rules: which members make an engine, which engines serve together. Beyond
them names are refused that no object on a cluster can have. `machines/replicas/specs.py` finds the
same, and what only several fields together make wrong.

Members are a list that is written whole, so the API server knows no earlier value of anything in
it: rules about them stand at the engine, which it finds again by its name.
"""

from adapters.kubernetes.rules import (
    FORBIDDEN,
    INVALID,
    REQUIRED,
    lasting_rules,
)
from adapters.kubernetes.schemas_pods import DNS_LABEL, DNS_SUBDOMAIN, Schema
from adapters.kubernetes.schemas_replica_template import TEMPLATE, metadata_rules
from adapters.kubernetes.schemas_status_parts import atomic_list
from machines.replicas.members import (
    LEADER,
    LONGEST_SELECTOR,
    MOST_DEVICES,
    MOST_NODES,
    MOST_REQUESTS,
    MOST_SELECTORS,
    ROLES,
    STANDALONE,
    WORKER,
)
from machines.replicas.specs import (
    ENGINE_NAME,
    MODES,
    MOST_COPIES,
    MOST_ENGINES,
    MOST_MEMBERS,
    PHASES,
    PREFILL_DECODE,
    UNIFIED,
)
from machines.syntaxes import LABEL_VALUE

_NAME: Schema = {"type": "string", "minLength": 1}
_APART = f"has(self.serving) && has(self.serving.mode) && self.serving.mode == '{PREFILL_DECODE}'"
_NO_ENGINES = "!has(self.engines)"
_NO_MEMBERS = "!has(self.members)"


def _one_of_phase(phase: str) -> str:
    return f"self.engines.exists_one(e, has(e.phase) && e.phase == '{phase}')"


def _has_one(role: str) -> str:
    return f"self.members.exists_one(m, m.role == '{role}')"


_DEVICE_REQUEST: Schema = {
    "type": "object",
    "description": "Some devices of one class.",
    "required": ["name", "deviceClassName"],
    "properties": {
        "name": {
            **DNS_LABEL,
            "minLength": 1,
            "description": "Name of the request in the claim.",
        },
        "deviceClassName": {
            **DNS_SUBDOMAIN,
            "minLength": 1,
            "description": "DeviceClass of the cluster to which the devices belong.",
        },
        "count": {
            "type": "integer",
            "default": 1,
            "minimum": 1,
            "maximum": MOST_DEVICES,
            "description": "How many devices.",
        },
        "selectors": {
            **atomic_list(
                "What each device has to meet, all together.",
                {
                    "type": "object",
                    "description": "One condition. An empty one would let in any device.",
                    "minProperties": 1,
                    "properties": {
                        "cel": {
                            "type": "string",
                            "minLength": 1,
                            "maxLength": LONGEST_SELECTOR,
                            "description": "Expression in CEL over the device.",
                        },
                    },
                },
            ),
            "maxItems": MOST_SELECTORS,
        },
    },
}

_MEMBER: Schema = {
    "type": "object",
    "description": "What runs on one node, or for a Worker on each of some nodes.",
    "required": ["nodePoolName", "template"],
    "properties": {
        "role": {
            "type": "string",
            "default": STANDALONE,
            "enum": list(ROLES),
            "description": "Standalone is the whole engine; a Leader has Workers, and answers.",
        },
        "nodePoolName": {
            **_NAME,
            "maxLength": LABEL_VALUE.longest,
            "pattern": f"^{LABEL_VALUE.pattern}$",
            "description": "Pool of the cluster on whose nodes it runs.",
        },
        "deviceRequests": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "minItems": 1,
            "maxItems": MOST_REQUESTS,
            "description": "Devices that each of its Pods claims. None when left out.",
            "items": _DEVICE_REQUEST,
        },
        "worker": {
            "type": "object",
            "description": "Only of a Worker.",
            "required": ["nodes"],
            "properties": {
                "nodes": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MOST_NODES,
                    "description": "On how many nodes it runs, beside the Leader's.",
                },
            },
        },
        "template": TEMPLATE,
    },
}

_ENGINE: Schema = {
    "type": "object",
    "description": "One engine: a Deployment, or a LeaderWorkerSet when it spans several nodes.",
    "required": ["name", "members"],
    "properties": {
        "name": {
            **_NAME,
            "maxLength": ENGINE_NAME.longest,
            "pattern": f"^({ENGINE_NAME.pattern})$",
            "description": "Name of the engine, unique in the replica.",
        },
        "copies": {
            "type": "integer",
            "default": 1,
            "minimum": 1,
            "maximum": MOST_COPIES,
            "description": "How many Pods, or gangs of Pods, of it run.",
        },
        "phase": {
            "type": "string",
            "enum": list(PHASES),
            "description": "Its part in serving, only when serving.mode is PrefillDecode.",
        },
        "members": {
            **atomic_list("One Standalone, or a Leader and a Worker.", _MEMBER),
            "minItems": 1,
            "maxItems": MOST_MEMBERS,
        },
    },
    "x-kubernetes-validations": [
        *lasting_rules(
            f"{_NO_MEMBERS} || (size(self.members) == 1 && {_has_one(STANDALONE)}) || "
            f"(size(self.members) == 2 && {_has_one(LEADER)} && {_has_one(WORKER)})",
            "must be one member with role Standalone, or one Leader and one Worker",
            INVALID,
            field=".members",
        ),
        *lasting_rules(
            f"{_NO_MEMBERS} || self.members.exists(m, has(m.deviceRequests))",
            "must have deviceRequests on at least one member: its Pods would get no device",
            REQUIRED,
            field=".members",
        ),
        *lasting_rules(
            f"{_NO_MEMBERS} || self.members.all(m, !has(m.worker) || m.role == '{WORKER}')",
            "must have worker only on a member with role Worker",
            FORBIDDEN,
            field=".members",
        ),
        *metadata_rules(),
    ],
}

REPLICA_SPEC: Schema = {
    "type": "object",
    "description": "Which engines serve a model, and on which cluster.",
    "required": ["clusterName", "engines"],
    "properties": {
        "clusterName": {
            **_NAME,
            "description": "InferenceCluster that it runs on. It cannot be changed.",
            "x-kubernetes-validations": [
                {
                    "rule": "self == oldSelf",
                    "message": "must not be changed: create a new ModelReplica instead",
                    "reason": FORBIDDEN,
                },
            ],
        },
        "modelCacheRef": {
            "type": "object",
            "description": "ModelCache whose mount every engine gets. Without it they fetch the "
            "model themselves.",
            "required": ["name"],
            "properties": {
                "name": {
                    **_NAME,
                    "description": "Name of a ModelCache in the namespace of the ModelReplica.",
                },
            },
        },
        "serving": {
            "type": "object",
            "description": "How the engines serve together.",
            "properties": {
                "mode": {
                    "type": "string",
                    "default": UNIFIED,
                    "enum": list(MODES),
                    "description": "Unified: each engine answers whole requests. warmlog carries "
                    "out no other mode yet.",
                },
            },
        },
        "engines": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "minItems": 1,
            "maxItems": MOST_ENGINES,
            "description": "The engines, all behind one Service.",
            "items": _ENGINE,
        },
    },
    "x-kubernetes-validations": [
        *lasting_rules(
            f"{_NO_ENGINES} || !({_APART}) || (size(self.engines) == 2 && "
            f"{_one_of_phase(PHASES[0])} && {_one_of_phase(PHASES[1])})",
            f"must be two, one with phase {PHASES[0]} and one with phase {PHASES[1]}: "
            f"serving.mode is {PREFILL_DECODE}",
            INVALID,
            field=".engines",
        ),
        *lasting_rules(
            f"{_NO_ENGINES} || ({_APART}) || !self.engines.exists(e, has(e.phase))",
            f"must have no phase: serving.mode is not {PREFILL_DECODE}",
            FORBIDDEN,
            field=".engines",
        ),
    ],
}
