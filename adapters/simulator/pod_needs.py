"""What a kubelet needs before it can start a Pod: its claims bound, its Secrets there."""

from collections.abc import Iterator

from adapters.simulator.conditions import is_deleting
from adapters.simulator.protecting import claims_of
from adapters.simulator.resources import CLAIM, SECRET
from adapters.simulator.storage import Manifest, Storage, key_of
from adapters.simulator.volume_matching import is_bound


def unready_claim(storage: Storage, pod: Manifest) -> str:
    """Say why a Pod's volumes cannot be mounted yet, in the kubelet's words; nothing if they can.

    `error processing PVC models/c: PVC is not bound`.
    """
    namespace = pod["metadata"]["namespace"]
    for name in claims_of(pod):
        claim = storage.get(CLAIM.kind, key_of(namespace, name))
        begin = f"error processing PVC {namespace}/{name}"
        if claim is None:
            words = f'failed to fetch PVC from API server: persistentvolumeclaim "{name}" not found'
            return f"{begin}: {words}"
        if is_deleting(claim):
            return f"{begin}: PVC is being deleted"
        if claim["status"].get("phase") != "Bound" or not is_bound(claim):
            return f"{begin}: PVC is not bound"
    return ""


def missing_config(storage: Storage, pod: Manifest) -> str:
    """Say which Secret, or key of one, the environment of a Pod's containers lacks."""
    namespace = pod["metadata"]["namespace"]
    for name, key in _needed_secrets(pod):
        secret = storage.get(SECRET.kind, key_of(namespace, name))
        if secret is None:
            return f'secret "{name}" not found'
        if key and key not in (secret.get("data") or {}):
            return f"couldn't find key {key} in Secret {namespace}/{name}"
    return ""


def _needed_secrets(pod: Manifest) -> Iterator[tuple[str, str]]:
    """Give the Secrets that containers cannot do without, with the key, if one is named."""
    spec = pod["spec"]
    for container in (*(spec.get("initContainers") or ()), *spec["containers"]):
        for source in container.get("envFrom") or ():
            reference = source.get("secretRef") or {}
            if reference and not reference.get("optional"):
                yield reference.get("name") or "", ""
        for variable in container.get("env") or ():
            reference = (variable.get("valueFrom") or {}).get("secretKeyRef") or {}
            if reference and not reference.get("optional"):
                yield reference.get("name") or "", reference.get("key") or ""
