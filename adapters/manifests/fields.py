"""Fields: those that a ModelWarmup does not have, with the one that was probably meant.

kubectl has the API server refuse them. In a container or a volume an unknown field is kept, since
it may be one of a newer Kubernetes; it is a warning there, because a misspelt one has no effect.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, NamedTuple

from adapters.kubernetes.schemas_pods import Schema
from adapters.kubernetes.schemas_warmup_spec import WARMUP_SPEC
from adapters.manifests.documents import child, item

_FEW = 8
_KEEPS_UNKNOWN = "x-kubernetes-preserve-unknown-fields"
_METADATA = (
    "annotations", "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp",
    "finalizers", "generateName", "generation", "labels", "managedFields", "name", "namespace",
    "ownerReferences", "resourceVersion", "selfLink", "uid",
)  # fmt: skip
# What stands in metadata is for another check, and a status is none of the author's.
_WARMUP: Schema = {
    "properties": {
        "apiVersion": {},
        "kind": {},
        "metadata": {"properties": {name: {} for name in _METADATA}},
        "spec": WARMUP_SPEC,
        "status": {},
    },
}


class UnknownField(NamedTuple):
    """A field that the schema does not have."""

    path: str
    words: str
    is_kept: bool  # by the API server, as a field that may be new


def unknown_fields(warmup: Any) -> Iterator[UnknownField]:
    """Give every field of an object that a ModelWarmup does not have."""
    return _unknown(warmup, _WARMUP, "")


def _unknown(value: Any, schema: Schema, path: str) -> Iterator[UnknownField]:
    if isinstance(value, list) and "items" in schema:
        for index, each in enumerate(value):
            yield from _unknown(each, schema["items"], item(path, index))
    known = schema.get("properties")
    if not isinstance(value, dict) or known is None:
        return
    is_kept = schema.get(_KEEPS_UNKNOWN, False)
    for name, inner in value.items():
        if name in known:
            yield from _unknown(inner, known[name], child(path, name))
        else:
            words = _told_in_fragment(name, known) if is_kept else _told(name, known)
            yield UnknownField(child(path, name), words, is_kept)


def _told(name: str, known: Schema) -> str:
    elsewhere = _PLACES.get(name, [])
    if len(elsewhere) == 1:
        return f"is no field there: it belongs at {elsewhere[0]}"
    nearest = _nearest(name, known)
    if nearest:
        return f"is no field there; did you mean {nearest}?"
    if len(known) <= _FEW:
        return f"is no field there, only {', '.join(known)}"
    return "is no field there"


def _told_in_fragment(name: str, known: Schema) -> str:
    nearest = _nearest(name, known)
    words = "is no field that warmlog knows, and goes to Kubernetes as it stands"
    return f"{words}; did you mean {nearest}?" if nearest else words


def _nearest(name: str, known: Schema) -> str:
    by_lower = {each.lower(): each for each in known}
    found = get_close_matches(name.lower()[:100], by_lower, 1)
    return by_lower[found[0]] if found else ""


def _places(schema: Schema, path: str) -> Iterator[tuple[str, str]]:
    """Give the name and the path of every field, those in containers and volumes left out."""
    if schema.get(_KEEPS_UNKNOWN):
        return
    if "items" in schema:
        yield from _places(schema["items"], f"{path}[]")
    for name, inner in schema.get("properties", {}).items():
        yield name, child(path, name)
        yield from _places(inner, child(path, name))


_PLACES: dict[str, list[str]] = {}
for _name, _path in _places(_WARMUP, ""):
    _PLACES.setdefault(_name, []).append(_path)
