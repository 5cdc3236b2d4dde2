"""Served worlds: simulated clusters that engines run on, and what is done by hand there."""

from typing import Any

from adapters.kubernetes.schemas import INFERENCECLUSTER, MODELCACHE, MODELREPLICA, MODELWARMUP
from adapters.ports import MERGE_PATCH, Request
from adapters.simulator.resources import (
    CLAIM_TEMPLATE,
    DEPLOYMENT,
    LEADER_WORKER_SET,
    REPLICA,
    SERVICE,
    path_of,
)
from adapters.simulator.storage import Manifest
from machines import labels
from property_tests.staged_worlds import StagedWorld

WORKLOAD_KINDS = (DEPLOYMENT.kind, LEADER_WORKER_SET.kind)
SERVING = (*WORKLOAD_KINDS, SERVICE.kind, CLAIM_TEMPLATE.kind)
NAMESPACE = "default"
STRANGER = "z"  # uid of an owner that is not there, on what somebody made by hand
_RESOURCES = {one.kind: one for one in (DEPLOYMENT, LEADER_WORKER_SET, SERVICE, CLAIM_TEMPLATE)}


class ServedWorld(StagedWorld):
    """A cluster that engines may run on."""

    def install_all(self) -> None:
        """Install the definitions of all kinds."""
        for definition in (MODELWARMUP, MODELCACHE, INFERENCECLUSTER, MODELREPLICA):
            self.install(definition)

    def add_node(self, name: str, **more: Any) -> Manifest:
        """Have a machine join that engines may run on."""
        return super().add_node(name, marks={labels.POOL_NAME: "h100"}, **more)

    def edit_replica_status(self, name: str, changes: Manifest) -> None:
        """Change a ModelReplica's status by hand."""
        path = f"{path_of(REPLICA, NAMESPACE, name)}/status"
        self._ask(Request("PATCH", path, body={"status": changes}, content_type=MERGE_PATCH))

    def delete_replica(self, name: str) -> None:
        """Ask for the deletion of a ModelReplica."""
        self._delete(REPLICA, NAMESPACE, name)

    def delete_serving(self, thing: Manifest) -> None:
        """Delete something of a replica's by hand."""
        metadata = thing["metadata"]
        self._delete(_RESOURCES[thing["kind"]], metadata["namespace"], metadata["name"])

    def patch_by_hand(self, thing: Manifest, patch: Manifest) -> None:
        """Change an object by hand, as `kubectl patch` does."""
        metadata = thing["metadata"]
        resource = _RESOURCES[thing["kind"]]
        self._patch(resource, metadata["namespace"], metadata["name"], patch)
