"""Carrying out intents: one idempotent change each, and what its answer means.

Performing ends in `Done`, `Refused` or `Unknown`, or in `Absent` when a fresh read showed that the
change is not to be made any more. An intent that was open at a start, or whose outcome is Unknown,
is looked up first (`look_up`): did it land?
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from adapters.kubernetes.acting_on_objects import look_up_object, perform_on_object
from adapters.kubernetes.answers import (
    CONFLICT,
    NOT_FOUND,
    names_object,
    not_done,
    refusal,
    status_reason,
    status_words,
    uid_of,
    version_of,
)
from adapters.kubernetes.applying_objects import apply_object, look_up_applied
from adapters.kubernetes.changing import TRIES, guards, is_overtaken, seen_job
from adapters.kubernetes.fields import integer, mapping, text
from adapters.kubernetes.holding import Holder, holder_of, name_conflict
from adapters.kubernetes.kinds import JOB, NAMESPACE, NODE, get_request
from adapters.kubernetes.normalising import ObjectMalformed, normalise
from adapters.kubernetes.object_parts import controller_uid, has_finished
from adapters.kubernetes.reading import read_all
from adapters.kubernetes.reflecting import ReadRefused
from adapters.kubernetes.restoring import restore, restored
from adapters.kubernetes.vaults import Tokens
from adapters.ports import JSON_PATCH, Api, ApiUnanswered, Request, Response
from machines.intents import (
    Apply,
    Change,
    Create,
    CreateJob,
    Delete,
    DeleteJob,
    Effect,
    ObjectIntent,
    Resolve,
    RestoreJob,
    StampTtl,
)
from machines.observations import Absent, Answer, Done, Observation, Refused, Unknown


class Performed(NamedTuple):
    """What an effect brought: what was seen on the way, then the outcome."""

    observations: tuple[Observation, ...]
    answer: Answer


async def perform(
    effect: Effect, api: Api, *, timeout_seconds: float, tokens: Tokens | None = None
) -> Performed:
    """Carry out `effect`; `timeout_seconds` bounds each of its requests.

    `tokens` gives the values that Secrets are written with; without it none is. Never raises for
    what a server says or fails to say: that is the answer. ValueError for a create without a body.
    """
    intent = effect.intent
    try:
        match intent:
            case Create() | Change() | Delete():
                return Performed(
                    *await perform_on_object(
                        effect, intent, api, timeout_seconds=timeout_seconds, tokens=tokens
                    )
                )
            case Apply():
                return Performed(*await apply_object(effect, intent, api, timeout_seconds))
            case CreateJob():
                return await _create(effect, intent, api, timeout_seconds)
            case DeleteJob():
                return await _delete(intent, api, timeout_seconds)
            case StampTtl():
                return await _stamp(intent, api, timeout_seconds)
            case RestoreJob():
                return Performed(*await restore(effect, intent, api, timeout_seconds))
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
        if isinstance(intent, ObjectIntent):
            return Performed(*await _look_up_object(effect, intent, api, timeout_seconds))
        response = await _get_job(api, intent.namespace, intent.job_name, timeout_seconds)
    except ApiUnanswered as error:
        return Performed((), Unknown(str(error)))
    absent = names_object(response, JOB.plural, intent.job_name)
    if not absent and not response.ok:
        return Performed((), Unknown(status_words(response)))
    if response.ok and not uid_of(response.body):
        return Performed((), _without_uid(intent))
    body = response.body if response.ok else None
    match intent:
        case CreateJob():
            answer = _created(intent, body)
            return Performed(seen_job(api, body) if isinstance(answer, Done) else (), answer)
        case DeleteJob():
            return Performed((), _deleted(intent, body))
        case RestoreJob():
            return Performed(*restored(effect, intent, api, body))
        case StampTtl():
            return Performed((), _stamped(intent, body))


async def _look_up_object(
    effect: Effect, intent: ObjectIntent, api: Api, seconds: float
) -> tuple[tuple[Observation, ...], Answer]:
    if isinstance(intent, Apply):
        return await look_up_applied(intent, api, seconds)
    return await look_up_object(effect, intent, api, timeout_seconds=seconds)


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
        return Performed(seen_job(api, response.body), Done(uid))
    if response.code != CONFLICT or status_reason(response) != "AlreadyExists":
        return Performed((), not_done(response))
    found = await _get_job(api, intent.namespace, intent.job_name, seconds)
    if names_object(found, JOB.plural, intent.job_name):
        # It went away in between: the next try will create it.
        return Performed((), refusal(response))
    if not found.ok:
        words = f"the name is taken, and by whom is unknown: {status_words(found)}"
        return Performed((), Unknown(words))
    answer = _taken(intent, found.body, refusal(response))
    return Performed(seen_job(api, found.body) if isinstance(answer, Done) else (), answer)


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


async def _delete(intent: DeleteJob, api: Api, seconds: float) -> Performed:
    """Delete on a fresh read: a Job that has finished meanwhile keeps its outcome and stays.

    So does one that its ModelWarmup does not control any more: whoever deletes a ModelWarmup
    without its dependents means to keep them.
    """

    def request(found: Any) -> Request | None:
        if (
            has_finished(found)
            or controller_uid(mapping(found.get("metadata"))) != intent.warmup_uid
        ):
            return None
        body = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Background",
            "preconditions": {"uid": intent.job_uid, "resourceVersion": version_of(found)},
        }
        return Request("DELETE", JOB.path(intent.namespace, intent.job_name), body=body)

    return await _change(intent, api, seconds, request)


async def _stamp(intent: StampTtl, api: Api, seconds: float) -> Performed:
    """Write the TTL onto the very object and version that a fresh read gave."""

    def request(found: Any) -> Request | None:
        body = [
            *guards(intent.job_uid, version_of(found)),
            {"op": "add", "path": "/spec/ttlSecondsAfterFinished", "value": intent.ttl_seconds},
        ]
        path = JOB.path(intent.namespace, intent.job_name)
        return Request("PATCH", path, body=body, content_type=JSON_PATCH)

    return await _change(intent, api, seconds, request)


async def _change(
    intent: DeleteJob | StampTtl,
    api: Api,
    seconds: float,
    request: Callable[[Any], Request | None],
) -> Performed:
    """Read one Job afresh and change it, again when another write comes in between.

    `request` gives None when what was read is not to be changed any more: then nothing was done.
    """
    response = Response(CONFLICT, None)
    for _ in range(TRIES):
        found = await _get_job(api, intent.namespace, intent.job_name, seconds)
        if not found.ok:
            return Performed((), _gone(intent, found))
        uid = uid_of(found.body)
        if not uid:
            return Performed((), _without_uid(intent))
        if uid != intent.job_uid:
            return Performed((), Done(intent.job_uid, found=True))
        wanted = request(found.body)
        if wanted is None:
            return Performed(seen_job(api, found.body), Absent())
        response = await api.send(wanted, timeout_seconds=seconds)
        if response.ok:
            return Performed((), Done(intent.job_uid))
        if not is_overtaken(response):
            return Performed((), _gone(intent, response))
    return Performed((), refusal(response))


def _gone(intent: DeleteJob | StampTtl, response: Response) -> Answer:
    """Say what a refusal means: Done when it says that this very Job is no more."""
    if response.code != NOT_FOUND:
        return not_done(response)
    if names_object(response, JOB.plural, intent.job_name):
        return Done(intent.job_uid, found=True)
    return Unknown(f"404, but not about Job {intent.job_name}: {status_words(response)}")


def _without_uid(intent: CreateJob | DeleteJob | RestoreJob | StampTtl) -> Unknown:
    """No API server answers like this: it tells neither that the Job is there nor that it went."""
    return Unknown(f"Job {intent.job_name} came back without a uid")


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
