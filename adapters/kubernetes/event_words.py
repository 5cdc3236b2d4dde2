"""Reading Events: what a cluster says of a Job without Pods, or of a Pod that does not start.

Only the newest Event counts: an older warning is over. Kubernetes' own times are compared with
each other, never with ours.
"""

from typing import Any

from adapters.kubernetes.fields import mapping, mappings, text
from adapters.ports import Api, ApiUnanswered, Request
from machines.asking import Question
from machines.causes import FAILED_CREATE
from machines.observations import EventsRead
from machines.steadying import steady

EVENTS_ROWS = 500  # of one object; a cluster keeps them for an hour and counts what repeats
_ABOUT_PODS = frozenset({FAILED_CREATE, "SuccessfulCreate", "SuccessfulDelete"})


async def read_events(api: Api, question: Question, *, timeout_seconds: float) -> EventsRead | None:
    """Ask for an object's Events; None when there is no answer, or not a whole one."""
    subject = question.subject
    query = (
        ("fieldSelector", f"involvedObject.uid={subject.uid}"),
        ("limit", str(EVENTS_ROWS)),
    )
    request = Request("GET", f"/api/v1/namespaces/{subject.namespace}/events", query)
    try:
        response = await api.send(request, timeout_seconds=timeout_seconds)
    except ApiUnanswered:
        return None
    if not response.ok:
        return None
    events = mappings(mapping(response.body).get("items"))
    if subject.kind == "Job":
        events = [event for event in events if event.get("reason") in _ABOUT_PODS]
    reason, message = _warning(max(events, key=_newness, default={}))
    words = steady(message, question.job_name)
    return EventsRead(question.cluster, subject, question.job_uid, reason, words)


def _warning(event: dict[str, Any]) -> tuple[str, str]:
    if event.get("type") != "Warning":
        return "", ""
    return text(event.get("reason"))[:256], text(event.get("message"))


def _newness(event: dict[str, Any]) -> tuple[str, int]:
    """Order Events: by the last time each was seen, then by version."""
    times = (
        text(mapping(event.get("series")).get("lastObservedTime")),
        text(event.get("lastTimestamp")),
        text(event.get("eventTime")),
        text(event.get("firstTimestamp")),
    )
    version = text(mapping(event.get("metadata")).get("resourceVersion"))
    # Seconds are enough: some times have fractions and some have not.
    return max(time[:19] for time in times), int(version) if version.isdigit() else 0
