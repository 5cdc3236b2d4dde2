"""Names of what a ModelReplica has on its cluster: Modelplane's, so that its objects are found."""

from typing import NamedTuple

from machines.caches.child_names import child_name


class ReplicaNames(NamedTuple):
    """Which ModelReplica it is, and the namespace that its objects have on the cluster."""

    namespace: str
    name: str
    uid: str
    workload_namespace: str


def workload_name(replica: str, engine: str) -> str:
    """Give the name of an engine's Deployment or LeaderWorkerSet.

    Never the Service's, which has the replica's own: a LeaderWorkerSet makes a headless Service
    under its own name, and where that is taken its Pods never find their leader.
    """
    return child_name(replica, engine)


def claim_template_name(replica: str, engine: str, role: str) -> str:
    """Give the name of the ResourceClaimTemplate of a member, by its role."""
    return child_name(replica, engine, role.lower(), "devices")
