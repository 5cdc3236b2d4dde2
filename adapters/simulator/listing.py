"""Reading collections: lists by page, version and selector, and the opening of watches."""

import base64
import binascii
import json
from typing import Any, NamedTuple

from adapters.ports import Request, Response
from adapters.simulator import answers
from adapters.simulator.answers import Refusal
from adapters.simulator.faults import Faults
from adapters.simulator.resources import POD, Place
from adapters.simulator.selecting import Selector, SelectorMalformed, parse_fields, selector_of
from adapters.simulator.serving import Served
from adapters.simulator.storage import ADDED, Manifest, Storage
from adapters.simulator.watching import Scope, WatchCursor

_TOO_OLD = "The provided continue parameter is too old to display a consistent list result."
_MATCHES = ("Exact", "NotOlderThan")


class _Reading(NamedTuple):
    """What a list is to be answered from."""

    items: list[Manifest]
    version: int
    start: str = ""  # the key behind the last page


def metadata_only(listed: Response) -> Response:
    """Give a list with nothing but the metadata of its items."""
    items = [{"metadata": item["metadata"]} for item in listed.body["items"]]
    kind = {"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1"}
    return Response(listed.code, {**listed.body, **kind, "items": items})


class Collections:
    """The collections of a cluster, as the API server shows them."""

    def __init__(self, storage: Storage, faults: Faults, served: Served) -> None:
        """Read `storage`; `faults` may ask for an older version of it."""
        self._storage = storage
        self._served = served
        self._faults = faults

    def listed(self, place: Place, query: dict[str, str]) -> Response:
        """Answer a list request; refuses with 400, 410 or 504."""
        resource = place.resource
        selects = _selector(place, query)
        limit = _number(query, "limit")
        reading = self._reading(place, query)
        items = reading.items
        if reading.start:
            items = [item for item in items if _key(item) > reading.start]
        last = _key(items[-1]) if items else ""
        if selects is not None:
            items = [item for item in items if selects(item)]
        metadata: dict[str, Any] = {"resourceVersion": str(reading.version)}
        if resource.custom:
            metadata["continue"] = ""  # lists of custom objects say so when nothing remains
        if limit and len(items) >= limit:
            remaining, items = len(items) - limit, items[:limit]
            # A server does not look whether what remains is selected, nor does it count that. By
            # name it looks up one object, and nothing remains.
            if _key(items[-1]) != last and not _by_name(query):
                metadata["continue"] = _token(reading.version, _key(items[-1]))
                if selects is None:
                    metadata["remainingItemCount"] = remaining
        if not resource.custom:
            # Built-in kinds are not named again in each item.
            items = [_unnamed(item) for item in items]
        body = {
            "kind": f"{resource.kind}List",
            "apiVersion": resource.api_version,
            "metadata": metadata,
            "items": items,
        }
        return Response(200, body)

    def opened(self, request: Request) -> WatchCursor:
        """Open a watch; a refusal comes as its first event."""
        try:
            place = self._served.place(request.path)
            if place.name:
                raise answers.no_such_path()
            return self._opened(place, dict(request.query))
        except Refusal as refusal:
            cursor = WatchCursor(self._storage, Scope(POD), 0)
            cursor.refuse(refusal.response.body)
            return cursor

    def _opened(self, place: Place, query: dict[str, str]) -> WatchCursor:
        storage, resource = self._storage, place.resource
        selects = _selector(place, query)
        scope = Scope(resource, place.namespace, selects)
        wanted = _number(query, "resourceVersion")
        if 0 < wanted < storage.compacted:
            words = f"too old resource version: {wanted} ({storage.compacted})"
            raise Refusal(answers.expired(words))
        if wanted:
            # A version that does not exist yet is waited for, without a word.
            begin = storage.position_after(resource.kind, wanted)
            return WatchCursor(storage, scope._replace(since=wanted), begin)
        first = [
            {"type": ADDED, "object": item}
            for item in storage.listed(resource.kind, place.namespace)
            if selects is None or selects(item)
        ]
        return WatchCursor(storage, scope, storage.position(resource.kind), first)

    def _reading(self, place: Place, query: dict[str, str]) -> _Reading:
        """Find the version at which a list is to be read: now, unless it says otherwise."""
        storage, kind, namespace = self._storage, place.resource.kind, place.namespace
        if query.get("continue"):
            version, start = _read_token(query["continue"])
            if version < storage.compacted:
                raise Refusal(answers.expired(_TOO_OLD))
            return _Reading(storage.listed_at(kind, namespace, version), version, start)
        wanted, match = _number(query, "resourceVersion"), query.get("resourceVersionMatch")
        if match is not None:
            _check_match(place, match, query.get("resourceVersion", ""))
        if wanted > storage.version:
            raise answers.too_new(wanted, storage.version)
        if match == "Exact":
            if wanted < storage.compacted:
                words = f"The provided resource version is too old: {wanted}"
                raise Refusal(answers.expired(words))
            return _Reading(storage.listed_at(kind, namespace, wanted), wanted)
        stale = self._faults.version_listed(kind)
        if stale is not None and max(wanted, storage.compacted) <= stale < storage.version:
            return _Reading(storage.listed_at(kind, namespace, stale), stale)
        return _Reading(storage.listed(kind, namespace), storage.version)


def _selector(place: Place, query: dict[str, str]) -> Selector | None:
    labels, fields = query.get("labelSelector", ""), query.get("fieldSelector", "")
    try:
        return selector_of(labels, fields, place.resource.fields)
    except SelectorMalformed as error:
        raise answers.bad_request(str(error)) from None


def _by_name(query: dict[str, str]) -> bool:
    named = parse_fields(query.get("fieldSelector", ""))
    return any(path == "metadata.name" and equal for path, equal, _ in named)


def _number(query: dict[str, str], name: str) -> int:
    text = query.get(name) or "0"
    if not text.isdecimal():
        raise answers.bad_request(f"invalid {name}: {text}")
    return int(text)


def _check_match(place: Place, match: str, version: str) -> None:
    words = ""
    if match not in _MATCHES:
        words = f'Unsupported value: "{match}": supported values: "Exact", "NotOlderThan"'
    elif not version:
        words = "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"
    if words:
        raise answers.bad_list_options(place.resource, "resourceVersionMatch", words)


def _unnamed(item: Manifest) -> Manifest:
    return {part: value for part, value in item.items() if part not in {"kind", "apiVersion"}}


def _key(item: Manifest) -> str:
    metadata = item["metadata"]
    return f"{metadata.get('namespace', '')}/{metadata['name']}"


def _token(version: int, start: str) -> str:
    text = json.dumps({"v": "meta.k8s.io/v1", "rv": version, "start": f"{start}\0"})
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read_token(token: str) -> tuple[int, str]:
    try:
        read = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        return int(read["rv"]), str(read["start"]).rstrip("\0")
    except (ValueError, KeyError, TypeError, binascii.Error):
        raise answers.bad_request("continue key is not valid") from None
