"""What an event of an API server's audit log tells (audit.k8s.io/v1, Request, RequestResponse).

Only the end of a request is looked at (stage ResponseComplete), and only one that was carried out.
Whatever answered with the whole object shows it, its status' own requests included. At level
Request only an update says the object, in a version that nobody knows yet.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from adapters.importing.instants import instant_of
from adapters.importing.places import Place
from adapters.importing.sights import Beside, How, Listing, Raw, Sight, Told, Useless
from adapters.importing.telling_kubectl import items_of
from adapters.importing.told_events import is_event
from adapters.kubernetes.fields import integer, items, mapping, mappings, text, whole_number
from adapters.kubernetes.kinds import KIND_BY_NAME

NO_BODY = "an audit event without the object"
GROUP = "audit.k8s.io/"
UNORDERED = "0"  # a version that nothing is older or newer than
_SUCCESS = range(200, 300)
_WRITING = frozenset({"create", "update", "patch"})
_KIND_BY_RESOURCE = {
    (kind.group_version.partition("/")[0] if "/" in kind.group_version else "", kind.plural): kind
    for kind in KIND_BY_NAME.values()
}


class _Asked(NamedTuple):
    """What a request was about."""

    verb: str
    group: str
    resource: str
    subresource: str
    namespace: str
    name: str
    uid: str
    query: dict[str, list[str]]

    @property
    def about(self) -> str:
        """Give what people call it."""
        below = f"/{self.subresource}" if self.subresource else ""
        return "/".join(filter(None, (self.resource + below, self.namespace, self.name)))


def is_audit(document: Raw) -> bool:
    """Say whether a document is of an audit log: one event, or a list of them."""
    kind = text(document.get("kind"))
    return text(document.get("apiVersion")).startswith(GROUP) and kind in {"Event", "EventList"}


def tell_audit(place: Place, document: Raw) -> Iterator[Told]:
    """Give what an audit event tells, or each of a list of them."""
    if document.get("kind") == "EventList":
        for each in mappings(document.get("items")):
            yield from tell_audit(place, each)
        return
    if document.get("stage") != "ResponseComplete":
        yield Beside("an earlier stage of a request")
        return
    code = integer(mapping(document.get("responseStatus")).get("code"))
    if code is not None and code not in _SUCCESS:
        yield Beside("a request that was refused")
        return
    asked = _asked(document)
    if "dryRun" in asked.query:
        yield Beside("a dry run")
    elif asked.resource == "events":
        yield from _events(place, document)
    elif (asked.group, asked.resource) not in _KIND_BY_RESOURCE:
        yield Beside("a request about another kind")
    else:
        yield from _told(place, document, asked)


def _asked(document: Raw) -> _Asked:
    about = mapping(document.get("objectRef"))
    names = ("apiGroup", "resource", "subresource", "namespace", "name", "uid")
    parts = [text(about.get(name)) for name in names]
    try:
        query = parse_qs(urlsplit(text(document.get("requestURI"))).query, keep_blank_values=True)
    except ValueError:
        query = {}
    group, resource, subresource, namespace, name, uid = parts
    return _Asked(
        text(document.get("verb")), group, resource, subresource, namespace, name, uid, query
    )


def _told(place: Place, document: Raw, asked: _Asked) -> Iterator[Told]:
    at = instant_of(document.get("stageTimestamp"))
    answer = mapping(document.get("responseObject"))
    if asked.verb == "watch":
        yield Beside("a watch, of which an audit log holds no events")
    elif asked.verb == "list":
        yield _list(place, at, answer, asked)
    elif asked.verb == "deletecollection":
        yield from _collection(place, at, answer, asked)
    elif _holds_object(answer, asked):
        yield Sight(place, at, How.DELETED if _is_final(answer) else How.SHOWN, answer)
    elif asked.verb == "delete":
        yield Sight(place, at, How.DELETED, _ended(document, answer, asked))
    elif asked.verb == "update" and _holds_object(mapping(document.get("requestObject")), asked):
        yield _requested(place, at, document, asked)
    else:
        wrote = asked.verb in _WRITING
        yield Useless(place, NO_BODY, asked.about, "" if wrote else f"it was to {asked.verb} it")


def _events(place: Place, document: Raw) -> Iterator[Told]:
    """Give the Events that a request wrote or read: that of a patch stands in the answer only."""
    at = instant_of(document.get("stageTimestamp"))
    answer, request = (mapping(document.get(name)) for name in ("responseObject", "requestObject"))
    raws = [body for body in (answer, request) if is_event(body)][:1] or items_of(answer)
    events = [raw for raw in raws if is_event(raw)]
    yield from (Sight(place, at, How.SHOWN, raw) for raw in events)
    if not events:
        yield Beside("a request about Events, without them")


def _holds_object(body: Raw, asked: _Asked) -> bool:
    """Say whether a body is the object itself, and no Status, Binding, Scale or the like."""
    kind = _KIND_BY_RESOURCE[asked.group, asked.resource]
    return body.get("kind") == kind.served_as and isinstance(body.get("metadata"), dict)


def _is_final(raw: Raw) -> bool:
    """Say whether nothing holds an object any more that is to go: this is how it was last."""
    metadata = mapping(raw.get("metadata"))
    waits = items(metadata.get("finalizers")) or metadata.get("deletionGracePeriodSeconds")
    return bool(metadata.get("deletionTimestamp")) and not waits


def _list(place: Place, at: int, answer: Raw, asked: _Asked) -> Told:
    if not isinstance(answer.get("items"), list):
        return Useless(place, NO_BODY, asked.about, "it was to list them")
    metadata = mapping(answer.get("metadata"))
    cut = metadata.get("continue") or {"continue", "fieldSelector"} & asked.query.keys()
    selected = asked.query.get("labelSelector", [""]) != [""]
    whole = not (cut or selected or asked.namespace or asked.name)
    return Listing(place, at, _typed(answer, asked), text(metadata.get("resourceVersion")), whole)


def _typed(answer: Raw, asked: _Asked) -> tuple[Raw, ...]:
    kind = _KIND_BY_RESOURCE[asked.group, asked.resource]
    head = {"apiVersion": kind.group_version, "kind": kind.served_as}
    return tuple({**head, **each} for each in items_of({**answer, "kind": "List"}))


def _collection(place: Place, at: int, answer: Raw, asked: _Asked) -> Iterator[Told]:
    """What was deleted together is shown as it was before; Pods go when their kubelets say so."""
    if not isinstance(answer.get("items"), list):
        yield Useless(place, NO_BODY, asked.about, "it was to delete several")
        return
    for raw in _typed(answer, asked):
        metadata = mapping(raw.get("metadata"))
        if raw["kind"] != "Pod" and not items(metadata.get("finalizers")):
            yield Sight(place, at, How.DELETED, raw)


def _ended(document: Raw, answer: Raw, asked: _Asked) -> Raw:
    """Give what is known of an object that was deleted, and of which no body is left."""
    kind = _KIND_BY_RESOURCE[asked.group, asked.resource]
    status = mapping(mapping(document.get("responseStatus")).get("details"))
    details = mapping(answer.get("details")) or status
    metadata: dict[str, Any] = {
        "namespace": asked.namespace,
        "name": asked.name or text(details.get("name")),
        "uid": asked.uid or text(details.get("uid")),
        "resourceVersion": UNORDERED,
    }
    return {"apiVersion": kind.group_version, "kind": kind.served_as, "metadata": metadata}


def _requested(place: Place, at: int, document: Raw, asked: _Asked) -> Told:
    """Give an object as it was to become, which it did: in a version that only the answer said."""
    raw = document["requestObject"]
    metadata = mapping(raw.get("metadata"))
    uid = text(metadata.get("uid")) or asked.uid
    if not uid:
        return Useless(place, "an object without uid", asked.about)
    told = mapping(mapping(document.get("responseStatus")).get("metadata"))
    version = text(told.get("resourceVersion"))
    known = version if whole_number(version) else UNORDERED
    return Sight(
        place,
        at,
        How.SHOWN,
        {**raw, "metadata": {**metadata, "uid": uid, "resourceVersion": known}},
    )
