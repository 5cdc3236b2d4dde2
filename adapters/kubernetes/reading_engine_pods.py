"""Reading why an engine does not run: of the Pods of its workload, the newest that is in trouble.

What the Pod says itself comes first, then what Events say of it: a volume that cannot be mounted,
a probe that fails. A workload without any Pod is asked about itself.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from adapters.kubernetes.fields import mapping, text
from adapters.kubernetes.kinds import POD
from adapters.kubernetes.object_parts import condition_of, is_deleting
from adapters.kubernetes.pod_causes import engine_cause
from adapters.kubernetes.reading import Query, read_items
from adapters.kubernetes.reading_cache_events import failure_of, read_failure
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


class _Silent(NamedTuple):
    """What says nothing itself, so that its Events have to."""

    subject: Subject
    owner: str  # what generated names begin with


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
    told = _told_by(workload, pods)
    if isinstance(told, _Words):
        return EventsRead(api.cluster, workload, "", *told)
    failure = await read_failure(api, *told, timeout_seconds=timeout_seconds)
    return None if failure is None else EventsRead(api.cluster, workload, "", *failure)


def said_of_engine(
    cluster: str,
    workload: Subject,
    pods: Sequence[dict[str, Any]],
    events_of: Callable[[str], Iterable[dict[str, Any]]],
) -> EventsRead:
    """Give the same of Pods that are at hand; `events_of` gives the Events about a uid."""
    told = _told_by(workload, pods)
    if isinstance(told, _Silent):
        told = _Words(*failure_of(events_of(told.subject.uid), told.owner))
    return EventsRead(cluster, workload, "", *told)


def label_of(workload: str) -> str:
    """Give the label by which the Pods of this kind of workload name theirs."""
    return labels.GANG_NAME if workload == GANG else labels.WORKLOAD


def _told_by(workload: Subject, pods: Sequence[dict[str, Any]]) -> _Words | _Silent:
    """Give what the newest Pod in trouble says, or whose Events have to be read instead."""
    newest = max(filter(_is_in_trouble, pods), key=_newness, default=None)
    if newest is None:
        return _Words() if pods else _Silent(workload, workload.name)
    cause = engine_cause(newest)
    if cause.reason or cause.message:
        return _Words(cause.reason, cause.message)
    metadata = mapping(newest.get("metadata"))
    name, uid = text(metadata.get("name")), text(metadata.get("uid"))
    subject = Subject(POD.name, text(metadata.get("namespace")), name, uid)
    return _Silent(subject, text(metadata.get("generateName")).removesuffix("-"))


def _selector(workload: Subject) -> Query:
    return (("labelSelector", f"{label_of(workload.kind)}={workload.name}"),)


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
