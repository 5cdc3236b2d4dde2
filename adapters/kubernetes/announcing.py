"""Announcing: Kubernetes Events, where people look for what happened.

They are made as events.k8s.io/v1, the API's present form: it demands that reporter and action are
named, and `kubectl describe` and `kubectl get events` show it like the older core/v1 Events, which
are kept in the same place. An Event is a projection: when it cannot be stored, nothing is lost but
the Event.
"""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import quote

from adapters.kubernetes.answers import CONFLICT, not_done, status_reason, uid_of
from adapters.kubernetes.kinds import KIND_BY_NAME
from adapters.ports import Api, ApiUnanswered, Request
from engine.events import Subject
from machines.observations import Answer, Done, Unknown
from machines.steadying import cut, cut_bytes

REPORTER = "warmlog.dev/controller"
NOTE_BYTES = 1024  # the API counts bytes
_REASON = 128  # characters
_NAME = 200  # characters of the object's name in the Event's; 253 is the API's bound for the whole
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Events about what has no namespace are kept here, as Kubernetes' own are.
_DEFAULT_NAMESPACE = "default"


class Announcement(NamedTuple):
    """One thing to say about one object."""

    subject: Subject
    type: str  # Normal or Warning
    reason: str  # one CamelCase word
    note: str  # steadied; cut to NOTE_BYTES bytes of UTF-8
    at: int  # UTC nanoseconds
    position: int  # seq of the row that it tells of: the same words may be said again later
    action: str = "Warm"


async def announce(
    api: Api, announcement: Announcement, *, instance: str, timeout_seconds: float
) -> Answer:
    """Store one Event. Done also when it was stored before: its name says all that it is.

    `instance` names this process. Never raises for what the server says.
    """
    namespace = announcement.subject.namespace or _DEFAULT_NAMESPACE
    path = f"/apis/events.k8s.io/v1/namespaces/{quote(namespace, safe='')}/events"
    request = Request("POST", path, body=event_body(announcement, instance))
    try:
        response = await api.send(request, timeout_seconds=timeout_seconds)
    except ApiUnanswered as error:
        return Unknown(str(error))
    if response.ok:
        return Done(uid_of(response.body))
    if response.code == CONFLICT and status_reason(response) == "AlreadyExists":
        return Done(found=True)
    return not_done(response)


def event_name(announcement: Announcement) -> str:
    """Give the name that this announcement has each time it is made."""
    subject = announcement.subject
    said = (subject.uid, announcement.reason, announcement.note, str(announcement.position))
    digest = sha256("\0".join(said).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{subject.name[:_NAME].rstrip('.-')}.{digest[:16]}"


def event_body(announcement: Announcement, instance: str) -> dict[str, Any]:
    """Give the Event as the API wants it."""
    subject = announcement.subject
    kind = KIND_BY_NAME[subject.kind]
    regarding = {
        "apiVersion": kind.group_version,
        "kind": kind.served_as,
        "namespace": subject.namespace,
        "name": subject.name,
        "uid": subject.uid,
    }
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {
            "name": event_name(announcement),
            "namespace": subject.namespace or _DEFAULT_NAMESPACE,
        },
        "eventTime": micro_time(announcement.at),
        "type": announcement.type,
        "reason": cut(announcement.reason, _REASON),
        "action": cut(announcement.action, _REASON),
        "note": cut_bytes(announcement.note, NOTE_BYTES),
        "regarding": {name: value for name, value in regarding.items() if value},
        "reportingController": REPORTER,
        "reportingInstance": cut(instance, _REASON) or "warmlog",
    }


def micro_time(nanoseconds: int) -> str:
    """Give Kubernetes' MicroTime, `2026-10-21T10:11:12.000345Z`, of UTC nanoseconds."""
    instant = _EPOCH + timedelta(microseconds=nanoseconds // 1000)
    return instant.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
