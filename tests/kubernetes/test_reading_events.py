"""Reading Events: only the newest counts, and what cannot be read says nothing."""

import asyncio
from typing import Any

import pytest

from adapters.kubernetes.reading import MOST_PAGES
from adapters.kubernetes.reading_events import FEW_OF_MANY, read_events
from adapters.ports import ApiUnanswered, Response
from engine.events import Subject
from machines.asking import Question
from machines.observations import EventsRead
from tests.kubernetes.fakes import Answer, ScriptedApi

JOB = Subject("Job", "team", "mw-1", "job-uid")
POD = Subject("Pod", "team", "mw-1-abcde", "pod-uid")
QUOTA = (
    'Error creating: pods "mw-1-7lq2x" is forbidden: exceeded quota: q, used: pods=2, limited: 2'
)


def event(reason: str, message: str, time: str, *, kind: str = "Warning", version: int = 1) -> Any:
    """An Event as the core API gives it."""
    return {
        "metadata": {"resourceVersion": str(version)},
        "type": kind, "reason": reason, "message": message, "lastTimestamp": time,
    }  # fmt: skip


def read(*answers: Answer, subject: Subject = JOB) -> tuple[EventsRead | None, ScriptedApi]:
    """Ask once."""
    api = ScriptedApi(*answers)
    question = Question("prod", subject, "job-uid", "mw-1", 0)
    found = asyncio.run(read_events(api, "team", [question], timeout_seconds=5))
    return found[0] if found else None, api


def items(*events: Any) -> Response:
    """A list of Events."""
    return Response(200, {"items": list(events)})


def test_the_words_of_a_refused_pod() -> None:
    """They are asked for by uid, and steadied: no generated name, no counter."""
    found, api = read(items(event("FailedCreate", QUOTA, "2026-01-01T00:00:09Z")))
    words = 'Error creating: pods "mw-1-…" is forbidden: exceeded quota: q, used: …, limited: 2'
    assert found == EventsRead("prod", JOB, "job-uid", "FailedCreate", words)
    (request,) = api.requests
    assert request.path == "/api/v1/namespaces/team/events"
    assert ("fieldSelector", "involvedObject.uid=job-uid") in request.query


def test_words_that_kubernetes_combines_stay_the_same() -> None:
    """After ten Events of a kind it says so in front of the words, which is no other cause."""
    plain, _ = read(items(event("FailedCreate", QUOTA, "2026-01-01T00:00:09Z")))
    combined = f"(combined from similar events): {QUOTA}"
    assert read(items(event("FailedCreate", combined, "2026-01-01T00:00:09Z")))[0] == plain


def test_a_pod_that_was_made_since_ends_the_refusal() -> None:
    """The newest of refusals and creations counts; within a second the newer version does."""
    refused = event("FailedCreate", QUOTA, "2026-01-01T00:00:09Z", version=4)
    made = event(
        "SuccessfulCreate", "Created pod", "2026-01-01T00:00:09Z", version=5, kind="Normal"
    )
    assert read(items(made, refused))[0] == EventsRead("prod", JOB, "job-uid")
    later = event("FailedCreate", QUOTA, "2026-01-01T00:00:10.5Z", version=3)
    found, _ = read(items(later, made))
    assert found is not None
    assert found.reason == "FailedCreate"


@pytest.mark.parametrize(
    "wrong",
    [
        {"metadata": {"resourceVersion": "\u00b2"}},
        {"metadata": {"resourceVersion": "9" * 5000}},
        {"metadata": 7},
        {"reason": ["FailedCreate"]},
        {"message": {"a": 1}, "series": 3, "lastTimestamp": 7},
    ],
)
def test_an_event_of_wrong_types_stops_nothing(wrong: dict[str, Any]) -> None:
    """What is wrong in one Event is read as absent, and the newest of the others counts."""
    refused = event("FailedCreate", QUOTA, "2026-01-01T00:00:09Z")
    odd = {**event("FailedCreate", "odd", "2026-01-01T00:00:01Z"), **wrong}
    found, _ = read(items(odd, None, refused))
    assert found is not None
    assert found.message.startswith("Error creating: pods")


def test_other_events_of_a_job_say_nothing_of_its_pods() -> None:
    """Only what is about making Pods is looked at."""
    other = event("Suspended", "Job suspended", "2026-01-01T00:01:00Z")
    refused = event("FailedCreate", QUOTA, "2026-01-01T00:00:09Z")
    found, _ = read(items(other, refused))
    assert found is not None
    assert found.reason == "FailedCreate"


