"""An InferenceCluster's spec, read: how to reach the cluster, and where claims get their storage.

The spec is shared with others, who may have more fields in it, so reading is lenient: what is of a
wrong type counts as left out, and what is missing then is told where it is needed.
"""

from typing import Any, NamedTuple

EXISTING = "Existing"
IN_CLUSTER = "InCluster"
# Source -> the field of spec.cluster that configures it.
BLOCK_BY_SOURCE = {
    "GKE": "gke",
    "EKS": "eks",
    "AKS": "aks",
    "Nebius": "nebius",
    "Vultr": "vultr",
    EXISTING: "existing",
    IN_CLUSTER: "inCluster",
}
STANDARD = "Standard"
DYNAMO = "Dynamo"
STACKS = (STANDARD, DYNAMO)
DEFAULT_KUBECONFIG_KEY = "kubeconfig"


class ClusterSpec(NamedTuple):
    """What of a cluster's spec is used; what is not known is empty."""

    source: str = ""
    secret_name: str = ""  # the Secret with the kubeconfig, of an Existing cluster only
    secret_key: str = DEFAULT_KUBECONFIG_KEY
    storage_class: str = ""
    stack: str = STANDARD


def parse_cluster(raw: Any) -> ClusterSpec:
    """Read a stored spec as far as it goes."""
    spec = _mapping(raw)
    cluster = _mapping(spec.get("cluster"))
    source = _text(cluster.get("source"))
    block = _mapping(cluster.get(BLOCK_BY_SOURCE.get(source, "")))
    secret = _mapping(block.get("secretRef")) if source == EXISTING else {}
    stack = _text(spec.get("stack"))
    return ClusterSpec(
        source,
        _text(secret.get("name")),
        _text(secret.get("key")) or DEFAULT_KUBECONFIG_KEY,
        _text(_mapping(block.get("cache")).get("storageClassName")),
        stack if stack in STACKS else STANDARD,
    )


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
