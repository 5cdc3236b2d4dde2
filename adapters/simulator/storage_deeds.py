"""What people do about volumes, Secrets and models in a simulated cluster."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from adapters.ports import Request
from adapters.simulator.deeds import Deeds
from adapters.simulator.plans import HydrationPlan, ProvisionerPlan
from adapters.simulator.resources import (
    CACHE,
    CLAIM,
    CLASS,
    INFERENCE_CLUSTER,
    POD,
    SECRET,
    VOLUME,
    path_of,
)
from adapters.simulator.storage import Manifest
from adapters.simulator.volume_matching import HOST_LABEL

_RWX = ("ReadWriteMany",)
_BLOCK_BY_SOURCE = {"Existing": "existing", "InCluster": "inCluster"}


class StorageDeeds(Deeds):
    """See the module."""

    def add_storage_class(
        self,
        name: str,
        *,
        mode: str = "Immediate",
        plan: ProvisionerPlan | None = None,
        expandable: bool = False,
        **fields: Any,
    ) -> Manifest:
        """Make a storage class; its provisioner does by `plan`, and is not there without one.

        More fields by their names: `provisioner=NO_PROVISIONER` has all volumes made by people.
        """
        if plan is not None:
            self.cluster.provisioner_plans[name] = plan
        body = {
            "metadata": {"name": name},
            "provisioner": f"{name}.example.com",
            "volumeBindingMode": mode,
            "allowVolumeExpansion": expandable,
        }
        return self._create(CLASS, "", {**body, **fields})

    def delete_storage_class(self, name: str) -> None:
        """Delete a storage class; what it made stays."""
        self._delete(CLASS, "", name)

    def set_provisioner(self, class_name: str, plan: ProvisionerPlan | None) -> None:
        """Have the provisioner of a class behave differently, come, or go for good."""
        if plan is None:
            self.cluster.provisioner_plans.pop(class_name, None)
        else:
            self.cluster.provisioner_plans[class_name] = plan
            self.cluster.provisioners.look_again()

    def plan_hydration(self, claim_prefix: str, plan: HydrationPlan) -> None:
        """Say what becomes of the Jobs' Pods that mount a claim whose name begins like this."""
        self.cluster.hydrations[claim_prefix] = plan

    def add_volume(
        self,
        name: str,
        *,
        size: str = "10Gi",
        class_name: str = "",
        claim: tuple[str, str] | None = None,
        node: str = "",
        modes: Sequence[str] = _RWX,
    ) -> Manifest:
        """Make a volume by hand: for one claim (namespace, name), or on one node, if told so."""
        spec: Manifest = {
            "accessModes": list(modes),
            "capacity": {"storage": size},
            "hostPath": {"path": f"/volumes/{name}"},
            "storageClassName": class_name,
        }
        if claim is not None:
            named = dict(zip(("namespace", "name"), claim, strict=True))
            spec["claimRef"] = {"kind": CLAIM.kind, "apiVersion": CLAIM.api_version, **named}
        if node:
            expression = {"key": HOST_LABEL, "operator": "In", "values": [node]}
            terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
            spec["nodeAffinity"] = {"required": terms}
        return self._create(VOLUME, "", {"metadata": {"name": name}, "spec": spec})

    def lose_volume(self, name: str) -> None:
        """Have a volume vanish with its data, whatever it was bound to."""
        self._patch(VOLUME, "", name, {"metadata": {"finalizers": None}})
        self._delete(VOLUME, "", name)

    def add_claim(
        self, namespace: str, name: str, *, class_name: str = "", size: str = "10Gi"
    ) -> Manifest:
        """Make a claim by hand, as somebody who fills it without warmlog does."""
        spec = {
            "accessModes": list(_RWX),
            "resources": {"requests": {"storage": size}},
            "storageClassName": class_name,
        }
        return self._create(CLAIM, namespace, {"metadata": {"name": name}, "spec": spec})

    def resize_claim(self, namespace: str, name: str, size: str) -> Manifest:
        """Ask for another size of a claim."""
        spec = {"resources": {"requests": {"storage": size}}}
        return self._patch(CLAIM, namespace, name, {"spec": spec})

    def delete_claim(self, namespace: str, name: str) -> None:
        """Delete a claim; it goes once no Pod mounts it."""
        self._delete(CLAIM, namespace, name)

    def add_mounting_pod(
        self, namespace: str, name: str, claim: str, *, marks: Mapping[str, str] | None = None
    ) -> Manifest:
        """Start somebody's Pod that mounts a claim, as an engine does."""
        mount = {"name": "model-cache", "mountPath": "/mnt/models"}
        volume = {"name": "model-cache", "persistentVolumeClaim": {"claimName": claim}}
        spec = {
            "restartPolicy": "Never",
            "containers": [{"name": "engine", "image": "engine:1", "volumeMounts": [mount]}],
            "volumes": [volume],
        }
        metadata = {"name": name, "labels": dict(marks or {})}
        return self._create(POD, namespace, {"metadata": metadata, "spec": spec})

    def add_secret(self, namespace: str, name: str, values: Mapping[str, str]) -> Manifest:
        """Make a Secret of keys and their plain values."""
        return self._create(SECRET, namespace, _secret(namespace, name, values))

    def set_secret(self, namespace: str, name: str, values: Mapping[str, str]) -> Manifest:
        """Give a Secret exactly these keys and values, whether it is there or not."""
        if self.find(SECRET.kind, namespace, name) is None:
            return self.add_secret(namespace, name, values)
        body = _secret(namespace, name, values)
        return self._ask(Request("PUT", path_of(SECRET, namespace, name), body=body))

    def delete_secret(self, namespace: str, name: str) -> None:
        """Delete a Secret."""
        self._delete(SECRET, namespace, name)

    def make_cache(
        self,
        namespace: str,
        name: str,
        *,
        selector: Mapping[str, str] | None = None,
        **source: Any,
    ) -> Manifest:
        """Apply a ModelCache: made, or changed where it says something else.

        The fields of its source go by their names: repo, revision, sizeGiB, authSecret.
        """
        hub = {"repo": "org/model", "sizeGiB": 10, **source}
        spec: Manifest = {"source": "HuggingFace", "huggingFace": hub}
        if selector is not None:
            spec["clusterSelector"] = {"matchLabels": dict(selector)}
        metadata = {"name": name, "namespace": namespace}
        named = {"apiVersion": CACHE.api_version, "kind": CACHE.kind}
        return self.apply({**named, "metadata": metadata, "spec": spec})

    def delete_cache(self, namespace: str, name: str) -> None:
        """Delete a ModelCache; it stays while finalizers hold it."""
        self._delete(CACHE, namespace, name)

    def add_inference_cluster(
        self,
        name: str,
        *,
        source: str = "InCluster",
        secret: str = "",
        class_name: str = "",
        marks: Mapping[str, str] | None = None,
    ) -> Manifest:
        """Name a cluster: the one that this is, or one that a kubeconfig Secret leads to."""
        block: Manifest = {"cache": {"storageClassName": class_name}} if class_name else {}
        if secret:
            block["secretRef"] = {"name": secret}
        cluster: Manifest = {"source": source}
        if block:
            cluster[_BLOCK_BY_SOURCE[source]] = block
        metadata = {"name": name, "labels": dict(marks or {})}
        body = {"metadata": metadata, "spec": {"cluster": cluster}}
        return self._create(INFERENCE_CLUSTER, "", body)

    def delete_inference_cluster(self, name: str) -> None:
        """Forget a cluster."""
        self._delete(INFERENCE_CLUSTER, "", name)


def _secret(namespace: str, name: str, values: Mapping[str, str]) -> Manifest:
    data = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
    return {
        "apiVersion": SECRET.api_version,
        "kind": SECRET.kind,
        "metadata": {"name": name, "namespace": namespace},
        "data": data,
    }
