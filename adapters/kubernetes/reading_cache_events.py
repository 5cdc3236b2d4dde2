"""Reading what Events say of a claim that is not bound, of a Job, a workload, or its Pod.

The newest failure is told until its success is said: provisioners and schedulers go on saying that
they wait. Of a claim, where there is none, it is what its provisioner said last; that it waits for
a Pod is told by the Pod itself.
"""

from collections.abc import Iterable
from typing import Any

from adapters.kubernetes.fields import text
from adapters.kubernetes.kinds import CLAIM, HYDRATION_POD
from adapters.kubernetes.reading import read_items
from adapters.kubernetes.reading_events import COMBINED, newness
from adapters.ports import Api
from engine.events import Subject
from machines.caches.asking import CacheQuestion
from machines.observations import EventsRead
from machines.steadying import steady

_WAITS_FOR_POD = frozenset({"WaitForFirstConsumer", "WaitForPodScheduled"})
_SUCCESSES = frozenset({"ProvisioningSucceeded", "Scheduled", "SuccessfulCreate"})
_STARTED = "Started"  # of a container
_REASON = 256  # characters


async def read_cache_events(
    api: Api, question: CacheQuestion, *, timeout_seconds: float
) -> EventsRead | None:
    """Give what Events say of one object; None when there is no whole answer."""
    subject = question.subject
    events = await _events_of(api, subject, timeout_seconds)
    return None if events is None else said_of(api.cluster, subject, events)


def said_of(cluster: str, subject: Subject, events: list[dict[str, Any]]) -> EventsRead:
    """Give what the Events of an object say of it."""
    told = _last_failure(events, _SUCCESSES)
    if not told and subject.kind == CLAIM.name:
        others = [one for one in events if text(one.get("reason")) not in _WAITS_FOR_POD]
        told = max(others, key=newness, default={})
    return EventsRead(cluster, subject, "", *_words(told, _owner(subject)))


async def read_failure(
    api: Api, subject: Subject, owner: str, *, timeout_seconds: float
) -> tuple[str, str] | None:
    """Give reason and words of the newest failure of a workload, or of a Pod of one.

    It is over once a container was started. `owner` is what generated names begin with. Both are
    empty when there is none; None when there is no whole answer.
    """
    events = await _events_of(api, subject, timeout_seconds)
    return None if events is None else failure_of(events, owner)


def failure_of(events: Iterable[dict[str, Any]], owner: str) -> tuple[str, str]:
    """Give reason and words of the newest failure that these Events tell; empty without any."""
    return _words(_last_failure(events, _SUCCESSES | {_STARTED}), owner)


async def _events_of(
    api: Api, subject: Subject, timeout_seconds: float
) -> list[dict[str, Any]] | None:
    path = f"/api/v1/namespaces/{subject.namespace}/events"
    about = (("fieldSelector", f"involvedObject.uid={subject.uid}"),)
    return await read_items(api, path, about, timeout_seconds=timeout_seconds)


def _words(event: dict[str, Any], owner: str) -> tuple[str, str]:
    message = text(event.get("message")).removeprefix(COMBINED)
    return text(event.get("reason"))[:_REASON], steady(message, owner)


def _last_failure(events: Iterable[dict[str, Any]], successes: frozenset[str]) -> dict[str, Any]:
    """Give the newest failure that is not over; an empty one if there is none.

    FailedBinding warns of nothing, by its type, and is a failure all the same.
    """
    last: dict[str, Any] = {}
    for event in sorted(events, key=newness):
        reason = text(event.get("reason"))
        if reason in successes:
            last = {}
        elif reason == "FailedBinding" or event.get("type") == "Warning":
            last = event
    return last


def _owner(subject: Subject) -> str:
    """Give the name that generated names begin with: that of the Job."""
    is_pod = subject.kind == HYDRATION_POD.name
    return subject.name.rpartition("-")[0] if is_pod else subject.name
