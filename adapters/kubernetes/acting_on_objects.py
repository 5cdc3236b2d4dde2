"""Carrying out what was decided for a cache or a replica: create, change or delete one object.

What they have on a cluster is of several kinds, and one way of acting serves all.
What was seen on the way comes before the answer, so that no list can be taken to deny it.
"""

from typing import Any

from adapters.kubernetes.answers import (
    CONFLICT,
    NOT_FOUND,
    not_done,
    refusal,
    status_reason,
    status_words,
    uid_of,
    version_of,
)
from adapters.kubernetes.changing import TRIES, guards, is_overtaken, seen
from adapters.kubernetes.fields import mapping
from adapters.kubernetes.intended_objects import (
    NAME_TAKEN,
    intended_words,
    is_gone,
    read_intended,
    untold,
)
from adapters.kubernetes.kinds import CLAIM, KIND_BY_NAME, SECRET
from adapters.kubernetes.object_parts import is_deleting
from adapters.kubernetes.owning import Ownership, holder_words, ownership
from adapters.kubernetes.patching_objects import Nothing, data_of, is_so, patch_of
from adapters.kubernetes.reading_claim_users import list_claim_users
from adapters.kubernetes.reflecting import ReadRefused
from adapters.kubernetes.vaults import Tokens
from adapters.ports import JSON_PATCH, Api, Request, Response
from engine.events import Subject
from machines.caches.changes import ChangeKind
from machines.intents import CacheIntent, Change, Create, Delete, Effect
from machines.observations import Absent, Answer, Deleted, Done, Observation, Refused, Seen, Unknown
from machines.steadying import cut

CLAIM_IN_USE = "ClaimInUse"
_FEW_PODS = 5  # that are named in words

Acted = tuple[tuple[Observation, ...], Answer]


async def perform_on_object(
    effect: Effect,
    intent: CacheIntent,
    api: Api,
    *,
    timeout_seconds: float,
    tokens: Tokens | None = None,
) -> Acted:
    """Carry out `effect`; raises ApiUnanswered when no answer came.

    ValueError for a create or a change whose body was not rebuilt.
    """
    if isinstance(intent, Delete):
        return await _delete(intent, api, timeout_seconds)
    if effect.body is None:
        msg = f"the body of {intended_words(intent)} was not rebuilt"
        raise ValueError(msg)
    if isinstance(intent, Change):
        return await _change(intent, effect.body, api, timeout_seconds, tokens)
    return _found_by(effect, await _create(intent, effect.body, api, timeout_seconds, tokens))


async def look_up_object(
    effect: Effect, intent: CacheIntent, api: Api, *, timeout_seconds: float
) -> Acted:
    """Say whether an intent landed; raises ApiUnanswered when no answer came."""
    found = await read_intended(intent, api, timeout_seconds)
    if is_gone(intent, found):
        return _missing(intent, api)
    if not uid_of(found.body) or not found.ok:
        return (), untold(intent, found)
    observations = seen(api, KIND_BY_NAME[intent.kind], found.body)
    metadata = mapping(mapping(found.body).get("metadata"))
    if isinstance(intent, Create):
        landed = ownership(intent, effect.body, metadata) in {Ownership.OURS, Ownership.OPEN}
        done = Done(uid_of(found.body), found=True)
        return _found_by(effect, (observations, done if landed else Absent()))
    if uid_of(found.body) != intent.uid:
        gone, answer = _missing(intent, api)
        return (*gone, *observations), answer
    if isinstance(intent, Delete):
        landed = is_deleting(metadata)
    else:
        landed = effect.body is not None and is_so(intent.change, effect.body, found.body)
    return observations, Done(intent.uid, found=True) if landed else Absent()


async def _create(
    intent: Create, body: dict[str, Any], api: Api, seconds: float, tokens: Tokens | None
) -> Acted:
    kind = KIND_BY_NAME[intent.kind]
    sent = body
    if kind == SECRET:
        data = data_of(body, tokens)
        if data is None:
            return (), Absent()  # the token has changed, or is not known here any more
        sent = {**{name: body[name] for name in body if name != "token"}, "data": data}
    response = await api.send(
        Request("POST", kind.path(intent.namespace), body=sent), timeout_seconds=seconds
    )
    if response.ok:
        uid = uid_of(response.body)
        if not uid:
            return (), Unknown(f"the created {intended_words(intent)} came back without a uid")
        return seen(api, kind, response.body), Done(uid)
    if response.code != CONFLICT or status_reason(response) != "AlreadyExists":
        return (), not_done(response)
    found = await read_intended(intent, api, seconds)
    if is_gone(intent, found):
        return (), refusal(response)  # it went away in between: the next try will create it
    if not found.ok or not uid_of(found.body):
        words = f"the name is taken, and by whom is unknown: {status_words(found)}"
        return (), Unknown(words)
    return seen(api, kind, found.body), _taken(intent, body, found.body, refusal(response))


def _found_by(effect: Effect, acted: Acted) -> Acted:
    """Say of what has the name that a create wanted that it was read after that was decided."""
    observations, answer = acted
    found = [
        one._replace(found_by=effect.seq) if isinstance(one, Seen) else one for one in observations
    ]
    return tuple(found), answer


