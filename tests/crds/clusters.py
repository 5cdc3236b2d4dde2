"""Specs of an InferenceCluster: such as have to be accepted, and such as nobody may accept.

The good ones have the shapes of manifests that are published for Modelplane, with fields that
warmlog does not use, and of some of its earlier versions.
"""

from typing import Any, NamedTuple

from tests.crds.manifests import Json

POOL: Json = {"name": "gpu", "className": "l4-1x", "nodeCount": 1}
SECRET: Json = {"name": "west-kubeconfig", "key": "kubeconfig"}


class BadCluster(NamedTuple):
    """A spec that has to be refused, and the field that is named."""

    spec: Json
    field: str


def cluster(source: str, block: Json | None = None, **fields: Any) -> Json:
    """A spec with the block that configures its source."""
    name = {"InCluster": "inCluster"}.get(source, source.lower())
    return {"cluster": {"source": source, name: block or {}}, "nodePools": [POOL], **fields}


def existing(**fields: Any) -> Json:
    """A spec of a cluster that is reached by a kubeconfig."""
    return cluster("Existing", {"secretRef": SECRET, **fields})


# What is published, or new -> the spec.
GOOD_CLUSTERS: dict[str, Json] = {
    "GKE": cluster("GKE", {"region": "us-central1", "kubernetesVersion": "1.35"}),
    "GKE of an earlier version": {
        "cluster": {"source": "GKE", "gke": {"project": "some-project", "region": "us-west1"}},
        "storage": {"storageClassName": "standard-rwx", "csiDrivers": ["SharedFilesystem"]},
        "nodePools": [{"name": "gpu", "class": "l4-1x", "zones": ["us-west1-a"]}],
    },
    "EKS with Dynamo": cluster(
        "EKS",
        {"region": "us-east-1", "credentials": {"type": "ProviderConfig", "name": "team"}},
        stack="Dynamo",
    ),
    "AKS": cluster("AKS", {"location": "westeurope"}),
    "Nebius, all by default": cluster("Nebius"),
    "Vultr": cluster("Vultr", {"region": "ewr", "kubernetesVersion": "v1.36.1+3"}),
    "pools of the system and with a fabric": {
        "cluster": {
            "source": "GKE",
            "endpointAccess": "PublicAndPrivate",
            "gke": {"region": "us-central1"},
        },
        "nodePools": [
            {"name": "system", "role": "System", "instanceType": "e2-standard-8"},
            {**POOL, "fabric": {"type": "InfiniBand", "infiniband": {"fabric": "fabric-2"}}},
            {"name": "block", "capacityBlock": {"capacityReservationId": "cr-0123"}},
        ],
    },
    "existing": existing(),
    "existing with a class": existing(cache={"storageClassName": "cephfs-rwx"}),
    "existing, with all it needs provided": existing(components="Provided"),
    "existing with an identity": existing(
        identitySecretRef={
            "name": "west-identity",
            "key": "private_key",
            "type": "AWSWebIdentityCredentials",
        }
    ),
    "existing of an earlier version": {
        **existing(),
        "storage": {"rwxCache": {"storageClassName": "cephfs-rwx", "defaultSizeGiB": 200}},
    },
    "all that stands beside": existing()
    | {
        "stack": "Standard",
        "placement": {"metadata": {"labels": {"example.com/region": "eu"}}},
        "gateway": {"hostname": "west.example.com"},
        "taints": [{"key": "maintenance", "effect": "NoExecute"}],
        "telemetry": {"fleetEndpoint": True},
    },
    "the cluster itself": {"cluster": {"source": "InCluster"}},
    "the cluster itself with a class": cluster(
        "InCluster", {"cache": {"storageClassName": "nfs", "size": "1Ti"}}
    ),
}

_EXISTING = "spec.cluster.existing"

# What is wrong -> the spec, and the field that is named.
BAD_CLUSTERS: dict[str, BadCluster] = {
    "no cluster": BadCluster({}, "spec.cluster"),
    "no source": BadCluster({"cluster": {}}, "spec.cluster.source"),
    "an unknown source": BadCluster(cluster("OnPremises"), "spec.cluster.source"),
    "existing, and nothing more": BadCluster({"cluster": {"source": "Existing"}}, _EXISTING),
    "no Secret": BadCluster(cluster("Existing"), f"{_EXISTING}.secretRef"),
    "an unnamed Secret": BadCluster(existing(secretRef={}), f"{_EXISTING}.secretRef.name"),
    "an empty name": BadCluster(existing(secretRef={"name": ""}), f"{_EXISTING}.secretRef.name"),
    "an empty key": BadCluster(
        existing(secretRef={"name": "a", "key": ""}), f"{_EXISTING}.secretRef.key"
    ),
    "too long a name": BadCluster(
        existing(secretRef={"name": "n" * 254}), f"{_EXISTING}.secretRef.name"
    ),
    "an empty class": BadCluster(
        existing(cache={"storageClassName": ""}), f"{_EXISTING}.cache.storageClassName"
    ),
    "a class that is a number": BadCluster(
        cluster("InCluster", {"cache": {"storageClassName": 7}}),
        "spec.cluster.inCluster.cache.storageClassName",
    ),
    "an unknown stack": BadCluster({**existing(), "stack": "Triton"}, "spec.stack"),
    "a pool without a name": BadCluster(
        {**existing(), "nodePools": [{"className": "l4-1x"}]}, "spec.nodePools[0].name"
    ),
}
