"""Patches: what each kind of change writes onto an object as it was just read. Pure.

A patch only ever touches what is ours: labels and annotations one by one, our own finalizer, one
request, one key of one Secret. Whatever others wrote beside it stays.
"""

from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from typing import Any

from adapters.kubernetes.fields import items, mapping, text
from adapters.kubernetes.vaults import DIGESTS, Tokens
from machines.caches.changes import ChangeKind
from machines.labels import SELECTED_NODE
from machines.quantities import canonical

Operations = list[dict[str, Any]]
Raw = dict[str, Any]


class Nothing(Enum):
    """Why there is nothing to write."""

    HOLDS = "it is so already"
    UNFIT = "the object is not what the change was meant for any more"


def patch_of(change: str, body: Raw, found: Raw, tokens: Tokens | None) -> Operations | Nothing:
    """Give the operations that make `found` (raw JSON) what `body` asks for, or why there are none.

    ValueError for a change that is none.
    """
    if change == ChangeKind.ROTATE:
        return _rotate(body, found, tokens)
    return _PATCHES[ChangeKind(change)](body, found)


def is_so(change: str, body: Raw, found: Raw) -> bool:
    """Say whether `found` is as `body` asks for, whoever made it so."""
    if change == ChangeKind.HEAL:  # the scheduler may have chosen another node since
        return _selected_node(found) != text(body["selectedNode"])
    return patch_of(change, body, found, None) is Nothing.HOLDS


def data_of(body: Raw, tokens: Tokens | None) -> dict[str, str] | None:
    """Give the `data` of a Secret whose token `body` names; None when it is not to be had."""
    token = mapping(body.get("token"))
    namespace, name, key, digest = (
        text(token.get(field)) for field in ("namespace", "name", "key", "digest")
    )
    value = tokens.base64_of(namespace, name, key, digest) if tokens else None
    return None if value is None else {key: value}


def _hold(body: Raw, found: Raw) -> Operations | Nothing:
    finalizers = items(_metadata(found).get("finalizers"))
    if body["finalizer"] in finalizers:
        return Nothing.HOLDS
    if _metadata(found).get("deletionTimestamp"):
        return Nothing.UNFIT  # no API server takes a new finalizer then
    if not finalizers:
        return [_add("/metadata/finalizers", [body["finalizer"]])]
    return [_add("/metadata/finalizers/-", body["finalizer"])]


def _release(body: Raw, found: Raw) -> Operations | Nothing:
    finalizers = items(_metadata(found).get("finalizers"))
    if body["finalizer"] not in finalizers:
        return Nothing.HOLDS
    path = f"/metadata/finalizers/{finalizers.index(body['finalizer'])}"
    return [
        {"op": "test", "path": path, "value": body["finalizer"]},
        {"op": "remove", "path": path},
    ]


def _mark(body: Raw, found: Raw) -> Operations | Nothing:
    """Write labels and annotations, each by itself."""
    operations = []
    for field in ("labels", "annotations"):
        wanted = mapping(body.get(field))
        present = _metadata(found).get(field)
        if not isinstance(present, dict):
            if wanted:
                operations.append(_add(f"/metadata/{field}", wanted))
            continue
        operations += [
            _add(f"/metadata/{field}/{_escaped(key)}", value)
            for key, value in wanted.items()
            if present.get(key) != value
        ]
    return operations or Nothing.HOLDS


def _grow(body: Raw, found: Raw) -> Operations | Nothing:
    resources = mapping(mapping(found.get("spec")).get("resources"))
    present = text(mapping(resources.get("requests")).get("storage"))
    if present and _amount(present) >= _amount(body["storage"]):
        return Nothing.HOLDS
    path = "/spec/resources/requests/storage"
    return [{"op": "replace", "path": path, "value": body["storage"]}]


def _heal(body: Raw, found: Raw) -> Operations | Nothing:
    status, spec = mapping(found.get("status")), mapping(found.get("spec"))
    is_bound = bool(text(spec.get("volumeName"))) or status.get("phase") in {"Bound", "Lost"}
    if is_bound or _selected_node(found) != body["selectedNode"]:
        return Nothing.UNFIT
    path = f"/metadata/annotations/{_escaped(SELECTED_NODE)}"
    return [
        {"op": "test", "path": path, "value": body["selectedNode"]},
        {"op": "remove", "path": path},
    ]


def _rotate(body: Raw, found: Raw, tokens: Tokens | None) -> Operations | Nothing:
    token = mapping(body.get("token"))
    digests = mapping(found.get(DIGESTS))
    if digests == {text(token.get("key")): token.get("digest")}:
        return Nothing.HOLDS
    data = data_of(body, tokens)
    # The copy holds that one key and no other: an earlier one is of no use to anybody.
    return Nothing.UNFIT if data is None else [_add("/data", data)]


def _metadata(found: Raw) -> Raw:
    return mapping(found.get("metadata"))


def _selected_node(found: Raw) -> str:
    return text(mapping(_metadata(found).get("annotations")).get(SELECTED_NODE))


def _amount(quantity: str) -> Fraction:
    """Give an amount; none of what is no quantity."""
    try:
        return Fraction(canonical(quantity))
    except ValueError:
        return Fraction(0)


def _add(path: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


def _escaped(key: str) -> str:
    """Write a key as a JSON pointer has it."""
    return key.replace("~", "~0").replace("/", "~1")


_PATCHES: dict[ChangeKind, Callable[[Raw, Raw], Operations | Nothing]] = {
    ChangeKind.HOLD: _hold,
    ChangeKind.RELEASE: _release,
    ChangeKind.OWN: _mark,
    ChangeKind.LATCH: _mark,
    ChangeKind.GROW: _grow,
    ChangeKind.HEAL: _heal,
}
