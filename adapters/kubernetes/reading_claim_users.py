"""Reading who mounts a claim: all Pods of its namespace, listed afresh, whatever labels they bear.

A Pod that has ended writes nothing any more, so it keeps no claim from being deleted; but a claim
that is being deleted stays until such a Pod is gone, too. The Pods of the hydration Job are ours.
"""

from collections.abc import Iterable
from typing import Any

from adapters.kubernetes.fields import mapping, mappings, text
from adapters.kubernetes.kinds import POD
from adapters.kubernetes.object_parts import controller_of
from adapters.kubernetes.reading import read_raw
from adapters.kubernetes.reflecting import ReadRefused
from adapters.ports import Api, ApiUnanswered
from engine.events import Subject
from machines import labels
from machines.observations import ClaimUsersRead

MOST_NAMED = 100  # users of one claim that are told by name
_ENDED = frozenset({"Succeeded", "Failed"})


async def read_claim_users(
    api: Api, claim: Subject, *, timeout_seconds: float
) -> ClaimUsersRead | None:
    """Give the Pods that mount a claim; None when there is no whole answer."""
    try:
        return await list_claim_users(api, claim, timeout_seconds=timeout_seconds)
    except (ApiUnanswered, ReadRefused):
        return None


async def list_claim_users(api: Api, claim: Subject, *, timeout_seconds: float) -> ClaimUsersRead:
    """Give the Pods that mount a claim. Raises ApiUnanswered, and ReadRefused."""
    path = POD.path(claim.namespace)
    pods = await read_raw(api, path, (), timeout_seconds=timeout_seconds)
    return users_of(api.cluster, claim, pods)


def users_of(cluster: str, claim: Subject, pods: Iterable[dict[str, Any]]) -> ClaimUsersRead:
    """Give those of the Pods of its namespace that mount a claim."""
    mounting = [pod for pod in pods if claim.name in claims_mounted(pod)]
    living = _names(pod for pod in mounting if not _has_ended(pod))
    ended = _names(pod for pod in mounting if _has_ended(pod) and _has_node(pod))
    return ClaimUsersRead(cluster, claim, living, ended)


def _names(pods: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    names = sorted(text(mapping(pod.get("metadata")).get("name")) for pod in pods)
    return tuple(names[:MOST_NAMED])


def _has_ended(pod: dict[str, Any]) -> bool:
    return mapping(pod.get("status")).get("phase") in _ENDED


def _has_node(pod: dict[str, Any]) -> bool:
    """Say whether a Pod ever had a node: only such a one keeps a claim that is being deleted."""
    return bool(mapping(pod.get("spec")).get("nodeName"))


def claims_mounted(pod: dict[str, Any]) -> frozenset[str]:
    """Give the names of the claims that a Pod mounts; none of a Pod of a hydration Job."""
    if _is_hydration(mapping(pod.get("metadata"))):
        return frozenset()
    volumes = mappings(mapping(pod.get("spec")).get("volumes"))
    names = (mapping(each.get("persistentVolumeClaim")).get("claimName") for each in volumes)
    return frozenset(filter(None, map(text, names)))


def _is_hydration(metadata: dict[str, Any]) -> bool:
    is_labelled = labels.CACHE in mapping(metadata.get("labels"))
    return is_labelled and controller_of(metadata).get("kind") == "Job"
