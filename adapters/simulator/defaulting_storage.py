"""What the API server adds to Secrets, claims, volumes and storage classes."""

from collections.abc import Callable
from typing import Any

from adapters.simulator.resources import CLAIM, CLASS, SECRET, VOLUME, Resource
from adapters.simulator.storage import Manifest

_SECRET_DEFAULTS: Manifest = {"type": "Opaque"}
_CLASS_DEFAULTS: Manifest = {"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"}
_CLAIM_DEFAULTS: Manifest = {"volumeMode": "Filesystem", "resources": {}}
_VOLUME_DEFAULTS: Manifest = {"persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem"}


def defaulted_storage(resource: Resource, wanted: Manifest) -> Manifest:
    """Give a new object with its defaults; one of another kind comes back as it is."""
    add = _ADDING.get(resource.kind)
    return wanted if add is None else add(wanted)


def redefaulted_storage(resource: Resource, wanted: Manifest) -> Manifest:
    """Give a changed object with the defaults that each decoding applies anew."""
    if resource is SECRET:
        return _secret(wanted)
    if resource is CLAIM:
        return {**wanted, "spec": _completed(wanted.get("spec") or {}, _CLAIM_DEFAULTS)}
    if resource is VOLUME:
        return {**wanted, "spec": _volume_spec(wanted.get("spec") or {})}
    return wanted


def _secret(wanted: Manifest) -> Manifest:
    return _completed(wanted, _SECRET_DEFAULTS)


def _class(wanted: Manifest) -> Manifest:
    return _completed(wanted, _CLASS_DEFAULTS)


def _claim(wanted: Manifest) -> Manifest:
    spec = _completed(wanted.get("spec") or {}, _CLAIM_DEFAULTS)
    return {**wanted, "spec": spec, "status": {"phase": "Pending"}}


def _volume(wanted: Manifest) -> Manifest:
    made = wanted["metadata"]["creationTimestamp"]
    status = {"phase": "Pending", "lastPhaseTransitionTime": made}
    return {**wanted, "spec": _volume_spec(wanted.get("spec") or {}), "status": status}


def _volume_spec(given: Manifest) -> Manifest:
    spec = _completed(given, _VOLUME_DEFAULTS)
    if spec.get("hostPath"):
        spec["hostPath"] = {"type": "", **spec["hostPath"]}
    return spec


def _completed(given: Manifest, defaults: Manifest) -> Manifest:
    """Put defaults in the place of what is not there or empty."""
    kept = {field: value for field, value in given.items() if value or field not in defaults}
    return {**defaults, **kept}


_ADDING: dict[str, Callable[[Any], Manifest]] = {
    SECRET.kind: _secret,
    CLAIM.kind: _claim,
    VOLUME.kind: _volume,
    CLASS.kind: _class,
}
