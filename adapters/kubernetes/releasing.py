"""Releasing: taking warmlog's finalizer off a ModelCache, when nobody else will."""

from adapters.kubernetes.acting_on_objects import perform_on_object
from adapters.kubernetes.kinds import MODEL_CACHE
from adapters.kubernetes.leftovers import HeldCache
from adapters.ports import Api, ApiUnanswered
from machines.caches.changes import ChangeKind
from machines.intents import Change, Effect
from machines.job_bodies import body_digest
from machines.labels import CACHE_IN_USE
from machines.observations import Done, Refused, Unknown


async def release(api: Api, cache: HeldCache, *, timeout_seconds: float) -> str:
    """Take the finalizer off this very ModelCache; "" when it is off, else why it is not.

    The patch is for the version that was read a moment before, and nothing else of it changes.
    """
    body = {"finalizer": CACHE_IN_USE}
    identity = (MODEL_CACHE.name, cache.namespace, cache.name, cache.uid)
    intent = Change(cache.uid, *identity, ChangeKind.RELEASE, body_digest(body))
    effect = Effect(0, api.cluster, intent, body)
    try:
        _, answer = await perform_on_object(effect, intent, api, timeout_seconds=timeout_seconds)
    except ApiUnanswered as error:
        return f"no answer: {error}"
    match answer:
        case Done():
            return ""
        case Refused():
            return f"refused ({answer.code}): {answer.words}"
        case Unknown():
            return answer.words
    return "it is not the same any more"
