"""Releasing: taking warmlog's finalizer off an object of ours, when nobody else will."""

from adapters.kubernetes.acting_on_objects import perform_on_object
from adapters.kubernetes.kinds import MODEL_CACHE, MODEL_REPLICA
from adapters.kubernetes.leftovers import Held
from adapters.ports import Api, ApiUnanswered
from machines.caches.changes import ChangeKind
from machines.intents import Change, Effect
from machines.job_bodies import body_digest
from machines.labels import CACHE_IN_USE, REPLICA_WORKLOADS
from machines.observations import Done, Refused, Unknown

_FINALIZERS = {MODEL_CACHE.name: CACHE_IN_USE, MODEL_REPLICA.name: REPLICA_WORKLOADS}


async def release(api: Api, held: Held, *, timeout_seconds: float) -> str:
    """Take the finalizer off this very object; "" when it is off, else why it is not.

    The patch is for the version that was read a moment before, and nothing else of it changes.
    """
    body = {"finalizer": _FINALIZERS[held.kind]}
    identity = (held.kind, held.namespace, held.name, held.uid)
    intent = Change(held.uid, *identity, ChangeKind.RELEASE, body_digest(body))
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
