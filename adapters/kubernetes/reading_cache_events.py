"""Reading what Events say of a claim that is not bound, of a hydration Job, or of its Pod.

The newest warning is told. Of a claim, where there is none, it is what its provisioner said last;
that it waits for a Pod is told by the Pod itself.
"""

from typing import Any

from adapters.kubernetes.fields import text
from adapters.kubernetes.kinds import CLAIM
from adapters.kubernetes.reading import read_items
from adapters.kubernetes.reading_events import COMBINED, newness
from adapters.ports import Api
from machines.caches.asking import CacheQuestion
from machines.observations import EventsRead
from machines.steadying import steady

_WAITS_FOR_POD = frozenset({"WaitForFirstConsumer", "WaitForPodScheduled"})
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
    told = [one for one in events if one.get("type") == "Warning"]
    if not told and subject.kind == CLAIM.name:
        told = [one for one in events if text(one.get("reason")) not in _WAITS_FOR_POD]
    newest: dict[str, Any] = max(told, key=newness, default={})
    message = text(newest.get("message")).removeprefix(COMBINED)
    reason = text(newest.get("reason"))[:_REASON]
    return EventsRead(api.cluster, subject, "", reason, steady(message, subject.name))
