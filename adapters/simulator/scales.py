"""The subresource `scale`: how many replicas a workload has, and has to have."""

from adapters.simulator import answers
from adapters.simulator.answers import Cause
from adapters.simulator.resources import DEPLOYMENT, Resource
from adapters.simulator.storage import Manifest

_SCALE = Resource("Scale", "scales", "autoscaling/v1")
_KEPT = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def scale_of(resource: Resource, item: Manifest) -> Manifest:
    """Give the Scale of an object."""
    status = item.get("status") or {}
    replicas = (item.get("spec") or {}).get("replicas")
    shown: Manifest = {"replicas": status.get("replicas", 0)}
    selector = _selector(item) if resource is DEPLOYMENT else status.get("hpaPodSelector", "")
    if selector:
        shown["selector"] = selector
    metadata = item["metadata"]
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: metadata[name] for name in _KEPT if name in metadata},
        "spec": {"replicas": replicas} if replicas else {},
        "status": shown,
    }


def seen_as_scale(item: Manifest) -> Manifest:
    """Give an object as far as its Scale shows it: none is not shown, so that nobody owns it."""
    replicas = (item.get("spec") or {}).get("replicas")
    return {"spec": {"replicas": replicas} if replicas else {}}


def scaled(item: Manifest, scale: Manifest) -> Manifest:
    """Give an object with the replicas, and under the version, that a Scale says; or refuse."""
    version = (scale.get("metadata") or {}).get("resourceVersion")
    metadata = {**item["metadata"], **({"resourceVersion": version} if version else {})}
    replicas = (scale.get("spec") or {}).get("replicas") or 0
    if replicas < 0:
        words = f"Invalid value: {replicas}: must be greater than or equal to 0"
        raise answers.invalid(_SCALE, metadata["name"], [Cause("spec.replicas", words)])
    return {**item, "metadata": metadata, "spec": {**item["spec"], "replicas": replicas}}


def _selector(item: Manifest) -> str:
    wanted = (item["spec"].get("selector") or {}).get("matchLabels") or {}
    return ",".join(f"{key}={value}" for key, value in sorted(wanted.items()))
