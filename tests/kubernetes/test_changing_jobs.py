"""Deleting Jobs and stamping TTLs: a fresh read, then a change of that very version."""

from typing import Any

import pytest

from adapters.kubernetes.acting import perform
from adapters.kubernetes.answers import status_words
from adapters.kubernetes.changing import TRIES
from adapters.ports import JSON_PATCH, Response
from machines.intents import DeleteJob, StampTtl
from machines.levels import JobLevel
from machines.observations import Absent, Answer, Done, Refused, Seen, Unknown
from tests.kubernetes import objects
from tests.kubernetes.fakes import Answer as Scripted
from tests.kubernetes.fakes import ScriptedApi, refused
from tests.kubernetes.intents import BROKEN, DELETE, ELSEWHERE, NOT_FOUND, STAMP, effect

Change = DeleteJob | StampTtl

PATH = "/apis/batch/v1/namespaces/default/jobs/warm-1"
WRITES = {DeleteJob: "DELETE", StampTtl: "PATCH"}
FOUND = Response(200, objects.job())
FOREIGN = Response(200, objects.job(uid="another"))
SUCCESS = Response(200, {"status": "Success"})
GONE = Done(objects.JOB_UID, found=True)
CONFLICT = refused(409, "Conflict", "the object has been modified")
FAILED_TEST = refused(422, "Invalid", "the server rejected our request", {})
OVERTAKEN = [CONFLICT, FAILED_TEST]

both = pytest.mark.parametrize("intent", [DELETE, STAMP])


def _condition(name: str, status: str = "True") -> objects.Raw:
    return {"type": name, "status": status}


async def _changed(intent: Change, *answers: Scripted) -> tuple[Answer, ScriptedApi]:
    """Perform; every answer is used, only reads and the intent's own write go out, in turn."""
    api = ScriptedApi(*answers)
    performed = await perform(effect(intent), api, timeout_seconds=10)
    assert api.answers == []
    assert set(api.timeouts) == {10}
    assert performed.observations == ()
    turns = ["GET", WRITES[type(intent)]] * TRIES
    assert [request.method for request in api.requests] == turns[: len(answers)]
    assert {request.path for request in api.requests} == {PATH}
    return performed.answer, api


async def test_a_job_is_deleted_in_the_version_just_read() -> None:
    """Uid and version are its preconditions; the collector takes the Pods with it [W46]"""
    answer, api = await _changed(DELETE, Response(200, objects.job(version="21")), SUCCESS)
    assert answer == Done(objects.JOB_UID)
    assert api.requests[1].body == {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "propagationPolicy": "Background",
        "preconditions": {"uid": objects.JOB_UID, "resourceVersion": "21"},
    }


async def test_a_ttl_is_stamped_on_the_version_just_read() -> None:
    """A JSON patch that tests uid and version before it adds the TTL."""
    stamped = Response(200, objects.job(ttl_seconds=3600))
    answer, api = await _changed(STAMP, Response(200, objects.job(version="21")), stamped)
    assert answer == Done(objects.JOB_UID)
    assert api.requests[1].content_type == JSON_PATCH
    assert api.requests[1].body == [
        {"op": "test", "path": "/metadata/uid", "value": objects.JOB_UID},
        {"op": "test", "path": "/metadata/resourceVersion", "value": "21"},
        {"op": "add", "path": "/spec/ttlSecondsAfterFinished", "value": 3600},
    ]


@pytest.mark.parametrize("overtaking", [[], [FOUND, CONFLICT]])
@pytest.mark.parametrize("outcome", ["Complete", "Failed"])
async def test_a_job_that_has_finished_meanwhile_is_not_deleted(
    overtaking: list[Scripted], outcome: str
) -> None:
    """Its outcome is seen and nothing was done, on the first read as after a lost race."""
    raw = objects.job(version="22", conditions=[_condition(outcome)])
    api = ScriptedApi(*overtaking, Response(200, raw))
    performed = await perform(effect(DELETE), api, timeout_seconds=10)
    assert performed.answer == Absent()
    (seen,) = performed.observations
    assert isinstance(seen, Seen)
    assert (seen.subject.kind, seen.subject.uid) == ("Job", objects.JOB_UID)
    assert seen.version == "22"
    assert isinstance(seen.level, JobLevel)
    assert seen.level.outcome == outcome
    assert len(api.requests) == len(overtaking) + 1
    assert api.requests[-1].method == "GET"


@pytest.mark.parametrize("owners", [[], [{"uid": objects.WARMUP_UID}]])
async def test_a_job_that_nobody_controls_any_more_is_not_deleted(owners: list[Any]) -> None:
    """Who deletes a ModelWarmup and keeps its Jobs keeps them, however the two are seen [W75]"""
    raw = objects.job()
    raw["metadata"]["ownerReferences"] = owners
    api = ScriptedApi(Response(200, raw))
    performed = await perform(effect(DELETE), api, timeout_seconds=10)
    assert performed.answer == Absent()
    (seen,) = performed.observations
    assert isinstance(seen, Seen)
    assert isinstance(seen.level, JobLevel)
    assert not seen.level.controller_uid


