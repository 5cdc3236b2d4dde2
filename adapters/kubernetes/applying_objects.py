"""Applying one object of a replica server-side, as the field manager `warmlog`, on a fresh read.

The apply carries the resourceVersion that was just read, so it is of what was looked at. What a
former controller composed becomes ours before: then what we leave out goes, and nothing restarts.
"""

from typing import Any

from adapters.kubernetes.answers import (
    CONFLICT,
    NOT_FOUND,
    not_done,
    refusal,
    uid_of,
    version_of,
)
from adapters.kubernetes.changing import TRIES, guards, is_overtaken, seen
from adapters.kubernetes.field_ownership import (
    FIELD_MANAGER,
    owns_replicas,
    scaler,
    taken_over,
)
from adapters.kubernetes.fields import integer, mapping, text
from adapters.kubernetes.intended_objects import (
    NAME_TAKEN,
    intended_words,
    is_gone,
    read_intended,
    untold,
)
from adapters.kubernetes.kinds import KIND_BY_NAME
from adapters.kubernetes.normalising_replicas import copies_of, is_adopted
from adapters.kubernetes.object_parts import is_deleting
from adapters.kubernetes.owning import Ownership
from adapters.kubernetes.owning_replicas import replica_holder_words, replica_ownership
from adapters.ports import APPLY_PATCH, JSON_PATCH, Api, Request, Response
from engine.events import Subject
from machines import labels
from machines.intents import Apply, Effect
from machines.observations import Absent, Answer, Deleted, Done, Observation, Refused
from machines.replicas.kinds import WORKLOADS
from machines.steadying import cut

EXISTS = "AlreadyExists"  # one that is to be taken over, but was not known: decide again
SCALED = "ScaledMeanwhile"  # who scales it is another than was known: decide again

Applied = tuple[tuple[Observation, ...], Answer]
Raw = dict[str, Any]


async def apply_object(effect: Effect, intent: Apply, api: Api, seconds: float) -> Applied:
    """Carry out `effect`; raises ApiUnanswered when no answer came, ValueError without a body.

    Read and applied again, a few times, when another write comes in between.
    """
    if effect.body is None:
        msg = f"the body of {intended_words(intent)} was not rebuilt"
        raise ValueError(msg)
    response = Response(CONFLICT, None)
    for _ in range(TRIES):
        found = await read_intended(intent, api, seconds)
        stopped = _stopped(intent, effect.body, api, found)
        if stopped is not None:
            return stopped
        body = effect.body
        if found.ok:
            response = await _own_fields(intent, api, found.body, seconds)
            if not response.ok and is_overtaken(response):
                continue
            if not response.ok:
                return (), not_done(response)
            metadata = body["metadata"] | {"resourceVersion": version_of(response.body)}
            body = body | {"metadata": metadata}
        response = await _send(intent, body, api, seconds)
        if response.ok:
            return _applied(intent, api, response)
        if response.code != CONFLICT:
            return (), not_done(response)
    return (), refusal(response)


async def look_up_applied(intent: Apply, api: Api, seconds: float) -> Applied:
    """Say whether an apply landed; raises ApiUnanswered when no answer came."""
    found = await read_intended(intent, api, seconds)
    if is_gone(intent, found):
        return (_gone(intent, api) if intent.uid else ()), Absent()
    if not found.ok or not uid_of(found.body):
        return (), untold(intent, found)
    observations = seen(api, KIND_BY_NAME[intent.kind], found.body)
    if intent.uid not in ("", uid_of(found.body)):
        return (*_gone(intent, api), *observations), Absent()
    same = _digest(found.body) == intent.digest
    return observations, Done(uid_of(found.body), found=True) if same else Absent()


def _stopped(intent: Apply, body: Raw, api: Api, found: Response) -> Applied | None:
    """Give how it ends when nothing is to be applied; None when it is."""
    if is_gone(intent, found):
        return (_gone(intent, api), Absent()) if intent.uid else None
    if not found.ok:
        return (), _unreadable(intent, found)
    uid = uid_of(found.body)
    if not uid:
        return (), untold(intent, found)
    observations = seen(api, KIND_BY_NAME[intent.kind], found.body)
    if intent.uid and uid != intent.uid:
        return (*_gone(intent, api), *observations), Absent()
    answer = _objection(intent, body, found.body)
    return None if answer is None else (observations, answer)


