"""Carrying out intents: one idempotent request each, and what its answer means.

Performing ends in one of the three outcomes `Done`, `Refused` and `Unknown`. An intent that was
open at a start, or whose outcome is Unknown, is looked up first (`look_up`): did it land?
"""

from typing import Any, NamedTuple

from adapters.kubernetes.answers import (
    CONFLICT,
    INVALID,
    NOT_FOUND,
    causes,
    not_done,
    refusal,
    status_reason,
    status_words,
    uid_of,
)
from adapters.kubernetes.fields import integer, mapping, text
from adapters.kubernetes.holding import Holder, holder_of, name_conflict
from adapters.kubernetes.kinds import JOB, NAMESPACE, NODE, get_request
from adapters.kubernetes.normalising import ObjectMalformed, normalise
from adapters.kubernetes.reading import read_all
from adapters.kubernetes.reflecting import ReadRefused
from adapters.ports import JSON_PATCH, Api, ApiUnanswered, Request, Response
from machines.intents import CreateJob, DeleteJob, Effect, Resolve, StampTtl
from machines.observations import Absent, Answer, Done, Observation, Refused, Unknown


class Performed(NamedTuple):
    """What an effect brought: what was seen on the way, then the outcome."""

    observations: tuple[Observation, ...]
    answer: Answer


async def perform(effect: Effect, api: Api, *, timeout_seconds: float) -> Performed:
    """Carry out `effect`; `timeout_seconds` bounds each of its requests.

    Never raises for what a server says or fails to say: that is the answer. ValueError for a
    create without a body.
    """
    intent = effect.intent
    try:
        match intent:
            case CreateJob():
                return await _create(effect, intent, api, timeout_seconds)
            case DeleteJob():
                return Performed((), await _delete(intent, api, timeout_seconds))
            case StampTtl():
                return Performed((), await _stamp(intent, api, timeout_seconds))
            case Resolve():
                return await _resolve(intent, api, timeout_seconds)
    except ApiUnanswered as error:
        return Performed((), Unknown(str(error)))


async def look_up(effect: Effect, api: Api, *, timeout_seconds: float) -> Performed:
    """Say whether an intent landed: Done (found), Absent, or Unknown when that cannot be told.

    A Resolve leaves nothing behind, so it is always Absent.
    """
    intent = effect.intent
    if isinstance(intent, Resolve):
        return Performed((), Absent())
    try:
        response = await _get_job(api, intent.namespace, intent.job_name, timeout_seconds)
    except ApiUnanswered as error:
        return Performed((), Unknown(str(error)))
    if response.code != NOT_FOUND and not response.ok:
        return Performed((), Unknown(status_words(response)))
    body = response.body if response.ok else None
    match intent:
        case CreateJob():
            answer = _created(intent, body)
            return Performed(_seen(api, body) if isinstance(answer, Done) else (), answer)
        case DeleteJob():
            return Performed((), _deleted(intent, body))
        case StampTtl():
            return Performed((), _stamped(intent, body))


async def _create(effect: Effect, intent: CreateJob, api: Api, seconds: float) -> Performed:
    """Create, and give the Job as it was answered: then no list can be taken to say it is gone."""
    if effect.body is None:
        msg = f"the body of Job {intent.namespace}/{intent.job_name} was not rebuilt"
        raise ValueError(msg)
    request = Request("POST", JOB.path(intent.namespace), body=effect.body)
    response = await api.send(request, timeout_seconds=seconds)
    if response.ok:
        uid = uid_of(response.body)
        if not uid:
            return Performed((), Unknown("the created Job came back without a uid"))
        return Performed(_seen(api, response.body), Done(uid))
    if response.code != CONFLICT or status_reason(response) != "AlreadyExists":
        return Performed((), not_done(response))
    found = await _get_job(api, intent.namespace, intent.job_name, seconds)
    if found.code == NOT_FOUND:  # it went away in between: the next try will create it
        return Performed((), refusal(response))
    if not found.ok:
        words = f"the name is taken, and by whom is unknown: {status_words(found)}"
        return Performed((), Unknown(words))
    answer = _taken(intent, found.body, refusal(response))
    return Performed(_seen(api, found.body) if isinstance(answer, Done) else (), answer)


def _seen(api: Api, body: Any) -> tuple[Observation, ...]:
    try:
        return (normalise(api.cluster, JOB, body),)
    except ObjectMalformed:
        return ()


