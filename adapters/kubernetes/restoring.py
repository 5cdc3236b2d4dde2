"""Restoring: labels, annotations and the owner reference of ours, put back onto one Job.

What others wrote beside them stays. A Job that another object controls by now is theirs: it is
seen as what it is, and nothing is written.
"""

from typing import Any

from adapters.kubernetes.answers import (
    CONFLICT,
    NOT_FOUND,
    names_object,
    not_done,
    refusal,
    status_words,
    uid_of,
    version_of,
)
from adapters.kubernetes.changing import TRIES, guards, is_overtaken, seen_job
from adapters.kubernetes.fields import mapping, mappings, text
from adapters.kubernetes.kinds import JOB, MODEL_WARMUP, get_request
from adapters.kubernetes.object_parts import controller_uid
from adapters.kubernetes.reading import read_one
from adapters.kubernetes.reflecting import ReadRefused
from adapters.ports import JSON_PATCH, Api, Request, Response
from engine.events import Subject
from machines.intents import Effect, RestoreJob
from machines.levels import WarmupLevel
from machines.observations import Absent, Answer, Deleted, Done, Observation, Refused, Unknown

_OWNERS = "/metadata/ownerReferences"

Outcome = tuple[tuple[Observation, ...], Answer]


async def restore(effect: Effect, intent: RestoreJob, api: Api, seconds: float) -> Outcome:
    """Read the Job afresh and write what it lacks onto that very version. Raises ApiUnanswered."""
    try:
        return await _restore(effect, intent, api, seconds)
    except ReadRefused as error:
        return (), Refused(error.code, error.reason, error.words)


async def _restore(effect: Effect, intent: RestoreJob, api: Api, seconds: float) -> Outcome:
    response = Response(CONFLICT, None)
    for _ in range(TRIES):
        request = get_request(JOB, intent.namespace, intent.job_name)
        found = await api.send(request, timeout_seconds=seconds)
        body = found.body if found.ok else None
        is_gone = names_object(found, JOB.plural, intent.job_name)
        if not is_gone and not uid_of(body):
            return (), _untold(found)
        changes = _changes(effect, intent, body)
        if not changes:
            return restored(effect, intent, api, body)
        if any(change["path"] == _OWNERS for change in changes):
            going = await _going(effect, intent, api, seconds)
            if going:
                return (*seen_job(api, body), *going), Absent()
        response = await api.send(_patch(intent, body, changes), timeout_seconds=seconds)
        if response.ok:
            return seen_job(api, response.body), Done(intent.job_uid)
        if not is_overtaken(response):
            return (), _untold(response)
    return (), refusal(response)


def restored(effect: Effect, intent: RestoreJob, api: Api, body: Any) -> Outcome:
    """Say of a Job as it was just read (None: it is gone) whether it bears what it has to."""
    if uid_of(body) != intent.job_uid:
        subject = Subject(JOB.name, intent.namespace, intent.job_name, intent.job_uid)
        return (Deleted(api.cluster, subject, ""),), Done(intent.job_uid, found=True)
    lacks = _is_foreign(intent, body) or _changes(effect, intent, body)
    return seen_job(api, body), Absent() if lacks else Done(intent.job_uid, found=True)


def _changes(effect: Effect, intent: RestoreJob, body: Any) -> list[dict[str, Any]]:
    """Give the operations that a Job needs; none when it is gone, foreign, or as it has to be."""
    if uid_of(body) != intent.job_uid or _is_foreign(intent, body):
        return []
    wanted, metadata = mapping(effect.body), mapping(body.get("metadata"))
    changes = []
    for field in ("labels", "annotations"):
        old = mapping(metadata.get(field))
        if old != (new := {**old, **wanted[field]}):
            changes.append({"op": "add", "path": f"/metadata/{field}", "value": new})
    if controller_uid(metadata) != intent.warmup_uid:
        others = [
            one
            for one in mappings(metadata.get("ownerReferences"))
            if one.get("uid") != intent.warmup_uid
        ]
        owners = [*others, *wanted["ownerReferences"]]
        changes.append({"op": "add", "path": _OWNERS, "value": owners})
    return changes


async def _going(
    effect: Effect, intent: RestoreJob, api: Api, seconds: float
) -> tuple[Observation, ...]:
    """Read the owner, and give what is seen of it if it is being deleted, or is gone.

    Then the Job was orphaned on purpose, and an owner that is gone would have it collected.
    """
    name = text(mapping(effect.body)["ownerReferences"][0].get("name"))
    subject = Subject(MODEL_WARMUP.name, intent.namespace, name, intent.warmup_uid)
    seen = await read_one(api, subject, timeout_seconds=seconds)
    if seen is None:
        return (Deleted(api.cluster, subject, "", settled=True),)
    is_going = isinstance(seen.level, WarmupLevel) and seen.level.deleting
    return (seen,) if is_going else ()


def _is_foreign(intent: RestoreJob, body: Any) -> bool:
    return controller_uid(mapping(body.get("metadata"))) not in {"", intent.warmup_uid}


def _patch(intent: RestoreJob, body: Any, changes: list[dict[str, Any]]) -> Request:
    tests = guards(intent.job_uid, version_of(body))
    path = JOB.path(intent.namespace, intent.job_name)
    return Request("PATCH", path, body=tests + changes, content_type=JSON_PATCH)


def _untold(response: Response) -> Answer:
    """Give a refusal; Unknown for what does not tell of this Job: a 404 of a proxy, no uid."""
    if response.ok or response.code == NOT_FOUND:
        return Unknown(f"not about the Job: {status_words(response)}")
    return not_done(response)
