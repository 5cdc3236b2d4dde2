"""Storing a status: one guarded JSON patch to `/status`, which no other object can receive.

The patch tests uid and resourceVersion before it replaces the status whole. (A server-side apply
would ignore a wrong uid, and a merge patch would keep what the projection no longer says.) Of a
status that others write as well, only our own condition is replaced.
"""

from typing import Any, NamedTuple

from adapters.kubernetes.answers import (
    NOT_FOUND,
    names_object,
    not_done,
    status_words,
    uid_of,
    version_of,
)
from adapters.kubernetes.changing import TRIES, guards, is_overtaken
from adapters.kubernetes.fields import mapping
from adapters.kubernetes.kinds import KIND_BY_NAME, get_request
from adapters.ports import JSON_PATCH, Api, ApiUnanswered, Request, Response
from engine.events import Subject
from machines.observations import Refused, Unknown


class Stored(NamedTuple):
    """The API server holds the status; `version` is the object's resourceVersion now."""

    version: str


class Dropped(NamedTuple):
    """The object is gone, or another one has its name: this status is nobody's any more."""

    words: str


class Conflict(NamedTuple):
    """The same object, in a newer version: project again, and send that against `version`."""

    version: str


class Unanswered(NamedTuple):
    """No answer that tells: the status may have been stored. Sending it again does no harm."""

    words: str


StatusResult = Stored | Dropped | Conflict | Refused | Unanswered


async def store_status(
    api: Api,
    subject: Subject,
    status: dict[str, Any],
    version: str | None,
    *,
    timeout_seconds: float,
) -> StatusResult:
    """Replace the status of the object `subject` names, if it still is that object.

    `version` is the resourceVersion last known of it; None reads it first. Nothing is written
    where a read shows this very status: an earlier write landed, and its answer was lost.
    `timeout_seconds` bounds each of at most two requests. Raises nothing for what the server says.
    """
    kind = KIND_BY_NAME[subject.kind]
    read = get_request(kind, subject.namespace, subject.name)
    try:
        if version is None:
            found = _holding(subject, status, await api.send(read, timeout_seconds=timeout_seconds))
            if not isinstance(found, Conflict):
                return found
            version = found.version
        response = await api.send(_patch(subject, status, version), timeout_seconds=timeout_seconds)
        if response.ok:
            return Stored(version_of(response.body))
        if not is_overtaken(response):
            return _refused(subject, response)
        found = _holding(subject, status, await api.send(read, timeout_seconds=timeout_seconds))
    except ApiUnanswered as error:
        return Unanswered(str(error))
    # The tests cannot have failed when both still hold: it was refused for another reason.
    return _refused(subject, response) if found == Conflict(version) else found


async def store_condition(
    api: Api, subject: Subject, condition: dict[str, Any], *, timeout_seconds: float
) -> StatusResult:
    """Put one condition into the status of the object `subject` names, and touch nothing else.

    The object is read first, and again when another write comes in between. Nothing is written
    where the condition stands as it should. `timeout_seconds` bounds each request. Raises nothing
    for what the server says.
    """
    read = get_request(KIND_BY_NAME[subject.kind], subject.namespace, subject.name)
    found: StatusResult = Conflict("")
    try:
        for _ in range(TRIES):
            response = await api.send(read, timeout_seconds=timeout_seconds)
            found = _looked_at(subject, response)
            if not isinstance(found, Conflict):
                return found
            change = _condition_change(mapping(response.body), condition)
            if not change:
                return Stored(found.version)
            request = _request(subject, found.version, change)
            response = await api.send(request, timeout_seconds=timeout_seconds)
            if response.ok:
                return Stored(version_of(response.body))
            if not is_overtaken(response):
                return _refused(subject, response)
    except ApiUnanswered as error:
        return Unanswered(str(error))
    return found


def _condition_change(found: dict[str, Any], condition: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the operations that put a condition into a status as it was just read."""
    status = found.get("status")
    if not isinstance(status, dict):
        return [{"op": "add", "path": "/status", "value": {"conditions": [condition]}}]
    conditions = status.get("conditions")
    path = "/status/conditions"
    if not isinstance(conditions, list):
        return [{"op": "add", "path": path, "value": [condition]}]
    for index, one in enumerate(conditions):
        if mapping(one).get("type") == condition["type"]:
            if one == condition:
                return []
            return [{"op": "replace", "path": f"{path}/{index}", "value": condition}]
    return [{"op": "add", "path": f"{path}/-", "value": condition}]


def _patch(subject: Subject, status: dict[str, Any], version: str) -> Request:
    return _request(subject, version, [{"op": "add", "path": "/status", "value": status}])


def _request(subject: Subject, version: str, change: list[dict[str, Any]]) -> Request:
    path = KIND_BY_NAME[subject.kind].path(subject.namespace, subject.name)
    body = [*guards(subject.uid, version), *change]
    return Request("PATCH", f"{path}/status", body=body, content_type=JSON_PATCH)


def _looked_at(subject: Subject, response: Response) -> StatusResult:
    """Say what a fresh read means; Conflict gives the version of the same object."""
    if not response.ok:
        return _refused(subject, response)
    uid = uid_of(response.body)
    if not uid:
        return Unanswered(
            f"{subject.kind} {subject.namespace}/{subject.name} came back without a uid"
        )
    if uid != subject.uid:
        return Dropped(f"{subject.kind} {subject.namespace}/{subject.name} is another object now")
    return Conflict(version_of(response.body))


def _holding(subject: Subject, status: dict[str, Any], response: Response) -> StatusResult:
    """Say what a fresh read means; Stored when the very object holds this status."""
    found = _looked_at(subject, response)
    if isinstance(found, Conflict) and mapping(response.body).get("status") == status:
        return Stored(found.version)
    return found


def _refused(subject: Subject, response: Response) -> StatusResult:
    kind = KIND_BY_NAME[subject.kind]
    if names_object(response, kind.plural, subject.name):
        return Dropped(
            f"{subject.kind} {subject.namespace}/{subject.name}: {status_words(response)}"
        )
    if response.code == NOT_FOUND:
        return Unanswered(
            f"404, but not about {subject.kind} {subject.namespace}/{subject.name}:"
            f" {status_words(response)}; does its CRD have the status subresource?"
        )
    answer = not_done(response)
    if isinstance(answer, Unknown):
        return Unanswered(answer.words)
    return answer
