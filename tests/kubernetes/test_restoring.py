"""Restoring: what a Job lost of ours is written onto the very version that was just read."""

from typing import Any

import pytest

from adapters.kubernetes.acting import look_up, perform
from adapters.kubernetes.changing import TRIES
from adapters.ports import JSON_PATCH, ApiUnanswered, Response
from engine.events import Subject
from machines.intents import Effect, RestoreJob
from machines.marking import marks_body
from machines.observations import Absent, Deleted, Done, Refused, Seen, Unknown
from machines.states import Marks
from tests.kubernetes import objects
from tests.kubernetes.fakes import Answer, ScriptedApi, refused
from tests.kubernetes.intents import BROKEN, ELSEWHERE, NOT_FOUND

WARMUP = Subject("ModelWarmup", "default", "warm", objects.WARMUP_UID)
MARKS = Marks(objects.WARMUP_UID, objects.NODE_UID, "n1", "ef7e2d9085ee")
INTENT = RestoreJob(
    objects.WARMUP_UID, "default", "warm-1", objects.JOB_UID, objects.NODE_UID, "digest"
)
EFFECT = Effect(7, "prod", INTENT, marks_body(WARMUP, MARKS))
WHOLE = Response(200, objects.job(version="22"))
CONFLICT = refused(409, "Conflict", "the object has been modified")
FAILED_TEST = refused(422, "Invalid", "the server rejected our request", {})


def stripped(**metadata: Any) -> Response:
    """The Job, with some of its metadata replaced."""
    raw = objects.job(version="21")
    raw["metadata"] |= metadata
    return Response(200, raw)


def deleting() -> objects.Raw:
    """The ModelWarmup, on its way out."""
    raw = objects.warmup()
    raw["metadata"]["deletionTimestamp"] = "2026-10-21T10:11:12Z"
    return raw


STRIPPED = stripped(labels={"team": "x"})


async def restored(*answers: Answer) -> tuple[Any, ScriptedApi]:
    """Perform; every answer is used."""
    api = ScriptedApi(*answers)
    performed = await perform(EFFECT, api, timeout_seconds=10)
    assert api.answers == []
    return performed, api


async def test_labels_are_put_back_beside_others() -> None:
    """The patch tests uid and version, and keeps what others wrote; its answer is seen."""
    performed, api = await restored(STRIPPED, WHOLE)
    assert performed.answer == Done(objects.JOB_UID)
    (seen,) = performed.observations
    assert isinstance(seen, Seen)
    assert seen.version == "22"
    assert api.requests[1].content_type == JSON_PATCH
    assert api.requests[1].body == [
        {"op": "test", "path": "/metadata/uid", "value": objects.JOB_UID},
        {"op": "test", "path": "/metadata/resourceVersion", "value": "21"},
        {
            "op": "add",
            "path": "/metadata/labels",
            "value": {
                "team": "x",
                "model.aibrix.ai/warmup": objects.WARMUP_UID,
                "model.aibrix.ai/revision": "ef7e2d9085ee",
            },
        },
    ]


@pytest.mark.parametrize("metadata", [{"annotations": None}, {"annotations": {"a": "b"}}])
async def test_annotations_are_put_back(metadata: dict[str, Any]) -> None:
    """So are annotations, also where there are none at all."""
    _, api = await restored(stripped(**metadata), WHOLE)
    (change,) = api.requests[1].body[2:]
    assert change["path"] == "/metadata/annotations"
    assert change["value"] == {
        **(metadata["annotations"] or {}),
        "model.aibrix.ai/warmup-name": "warm",
        "model.aibrix.ai/target-node": "n1",
        "model.aibrix.ai/target-node-uid": objects.NODE_UID,
    }


async def test_the_owner_is_put_back() -> None:
    """An owner reference of ours that does not control any more is replaced; others stay."""
    other = {"kind": "ConfigMap", "name": "c", "uid": "c-uid"}
    mine = {"kind": "ModelWarmup", "name": "warm", "uid": objects.WARMUP_UID}
    job = stripped(ownerReferences=[mine, other])
    _, api = await restored(job, Response(200, objects.warmup()), WHOLE)
    (change,) = api.requests[2].body[2:]
    assert change["path"] == "/metadata/ownerReferences"
    assert change["value"] == [other, *marks_body(WARMUP, MARKS)["ownerReferences"]]


