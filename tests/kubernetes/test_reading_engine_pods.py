"""Reading why engines do not run: of their Pods, the newest that is in trouble."""

from typing import Any

import pytest

from adapters.kubernetes.reading_engine_pods import read_engine_pods
from adapters.ports import ApiUnanswered
from engine.events import Subject
from machines.observations import EventsRead
from tests.kubernetes.fakes import Answer, ScriptedApi, refused
from tests.kubernetes.objects import Raw
from tests.kubernetes.test_reading_events import event, items

DEPLOYMENT = Subject("Deployment", "mp-team", "r-main-bb4e3", "workload-uid")
GANG = DEPLOYMENT._replace(kind="LeaderWorkerSet")
READY = [{"type": "Ready", "status": "True"}]
UNPLACED = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "Unschedulable",
    "message": "0/3 nodes are available: 3 Insufficient nvidia.com/gpu. preemption: 0/3 nodes",
}
PULLING = {
    "name": "engine",
    "ready": False,
    "state": {"waiting": {"reason": "ErrImagePull", "message": "no such image"}},
}
CRASHED = {"terminated": {"exitCode": 1, "reason": "Error", "message": "CUDA out of memory"}}
LOOPING = {
    "name": "engine",
    "ready": False,
    "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}},
    "lastState": CRASHED,
}
AGAIN = {"name": "engine", "ready": False, "state": {"running": {}}, "lastState": CRASHED}
KILLED = {
    **AGAIN,
    "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}},
}
LOADING = {"name": "engine", "ready": False, "state": {"running": {}}}


def _pod(name: str = "a", created: int = 1, phase: str = "Pending", **more: Any) -> Raw:
    """A Pod of the Deployment; `more` are its status's, `deleted` says that it goes."""
    metadata: Raw = {
        "name": f"r-main-bb4e3-6d4cf56db6-{name}",
        "generateName": "r-main-bb4e3-6d4cf56db6-",
        "namespace": "mp-team",
        "uid": f"pod-{name}",
        "resourceVersion": "9",
        "creationTimestamp": f"2026-01-01T00:00:0{created}Z",
    }
    if more.pop("deleted", False):
        metadata["deletionTimestamp"] = "2026-01-01T00:00:09Z"
    return {"metadata": metadata, "spec": {}, "status": {"phase": phase, **more}}


def _at(second: int, reason: str, message: str, kind: str = "Warning") -> Any:
    return event(reason, message, f"2026-01-01T00:00:0{second}Z", kind=kind)


async def _read(*answers: Answer, workload: Subject = DEPLOYMENT) -> tuple[Any, ScriptedApi]:
    api = ScriptedApi(*answers)
    found = await read_engine_pods(api, workload, timeout_seconds=5)
    assert api.answers == []
    if found is None:
        return None, api
    assert found == EventsRead("prod", workload, "", found.reason, found.message)
    return (found.reason, found.message), api


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (
            {"conditions": [UNPLACED]},
            ("Unschedulable", "no node is available: Insufficient nvidia.com/gpu"),
        ),
        ({"containerStatuses": [PULLING]}, ("ImagePullBackOff", "no such image")),
        ({"containerStatuses": [LOOPING]}, ("Error", "CUDA out of memory")),
        ({"containerStatuses": [AGAIN], "phase": "Running"}, ("Error", "CUDA out of memory")),
        (
            {"containerStatuses": [KILLED], "phase": "Running"},
            ("OOMKilled", "container engine failed with exit code 137 and said nothing"),
        ),
        ({"reason": "Evicted", "message": "low on memory"}, ("Evicted", "low on memory")),
    ],
)
async def test_a_pod_says_why_it_does_not_run(status: Raw, expected: tuple[str, str]) -> None:
    """Its own words are the nearest; a crash is told also while it is tried again."""
    found, api = await _read(items(_pod(**status)))
    assert found == expected
    (request,) = api.requests
    assert request.path == "/api/v1/namespaces/mp-team/pods"
    assert ("labelSelector", "modelplane.ai/workload=r-main-bb4e3") in request.query


async def test_pods_of_a_gang_are_known_by_its_name() -> None:
    """The label is that of its own controller, whoever composed the gang."""
    _, api = await _read(items(_pod(conditions=[UNPLACED])), workload=GANG)
    selector = ("labelSelector", "leaderworkerset.sigs.k8s.io/name=r-main-bb4e3")
    assert selector in api.requests[0].query


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((), ("", "")),
        (
            (
                _at(1, "Scheduled", "on n1", "Normal"),
                _at(2, "FailedMount", "volume of pod r-main-bb4e3-6d4cf56db6-x7k2p is not there"),
            ),
            ("FailedMount", "volume of pod r-main-bb4e3-6d4cf56db6-… is not there"),
        ),
        ((_at(2, "FailedMount", "no"), _at(3, "Started", "engine", "Normal")), ("", "")),
        (
            (_at(3, "Started", "engine", "Normal"), _at(4, "Unhealthy", "Readiness probe failed")),
            ("Unhealthy", "Readiness probe failed"),
        ),
    ],
)
async def test_events_tell_what_the_pod_does_not(events: Any, expected: tuple[str, str]) -> None:
    """A failure is told until its container was started."""
    found, api = await _read(items(_pod(containerStatuses=[LOADING])), items(*events))
    assert found == expected
    assert ("fieldSelector", "involvedObject.uid=pod-a") in api.requests[1].query


async def test_a_workload_without_pods_is_asked_itself() -> None:
    """Its controller says why it makes none."""
    failed = _at(2, "FailedCreate", 'pods "r-main-bb4e3-x7k2p" is forbidden: exceeded quota')
    found, api = await _read(items(), items(failed))
    assert found == ("FailedCreate", 'pods "r-main-bb4e3-…" is forbidden: exceeded quota')
    assert ("fieldSelector", "involvedObject.uid=workload-uid") in api.requests[1].query


@pytest.mark.parametrize(
    ("pods", "expected"),
    [
        ([_pod("a", 1, conditions=[UNPLACED]), _pod("b", 2, conditions=READY)], "Unschedulable"),
        (
            [_pod("a", 1, conditions=[UNPLACED]), _pod("b", 2, containerStatuses=[PULLING])],
            "ImagePullBackOff",
        ),
        ([_pod("a", 1, conditions=READY), _pod("b", 2, deleted=True)], ""),
        ([_pod("a", 1, conditions=[UNPLACED]), _pod("b", 2, "Failed", reason="Evicted")],
         "Unschedulable"),
        ([_pod("a", 1, conditions=[UNPLACED]), _pod("a", 1, containerStatuses=[PULLING])],
         "Unschedulable"),
        ([_pod("b", 2, "Failed", reason="Evicted"), _pod("a", 1, conditions=READY)], "Evicted"),
    ],
)  # fmt: skip
async def test_of_several_pods_the_newest_in_trouble_is_told(
    pods: list[Raw], expected: str
) -> None:
    """One that serves is none, one that goes neither; one that has ended says least."""
    found, _ = await _read(items(*pods))
    assert found is not None
    assert found[0] == expected


@pytest.mark.parametrize("silence", [ApiUnanswered("cut"), refused(403, "Forbidden", "no")])
async def test_without_a_whole_answer_nothing_is_told(silence: Answer) -> None:
    """Neither when Pods cannot be read, nor when their Events cannot."""
    assert (await _read(silence))[0] is None
    assert (await _read(items(_pod()), silence))[0] is None