def _taken(intent: CreateJob, body: Any, refused: Refused) -> Answer:
    """Say what it means that a Job of the wanted name is there already."""
    match holder_of(intent, body):
        case Holder.SAME:
            return Done(uid_of(body), found=True)
        case Holder.SAME_DELETING:
            return refused
        case Holder.OTHER_NODE:
            return refused._replace(reason="NameTaken")
        case Holder.FOREIGN:
            words = name_conflict(intent, body)
            return refused._replace(reason="JobNameConflict", words=words)


async def _delete(intent: DeleteJob, api: Api, seconds: float) -> Answer:
    body = {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "propagationPolicy": "Background",
        "preconditions": {"uid": intent.job_uid},
    }
    path = JOB.path(intent.namespace, intent.job_name)
    response = await api.send(Request("DELETE", path, body=body), timeout_seconds=seconds)
    if response.ok:
        return Done(intent.job_uid)
    if response.code == NOT_FOUND:
        return Done(intent.job_uid, found=True)
    if response.code == CONFLICT:
        # The precondition failed, or another write came in between: the object itself tells.
        return await _settled(intent, api, seconds, refusal(response))
    return not_done(response)


async def _stamp(intent: StampTtl, api: Api, seconds: float) -> Answer:
    body = [
        {"op": "test", "path": "/metadata/uid", "value": intent.job_uid},
        {"op": "add", "path": "/spec/ttlSecondsAfterFinished", "value": intent.ttl_seconds},
    ]
    path = JOB.path(intent.namespace, intent.job_name)
    request = Request("PATCH", path, body=body, content_type=JSON_PATCH)
    response = await api.send(request, timeout_seconds=seconds)
    if response.ok:
        return Done(intent.job_uid)
    if response.code == NOT_FOUND:
        return Done()
    if response.code == INVALID and not causes(response):
        # A failed test looks like this, and so does the refusal of some webhooks.
        return await _settled(intent, api, seconds, refusal(response))
    return not_done(response)


async def _settled(
    intent: DeleteJob | StampTtl, api: Api, seconds: float, refused: Refused
) -> Answer:
    """Say what a refused write to one uid means: Done when that object is no more."""
    response = await _get_job(api, intent.namespace, intent.job_name, seconds)
    if response.code == NOT_FOUND or (response.ok and uid_of(response.body) != intent.job_uid):
        return Done("" if isinstance(intent, StampTtl) else intent.job_uid, found=True)
    return refused


async def _resolve(intent: Resolve, api: Api, seconds: float) -> Performed:
    """List all Nodes, and read the Namespace.

    A namespace that is gone is told by a complete list of Namespaces, which does not hold it: only
    such a list says of which uid and since which version.
    """
    try:
        nodes = await read_all(api, NODE, timeout_seconds=seconds)
        response = await api.send(
            get_request(NAMESPACE, "", intent.namespace), timeout_seconds=seconds
        )
        if response.code == NOT_FOUND:
            namespaces = await read_all(api, NAMESPACE, timeout_seconds=seconds)
            return Performed((nodes, namespaces), Done())
    except ReadRefused as error:
        return Performed((), Refused(error.code, error.reason, error.words))
    if not response.ok:
        return Performed((nodes,), refusal(response))
    try:
        namespace = normalise(api.cluster, NAMESPACE, response.body)
    except ObjectMalformed as error:
        return Performed((nodes,), Unknown(str(error)))
    return Performed((nodes, namespace), Done())


async def _get_job(api: Api, namespace: str, name: str, seconds: float) -> Response:
    return await api.send(get_request(JOB, namespace, name), timeout_seconds=seconds)


def _created(intent: CreateJob, body: Any) -> Answer:
    if body is not None and holder_of(intent, body) in {Holder.SAME, Holder.SAME_DELETING}:
        return Done(uid_of(body), found=True)
    return Absent()


def _deleted(intent: DeleteJob, body: Any) -> Answer:
    metadata = mapping(mapping(body).get("metadata"))
    if body is None or text(metadata.get("uid")) != intent.job_uid:
        return Done(intent.job_uid, found=True)
    return Done(intent.job_uid, found=True) if metadata.get("deletionTimestamp") else Absent()


def _stamped(intent: StampTtl, body: Any) -> Answer:
    if body is None or uid_of(body) != intent.job_uid:
        return Done(found=True)
    ttl = integer(mapping(mapping(body).get("spec")).get("ttlSecondsAfterFinished"))
    return Done(intent.job_uid, found=True) if ttl == intent.ttl_seconds else Absent()
