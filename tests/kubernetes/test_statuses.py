"""Storing a status: one guarded patch, and what its refusals mean."""

from typing import Any

import pytest

from adapters.kubernetes.statuses import (
    Conflict,
    Dropped,
    StatusResult,
    Stored,
    Unanswered,
    store_status,
)
from adapters.ports import JSON_PATCH, ApiUnanswered, Response
from engine.events import Subject
from machines.observations import Refused
from tests.kubernetes import cache_objects, objects
from tests.kubernetes.fakes import Answer, ScriptedApi, refused

SUBJECT = Subject("ModelWarmup", "default", "warm", objects.WARMUP_UID)
STATUS = {"phase": "Running"}
FAILED_TEST = refused(422, "Invalid", "the server rejected our request", {})
GONE = refused(404, "NotFound", "not found", {"kind": "modelwarmups", "name": "warm"})
PLAIN = refused(404, message="404 page not found")  # as of a path that is not served
PLAIN_WORDS = (
    "404, but not about ModelWarmup default/warm: 404 page not found;"
    " does its CRD have the status subresource?"
)
BROKEN = ApiUnanswered("no answer within 10 s")


async def _stored(version: str | None, *answers: Answer) -> tuple[StatusResult, ScriptedApi]:
    api = ScriptedApi(*answers)
    result = await store_status(api, SUBJECT, STATUS, version, timeout_seconds=10)
    assert api.answers == []
    return result, api


async def test_a_status_is_replaced_whole_in_one_patch() -> None:
    """Uid and version are tested, then the status is added, in this order."""
    result, api = await _stored("40", Response(200, objects.warmup("41")))
    assert result == Stored("41")
    (request,) = api.requests
    assert request.path == (
        "/apis/model.aibrix.ai/v1alpha1/namespaces/default/modelwarmups/warm/status"
    )
    assert (request.method, request.content_type) == ("PATCH", JSON_PATCH)
    assert request.body == [
        {"op": "test", "path": "/metadata/uid", "value": objects.WARMUP_UID},
        {"op": "test", "path": "/metadata/resourceVersion", "value": "40"},
        {"op": "add", "path": "/status", "value": STATUS},
    ]


async def test_without_a_version_the_object_is_read_first() -> None:
    """The version tested is then the one just read."""
    result, api = await _stored(
        None, Response(200, objects.warmup("50")), Response(200, objects.warmup("51"))
    )
    assert result == Stored("51")
    assert [request.method for request in api.requests] == ["GET", "PATCH"]
    assert api.requests[1].body[1]["value"] == "50"


async def test_a_status_that_is_there_already_is_not_written_again() -> None:
    """A write whose answer was lost had landed: whoever reads sees it, and is content."""
    there = Response(200, {**objects.warmup("52"), "status": STATUS})
    result, api = await _stored(None, there)
    assert result == Stored("52")
    assert [request.method for request in api.requests] == ["GET"]
    result, _ = await _stored("50", FAILED_TEST, there)
    assert result == Stored("52")


@pytest.mark.parametrize(
    ("answers", "result"),
    [
        ([FAILED_TEST, Response(200, objects.warmup("42"))], Conflict("42")),
        ([refused(409, "Conflict", "x"), Response(200, objects.warmup("42"))], Conflict("42")),
        (
            [FAILED_TEST, Response(200, objects.warmup(uid="another"))],
            Dropped("ModelWarmup default/warm is another object now"),
        ),
        ([FAILED_TEST, GONE], Dropped("ModelWarmup default/warm: not found")),
        ([GONE], Dropped("ModelWarmup default/warm: not found")),
        ([PLAIN], Unanswered(PLAIN_WORDS)),
        ([FAILED_TEST, PLAIN], Unanswered(PLAIN_WORDS)),
        (
            [FAILED_TEST, Response(200, {})],
            Unanswered("ModelWarmup default/warm came back without a uid"),
        ),
        (
            [FAILED_TEST, Response(200, objects.warmup("40"))],
            Refused(422, "Invalid", "the server rejected our request"),
        ),
        (
            [refused(422, "Invalid", "bad", {"causes": [{"field": "status.phase"}]})],
            Refused(422, "Invalid", "bad", field=True),
        ),
        ([refused(403, "Forbidden", "no")], Refused(403, "Forbidden", "no")),
        ([FAILED_TEST, refused(500, "", "oops")], Refused(500, "", "oops")),
        ([refused(504, "Timeout", "gave up")], Unanswered("gave up")),
        ([BROKEN], Unanswered("no answer within 10 s")),
        ([FAILED_TEST, BROKEN], Unanswered("no answer within 10 s")),
    ],
)
async def test_each_refusal_has_its_meaning(answers: list[Answer], result: StatusResult) -> None:
    """A failed test is read again: newer, another object, gone, untold, or refused otherwise."""
    assert (await _stored("40", *answers))[0] == result


@pytest.mark.parametrize(
    "details",
    [
        None,
        {},
        {"kind": "modelwarmups"},
        {"kind": "modelwarmups", "name": "other"},
        {"name": "warm"},
    ],
)
async def test_a_404_that_does_not_name_the_object_drops_nothing(
    details: dict[str, Any] | None,
) -> None:
    """A proxy, or a CRD without the status subresource, says nothing about the object."""
    answer = refused(404, "NotFound", "404 page not found", details)
    for version in ("40", None):
        result, api = await _stored(version, answer)
        assert result == Unanswered(PLAIN_WORDS)
        assert len(api.requests) == 1


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        (
            Response(200, objects.warmup(uid="another")),
            Dropped("ModelWarmup default/warm is another object now"),
        ),
        (GONE, Dropped("ModelWarmup default/warm: not found")),
        (Response(200, {}), Unanswered("ModelWarmup default/warm came back without a uid")),
        (BROKEN, Unanswered("no answer within 10 s")),
    ],
)
async def test_a_read_that_finds_no_such_object_sends_nothing(
    answer: Answer, result: StatusResult
) -> None:
    """No patch follows a first read that does not show that very object."""
    found, api = await _stored(None, answer)
    assert found == result
    assert len(api.requests) == 1


async def test_a_caches_status_is_replaced_like_a_warmups() -> None:
    """Whole, below its own path."""
    api = ScriptedApi(Response(200, cache_objects.cache("51")))
    subject = Subject("ModelCache", "ml-team", "qwen", cache_objects.CACHE_UID)
    result = await store_status(api, subject, {"clusters": []}, "50", timeout_seconds=10)
    assert result == Stored("51")
    (request,) = api.requests
    assert request.path == "/apis/modelplane.ai/v1alpha1/namespaces/ml-team/modelcaches/qwen/status"
    assert request.body[2] == {"op": "add", "path": "/status", "value": {"clusters": []}}