def test_a_pod_that_cannot_mount() -> None:
    """Its newest warning is the cause, unless something happened since [S53]"""
    mount = event("FailedMount", 'MountVolume.SetUp failed: configmap "c" not found', "2026-01-01")
    found, _ = read(items(mount), subject=POD)
    words = 'MountVolume.SetUp failed: configmap "c" not found'
    assert found == EventsRead("prod", POD, "job-uid", "FailedMount", words)
    pulling = event("Pulling", "Pulling image", "2026-01-02", kind="Normal")
    assert read(items(mount, pulling), subject=POD)[0] == EventsRead("prod", POD, "job-uid")


def test_an_event_that_is_counted_in_a_series() -> None:
    """The last time of a series is its time."""
    old = event("FailedMount", "old", "")
    old["series"] = {"lastObservedTime": "2026-01-03T00:00:00.000001Z"}
    new = event("Pulling", "", "2026-01-02T00:00:00Z", kind="Normal")
    found, _ = read(items(new, old), subject=POD)
    assert found is not None
    assert found.message == "old"


@pytest.mark.parametrize(
    "answer", [ApiUnanswered("no route"), Response(403, {"message": "no"}), Response(500, None)]
)
def test_no_answer_says_nothing(answer: Answer) -> None:
    """What is not known is not said: neither a cause, nor that there is none."""
    assert read(answer)[0] is None


@pytest.mark.parametrize("body", [None, [], {"items": None}, {"items": [7, {"type": 1}]}])
def test_a_strange_answer_says_nothing(body: Any) -> None:
    """A list without a usable Event is one without words."""
    assert read(Response(200, body))[0] == EventsRead("prod", JOB, "job-uid")


def crowd(count: int) -> list[Question]:
    """Questions about so many Jobs."""
    names = [f"mw-{index}" for index in range(count)]
    subjects = [Subject("Job", "team", name, f"{name}-uid") for name in names]
    return [Question("prod", one, one.uid, one.name, 0) for one in subjects]


def about(event: Any, uid: str) -> Any:
    """The Event is about this object."""
    return {**event, "involvedObject": {"uid": uid}}


def test_many_are_sought_among_all_of_their_namespace() -> None:
    """Two pages answer for a hundred Jobs: who has no Event there is told to have none."""
    refused = event("FailedCreate", QUOTA.replace("mw-1-", "mw-7-"), "2026-01-01T00:00:09Z")
    first = Response(200, {"items": [about(refused, "mw-7-uid")], "metadata": {"continue": "x"}})
    api = ScriptedApi(first, items(about(refused, "another")))
    found = asyncio.run(read_events(api, "team", crowd(100), timeout_seconds=5))
    assert len(found) == 100
    assert [one.job_uid for one in found if one.reason] == ["mw-7-uid"]
    assert ("continue", "x") in api.requests[1].query
    selectors = {dict(request.query)["fieldSelector"] for request in api.requests}
    assert selectors == {"involvedObject.kind=Job"}


def test_half_a_list_tells_nothing() -> None:
    """When a later page does not come, nobody is told to have no Event."""
    first = Response(200, {"items": [], "metadata": {"continue": "x"}})
    api = ScriptedApi(first, ApiUnanswered("cut"), ApiUnanswered("cut"))
    assert asyncio.run(read_events(api, "team", crowd(100), timeout_seconds=5)) == []


def test_among_too_many_events_some_are_asked_for_one_by_one() -> None:
    """In a namespace of tens of thousands of Events those that wait longest have their words."""
    pages = [Response(200, {"metadata": {"continue": "x"}})] * MOST_PAGES
    refused = event("FailedCreate", QUOTA, "2026-01-01T00:00:09Z")
    api = ScriptedApi(*pages, *[items(refused)] * FEW_OF_MANY)
    found = asyncio.run(read_events(api, "team", crowd(100), timeout_seconds=5))
    assert [one.job_uid for one in found] == [f"mw-{index}-uid" for index in range(FEW_OF_MANY)]
    assert {one.reason for one in found} == {"FailedCreate"}


def test_jobs_and_pods_are_sought_apart() -> None:
    """Few Pods beside many Jobs are asked for by uid, and the Jobs among Events of Jobs."""
    refused = event("FailedCreate", QUOTA, "2026-01-01T00:00:09Z")
    mount = event("FailedMount", "no such volume", "2026-01-01T00:00:09Z")
    api = ScriptedApi(items(about(refused, "mw-3-uid")), items(mount))
    asked = [*crowd(9), Question("prod", POD, "job-uid", "mw-1", 0)]
    found = asyncio.run(read_events(api, "team", asked, timeout_seconds=5))
    said = {one.subject.uid: one.reason for one in found if one.reason}
    assert said == {"mw-3-uid": "FailedCreate", "pod-uid": "FailedMount"}


def test_a_list_without_an_end_is_given_up() -> None:
    """A server that always says that there is more is not asked for ever."""
    api = ScriptedApi(*[Response(200, {"metadata": {"continue": "x"}})] * MOST_PAGES * 2)
    assert asyncio.run(read_events(api, "team", crowd(100), timeout_seconds=5)) == []
