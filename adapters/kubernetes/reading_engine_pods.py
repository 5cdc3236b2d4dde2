"""Reading why an engine does not run: of the Pods of its workload, the newest that is in trouble.

What the Pod says itself comes first, then what Events say of it: a volume that cannot be mounted,
a probe that fails. A workload without any Pod is asked about itself.
"""

from typing import Any, NamedTuple

from adapters.kubernetes.fields import mapping, text
from adapters.kubernetes.kinds import POD
from adapters.kubernetes.object_parts import condition_of, is_deleting
from adapters.kubernetes.pod_causes import engine_cause
from adapters.kubernetes.reading import Query, read_items
from adapters.kubernetes.reading_cache_events import read_failure
from adapters.kubernetes.reflecting import number
from adapters.ports import Api
from engine.events import Subject
from machines import labels
from machines.observations import EventsRead
from machines.replicas.kinds import GANG

_ENDED = frozenset({"Succeeded", "Failed"})


class _Words(NamedTuple):
    reason: str = ""
    message: str = ""


async def read_engine_pods(
    api: Api, workload: Subject, *, timeout_seconds: float
) -> EventsRead | None:
    """Give why a workload's Pods do not run, without words when they do not say.

    None when there is no whole answer.
    """
    path = POD.path(workload.namespace)
    pods = await read_items(api, path, _selector(workload), timeout_seconds=timeout_seconds)
    if pods is None:
        return None
    words: _Words | None = _Words()
    newest = max(filter(_is_in_trouble, pods), key=_newness, default=None)
    if newest is not None:
        words = await _pod_words(api, newest, timeout_seconds)
    elif not pods:
        words = await _events_words(api, workload, workload.name, timeout_seconds)
    return None if words is None else EventsRead(api.cluster, workload, "", *words)


async def _pod_words(api: Api, pod: dict[str, Any], timeout_seconds: float) -> _Words | None:
    cause = engine_cause(pod)
    if cause.reason or cause.message:
        return _Words(cause.reason, cause.message)
    metadata = mapping(pod.get("metadata"))
    name, uid = text(metadata.get("name")), text(metadata.get("uid"))
    subject = Subject(POD.name, text(metadata.get("namespace")), name, uid)
    owner = text(metadata.get("generateName")).removesuffix("-")
    return await _events_words(api, subject, owner, timeout_seconds)


async def _events_words(
    api: Api, subject: Subject, owner: str, timeout_seconds: float
) -> _Words | None:
    found = await read_failure(api, subject, owner, timeout_seconds=timeout_seconds)
    return None if found is None else _Words(*found)


def _selector(workload: Subject) -> Query:
    label = labels.GANG_NAME if workload.kind == GANG else labels.WORKLOAD
    return (("labelSelector", f"{label}={workload.name}"),)


def _is_in_trouble(pod: dict[str, Any]) -> bool:
    """Say whether a Pod does not serve; one that is on its way out is nobody's trouble."""
    if is_deleting(mapping(pod.get("metadata"))):
        return False
    return condition_of(pod, "Ready").get("status") != "True"


def _newness(pod: dict[str, Any]) -> tuple[bool, str, int, str]:
    """Order Pods by when they were made: those that have ended say what was, not what is."""
    metadata = mapping(pod.get("metadata"))
    return (
        mapping(pod.get("status")).get("phase") not in _ENDED,
        text(metadata.get("creationTimestamp")),
        number(text(metadata.get("resourceVersion"))),
        text(metadata.get("name")),
    )
