"""Changing one object: only the version that was read, and again when another write came first."""

from typing import Any

from adapters.kubernetes.answers import CONFLICT, INVALID, causes
from adapters.kubernetes.kinds import JOB, Kind
from adapters.kubernetes.normalising import ObjectMalformed, normalise
from adapters.ports import Api, Response
from machines.observations import Observation

TRIES = 3  # of a change that other writes overtake


def guards(uid: str, version: str) -> list[dict[str, Any]]:
    """Give the operations by which a JSON patch is for this very object, at this version."""
    return [
        {"op": "test", "path": "/metadata/uid", "value": uid},
        {"op": "test", "path": "/metadata/resourceVersion", "value": version},
    ]


def is_overtaken(response: Response) -> bool:
    """Say whether a change may have been refused because another write came first.

    A failed test has no causes, and neither has the refusal of some webhooks.
    """
    return response.code == CONFLICT or (response.code == INVALID and not causes(response))


def seen(api: Api, kind: Kind, body: Any) -> tuple[Observation, ...]:
    """Give an object as it was answered; nothing when it is none that a fact could be about."""
    try:
        return (normalise(api.cluster, kind, body),)
    except ObjectMalformed:
        return ()


def seen_job(api: Api, body: Any) -> tuple[Observation, ...]:
    """Give a Job as it was answered; nothing when it is no object that a fact could be about."""
    return seen(api, JOB, body)
