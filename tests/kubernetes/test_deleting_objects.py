"""Deleting what a ModelCache has on a cluster, and never a claim that a Pod mounts."""

from typing import Any

import pytest

from adapters.kubernetes.acting import look_up, perform
from adapters.kubernetes.reading_claim_users import read_claim_users
from adapters.ports import ApiUnanswered, Response
from engine.events import Subject
from machines.intents import Delete
from machines.observations import (
    Absent,
    Answer,
    ClaimUsersRead,
    Deleted,
    Done,
    Refused,
    Unknown,
)
from tests.kubernetes import cache_objects as objects
from tests.kubernetes import fakes
from tests.kubernetes.cache_intents import DELETE, NOT_FOUND, OVERTAKEN, effect
from tests.kubernetes.fakes import ScriptedApi, page, refused
from tests.kubernetes.objects import Raw

THERE = Response(200, objects.claim())
GONE = Response(200, {"kind": "Status", "status": "Success"})
DELETE_JOB = Delete(
    objects.CACHE_UID, "HydrationJob", objects.NAMESPACE, objects.JOB_NAME, "job-uid"
)
CLAIM = Subject("PersistentVolumeClaim", objects.NAMESPACE, objects.CLAIM_NAME, objects.CLAIM_UID)
PODS = f"/api/v1/namespaces/{objects.NAMESPACE}/pods"


def _pod(name: str, phase: str = "Running", **metadata: Any) -> Raw:
    raw = objects.hydration_pod({"phase": phase})
    raw["metadata"] = {"name": name, **metadata}
    return raw


OWN = objects.hydration_pod({"phase": "Running"})


async def _deleted(*answers: fakes.Answer, intent: Delete = DELETE) -> tuple[Any, Answer, Any]:
    api = ScriptedApi(*answers)
    performed = await perform(effect(intent), api, timeout_seconds=10)
    assert api.answers == []
    return performed.observations, performed.answer, api.requests


async def test_a_claim_that_nobody_mounts_is_deleted() -> None:
    """All Pods of its namespace are listed first; uid and version go with the delete."""
    observations, answer, requests = await _deleted(THERE, page(OWN), GONE)
    assert answer == Done(objects.CLAIM_UID)
    assert observations == (ClaimUsersRead("prod", CLAIM, ()),)
    assert (requests[1].path, requests[1].query) == (PODS, (("limit", "500"),))
    assert (requests[2].method, requests[2].body) == (
        "DELETE",
        {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Background",
            "preconditions": {"uid": objects.CLAIM_UID, "resourceVersion": "60"},
        },
    )


async def test_a_claim_in_use_is_kept() -> None:
    """Whatever labels its Pods bear, on whichever page they stand; they are named."""
    pods = [_pod(f"engine-{number}") for number in range(7)]
    first, second = page(*pods[3:], continued="more"), page(*pods[:3])
    observations, answer, requests = await _deleted(THERE, first, second)
    assert observations == (
        ClaimUsersRead("prod", CLAIM, tuple(f"engine-{number}" for number in range(7))),
    )
    place = f"PersistentVolumeClaim {objects.NAMESPACE}/{objects.CLAIM_NAME}"
    names = "engine-0, engine-1, engine-2, engine-3, engine-4 and 2 more"
    assert answer == Refused(409, "ClaimInUse", f"{place} is mounted by Pod {names}")
    assert [request.method for request in requests] == ["GET"] * 3


async def test_users_are_read_again_when_the_claim_has_changed() -> None:
    """Between the two reads a Pod may have come."""
    answers = (THERE, page(), OVERTAKEN, THERE, page(_pod("engine")))
    _, answer, _ = await _deleted(*answers)
    assert isinstance(answer, Refused)
    assert answer.reason == "ClaimInUse"


