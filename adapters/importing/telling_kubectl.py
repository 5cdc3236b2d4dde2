"""What a document that `kubectl` printed tells: an object, a List, or an event of a watch."""

from collections.abc import Iterator
from typing import Any

from adapters.importing.instants import newest_instant
from adapters.importing.places import Place
from adapters.importing.sights import Beside, How, Listing, Raw, Sight, Told, Useless
from adapters.kubernetes.fields import mapping, mappings, text

NO_OBJECT = "a document that is no Kubernetes object"
TABLE = "a Table, which shows columns in place of objects"
ERROR_EVENT = "an error that the watch ended with"
_WATCHED = {
    "ADDED": How.ADDED,
    "MODIFIED": How.CHANGED,
    "DELETED": How.DELETED,
    "BOOKMARK": How.MARKED,
}


def tell(place: Place, value: Any) -> Iterator[Told]:
    """Give what one document tells; an array is as good as its members one by one."""
    if isinstance(value, list):
        for each in value:
            yield from tell(place, each)
        return
    document = mapping(value)
    if is_watch_event(document):
        yield from _event(place, document)
    elif isinstance(document.get("items"), list) and text(document.get("kind")).endswith("List"):
        yield _listing(place, document)
    elif text(document.get("kind")) == "Table":
        yield Useless(place, TABLE)
    elif text(document.get("kind")) and isinstance(document.get("metadata"), dict):
        yield Sight(place, newest_instant(document), How.SHOWN, document)
    else:
        yield Useless(place, NO_OBJECT)


def is_watch_event(document: Raw) -> bool:
    """Say whether a document is one event of a watch."""
    return isinstance(document.get("object"), dict) and isinstance(document.get("type"), str)


def items_of(document: Raw) -> tuple[Raw, ...]:
    """Give the objects of a List, and those of Lists in it.

    In a list of one kind they need not say which one it is.
    """
    found: list[Raw] = []
    waiting = [document]
    while waiting:
        inner = _members_of(waiting.pop())
        found += [raw for raw in inner if not isinstance(raw.get("items"), list)]
        waiting += [raw for raw in reversed(inner) if isinstance(raw.get("items"), list)]
    return tuple(found)


def _members_of(document: Raw) -> tuple[Raw, ...]:
    kind, version = text(document.get("kind")), text(document.get("apiVersion"))
    inherited = {} if kind == "List" else {"apiVersion": version, "kind": kind[: -len("List")]}
    return tuple({**inherited, **each} for each in mappings(document.get("items")))


def _event(place: Place, document: Raw) -> Iterator[Told]:
    raw = document["object"]
    if document["type"] == "ERROR":
        yield Useless(place, ERROR_EVENT, words=text(raw.get("message")))
        return
    how = _WATCHED.get(document["type"])
    if how is None:
        yield Useless(place, f"a watch's event of type {document['type']!r}")
    elif how is How.MARKED and not text(raw.get("kind")):
        yield Beside("a bookmark")
    else:
        yield Sight(place, newest_instant(raw), how, raw)


def _listing(place: Place, document: Raw) -> Listing:
    raws = items_of(document)
    metadata = mapping(document.get("metadata"))
    at = max((newest_instant(raw) for raw in raws), default=0)
    whole = False if metadata.get("continue") else None
    return Listing(place, at, raws, text(metadata.get("resourceVersion")), whole)
