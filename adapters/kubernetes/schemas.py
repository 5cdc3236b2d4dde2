"""What crds/ holds: CustomResourceDefinitions, and the policies beside them; a pure table."""

from adapters.kubernetes.policies import WARMUP_POLICY
from adapters.kubernetes.schemas_pods import Schema
from adapters.kubernetes.schemas_warmup_spec import WARMUP_SPEC
from adapters.kubernetes.schemas_warmup_status import WARMUP_STATUS
from machines.labels import GROUP, VERSION

# The first condition that is True tells of the whole: they stand in the order Complete,
# Progressing, Degraded, and exactly one of these is True. Of several results kubectl shows one.
_FIRST_CAUSE = '.status.conditions[?(@.status=="True")].message'

_WARMUP_COLUMNS = [
    {"name": "Phase", "type": "string", "jsonPath": ".status.phase"},
    {"name": "Desired", "type": "integer", "jsonPath": ".status.desiredNodes"},
    {"name": "Active", "type": "integer", "jsonPath": ".status.activeNodes"},
    {"name": "Succeeded", "type": "integer", "jsonPath": ".status.succeededNodes"},
    {"name": "Failed", "type": "integer", "jsonPath": ".status.failedNodes"},
    {"name": "Message", "type": "string", "jsonPath": _FIRST_CAUSE},
    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
]

MODELWARMUP: Schema = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"modelwarmups.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {
            "kind": "ModelWarmup",
            "listKind": "ModelWarmupList",
            "plural": "modelwarmups",
            "singular": "modelwarmup",
            "shortNames": ["mw"],
        },
        "versions": [
            {
                "name": VERSION,
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "additionalPrinterColumns": _WARMUP_COLUMNS,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "description": "Runs something once on each of many nodes, so that images "
                        "and models are there before traffic arrives.",
                        "required": ["spec"],
                        "properties": {
                            "apiVersion": {"type": "string"},
                            "kind": {"type": "string"},
                            "metadata": {"type": "object"},
                            "spec": WARMUP_SPEC,
                            "status": WARMUP_STATUS,
                        },
                    },
                },
            },
        ],
    },
}

# File in crds/ -> the objects that it holds.
CRD_FILES = {"modelwarmup.yaml": (MODELWARMUP,), "modelwarmup-policy.yaml": WARMUP_POLICY}
