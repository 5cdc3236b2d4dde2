"""Applying one object of a replica server-side, as the field manager `warmlog`, on a fresh read."""

from typing import Any

from adapters.kubernetes.answers import names_object, not_done, status_words, uid_of, version_of
from adapters.kubernetes.changing import seen
from adapters.kubernetes.fields import mapping
from adapters.kubernetes.kinds import KIND_BY_NAME, get_request
from adapters.ports import APPLY_PATCH, Api, Request, Response
from engine.events import Subject
from machines import labels
from machines.intents import Apply, Effect
from machines.observations import Absent, Answer, Deleted, Done, Observation, Refused, Unknown

FIELD_MANAGER = "warmlog"
_CONFLICT = 409

Applied = tuple[tuple[Observation, ...], Answer]


async def apply_object(effect: Effect, intent: Apply, api: Api, seconds: float) -> Applied:
    """Carry out `effect`; raises ApiUnanswered when no answer came, ValueError without a body."""
    if effect.body is None:
        msg = f"the body of {intent.kind} {intent.namespace}/{intent.name} was not rebuilt"
        raise ValueError(msg)
    found = await _get(intent, api, seconds)
    there = not _is_gone(intent, found)
    if there and not found.ok:
        return (), Unknown(status_words(found))
    if not there and intent.uid:
        return _gone(intent, api), Absent()
    if there and uid_of(found.body) != intent.uid:
        return _unexpected(intent, api, found)
    body = effect.body
    if there:
        metadata = body["metadata"] | {"resourceVersion": version_of(found.body)}
        body = body | {"metadata": metadata}
    return await _send(intent, body, api, seconds)


async def look_up_applied(intent: Apply, api: Api, seconds: float) -> Applied:
    """Say whether an apply landed; raises ApiUnanswered when no answer came."""
    found = await _get(intent, api, seconds)
    if _is_gone(intent, found):
        return (_gone(intent, api) if intent.uid else ()), Absent()
    if not found.ok or not uid_of(found.body):
        return (), Unknown(status_words(found))
    observations = seen(api, KIND_BY_NAME[intent.kind], found.body)
    same = intent.uid in ("", uid_of(found.body)) and _applied(found.body) == intent.digest
    return observations, Done(uid_of(found.body), found=True) if same else Absent()


async def _send(intent: Apply, body: dict[str, Any], api: Api, seconds: float) -> Applied:
    kind = KIND_BY_NAME[intent.kind]
    request = Request(
        "PATCH",
        kind.path(intent.namespace, intent.name),
        (("fieldManager", FIELD_MANAGER), ("force", "true")),
        body=body,
        content_type=APPLY_PATCH,
    )
    response = await api.send(request, timeout_seconds=seconds)
    if not response.ok:
        return (), not_done(response)
    uid = uid_of(response.body)
    if not uid:
        return (), Unknown(f"{intent.kind} {intent.name} came back without a uid")
    return seen(api, kind, response.body), Done(uid)


def _unexpected(intent: Apply, api: Api, found: Response) -> Applied:
    """Another object than the known one has the name: what is decided next depends on it."""
    observations = seen(api, KIND_BY_NAME[intent.kind], found.body)
    if not intent.uid and _applied(found.body) == intent.digest:
        return observations, Done(uid_of(found.body), found=True)
    if intent.uid:
        return (*_gone(intent, api), *observations), Absent()
    words = f"{intent.kind} {intent.namespace}/{intent.name} exists already"
    return observations, Refused(_CONFLICT, "NameTaken", words)


def _applied(body: Any) -> str:
    notes = mapping(mapping(mapping(body).get("metadata")).get("annotations"))
    return str(notes.get(labels.APPLIED, ""))


def _gone(intent: Apply, api: Api) -> tuple[Observation, ...]:
    subject = Subject(intent.kind, intent.namespace, intent.name, intent.uid)
    return (Deleted(api.cluster, subject, "", settled=True),)


async def _get(intent: Apply, api: Api, seconds: float) -> Response:
    request = get_request(KIND_BY_NAME[intent.kind], intent.namespace, intent.name)
    return await api.send(request, timeout_seconds=seconds)


def _is_gone(intent: Apply, response: Response) -> bool:
    return names_object(response, KIND_BY_NAME[intent.kind].plural, intent.name)
