"""Reading Events: what a cluster says of a Job without Pods, or of a Pod that does not start.

Only the newest Event counts: an older warning is over. Kubernetes' own times are compared with
each other, never with ours.
"""

from collections.abc import Sequence
from typing import Any

from adapters.kubernetes.fields import mapping, text, whole_number
from adapters.kubernetes.reading import read_items
from adapters.ports import Api
from machines.asking import Question
from machines.causes import FAILED_CREATE
from machines.observations import EventsRead
from machines.steadying import steady

FEW = 4  # objects whose Events are asked for one by one; more are sought among all of their kind
FEW_OF_MANY = 40  # that are asked for one by one where there are too many Events to seek among
COMBINED = "(combined from similar events): "  # Kubernetes' own words, after ten of a kind
_ABOUT_PODS = frozenset({FAILED_CREATE, "SuccessfulCreate", "SuccessfulDelete"})

Events = list[dict[str, Any]]


async def read_events(
    api: Api, namespace: str, questions: Sequence[Question], *, timeout_seconds: float
) -> list[EventsRead]:
    """Answer questions about objects of one namespace; those without a whole answer are left out.

    A thousand Jobs that wait for their Pods cost a few pages, not a thousand requests, each of
    which would have the API server look at every Event of the namespace. Where even the pages have
    no end, those that have waited longest are asked for one by one.
    """
    path = f"/api/v1/namespaces/{namespace}/events"
    answers: list[EventsRead] = []
    for kind in ("Job", "Pod"):
        some = [one for one in questions if one.subject.kind == kind]
        found = await _among_all(api, path, kind, some, timeout_seconds) if some[FEW:] else None
        if found is None:
            found = await _one_by_one(api, path, some[:FEW_OF_MANY], timeout_seconds)
        answers += found
    return answers


async def _among_all(
    api: Api, path: str, kind: str, questions: Sequence[Question], timeout_seconds: float
) -> list[EventsRead] | None:
    about_kind = (("fieldSelector", f"involvedObject.kind={kind}"),)
    found = await read_items(api, path, about_kind, timeout_seconds=timeout_seconds)
    if found is None:
        return None
    by_uid: dict[str, Events] = {}
    for event in found:
        uid = text(mapping(event.get("involvedObject")).get("uid"))
        by_uid.setdefault(uid, []).append(event)
    return [answer_to(one, by_uid.get(one.subject.uid, [])) for one in questions]


async def _one_by_one(
    api: Api, path: str, questions: Sequence[Question], timeout_seconds: float
) -> list[EventsRead]:
    """Ask until somebody gets no answer: the next ones would have none either."""
    answers: list[EventsRead] = []
    for one in questions:
        about = (("fieldSelector", f"involvedObject.uid={one.subject.uid}"),)
        events = await read_items(api, path, about, timeout_seconds=timeout_seconds)
        if events is None:
            break
        answers.append(answer_to(one, events))
    return answers


def answer_to(question: Question, events: Events) -> EventsRead:
    """Give what the Events of the object that a question is about say."""
    subject = question.subject
    if subject.kind == "Job":
        events = [event for event in events if text(event.get("reason")) in _ABOUT_PODS]
    reason, message = _warning(max(events, key=newness, default={}))
    words = steady(message, question.job_name)
    return EventsRead(question.cluster, subject, question.job_uid, reason, words)


def _warning(event: dict[str, Any]) -> tuple[str, str]:
    if event.get("type") != "Warning":
        return "", ""
    return text(event.get("reason"))[:256], text(event.get("message")).removeprefix(COMBINED)


def newness(event: dict[str, Any]) -> tuple[str, int]:
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
