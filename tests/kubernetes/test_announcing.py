"""Kubernetes Events: their shape, their names, and that repeating one does no harm."""

import pytest

from adapters.kubernetes.announcing import (
    Announcement,
    announce,
    event_body,
    event_name,
    micro_time,
)
from adapters.ports import ApiUnanswered, Response
from engine.events import Subject
from machines.observations import Answer, Done, Refused, Unknown
from tests.kubernetes.fakes import Answer as Scripted
from tests.kubernetes.fakes import ScriptedApi, refused

SUBJECT = Subject("ModelWarmup", "default", "warm", "uid-1")
SAID = Announcement(SUBJECT, "Warning", "NodeFailed", "n1: not found", 1_792_577_472_000_345_678, 9)


def test_an_event_has_what_the_api_demands() -> None:
    """Reporter, action, time and note are set, and the object is named with its uid."""
    assert event_body(SAID, "warmlog-0") == {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": event_name(SAID), "namespace": "default"},
        "eventTime": "2026-10-21T10:11:12.000345Z",
        "type": "Warning",
        "reason": "NodeFailed",
        "action": "Warm",
        "note": "n1: not found",
        "regarding": {
            "apiVersion": "model.aibrix.ai/v1alpha1",
            "kind": "ModelWarmup",
            "namespace": "default",
            "name": "warm",
            "uid": "uid-1",
        },
        "reportingController": "warmlog.dev/controller",
        "reportingInstance": "warmlog-0",
    }


def test_an_event_about_a_node_is_kept_in_the_default_namespace() -> None:
    """What has no namespace of its own is told of where Kubernetes tells of it."""
    body = event_body(SAID._replace(subject=Subject("Node", "", "n1", "u")), "")
    assert body["metadata"]["namespace"] == "default"
    assert "namespace" not in body["regarding"]
    assert body["reportingInstance"] == "warmlog"


def test_the_same_announcement_has_the_same_name() -> None:
    """Uid, reason, note and position make the name; the time does not."""
    name = event_name(SAID)
    assert name == event_name(SAID._replace(at=1))
    others = [
        SAID._replace(subject=SUBJECT._replace(uid="uid-2")),
        SAID._replace(reason="Other"),
        SAID._replace(note="other"),
        SAID._replace(position=10),
    ]
    assert len({name, *map(event_name, others)}) == 5
    assert name.startswith("warm.")
    long = event_name(SAID._replace(subject=SUBJECT._replace(name="a" * 253)))
    assert len(long) <= 253


def test_a_note_is_cut_by_bytes() -> None:
    """The API counts a note in bytes: wide characters count more than once."""
    note = event_body(SAID._replace(note="é" * 1000), "x")["note"]
    assert len(note.encode()) <= 1024
    assert note.endswith("é…")


def test_times_are_exact() -> None:
    """Nanoseconds become microseconds without going through a float."""
    assert micro_time(0) == "1970-01-01T00:00:00.000000Z"
    assert micro_time(1_792_577_472_999_999_999) == "2026-10-21T10:11:12.999999Z"


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        (Response(201, {"metadata": {"uid": "e1"}}), Done("e1")),
        (refused(409, "AlreadyExists", "exists"), Done(found=True)),
        (refused(403, "Forbidden", "no"), Refused(403, "Forbidden", "no")),
        (ApiUnanswered("cut"), Unknown("cut")),
    ],
)
async def test_an_event_is_made_once(response: Scripted, answer: Answer) -> None:
    """One that exists is the same one; a failure is told, never raised."""
    api = ScriptedApi(response)
    assert await announce(api, SAID, instance="x", timeout_seconds=5) == answer
    (request,) = api.requests
    assert (request.method, request.path) == (
        "POST",
        "/apis/events.k8s.io/v1/namespaces/default/events",
    )
