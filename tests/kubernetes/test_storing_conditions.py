"""Storing one condition into a status that others write as well."""

from typing import Any

import pytest

from adapters.kubernetes.statuses import (
    Conflict,
    Dropped,
    StatusResult,
    Stored,
    Unanswered,
    store_condition,
)
from adapters.ports import JSON_PATCH, ApiUnanswered, Response
from engine.events import Subject
from machines.observations import Refused
from tests.kubernetes import fakes
from tests.kubernetes.fakes import ScriptedApi, refused

SUBJECT = Subject("InferenceCluster", "", "west", "west-uid")
OURS = {"type": "Reachable", "status": "True", "reason": "Answering"}
OLD = {"type": "Reachable", "status": "False"}
THEIRS = {"type": "Ready", "status": "True"}
OVERTAKEN = refused(409, "Conflict", "modified")
GONE = refused(404, "NotFound", "gone", {"kind": "inferenceclusters", "name": "west"})


def _cluster(status: Any = None, *, uid: str = "west-uid", version: str = "5") -> Response:
    metadata = {"name": "west", "uid": uid, "resourceVersion": version}
    return Response(200, {"metadata": metadata, "status": status})


async def _stored(*answers: fakes.Answer) -> tuple[StatusResult, ScriptedApi]:
    api = ScriptedApi(*answers)
    result = await store_condition(api, SUBJECT, OURS, timeout_seconds=10)
    assert api.answers == []
    return result, api


@pytest.mark.parametrize(
    ("status", "op", "path", "value"),
    [
        (None, "add", "/status", {"conditions": [OURS]}),
        ({"gateway": {}}, "add", "/status/conditions", [OURS]),
        ({"conditions": [THEIRS]}, "add", "/status/conditions/-", OURS),
        ({"conditions": [THEIRS, OLD, 1]}, "replace", "/status/conditions/1", OURS),
    ],
)
async def test_only_our_condition_is_written(status: Any, op: str, path: str, value: Any) -> None:
    """Guarded by uid and version; whatever else is in the status stays as others left it."""
    result, api = await _stored(_cluster(status), _cluster(version="6"))
    assert result == Stored("6")
    request = api.requests[1]
    assert request.path == "/apis/modelplane.ai/v1alpha1/inferenceclusters/west/status"
    assert (request.method, request.content_type) == ("PATCH", JSON_PATCH)
    assert request.body == [
        {"op": "test", "path": "/metadata/uid", "value": "west-uid"},
        {"op": "test", "path": "/metadata/resourceVersion", "value": "5"},
        {"op": op, "path": path, "value": value},
    ]


async def test_a_condition_that_stands_is_not_written() -> None:
    """Nobody is woken for nothing."""
    result, _ = await _stored(_cluster({"conditions": [THEIRS, OURS]}))
    assert result == Stored("5")


async def test_a_write_of_others_in_between_is_read_again() -> None:
    """Their condition may have come before ours: places are looked up anew each time."""
    result, api = await _stored(
        _cluster({"conditions": [OLD]}),
        OVERTAKEN,
        _cluster({"conditions": [THEIRS, OLD]}),
        _cluster(version="7"),
    )
    assert result == Stored("7")
    assert api.requests[3].body[2]["path"] == "/status/conditions/1"
    assert isinstance((await _stored(*(_cluster(), OVERTAKEN) * 3))[0], Conflict)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ((GONE,), Dropped),
        ((_cluster(uid="another"),), Dropped),
        ((_cluster(), GONE), Dropped),
        ((_cluster(), refused(404, message="404 page not found")), Unanswered),
        ((_cluster(), refused(403, "Forbidden", "no")), Refused),
        ((ApiUnanswered("cut"),), Unanswered),
        ((Response(200, {}),), Unanswered),
    ],
)
async def test_what_cannot_be_stored_is_told(
    answers: tuple[fakes.Answer, ...], expected: type
) -> None:
    """As for any status."""
    assert isinstance((await _stored(*answers))[0], expected)