@pytest.mark.parametrize(
    "condition",
    [
        _condition("Complete", "False"),
        _condition("Failed", "Unknown"),
        _condition("SuccessCriteriaMet"),
        _condition("FailureTarget"),
        _condition("Suspended"),
    ],
)
async def test_a_job_without_an_outcome_is_deleted(condition: objects.Raw) -> None:
    """Only Complete or Failed, and only when True, keeps a Job."""
    found = Response(200, objects.job(conditions=[condition]))
    answer, _ = await _changed(DELETE, found, SUCCESS)
    assert answer == Done(objects.JOB_UID)


@pytest.mark.parametrize("outcome", ["Complete", "Failed"])
async def test_a_job_that_has_finished_is_stamped(outcome: str) -> None:
    """A TTL is for just those: an end does not stop its stamp."""
    found = Response(200, objects.job(conditions=[_condition(outcome)]))
    answer, _ = await _changed(STAMP, found, SUCCESS)
    assert answer == Done(objects.JOB_UID)


@both
@pytest.mark.parametrize("refusal", OVERTAKEN)
async def test_an_overtaken_change_is_made_on_a_newer_read(
    intent: Change, refusal: Response
) -> None:
    """Each round carries the version that its own read gave."""
    rounds: list[Scripted] = []
    for version in ("21", "22"):
        rounds += [Response(200, objects.job(version=version)), refusal]
    answer, api = await _changed(intent, *rounds, Response(200, objects.job(version="23")), SUCCESS)
    assert answer == Done(objects.JOB_UID)
    assert [_version(request.body) for request in api.requests[1::2]] == ["21", "22", "23"]


def _version(body: Any) -> str:
    """Give the version on which a change insists."""
    if isinstance(body, dict):
        return str(body["preconditions"]["resourceVersion"])
    return str(body[1]["value"])


@both
@pytest.mark.parametrize("refusal", OVERTAKEN)
async def test_a_change_that_is_always_overtaken_is_refused(
    intent: Change, refusal: Response
) -> None:
    """After TRIES rounds the last refusal is the outcome, in the server's words."""
    answer, api = await _changed(intent, *[FOUND, refusal] * TRIES)
    assert answer == Refused(
        refusal.code, refusal.body["reason"], refusal.body["message"], field=False
    )
    assert len(api.requests) == 2 * TRIES


@both
@pytest.mark.parametrize(
    "answers",
    [
        [NOT_FOUND],
        [FOREIGN],
        [FOUND, NOT_FOUND],
        [FOUND, CONFLICT, NOT_FOUND],
        [FOUND, CONFLICT, FOREIGN],
        [FOUND, FAILED_TEST, FOREIGN],
    ],
)
async def test_a_job_that_is_no_more_needs_no_change(
    intent: Change, answers: list[Scripted]
) -> None:
    """Gone, or another object under its name: that other one is left alone."""
    answer, _ = await _changed(intent, *answers)
    assert answer == GONE


async def test_a_finished_job_of_another_uid_is_not_taken_for_ours() -> None:
    """Whose object it is is looked at before its end: another one's outcome is not seen."""
    ended = objects.job(uid="another", conditions=[_condition("Complete")])
    answer, _ = await _changed(DELETE, Response(200, ended))
    assert answer == GONE


@both
@pytest.mark.parametrize("response", ELSEWHERE)
@pytest.mark.parametrize("before", [[], [FOUND], [FOUND, CONFLICT]])
async def test_a_404_about_something_else_is_not_believed(
    intent: Change, response: Response, before: list[Scripted]
) -> None:
    """A proxy's 404, to the read or to the write, does not say that the Job went."""
    answer, _ = await _changed(intent, *before, response)
    assert answer == Unknown(f"404, but not about Job warm-1: {status_words(response)}")


@both
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (refused(403, "Forbidden", "no"), Refused(403, "Forbidden", "no")),
        (refused(429, "TooManyRequests", "later"), Refused(429, "TooManyRequests", "later")),
        (
            refused(422, "Invalid", "bad", {"causes": [{"field": "spec.x"}]}),
            Refused(422, "Invalid", "bad", field=True),
        ),
        (refused(504, "Timeout", "gave up"), Unknown("gave up")),
        (BROKEN, Unknown("the connection was cut")),
    ],
)
@pytest.mark.parametrize("before", [[], [FOUND], [FOUND, CONFLICT], [FOUND, FAILED_TEST, FOUND]])
async def test_another_refusal_ends_the_tries(
    intent: Change, answer: Scripted, outcome: Answer, before: list[Scripted]
) -> None:
    """To a read or to a write: what is no lost race is not tried again here."""
    assert (await _changed(intent, *before, answer))[0] == outcome


@both
@pytest.mark.parametrize("body", [None, [], "text", {}, {"metadata": []}])
async def test_a_read_without_a_uid_tells_nothing(intent: Change, body: Any) -> None:
    """What has no uid is neither this Job nor another one: nothing is sent."""
    answer, _ = await _changed(intent, Response(200, body))
    assert answer == Unknown("Job warm-1 came back without a uid")


async def test_a_change_that_is_answered_oddly_is_done() -> None:
    """The code of success tells; the body need not."""
    odd: list[Any] = [None, [], "text", {"metadata": []}]
    for body in odd:
        for intent in (DELETE, STAMP):
            assert (await _changed(intent, FOUND, Response(200, body)))[0] == Done(objects.JOB_UID)
