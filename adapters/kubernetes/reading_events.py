"""Reading Events: what a cluster says of a Job without Pods, or of a Pod that does not start.

Only the newest Event counts: an older warning is over. Kubernetes' own times are compared with
each other, never with ours.
"""

from collections.abc import Sequence
from typing import Any

from adapters.kubernetes.fields import mapping, mappings, text, whole_number
from adapters.ports import Api, ApiUnanswered, Request
from machines.asking import Question
from machines.causes import FAILED_CREATE
from machines.observations import EventsRead
from machines.steadying import steady

EVENTS_ROWS = 500  # of one page; a cluster keeps Events for an hour and counts what repeats
FEW = 4  # objects whose Events are asked for one by one; more are sought among all of a namespace
MOST_PAGES = 40  # of one namespace's Events; who is not found by then is asked about again later
_COMBINED = "(combined from similar events): "  # Kubernetes' own words, after ten of a kind
_ABOUT_PODS = frozenset({FAILED_CREATE, "SuccessfulCreate", "SuccessfulDelete"})

Events = list[dict[str, Any]]


async def read_events(
    api: Api, namespace: str, questions: Sequence[Question], *, timeout_seconds: float
) -> list[EventsRead]:
    """Answer questions about objects of one namespace; those without a whole answer are left out.

    A thousand Jobs that wait for their Pods cost a few pages, not a thousand requests, each of
    which would have the API server look at every Event of the namespace.
    """
    if len(questions) > FEW:
        found = await _pages(api, namespace, (), timeout_seconds)
        if found is None:
            return []
        by_uid: dict[str, Events] = {}
        for event in found:
            uid = text(mapping(event.get("involvedObject")).get("uid"))
            by_uid.setdefault(uid, []).append(event)
        return [_answer(one, by_uid.get(one.subject.uid, [])) for one in questions]
    answers = []
    for one in questions:
        about = (("fieldSelector", f"involvedObject.uid={one.subject.uid}"),)
        events = await _pages(api, namespace, about, timeout_seconds)
        if events is not None:
            answers.append(_answer(one, events))
    return answers


async def _pages(
    api: Api, namespace: str, query: tuple[tuple[str, str], ...], timeout_seconds: float
) -> Events | None:
    """List Events; None when there is no whole answer."""
    path = f"/api/v1/namespaces/{namespace}/events"
    events: Events = []
    more: tuple[tuple[str, str], ...] = ()
    for _ in range(MOST_PAGES):
        request = Request("GET", path, (*query, ("limit", str(EVENTS_ROWS)), *more))
        try:
            response = await api.send(request, timeout_seconds=timeout_seconds)
        except ApiUnanswered:
            return None
        if not response.ok:
            return None
        body = mapping(response.body)
        events += mappings(body.get("items"))
        token = text(mapping(body.get("metadata")).get("continue"))
        if not token:
            return events
        more = (("continue", token),)
    return None


def _answer(question: Question, events: Events) -> EventsRead:
    subject = question.subject
    if subject.kind == "Job":
        events = [event for event in events if text(event.get("reason")) in _ABOUT_PODS]
    reason, message = _warning(max(events, key=_newness, default={}))
    words = steady(message, question.job_name)
    return EventsRead(question.cluster, subject, question.job_uid, reason, words)


def _warning(event: dict[str, Any]) -> tuple[str, str]:
    if event.get("type") != "Warning":
        return "", ""
    return text(event.get("reason"))[:256], text(event.get("message")).removeprefix(_COMBINED)


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
    return max(time[:19] for time in times), whole_number(version)
