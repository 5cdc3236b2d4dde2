"""What everything has in common that is done by hand in a simulated cluster."""

from collections.abc import Mapping

from adapters.ports import MERGE_PATCH, Request, Response
from adapters.simulator.answers import Refusal
from adapters.simulator.api_server import ApiServer
from adapters.simulator.cluster import Cluster
from adapters.simulator.resources import BY_KIND, Resource, path_of
from adapters.simulator.storage import Manifest, key_of

_BY_HAND = (("fieldManager", "kubectl"),)


class Deeds:
    """Hands on a cluster. Whatever they ask for must work, else Refusal is raised."""

    def __init__(self, cluster: Cluster) -> None:
        """Lay hands on `cluster`."""
        self.cluster = cluster

    @property
    def api(self) -> ApiServer:
        """The API server's port."""
        return self.cluster.api

    def apply(self, manifest: Manifest) -> Manifest:
        """Create an object, or merge the manifest into the one that has its name."""
        resource = BY_KIND[manifest["kind"]]
        metadata = manifest["metadata"]
        namespace = metadata.get("namespace", "default") if resource.namespaced else ""
        if self.find(resource.kind, namespace, metadata["name"]) is None:
            return self._create(resource, namespace, manifest)
        return self._patch(resource, namespace, metadata["name"], manifest)

    def annotate(self, kind: str, namespace: str, name: str, changes: Manifest) -> Manifest:
        """Set annotations of any object; None takes one off."""
        return self._patch(BY_KIND[kind], namespace, name, {"metadata": {"annotations": changes}})

    def relabel(
        self, kind: str, namespace: str, name: str, changes: Mapping[str, str | None]
    ) -> Manifest:
        """Set labels of any object; None takes one off."""
        return self._patch(BY_KIND[kind], namespace, name, {"metadata": {"labels": dict(changes)}})

    def find(self, kind: str, namespace: str, name: str) -> Manifest | None:
        """Give an object as it is now, or None."""
        return self.cluster.storage.get(kind, key_of(namespace, name))

    def must_find(self, kind: str, namespace: str, name: str) -> Manifest:
        """Give an object as it is now; LookupError when there is none."""
        found = self.find(kind, namespace, name)
        if found is None:
            raise LookupError(f"no {kind} {namespace}/{name}")
        return found

    def listed(self, kind: str, namespace: str = "") -> list[Manifest]:
        """Give the objects of a kind, by key."""
        return self.cluster.storage.listed(kind, namespace)

    def _create(self, resource: Resource, namespace: str, body: Manifest) -> Manifest:
        whole = {"apiVersion": resource.api_version, "kind": resource.kind, **body}
        return self._ask(Request("POST", path_of(resource, namespace), _BY_HAND, whole))

    def _patch(self, resource: Resource, namespace: str, name: str, patch: Manifest) -> Manifest:
        path = path_of(resource, namespace, name)
        return self._ask(Request("PATCH", path, _BY_HAND, patch, MERGE_PATCH))

    def _delete(
        self, resource: Resource, namespace: str, name: str, propagation: str = "Background"
    ) -> None:
        body = {"propagationPolicy": propagation}
        self._ask(Request("DELETE", path_of(resource, namespace, name), body=body))

    def _ask(self, request: Request) -> Manifest:
        """Ask past all faults: they befall the controller under test, not the world."""
        response: Response = self.cluster.api.answer(request)
        if not response.ok:
            raise Refusal(response)
        body: Manifest = response.body
        return body