def _taken(intent: Create, body: dict[str, Any], found: Any, refused: Refused) -> Answer:
    """Say what it means that an object of the wanted name is there already."""
    metadata = mapping(mapping(found).get("metadata"))
    whose = ownership(intent, body, metadata)
    going = " and is being deleted" if is_deleting(metadata) else ""
    if whose is Ownership.OTHERS:
        holder = f"{intended_words(intent)} exists already, {holder_words(metadata)}{going}"
        return refused._replace(reason=NAME_TAKEN, words=cut(holder))
    if going and intent.kind != "Namespace":
        return refused._replace(words=f"{intended_words(intent)} exists already{going}")
    return Done(uid_of(found), found=True)


async def _change(
    intent: Change, body: dict[str, Any], api: Api, seconds: float, tokens: Tokens | None
) -> Acted:
    """Read the object afresh and patch that very version, again when another write came first."""
    kind = KIND_BY_NAME[intent.kind]
    response = Response(CONFLICT, None)
    for _ in range(TRIES):
        found = await read_intended(intent, api, seconds)
        stopped = _stopped(intent, api, found)
        if stopped is not None:
            return stopped
        patch = patch_of(intent.change, body, found.body, tokens)
        if isinstance(patch, Nothing):
            holds = patch is Nothing.HOLDS
            answer = Done(intent.uid, found=True) if holds else Absent()
            return seen(api, kind, found.body), answer
        request = Request(
            "PATCH",
            kind.path(intent.namespace, intent.name),
            body=[*guards(intent.uid, version_of(found.body)), *patch],
            content_type=JSON_PATCH,
        )
        response = await api.send(request, timeout_seconds=seconds)
        if response.ok:
            return seen(api, kind, response.body), Done(intent.uid)
        if not is_overtaken(response):
            return _refused(intent, api, response)
    return (), refusal(response)


async def _delete(intent: Delete, api: Api, seconds: float) -> Acted:
    """Delete the object as a fresh read gave it; a claim only when no Pod mounts it."""
    kind = KIND_BY_NAME[intent.kind]
    response = Response(CONFLICT, None)
    users: tuple[Observation, ...] = ()
    for _ in range(TRIES):
        found = await read_intended(intent, api, seconds)
        stopped = _stopped(intent, api, found)
        if stopped is not None:
            return stopped
        if is_deleting(mapping(found.body.get("metadata"))):
            return seen(api, kind, found.body), Done(intent.uid, found=True)
        if kind == CLAIM:
            users, used = await _users(intent, api, seconds)
            if used is not None:
                return users, used
        body = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Background",
            "preconditions": {"uid": intent.uid, "resourceVersion": version_of(found.body)},
        }
        request = Request("DELETE", kind.path(intent.namespace, intent.name), body=body)
        response = await api.send(request, timeout_seconds=seconds)
        if response.ok:
            return users, Done(intent.uid)
        if not is_overtaken(response):
            gone, answer = _refused(intent, api, response)
            return (*users, *gone), answer
    return users, refusal(response)


async def _users(
    intent: Delete, api: Api, seconds: float
) -> tuple[tuple[Observation, ...], Refused | None]:
    """List who mounts a claim; give why it is not to be deleted, if there is a reason."""
    claim = _subject(intent, intent.uid)
    try:
        read = await list_claim_users(api, claim, timeout_seconds=seconds)
    except ReadRefused as error:
        words = f"the Pods of namespace {intent.namespace} cannot be listed: {error.words}"
        return (), Refused(error.code, error.reason, cut(words))
    if not read.pods:
        return (read,), None
    named = ", ".join(read.pods[:_FEW_PODS])
    more = f" and {len(read.pods) - _FEW_PODS} more" if read.pods[_FEW_PODS:] else ""
    words = f"{intended_words(intent)} is mounted by Pod {named}{more}"
    return (read,), Refused(CONFLICT, CLAIM_IN_USE, cut(words))


def _stopped(intent: Change | Delete, api: Api, found: Response) -> Acted | None:
    """Give how it ends when the object is not there to be changed; None when it is."""
    if not found.ok:
        return _refused(intent, api, found)
    uid = uid_of(found.body)
    if not uid:
        return (), untold(intent, found)
    if uid != intent.uid:
        gone, answer = _missing(intent, api)
        return (*gone, *seen(api, KIND_BY_NAME[intent.kind], found.body)), answer
    return None


def _refused(intent: Change | Delete, api: Api, response: Response) -> Acted:
    if is_gone(intent, response):
        return _missing(intent, api)
    if response.code == NOT_FOUND:
        return (), untold(intent, response)
    return (), not_done(response)


def _missing(intent: CacheIntent, api: Api) -> Acted:
    """Give what it means that the very object is no more.

    Its deletion is done, and so is the release of a finalizer; nothing else was.
    """
    if isinstance(intent, Create):
        return (), Absent()
    done = isinstance(intent, Delete) or intent.change == ChangeKind.RELEASE
    gone = Deleted(api.cluster, _subject(intent, intent.uid), "", settled=True)
    return (gone,), Done(intent.uid, found=True) if done else Absent()


def _subject(intent: Change | Delete, uid: str) -> Subject:
    return Subject(intent.kind, intent.namespace, intent.name, uid)
