"""What people and other controllers do about engines in a simulated cluster."""

from adapters.ports import APPLY_PATCH, MERGE_PATCH, Request
from adapters.simulator.plans import EnginePlan
from adapters.simulator.resources import (
    BY_KIND,
    DEPLOYMENT,
    POD,
    REPLICA_SET,
    Place,
    Resource,
    path_of,
)
from adapters.simulator.storage import Manifest, key_of_item
from adapters.simulator.storage_deeds import StorageDeeds


class ServingDeeds(StorageDeeds):
    """See the module."""

    def plan_engines(self, prefix: str, plan: EnginePlan) -> None:
        """Say what becomes of the Pods of Deployments whose name begins like this."""
        self.cluster.engines[prefix] = plan

    def engine_pods(self, namespace: str, name: str) -> list[Manifest]:
        """Give the Pods of a Deployment, oldest first; those that are going, too."""
        deployment = self.must_find(DEPLOYMENT.kind, namespace, name)
        sets = self._owned_by(deployment, REPLICA_SET)
        pods = [pod for each in sets for pod in self._owned_by(each, POD)]
        return sorted(pods, key=lambda pod: str(pod["metadata"]["creationTimestamp"]))

    def scale(
        self, kind: str, namespace: str, name: str, replicas: int, *, manager: str = "autoscaler"
    ) -> None:
        """Set the replicas of a workload as an autoscaler does, which then owns them."""
        path = path_of(BY_KIND[kind], namespace, name, "scale")
        body = {"spec": {"replicas": replicas}}
        self._ask(Request("PATCH", path, _as(manager), body, MERGE_PATCH))

    def make_as(self, manager: str, manifest: Manifest) -> Manifest:
        """Create an object as another manager does that does not apply: it owns all its fields."""
        resource, namespace = self._home_of(manifest)
        return self._ask(Request("POST", path_of(resource, namespace), _as(manager), manifest))

    def apply_as(self, manager: str, manifest: Manifest, *, force: bool = True) -> Manifest:
        """Apply an object server-side as another manager."""
        resource, namespace = self._home_of(manifest)
        path = path_of(resource, namespace, manifest["metadata"]["name"])
        query = (*_as(manager), *((("force", "true"),) if force else ()))
        return self._ask(Request("PATCH", path, query, manifest, APPLY_PATCH))

    def set_condition(self, kind: str, namespace: str, name: str, condition: Manifest) -> None:
        """Write a condition as the controller of a kind does that the simulator has none for."""
        self.cluster.registry.set_condition(Place(BY_KIND[kind], namespace, name), condition)

    def make_available(self, kind: str, namespace: str, name: str) -> None:
        """Say that a workload without a controller here is up, as LeaderWorkerSets say it."""
        told = {"reason": "AllGroupsReady", "message": "All replicas are ready"}
        condition = {"type": "Available", "status": "True", **told}
        self.set_condition(kind, namespace, name, condition)

    def delete_deployment(self, namespace: str, name: str, propagation: str = "Background") -> None:
        """Delete a Deployment; its Pods follow, unless they are orphaned."""
        self._delete(DEPLOYMENT, namespace, name, propagation)

    def _owned_by(self, owner: Manifest, resource: Resource) -> list[Manifest]:
        dependents = self.cluster.storage.dependents(owner["metadata"]["uid"])
        return [item for kind, item in dependents if kind == resource.kind]

    def _home_of(self, manifest: Manifest) -> tuple[Resource, str]:
        resource = BY_KIND[manifest["kind"]]
        namespace = manifest["metadata"].get("namespace", "default") if resource.namespaced else ""
        return resource, namespace

    def serve(self, kind: str) -> None:
        """Have the API server serve a kind from now on."""
        self.cluster.registry.served.missing.discard(kind)

    def stop_serving(self, kind: str) -> None:
        """Have it serve a kind no more: its objects are gone, watches of it end."""
        for item in self.listed(kind):
            self.cluster.storage.remove(kind, key_of_item(item))
        self.cluster.registry.served.missing.add(kind)
        for cursor in self.api.cursors:
            if cursor.kind == kind:
                cursor.close()


def _as(manager: str) -> tuple[tuple[str, str], ...]:
    return (("fieldManager", manager),)
