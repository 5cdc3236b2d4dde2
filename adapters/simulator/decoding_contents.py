"""How a decoder rewrites what Secrets, claims and volumes hold: base64 and quantities."""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any

from adapters.simulator.quantities import rewritten
from adapters.simulator.resources import CLAIM, CLASS, SECRET, VOLUME, Resource
from adapters.simulator.storage import Manifest

_TOP = frozenset(("apiVersion", "kind", "metadata"))
_SECRET_PARTS = _TOP | {"data", "immutable", "stringData", "type"}
_CLASS_PARTS = _TOP | {
    "allowVolumeExpansion",
    "allowedTopologies",
    "mountOptions",
    "parameters",
    "provisioner",
    "reclaimPolicy",
    "volumeBindingMode",
}


class ContentsMalformed(Exception):
    """Contents that a decoder cannot read; the text says why, in its words."""


def rewritten_contents(resource: Resource, body: Manifest) -> Manifest:
    """Give `body` as a decoder understands it; ContentsMalformed when it cannot."""
    rewrite = _REWRITING.get(resource.kind)
    if rewrite is None:
        return body
    body = _without_nulls(body)
    if isinstance(body.get("spec"), dict):
        body = {**body, "spec": _without_nulls(body["spec"])}
    return rewrite(body)


def _claim(body: Manifest) -> Manifest:
    """Rewrite the amounts that a claim asks for and has."""
    body = _with_quantities(body, "status", "capacity", "allocatedResources")
    spec = body.get("spec")
    if not spec or not spec.get("resources"):
        return body
    within = _with_quantities({"resources": spec["resources"]}, "resources", "requests", "limits")
    return {**body, "spec": {**spec, **within}}


def _volume(body: Manifest) -> Manifest:
    return _with_quantities(body, "spec", "capacity")


def _class(body: Manifest) -> Manifest:
    return {part: value for part, value in body.items() if part in _CLASS_PARTS}


def _without_nulls(given: Manifest) -> Manifest:
    return {field: value for field, value in given.items() if value is not None}


def _with_quantities(holder: Manifest, part: str, *names: str) -> Manifest:
    """Rewrite the quantities under some names of one part."""
    given = holder.get(part)
    if not isinstance(given, dict):
        return holder
    written = {
        name: {key: _quantity(value) for key, value in given[name].items()}
        for name in names
        if isinstance(given.get(name), dict)
    }
    return {**holder, part: {**given, **written}}


def _quantity(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        kind = "bool" if isinstance(value, bool) else type(value).__name__
        raise ContentsMalformed(f"json: cannot unmarshal {kind} into a quantity")
    try:
        return rewritten(str(value))
    except ValueError as error:
        raise ContentsMalformed(str(error)) from None


def _secret(body: Manifest) -> Manifest:
    """Take what is given as text into the data; the text itself is not kept."""
    kept = {part: value for part, value in body.items() if part in _SECRET_PARTS}
    data = {key: _base64(value) for key, value in (kept.get("data") or {}).items()}
    given: Mapping[str, str] = kept.pop("stringData", None) or {}
    data |= {key: base64.b64encode(text.encode()).decode() for key, text in given.items()}
    kept.pop("data", None)
    return {**kept, "data": data} if data else kept


def _base64(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        words = "json: cannot unmarshal into Go struct field Secret.data of type []uint8"
        raise ContentsMalformed(words)
    try:
        plain = base64.b64decode(value.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        raise ContentsMalformed("illegal base64 data at input byte 0") from None
    return base64.b64encode(plain).decode()


_REWRITING: dict[str, Callable[[Any], Manifest]] = {
    SECRET.kind: _secret,
    CLAIM.kind: _claim,
    VOLUME.kind: _volume,
    CLASS.kind: _class,
}
