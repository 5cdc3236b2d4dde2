"""What crds/ holds: CustomResourceDefinitions, and the policies beside them; a pure table."""

from typing import Any, NamedTuple

from adapters.kubernetes.policies import WARMUP_POLICY
from adapters.kubernetes.schemas_cache_spec import CACHE_SPEC
from adapters.kubernetes.schemas_cache_status import CACHE_STATUS
from adapters.kubernetes.schemas_cluster import CLUSTER_SPEC, CLUSTER_STATUS
from adapters.kubernetes.schemas_pods import Schema
from adapters.kubernetes.schemas_replica_spec import REPLICA_SPEC
from adapters.kubernetes.schemas_replica_status import REPLICA_STATUS
from adapters.kubernetes.schemas_warmup_spec import WARMUP_SPEC
from adapters.kubernetes.schemas_warmup_status import WARMUP_STATUS
from machines.labels import CACHE_GROUP, GROUP, VERSION

# The first condition that is True tells of the whole: they stand in the order Complete,
# Progressing, Degraded, and exactly one of these is True. Of several results kubectl shows one.
_FIRST_CAUSE = '.status.conditions[?(@.status=="True")].message'

_AGE = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}

_WARMUP_COLUMNS = [
    {"name": "Phase", "type": "string", "jsonPath": ".status.phase"},
    {"name": "Desired", "type": "integer", "jsonPath": ".status.desiredNodes"},
    {"name": "Active", "type": "integer", "jsonPath": ".status.activeNodes"},
    {"name": "Succeeded", "type": "integer", "jsonPath": ".status.succeededNodes"},
    {"name": "Failed", "type": "integer", "jsonPath": ".status.failedNodes"},
    {"name": "Message", "type": "string", "jsonPath": _FIRST_CAUSE},
    _AGE,
]


def _wide(kind: str) -> list[dict[str, Any]]:
    """Give the columns of `-o wide`: reason and message of one condition."""
    condition = f'.status.conditions[?(@.type=="{kind}")]'
    return [
        {"name": name, "type": "string", "priority": 1, "jsonPath": f"{condition}.{name.lower()}"}
        for name in ("Reason", "Message")
    ]


_CACHE_COLUMNS = [
    {"name": "Source", "type": "string", "jsonPath": ".spec.huggingFace.repo"},
    {"name": "Ready", "type": "string", "jsonPath": ".status.summary.ready"},
    _AGE,
    *_wide("Ready"),
]

_ACCEPTED, _READY = (
    f'.status.conditions[?(@.type=="{kind}")]' for kind in ("ModelAccepted", "ModelReady")
)
_REPLICA_COLUMNS: list[dict[str, Any]] = [
    {"name": "Cluster", "type": "string", "jsonPath": ".spec.clusterName"},
    {"name": "Ready", "type": "string", "jsonPath": f"{_READY}.status"},
    {"name": "Reason", "type": "string", "jsonPath": f"{_ACCEPTED}.reason"},
    _AGE,
    {"name": "Message", "type": "string", "priority": 1, "jsonPath": f"{_ACCEPTED}.message"},
]

_REACHABLE = '.status.conditions[?(@.type=="Reachable")].status'
_CLUSTER_COLUMNS = [
    {"name": "Source", "type": "string", "jsonPath": ".spec.cluster.source"},
    {"name": "Gateway", "type": "string", "jsonPath": ".status.gateway.address"},
    {"name": "Reachable", "type": "string", "jsonPath": _REACHABLE},
    _AGE,
    *_wide("Reachable"),
]


class _Names(NamedTuple):
    """What a kind is called."""

    kind: str
    plural: str
    short: str
    group: str
    categories: tuple[str, ...] = ()

    def to_json(self) -> Schema:
        """Give the names as a definition has them."""
        names: Schema = {
            "kind": self.kind,
            "listKind": f"{self.kind}List",
            "plural": self.plural,
            "singular": self.kind.lower(),
            "shortNames": [self.short],
        }
        return names | ({"categories": list(self.categories)} if self.categories else {})


def _definition(
    names: _Names, scope: str, columns: list[dict[str, Any]], description: str, **parts: Schema
) -> Schema:
    """Give the definition of a kind; its parts are the schemas of `spec` and `status`."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names.plural}.{names.group}"},
        "spec": {
            "group": names.group,
            "scope": scope,
            "names": names.to_json(),
            "versions": [
                {
                    "name": VERSION,
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": columns,
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "description": description,
                            "required": ["spec"],
                            "properties": {
                                "apiVersion": {"type": "string"},
                                "kind": {"type": "string"},
                                "metadata": {"type": "object"},
                                **parts,
                            },
                        },
                    },
                },
            ],
        },
    }


MODELWARMUP = _definition(
    _Names("ModelWarmup", "modelwarmups", "mw", GROUP),
    "Namespaced",
    _WARMUP_COLUMNS,
    "Runs something once on each of many nodes, so that images and models are there before "
    "traffic arrives.",
    spec=WARMUP_SPEC,
    status=WARMUP_STATUS,
)

_CATEGORIES = ("crossplane", "modelplane")

MODELCACHE = _definition(
    _Names("ModelCache", "modelcaches", "mc", CACHE_GROUP, _CATEGORIES),
    "Namespaced",
    _CACHE_COLUMNS,
    "A model that is staged once on each of many clusters, and published there as a mount.",
    spec=CACHE_SPEC,
    status=CACHE_STATUS,
)

INFERENCECLUSTER = _definition(
    _Names("InferenceCluster", "inferenceclusters", "ic", CACHE_GROUP, _CATEGORIES),
    "Cluster",
    _CLUSTER_COLUMNS,
    "A cluster on which models are staged and served.",
    spec=CLUSTER_SPEC,
    status=CLUSTER_STATUS,
)

MODELREPLICA = _definition(
    _Names("ModelReplica", "modelreplicas", "mr", CACHE_GROUP, _CATEGORIES),
    "Namespaced",
    _REPLICA_COLUMNS,
    "Engines that serve a model on one cluster, started when the ModelCache that they mount is "
    "ready there.",
    spec=REPLICA_SPEC,
    status=REPLICA_STATUS,
)

# File in crds/ -> the objects that it holds.
CRD_FILES = {
    "modelwarmup.yaml": (MODELWARMUP,),
    "modelwarmup-policy.yaml": WARMUP_POLICY,
    "modelcache.yaml": (MODELCACHE,),
    "modelreplica.yaml": (MODELREPLICA,),
    "inferencecluster.yaml": (INFERENCECLUSTER,),
}
