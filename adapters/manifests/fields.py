"""Fields: those that an object of ours does not have, with the one that was probably meant.

kubectl has the API server refuse them. In a container or a volume an unknown field is kept, since
it may be one of a newer Kubernetes; it is a warning there, because a misspelt one has no effect.
An InferenceCluster holds much that is somebody else's: only what looks misspelt is told of that.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, NamedTuple

from adapters.kubernetes.schemas_pods import Schema
from adapters.manifests.documents import child, item
from adapters.manifests.judged_kinds import CACHE, CLUSTER, JUDGED, JudgedKind

_FEW = 8
_CLOSE = 0.85  # how alike a field and the one that was meant are, where others have fields, too
_KEEPS_UNKNOWN = "x-kubernetes-preserve-unknown-fields"

Places = dict[str, list[str]]


class UnknownField(NamedTuple):
    """A field that the schema does not have."""

    path: str
    words: str
    is_kept: bool  # by the API server, as a field that may be new
    nearest: str = ""  # the field that was probably meant


def unknown_fields(value: Any, kind: JudgedKind) -> Iterator[UnknownField]:
    """Give every field of an object that its kind does not have."""
    for found in _unknown(value, kind.fields, "", _PLACES[kind.name]):
        if kind is CLUSTER and found.is_kept:
            if found.nearest and _is_close(found):
                yield found._replace(words=f"is not used; did you mean {found.nearest}?")
        else:
            yield found._replace(words=_WORDS.get((kind.name, found.path), found.words))


def _is_close(found: UnknownField) -> bool:
    name = found.path.rpartition(".")[2].lower()[:100]
    return bool(get_close_matches(name, [found.nearest.lower()], 1, _CLOSE))


def _unknown(value: Any, schema: Schema, path: str, places: Places) -> Iterator[UnknownField]:
    if isinstance(value, list) and "items" in schema:
        for index, each in enumerate(value):
            yield from _unknown(each, schema["items"], item(path, index), places)
    known = schema.get("properties")
    if not isinstance(value, dict) or known is None:
        return
    is_kept = schema.get(_KEEPS_UNKNOWN, False)
    for name, inner in value.items():
        if name in known:
            yield from _unknown(inner, known[name], child(path, name), places)
        else:
            nearest = _nearest(name, known)
            words = _told_in_fragment(nearest) if is_kept else _told(name, known, nearest, places)
            yield UnknownField(child(path, name), words, is_kept, nearest)


def _told(name: str, known: Schema, nearest: str, places: Places) -> str:
    elsewhere = places.get(name, [])
    if len(elsewhere) == 1:
        return f"is no field there: it belongs at {elsewhere[0]}"
    if nearest:
        return f"is no field there; did you mean {nearest}?"
    if len(known) <= _FEW:
        return f"is no field there, only {', '.join(known)}"
    return "is no field there"


def _told_in_fragment(nearest: str) -> str:
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


def _all_places(kind: JudgedKind) -> Places:
    found: Places = {}
    for name, path in _places(kind.fields, ""):
        found.setdefault(name, []).append(path)
    return found


_PLACES = {kind.name: _all_places(kind) for kind in JUDGED}
# What is to be said of fields that others have where we have none.
_WORDS = {
    (CACHE.name, "spec.clusterSelector.matchExpressions"): (
        "is no field there, only matchLabels; a server that is not asked to be strict drops it,"
        " and every InferenceCluster may be selected"
    ),
    (CACHE.name, "spec.huggingFace.authSecret.namespace"): (
        "is no field there: the Secret is looked for in the namespace of the ModelCache"
    ),
    (CLUSTER.name, "spec.cluster.existing.secretRef.namespace"): (
        "is no field there: kubeconfigs are looked for in one namespace, modelplane-system where"
        " it exists, else the controller's own"
    ),
}
