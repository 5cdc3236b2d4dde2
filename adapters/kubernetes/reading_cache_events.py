"""Reading what Events say of a claim that is not bound, of a hydration Job, or of its Pod.

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
_REASON = 256  # characters


async def read_cache_events(
    api: Api, question: CacheQuestion, *, timeout_seconds: float
) -> EventsRead | None:
    """Give what Events say of one object; None when there is no whole answer."""
    subject = question.subject
    path = f"/api/v1/namespaces/{subject.namespace}/events"
    about = (("fieldSelector", f"involvedObject.uid={subject.uid}"),)
    events = await read_items(api, path, about, timeout_seconds=timeout_seconds)
    if events is None:
        return None
    told = _last_failure(events)
    if not told and subject.kind == CLAIM.name:
        others = [one for one in events if text(one.get("reason")) not in _WAITS_FOR_POD]
        told = max(others, key=newness, default={})
    message = text(told.get("message")).removeprefix(COMBINED)
    reason = text(told.get("reason"))[:_REASON]
    return EventsRead(api.cluster, subject, "", reason, steady(message, _owner(subject)))


def _last_failure(events: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Give the newest failure that is not over; an empty one if there is none.

    FailedBinding warns of nothing, by its type, and is a failure all the same.
    """
    last: dict[str, Any] = {}
    for event in sorted(events, key=newness):
        reason = text(event.get("reason"))
        if reason in _SUCCESSES:
            last = {}
        elif reason == "FailedBinding" or event.get("type") == "Warning":
            last = event
    return last


def _owner(subject: Subject) -> str:
    """Give the name that generated names begin with: that of the Job."""
    is_pod = subject.kind == HYDRATION_POD.name
    return subject.name.rpartition("-")[0] if is_pod else subject.name
