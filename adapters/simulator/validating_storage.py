"""What is invalid in Secrets, claims, volumes and storage classes, and what of them never changes.

The words are those of a real server, but for the differences that it shows of two specs.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from adapters.simulator.answers import Cause
from adapters.simulator.formats import invalid_value
from adapters.simulator.quantities import amount_of
from adapters.simulator.resources import CLAIM, CLASS, SECRET, VOLUME, Resource
from adapters.simulator.storage import Manifest

_REQUIRED = "FieldValueRequired"
_FORBIDDEN = "FieldValueForbidden"
_UNSUPPORTED = "FieldValueNotSupported"
_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_MODES = ("Block", "Filesystem")
_BINDING_MODES = ("Immediate", "WaitForFirstConsumer")
_NO_SOURCE = frozenset(
    (
        "accessModes",
        "capacity",
        "claimRef",
        "mountOptions",
        "nodeAffinity",
        "persistentVolumeReclaimPolicy",
        "storageClassName",
        "volumeAttributesClassName",
        "volumeMode",
    )
)
_DATA_KEY = re.compile(r"[-._a-zA-Z0-9]+")
_DATA_KEY_WORDS = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
    "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
_CLASS_IMMUTABLE = ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")
_CLAIM_IMMUTABLE = (
    "Forbidden: spec is immutable after creation except resources.requests and "
    "volumeAttributesClassName for bound claims"
)


def invalid_storage(resource: Resource, item: Manifest) -> Iterator[Cause]:
    """Say what is wrong with an object of one of these kinds, defaults applied."""
    check = _CHECKS.get(resource.kind)
    if check is not None:
        yield from check(item)


def invalid_storage_update(
    resource: Resource, current: Manifest, wanted: Manifest
) -> Iterator[Cause]:
    """Say what of an object of one of these kinds may not change, or not to this."""
    check = _UPDATE_CHECKS.get(resource.kind)
    if check is not None:
        yield from check(current, wanted)


def _invalid_secret(secret: Manifest) -> Iterator[Cause]:
    for key in secret.get("data") or {}:
        if not _DATA_KEY.fullmatch(key):
            yield Cause(f"data[{key}]", invalid_value(key, _DATA_KEY_WORDS))


def _invalid_secret_update(current: Manifest, wanted: Manifest) -> Iterator[Cause]:
    yield from _changed(current, wanted, "type")
    words = "Forbidden: field is immutable when `immutable` is set"
    if current.get("immutable"):
        if not wanted.get("immutable"):
            yield Cause("immutable", words, _FORBIDDEN)
        if (wanted.get("data") or {}) != (current.get("data") or {}):
            yield Cause("data", words, _FORBIDDEN)
    yield from _invalid_secret(wanted)


def _invalid_claim(claim: Manifest) -> Iterator[Cause]:
    spec = claim["spec"]
    if not spec.get("accessModes"):
        words = "Required value: at least 1 access mode is required"
        yield Cause("spec.accessModes", words, _REQUIRED)
    yield from _bad_modes(spec)
    size = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    yield from _bad_size(size, "spec.resources[storage]")


def _invalid_claim_update(current: Manifest, wanted: Manifest) -> Iterator[Cause]:
    yield from _invalid_claim(wanted)
    old, new = current["spec"], wanted["spec"]
    allowed = dict(new)
    if not old.get("volumeName"):
        allowed["volumeName"] = old.get("volumeName")
    if not old.get("storageClassName"):
        allowed["storageClassName"] = old.get("storageClassName")
    if current["status"].get("phase") == "Bound":
        resources = dict(new.get("resources") or {})
        resources["requests"] = {**(resources.get("requests") or {}), "storage": _size(current)}
        allowed["resources"] = resources
    if _given(allowed) != _given(old):
        yield Cause("spec", _CLAIM_IMMUTABLE, _FORBIDDEN)
    capacity = (current["status"].get("capacity") or {}).get("storage", "0")
    size = _size(wanted)
    shrunk = size and amount_of(size) < amount_of(_size(current))
    if shrunk and amount_of(size) <= amount_of(capacity):
        words = "Forbidden: field can not be less than status.capacity"
        yield Cause("spec.resources.requests.storage", words, _FORBIDDEN)
    if new.get("volumeMode") != old.get("volumeMode"):
        words = f"Invalid value: {json.dumps(new.get('volumeMode'))}: field is immutable"
        yield Cause("volumeMode", words)


def _invalid_volume(volume: Manifest) -> Iterator[Cause]:
    spec = volume["spec"]
    if not spec.get("accessModes"):
        yield Cause("spec.accessModes", "Required value", _REQUIRED)
    yield from _bad_modes(spec)
    capacity = spec.get("capacity") or {}
    if not capacity:
        yield Cause("spec.capacity", "Required value", _REQUIRED)
    if set(capacity) != {"storage"}:
        words = f'Unsupported value: {json.dumps(capacity)}: supported values: "storage"'
        yield Cause("spec.capacity", words, _UNSUPPORTED)
    for name, amount in capacity.items():
        yield from _bad_size(amount, f"spec.capacity[{name}]")
    yield from _beyond(
        spec, "persistentVolumeReclaimPolicy", ("Delete", "Recycle", "Retain"), "spec."
    )
    affinity = spec.get("nodeAffinity")
    if affinity is not None and not affinity.get("required"):
        words = "Required value: must specify required node constraints"
        yield Cause("spec.nodeAffinity.required", words, _REQUIRED)
    if spec.get("local") and not affinity:
        words = "Required value: Local volume requires node affinity"
        yield Cause("spec.nodeAffinity", words, _REQUIRED)
    if not _source(spec):
        yield Cause("spec", "Required value: must specify a volume type", _REQUIRED)


def _invalid_volume_update(current: Manifest, wanted: Manifest) -> Iterator[Cause]:
    yield from _invalid_volume(wanted)
    old, new = current["spec"], wanted["spec"]
    if _source(old) != _source(new):
        words = "Forbidden: spec.persistentvolumesource is immutable after creation"
        yield Cause("spec.persistentvolumesource", words, _FORBIDDEN)
    affinity = old.get("nodeAffinity")
    for field in ("volumeMode", *(["nodeAffinity"] if affinity else [])):
        if old.get(field) != new.get(field):
            words = f"Invalid value: {json.dumps(new.get(field))}: field is immutable"
            yield Cause(field, words)


def _invalid_class(item: Manifest) -> Iterator[Cause]:
    if not item.get("provisioner"):
        yield Cause("provisioner", "Required value", _REQUIRED)
    yield from _beyond(item, "reclaimPolicy", ("Delete", "Retain"))
    yield from _beyond(item, "volumeBindingMode", _BINDING_MODES)


def _invalid_class_update(current: Manifest, wanted: Manifest) -> Iterator[Cause]:
    yield from _invalid_class(wanted)
    for field in _CLASS_IMMUTABLE:
        yield from _changed(current, wanted, field)


def _bad_modes(spec: Manifest) -> Iterator[Cause]:
    for mode in spec.get("accessModes") or ():
        yield from _beyond({"accessModes": mode}, "accessModes", _ACCESS_MODES, "spec.")
    yield from _beyond(spec, "volumeMode", _VOLUME_MODES, "spec.")


def _bad_size(size: str | None, path: str) -> Iterator[Cause]:
    if size is None:
        yield Cause(path, "Required value", _REQUIRED)
    elif amount_of(size) <= 0:
        yield Cause(path, invalid_value(size, "must be greater than zero"))


def _beyond(
    item: Manifest, field: str, allowed: tuple[str, ...], within: str = ""
) -> Iterator[Cause]:
    value = item.get(field)
    if value and value not in allowed:
        listed = ", ".join(f'"{each}"' for each in allowed)
        words = f'Unsupported value: "{value}": supported values: {listed}'
        yield Cause(f"{within}{field}", words, _UNSUPPORTED)


def _changed(current: Manifest, wanted: Manifest, field: str) -> Iterator[Cause]:
    if (current.get(field) or None) != (wanted.get(field) or None):
        words = f"Invalid value: {json.dumps(wanted.get(field))}: field is immutable"
        yield Cause(field, words)


def _size(claim: Manifest) -> str:
    requests = (claim["spec"].get("resources") or {}).get("requests") or {}
    size: str = requests.get("storage") or ""
    return size


def _given(spec: Manifest) -> Manifest:
    """Give a spec without what is not set, which is the same as not there."""
    return {field: value for field, value in spec.items() if value not in (None, "", [], {})}


def _source(spec: Manifest) -> Manifest:
    return {field: value for field, value in _given(spec).items() if field not in _NO_SOURCE}


_CHECKS: dict[str, Callable[[Any], Iterator[Cause]]] = {
    SECRET.kind: _invalid_secret,
    CLAIM.kind: _invalid_claim,
    VOLUME.kind: _invalid_volume,
    CLASS.kind: _invalid_class,
}
_UPDATE_CHECKS: dict[str, Callable[[Any, Any], Iterator[Cause]]] = {
    SECRET.kind: _invalid_secret_update,
    CLAIM.kind: _invalid_claim_update,
    VOLUME.kind: _invalid_volume_update,
    CLASS.kind: _invalid_class_update,
}