def _unreadable(intent: Apply, found: Response) -> Answer:
    """Say no for a read that was refused: nothing was written, so nothing has happened."""
    if found.code == NOT_FOUND:
        return refusal(found)._replace(words=untold(intent, found).words)
    return not_done(found)


def _objection(intent: Apply, body: Raw, found: Raw) -> Answer | None:
    """Give why an object that is there is not to be applied to, as it was just read."""
    metadata = mapping(found.get("metadata"))
    going = " and is being deleted" if is_deleting(metadata) else ""
    if replica_ownership(intent, body, found) is Ownership.OTHERS:
        holder = replica_holder_words(intent.kind, found)
        return _refused(NAME_TAKEN, f"{intended_words(intent)} exists already, {holder}{going}")
    if going:  # what comes after it is decided when it is gone
        return (
            Absent() if intent.uid else _refused(EXISTS, f"{intended_words(intent)} exists{going}")
        )
    if not intent.uid and _digest(found) == intent.digest:
        return Done(uid_of(found), found=True)
    if not intent.uid:
        return _refused(EXISTS, f"{intended_words(intent)} exists already, and is to be taken over")
    return _scaled(intent, body, found) if intent.kind in WORKLOADS else None


def _scaled(intent: Apply, body: Raw, found: Raw) -> Refused | None:
    """Refuse to undo what somebody else scaled, and to leave out what nobody else holds.

    The number of copies is whose it was when this was decided: a field that its only owner leaves
    out falls back to 1.
    """
    metadata = mapping(found.get("metadata"))
    adopted = is_adopted(metadata)
    other = scaler(metadata, adopted=adopted)
    wanted = integer(mapping(body.get("spec")).get("replicas"))
    there = integer(mapping(found.get("spec")).get("replicas"))
    if wanted is None:
        if other or not owns_replicas(metadata, adopted=adopted):
            return None
        return _refused(SCALED, f"nobody scales {intended_words(intent)} any more but warmlog")
    same_copies = copies_of(metadata) == copies_of(mapping(body.get("metadata")))
    if not other or wanted == there or not same_copies:
        return None
    return _refused(SCALED, f"{other} has scaled {intended_words(intent)} to {there} meanwhile")


async def _own_fields(intent: Apply, api: Api, found: Raw, seconds: float) -> Response:
    """Make ours what a former controller composed; give the object as it is then."""
    metadata = mapping(found.get("metadata"))
    entries = None if is_adopted(metadata) else taken_over(metadata)
    if entries is None:
        return Response(200, found)
    operation = {"op": "replace", "path": "/metadata/managedFields", "value": entries}
    request = Request(
        "PATCH",
        KIND_BY_NAME[intent.kind].path(intent.namespace, intent.name),
        (("fieldManager", FIELD_MANAGER),),
        body=[*guards(intent.uid, version_of(found)), operation],
        content_type=JSON_PATCH,
    )
    return await api.send(request, timeout_seconds=seconds)


async def _send(intent: Apply, body: Raw, api: Api, seconds: float) -> Response:
    request = Request(
        "PATCH",
        KIND_BY_NAME[intent.kind].path(intent.namespace, intent.name),
        (("fieldManager", FIELD_MANAGER), ("force", "true")),
        body=body,
        content_type=APPLY_PATCH,
    )
    return await api.send(request, timeout_seconds=seconds)


def _applied(intent: Apply, api: Api, response: Response) -> Applied:
    uid = uid_of(response.body)
    if not uid:
        return (), untold(intent, response)
    return seen(api, KIND_BY_NAME[intent.kind], response.body), Done(uid)


def _refused(reason: str, words: str) -> Refused:
    return Refused(CONFLICT, reason, cut(words))


def _digest(found: Raw) -> str:
    notes = mapping(mapping(found.get("metadata")).get("annotations"))
    return text(notes.get(labels.APPLIED))


def _gone(intent: Apply, api: Api) -> tuple[Observation, ...]:
    subject = Subject(intent.kind, intent.namespace, intent.name, intent.uid)
    return (Deleted(api.cluster, subject, "", settled=True),)
