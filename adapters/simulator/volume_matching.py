"""What says whether a claim and a volume belong together. Nothing is changed here."""

from collections.abc import Iterable, Mapping

from adapters.simulator.conditions import is_deleting
from adapters.simulator.quantities import amount_of
from adapters.simulator.resources import CLAIM, CLASS, VOLUME
from adapters.simulator.selecting import affinity_matches
from adapters.simulator.storage import Manifest, Storage, key_of

# Annotations of claims and volumes, by which their controllers speak to each other.
SELECTED_NODE = "volume.kubernetes.io/selected-node"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
PROVISIONER = "volume.kubernetes.io/storage-provisioner"
OLD_PROVISIONER = "volume.beta.kubernetes.io/storage-provisioner"

NO_PROVISIONER = "kubernetes.io/no-provisioner"
HOST_LABEL = "kubernetes.io/hostname"


def note_of(item: Manifest, key: str) -> str:
    """Give an annotation, or nothing."""
    found: str = (item["metadata"].get("annotations") or {}).get(key, "")
    return found


def with_notes(item: Manifest, notes: Mapping[str, str | None]) -> Manifest:
    """Give an object with annotations set, or taken off by None."""
    metadata = item["metadata"]
    given = {**(metadata.get("annotations") or {}), **notes}
    kept = {key: note for key, note in given.items() if note is not None}
    metadata = {part: value for part, value in metadata.items() if part != "annotations"}
    return {**item, "metadata": {**metadata, "annotations": kept} if kept else metadata}


def class_name(item: Manifest) -> str:
    """Give the name of the class of a claim or a volume; empty for none."""
    return item["spec"].get("storageClassName") or ""


def class_of(storage: Storage, item: Manifest) -> Manifest | None:
    """Give the class of a claim or a volume."""
    return storage.get(CLASS.kind, key_of("", class_name(item)))


def volume_of(storage: Storage, claim: Manifest) -> Manifest | None:
    """Give the volume that a claim names."""
    return storage.get(VOLUME.kind, key_of("", claim["spec"].get("volumeName") or ""))


def waits_for_pod(storage: Storage, claim: Manifest) -> bool:
    """Say whether a claim is bound only once a Pod that mounts it is scheduled."""
    found = class_of(storage, claim)
    return found is not None and found["volumeBindingMode"] == "WaitForFirstConsumer"


def is_bound(claim: Manifest) -> bool:
    """Say whether a claim was bound for good; what became of its volume is another question."""
    return bool(claim["spec"].get("volumeName") and note_of(claim, BIND_COMPLETED))


def size_of(claim: Manifest) -> str:
    """Give what a claim asks for."""
    size: str = claim["spec"]["resources"]["requests"]["storage"]
    return size


def lies_on(volume: Manifest, node: Manifest) -> bool:
    """Say whether a volume can be used on a node."""
    required = (volume["spec"].get("nodeAffinity") or {}).get("required")
    return required is None or affinity_matches(required.get("nodeSelectorTerms") or (), node)


def is_kept_for(volume: Manifest, claim: Manifest) -> bool:
    """Say whether a volume names this claim: this very one, or by its name alone."""
    reference, metadata = volume["spec"].get("claimRef") or {}, claim["metadata"]
    return (reference.get("namespace"), reference.get("name")) == (
        metadata["namespace"],
        metadata["name"],
    ) and reference.get("uid", "") in {"", metadata["uid"]}


def reference_to(claim: Manifest) -> Manifest:
    """Give what a volume says of the claim that it is bound to."""
    metadata = claim["metadata"]
    return {
        "kind": CLAIM.kind,
        "apiVersion": CLAIM.api_version,
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "resourceVersion": metadata["resourceVersion"],
    }


def unsuitable_words(volume: Manifest, claim: Manifest) -> str:
    """Say why a volume that a claim asks for by name cannot be its own; nothing when it can."""
    if is_deleting(volume):
        return f'the volume is marked for deletion "{volume["metadata"]["name"]}"'
    if not _is_large_enough(volume, claim):
        return "requested PV is too small"
    if class_name(volume) != class_name(claim):
        return "storageClassName does not match"
    if volume["spec"]["volumeMode"] != claim["spec"]["volumeMode"]:
        return "incompatible volumeMode"
    return "" if _offers_modes(volume, claim) else "incompatible accessMode"


def matching_volume(
    claim: Manifest, volumes: Iterable[Manifest], *, node: Manifest | None, delayed: bool
) -> Manifest | None:
    """Give the volume to bind a claim to: one that is kept for it, else the smallest that fits.

    The scheduler asks for a node; without one, a claim whose binding is delayed gets no other
    volume than one that is kept for it.
    """
    fitting = []
    for volume in volumes:
        spec = volume["spec"]
        kept = is_kept_for(volume, claim)
        if spec.get("claimRef") and not kept:
            continue
        same_mode = spec["volumeMode"] == claim["spec"]["volumeMode"]
        if not same_mode or not _is_large_enough(volume, claim) or is_deleting(volume):
            continue
        near = node is None or lies_on(volume, node)
        if kept:
            return volume if near else None
        if (
            near
            and (node is not None or not delayed)
            and volume["status"].get("phase") == "Available"
            and class_name(volume) == class_name(claim)
            and _offers_modes(volume, claim)
        ):
            fitting.append(volume)
    return min(fitting, key=_size_and_name, default=None)


def _size_and_name(volume: Manifest) -> tuple[int, float, str]:
    spec = volume["spec"]
    size = float(amount_of(spec["capacity"]["storage"]))
    return len(spec["accessModes"]), size, volume["metadata"]["name"]


def _is_large_enough(volume: Manifest, claim: Manifest) -> bool:
    return amount_of(volume["spec"]["capacity"]["storage"]) >= amount_of(size_of(claim))


def _offers_modes(volume: Manifest, claim: Manifest) -> bool:
    return set(claim["spec"]["accessModes"]) <= set(volume["spec"]["accessModes"])
