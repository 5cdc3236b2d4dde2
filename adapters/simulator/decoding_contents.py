"""How a decoder rewrites what objects hold: base64, quantities, and what is as good as nothing."""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any

from adapters.simulator.quantities import rewritten
from adapters.simulator.resources import (
    CLAIM,
    CLASS,
    DEPLOYMENT,
    REPLICA_SET,
    SECRET,
    SERVICE,
    VOLUME,
    Resource,
)
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
_MAPS = frozenset(("labels", "annotations", "nodeSelector", "matchLabels", "limits", "requests"))
# Members that are false when they are not there; others say so.
_FLAGS = frozenset(("hostNetwork", "hostPID", "hostIPC", "readOnly", "stdin", "tty", "paused"))


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


def _workload(body: Manifest) -> Manifest:
    """Leave out of the spec what a decoder takes for not given: no list, no text, no member."""
    spec = body.get("spec")
    return {**body, "spec": _without_empty(spec)} if isinstance(spec, dict) else body


def _without_empty(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_empty(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {
        field: _without_empty(part)
        for field, part in value.items()
        if not (part in ([], "", None) or (field in _MAPS and part == {}))
        and not (part is False and field in _FLAGS)
    }


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
    DEPLOYMENT.kind: _workload,
    REPLICA_SET.kind: _workload,
    SERVICE.kind: _workload,
}
