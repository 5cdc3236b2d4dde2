"""Reading Events about a claim, a hydration Job or its Pod: failures stand until they are over."""

from typing import Any

import pytest

from adapters.kubernetes.reading_cache_events import read_cache_events
from adapters.ports import ApiUnanswered
from engine.events import Subject
from machines.caches.asking import CacheQuestion
from machines.observations import EventsRead
from tests.kubernetes.fakes import ScriptedApi, refused
from tests.kubernetes.test_reading_events import event, items

CLAIM = Subject("PersistentVolumeClaim", "team", "modelcache-a", "claim-uid")
JOB = Subject("HydrationJob", "team", "mc-1", "job-uid")
POD = Subject("HydrationPod", "team", "mc-1-7lq2x", "pod-uid")
CACHE = Subject("ModelCache", "ml-team", "qwen", "cache-uid")


def _at(second: int, reason: str, message: str, kind: str = "Normal") -> Any:
    return event(reason, message, f"2026-01-01T00:00:0{second}Z", kind=kind)


WAITS = _at(1, "WaitForFirstConsumer", "waiting for first consumer")
UNBOUND = _at(2, "FailedBinding", "no storage class is set")
FAILED = _at(5, "ProvisioningFailed", "no quota", "Warning")
MADE = _at(8, "ProvisioningSucceeded", "made it")
AGAIN = _at(9, "ExternalProvisioning", "waiting for a volume")
UNPLACED = _at(1, "FailedScheduling", "0/1 nodes", "Warning")
PULLED = _at(2, "Pulled", "image pulled")
PLACED = _at(3, "Scheduled", "on n1")


async def _heard(subject: Subject, *events: Any) -> tuple[str, str]:
    api = ScriptedApi(items(*events))
    question = CacheQuestion("prod", subject, CACHE, 0)
    found = await read_cache_events(api, question, timeout_seconds=5)
    assert found is not None
    assert found == EventsRead("prod", subject, "", found.reason, found.message)
    (request,) = api.requests
    assert ("fieldSelector", f"involvedObject.uid={subject.uid}") in request.query
    return found.reason, found.message


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((), ("", "")),
        ((WAITS,), ("", "")),
        ((WAITS, AGAIN), ("ExternalProvisioning", "waiting for a volume")),
        ((WAITS, AGAIN, FAILED), ("ProvisioningFailed", "no quota")),
        ((FAILED, AGAIN, MADE), ("ExternalProvisioning", "waiting for a volume")),
        ((UNBOUND, AGAIN), ("FailedBinding", "no storage class is set")),
    ],
)
async def test_a_claim_says_what_it_waits_for(events: Any, expected: tuple[str, str]) -> None:
    """A failure stands until success is said, however often the waiting is told since."""
    assert await _heard(CLAIM, *events) == expected


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((PULLED,), ("", "")),
        ((PULLED, UNPLACED), ("FailedScheduling", "0/1 nodes")),
        ((UNPLACED, PLACED, PULLED), ("", "")),
        ((_at(4, "FailedMount", "of mc-1-7lq2x", "Warning"),), ("FailedMount", "of mc-1-…")),
    ],
)
async def test_a_pod_says_its_failures_alone(events: Any, expected: tuple[str, str]) -> None:
    """What goes well is no cause; generated names are steadied."""
    assert await _heard(POD, *events) == expected


async def test_a_job_says_why_it_has_no_pod() -> None:
    """Until one is made."""
    quota = _at(1, "FailedCreate", 'pods "mc-1-7lq2x" is forbidden', "Warning")
    assert await _heard(JOB, quota) == ("FailedCreate", 'pods "mc-1-…" is forbidden')
    made = _at(2, "SuccessfulCreate", "Created pod")
    assert await _heard(JOB, quota, made) == ("", "")


async def test_without_a_whole_answer_nothing_is_told() -> None:
    """Silence of the API server is no silence of the provisioner."""
    question = CacheQuestion("prod", CLAIM, CACHE, 0)
    for answer in (refused(500), ApiUnanswered("cut")):
        api = ScriptedApi(answer)
        assert await read_cache_events(api, question, timeout_seconds=5) is None