GONE = refused(404, "NotFound", "gone", {"kind": "modelwarmups", "name": "warm"})


@pytest.mark.parametrize(
    ("owner", "told"),
    [
        (GONE, Deleted),
        (Response(200, objects.warmup(uid="another")), Deleted),
        (Response(200, deleting()), Seen),
    ],
)
async def test_an_orphan_is_left_alone(owner: Answer, told: type) -> None:
    """An owner that is gone or going gets no Job back, and that is told of it."""
    performed, api = await restored(stripped(ownerReferences=[]), owner)
    assert performed.answer == Absent()
    assert [type(one) for one in performed.observations] == [Seen, told]
    assert api.requests[1].path.endswith("/namespaces/default/modelwarmups/warm")


async def test_an_owner_that_is_not_shown() -> None:
    """While it is not known whether the owner wants it, nothing is written."""
    performed, _ = await restored(stripped(ownerReferences=[]), refused(403, "Forbidden", "no"))
    assert performed.answer == Refused(403, "Forbidden", "no")
    performed, _ = await restored(stripped(ownerReferences=[]), BROKEN)
    assert isinstance(performed.answer, Unknown)


async def test_who_has_it_keeps_it() -> None:
    """A Job that another object controls is seen as what it is, and nothing is written."""
    owner = {"kind": "Other", "name": "o", "uid": "o-uid", "controller": True}
    performed, _ = await restored(stripped(ownerReferences=[owner], labels={}))
    assert performed.answer == Absent()
    assert [type(one) for one in performed.observations] == [Seen]


async def test_nothing_is_lacking() -> None:
    """Somebody put it back already."""
    performed, _ = await restored(WHOLE)
    assert performed.answer == Done(objects.JOB_UID, found=True)
    assert [type(one) for one in performed.observations] == [Seen]


@pytest.mark.parametrize("answer", [NOT_FOUND, Response(200, objects.job(uid="another"))])
async def test_it_is_gone(answer: Answer) -> None:
    """A Job that is no more is told: no watch had shown it."""
    performed, _ = await restored(answer)
    assert performed.answer == Done(objects.JOB_UID, found=True)
    (gone,) = performed.observations
    assert isinstance(gone, Deleted)
    assert gone.subject == Subject("Job", "default", "warm-1", objects.JOB_UID)


@pytest.mark.parametrize("overtaking", [CONFLICT, FAILED_TEST])
async def test_other_writes_come_in_between(overtaking: Answer) -> None:
    """It is read and written again, a few times; then the refusal is the answer."""
    performed, _ = await restored(STRIPPED, overtaking, STRIPPED, WHOLE)
    assert performed.answer == Done(objects.JOB_UID)
    performed, _ = await restored(*[STRIPPED, overtaking] * TRIES)
    assert isinstance(performed.answer, Refused)


async def test_a_refusal() -> None:
    """The server's no is the answer, in its words."""
    performed, _ = await restored(STRIPPED, refused(403, "Forbidden", "a policy says no"))
    assert isinstance(performed.answer, Refused)
    assert performed.answer.words == "a policy says no"


@pytest.mark.parametrize("answer", [*ELSEWHERE, BROKEN, Response(200, {"metadata": {}})])
async def test_an_answer_that_does_not_tell(answer: Answer) -> None:
    """No answer, or one about something else, is Unknown."""
    performed, _ = await restored(answer)
    assert isinstance(performed.answer, Unknown)


@pytest.mark.parametrize(
    ("found", "answer"),
    [
        (WHOLE, Done(objects.JOB_UID, found=True)),
        (STRIPPED, Absent()),
        (NOT_FOUND, Done(objects.JOB_UID, found=True)),
    ],
)
async def test_looked_up(found: Answer, answer: Any) -> None:
    """It landed when the Job bears it all, or is no more."""
    looked = await look_up(EFFECT, ScriptedApi(found), timeout_seconds=10)
    assert looked.answer == answer
    assert len(looked.observations) == 1


async def test_looked_up_without_an_answer() -> None:
    """While nobody answers it is not known."""
    api = ScriptedApi(ApiUnanswered("cut"))
    assert isinstance((await look_up(EFFECT, api, timeout_seconds=10)).answer, Unknown)