@pytest.mark.parametrize(
    ("pods", "expected"),
    [
        (refused(403, "Forbidden", "pods is forbidden"), Refused),
        (ApiUnanswered("cut"), Unknown),
    ],
)
async def test_without_a_whole_answer_nothing_is_deleted(
    pods: fakes.Answer, expected: type
) -> None:
    """Unknown is not absent."""
    _, answer, requests = await _deleted(THERE, page(continued="more"), pods)
    assert isinstance(answer, expected)
    assert {request.method for request in requests} == {"GET"}


async def test_a_claim_that_goes_or_is_gone_is_not_deleted_again() -> None:
    """Another one of the name is let alone."""
    _, answer, _ = await _deleted(Response(200, objects.claim(deleting=True)))
    assert answer == Done(objects.CLAIM_UID, found=True)
    for gone in (NOT_FOUND, Response(200, objects.claim(uid="another"))):
        observations, answer, _ = await _deleted(gone)
        assert answer == Done(objects.CLAIM_UID, found=True)
        assert isinstance(observations[0], Deleted)
    _, answer, _ = await _deleted(THERE, page(), NOT_FOUND)
    assert answer == Done(objects.CLAIM_UID, found=True)


async def test_a_hydration_job_is_deleted_with_its_pods() -> None:
    """Whatever its outcome, in the background, without a look at any Pod. [C27] [C34]"""
    raw = objects.hydration_job()
    raw["status"] = {"conditions": [{"type": "Complete", "status": "True"}]}
    _, answer, requests = await _deleted(Response(200, raw), GONE, intent=DELETE_JOB)
    assert answer == Done("job-uid")
    assert requests[1].path == (
        f"/apis/batch/v1/namespaces/{objects.NAMESPACE}/jobs/{objects.JOB_NAME}"
    )
    assert requests[1].body["propagationPolicy"] == "Background"


async def test_looking_up_says_whether_a_deletion_landed() -> None:
    """It did when the object goes, or is gone."""
    for answer, expected in (
        (THERE, Absent()),
        (Response(200, objects.claim(deleting=True)), Done(objects.CLAIM_UID, found=True)),
        (Response(200, objects.claim(uid="another")), Done(objects.CLAIM_UID, found=True)),
        (NOT_FOUND, Done(objects.CLAIM_UID, found=True)),
    ):
        looked = await look_up(effect(DELETE), ScriptedApi(answer), timeout_seconds=10)
        assert looked.answer == expected


@pytest.mark.parametrize(
    ("pod", "mounts"),
    [
        (_pod("engine"), True),
        (_pod("waiting", "Pending"), True),
        (_pod("done", "Succeeded"), False),
        (_pod("evicted", "Failed"), False),
        (OWN, False),
        (_pod("copied", labels=OWN["metadata"]["labels"]), True),
        ({**_pod("other"), "spec": {"volumes": [{"emptyDir": {}}, 1]}}, False),
    ],
)
async def test_who_mounts_a_claim(pod: Raw, mounts: bool) -> None:  # noqa: FBT001 -- a case
    """Every Pod that names it, but those that have ended and those of the hydration Job."""
    read = await read_claim_users(ScriptedApi(page(pod)), CLAIM, timeout_seconds=10)
    assert read is not None
    assert read.pods == ((pod["metadata"]["name"],) if mounts else ())


async def test_ended_pods_that_had_a_node_are_told_beside_them() -> None:
    """A claim that is being deleted waits for these, too; a Pod without a node holds nothing."""
    done, nodeless = _pod("done", "Succeeded"), _pod("evicted", "Failed")
    nodeless = {**nodeless, "spec": {**nodeless["spec"], "nodeName": ""}}
    read = await read_claim_users(
        ScriptedApi(page(nodeless, done, _pod("engine"))), CLAIM, timeout_seconds=10
    )
    assert read == ClaimUsersRead("prod", CLAIM, ("engine",), ("done",))


async def test_users_without_a_whole_answer_are_not_told() -> None:
    """Half a list is no list."""
    for answer in (refused(500), ApiUnanswered("cut")):
        api = ScriptedApi(page(_pod("engine"), continued="more"), answer)
        assert await read_claim_users(api, CLAIM, timeout_seconds=10) is None
