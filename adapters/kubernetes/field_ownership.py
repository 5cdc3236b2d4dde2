"""Field ownership: who owns what of an object, as `metadata.managedFields` tells it. Pure.

A field that an apply leaves out goes only when the same manager owned it before. So what a former
controller composed has to become ours first, or its fields would stay for ever (client-go calls
that an upgrade); `taken_over` gives the entries as they are to be written for that.
"""

import copy
from collections.abc import Iterator
from typing import Any

from adapters.kubernetes.fields import mapping, mappings, text
from machines.job_bodies import body_digest
from machines.steadying import cut

FIELD_MANAGER = "warmlog"
APPLY = "Apply"
SOMEBODY = "somebody"  # who scales, and is not told

_MANAGER = 128  # characters of a field manager; the API's own bound
_DIGEST = 16  # hex digits: it is only ever compared with an earlier one of the same object
_FIELDS = "fieldsV1"
_REPLICAS = "f:replicas"
_ITSELF = "."  # that an item is there at all: whoever put it there owns that

Entry = dict[str, Any]
Fields = dict[str, Any]

# Whoever put this there composed the object: a Deployment, a LeaderWorkerSet or a Service.
_COMPOSED_BY = (
    ("f:spec", "f:template", "f:spec", "f:containers"),
    ("f:spec", "f:leaderWorkerTemplate", "f:leaderTemplate", "f:spec", "f:containers"),
    ("f:spec", "f:leaderWorkerTemplate", "f:workerTemplate", "f:spec", "f:containers"),
    ("f:spec", "f:ports"),
)


def our_fields(metadata: dict[str, Any]) -> str:
    """Give a digest of what our manager owns, `spec.replicas` left out; "" when it owns nothing.

    It changes whenever somebody takes a field of ours, or leaves one to us.
    """
    entry = _our_entry(mappings(metadata.get("managedFields")))
    if entry is None:
        return ""
    fields = mapping(entry.get(_FIELDS))
    spec = {key: value for key, value in mapping(fields.get("f:spec")).items() if key != _REPLICAS}
    return body_digest({**fields, "f:spec": spec})[:_DIGEST]


def scaler(metadata: dict[str, Any], *, adopted: bool) -> str:
    """Give another manager that owns `spec.replicas`, the latest of several; "" for none.

    A scale to zero takes the number from us and leaves it to nobody, and so does every scale that
    follows: whoever it was is `SOMEBODY` (seen on Kubernetes 1.36).

    What is still to be `adopted` is scaled by none who composed it: what that one owns becomes
    ours.
    """
    holders = list(_holders(metadata))
    if adopted and not holders and our_fields(metadata):
        return SOMEBODY
    found = [
        (text(entry.get("time")), text(entry.get("manager")))
        for entry in holders
        if not _becomes_ours(entry, adopted=adopted)
    ]
    return cut(max(found, default=("", ""))[1], _MANAGER)


def owns_replicas(metadata: dict[str, Any], *, adopted: bool) -> bool:
    """Say whether our manager owns `spec.replicas`, or will once the object is adopted."""
    return any(_becomes_ours(entry, adopted=adopted) for entry in _holders(metadata))


def taken_over(metadata: dict[str, Any]) -> list[Entry] | None:
    """Give the managedFields with what former managers composed as ours; None for no change.

    A former manager is one that put the containers into the Pod template, or the ports into the
    Service. Who merely changed a field of what was there keeps it: an autoscaler its replicas, a
    `kubectl rollout restart` its annotation.
    """
    entries = mappings(metadata.get("managedFields"))
    former = [entry for entry in entries if _has_composed(entry)]
    if not former:
        return None
    mine = _our_entry(entries)
    base = copy.deepcopy(former[-1] if mine is None else mine)
    base |= {"manager": FIELD_MANAGER, "operation": APPLY}
    for entry in former:
        _unite(base.setdefault(_FIELDS, {}), mapping(entry.get(_FIELDS)))
    kept = [entry for entry in entries if entry is not mine and entry not in former]
    return [*kept, base]


def _our_entry(entries: list[Entry]) -> Entry | None:
    return next((entry for entry in entries if _is_ours(entry)), None)


def _is_ours(entry: Entry) -> bool:
    said = (entry.get("manager"), entry.get("operation"), text(entry.get("subresource")))
    return said == (FIELD_MANAGER, APPLY, "")


def _holders(metadata: dict[str, Any]) -> Iterator[Entry]:
    for entry in mappings(metadata.get("managedFields")):
        if _REPLICAS in mapping(mapping(entry.get(_FIELDS)).get("f:spec")):
            yield entry


def _becomes_ours(entry: Entry, *, adopted: bool) -> bool:
    return _is_ours(entry) or (not adopted and _has_composed(entry))


def _has_composed(entry: Entry) -> bool:
    if _is_ours(entry) or text(entry.get("subresource")):
        return False
    return any(_owns_items(found) for found in _found(mapping(entry.get(_FIELDS))))


def _found(fields: Fields) -> Iterator[Any]:
    for path in _COMPOSED_BY:
        here: Any = fields
        for step in path:
            here = mapping(here).get(step)
        if here is not None:
            yield here


def _owns_items(items: Any) -> bool:
    """Say whether a list is owned whole, or any item of it as such and not only fields of it."""
    found = mapping(items)
    return not found or any(_ITSELF in mapping(item) for item in found.values())


def _unite(into: Fields, fields: Fields) -> None:
    for key, value in fields.items():
        if isinstance(into.get(key), dict) and isinstance(value, dict):
            _unite(into[key], value)
        else:
            into.setdefault(key, copy.deepcopy(value))
