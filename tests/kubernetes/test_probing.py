"""Probing: only dry runs go out, and what a server says to them."""

import pytest

from adapters.kubernetes.probing import (
    HarmlessApi,
    NotHarmless,
    Verdict,
    probe_job,
    probe_warmup,
)
from adapters.ports import ApiUnanswered, Request, Response
from adapters.simulator.answers import failure
from tests.kubernetes.fakes import ScriptedApi

JOB = {
    "metadata": {"name": "j", "namespace": "ns"},
    "spec": {"template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": []}}},
}
WARMUP = {"metadata": {"name": "mw", "namespace": "ns"}}
DRY = ("dryRun", "All")
CREATED = Response(201, JOB)


@pytest.mark.parametrize(
    "request_",
    [
        Request("POST", "/x"),
        Request("POST", "/x", (("dryRun", ""),)),
        Request("PUT", "/x", (DRY,)),
        Request("PATCH", "/x", (DRY,)),
        Request("DELETE", "/x", (DRY,)),
    ],
)
async def test_what_could_change_something_is_never_sent(request_: Request) -> None:
    """A write is a fault of ours, noticed before it goes out; so is a dry run that need not be."""
    server = ScriptedApi(CREATED)
    with pytest.raises(NotHarmless):
        await HarmlessApi(server).send(request_, timeout_seconds=1)
    assert server.requests == []


async def test_reads_and_dry_runs_pass() -> None:
    """A read and a dry run of a create go to the server as they are."""
    server = ScriptedApi(CREATED, CREATED)
    for request in (Request("GET", "/x"), Request("POST", "/x", (DRY,))):
        assert await HarmlessApi(server).send(request, timeout_seconds=1) == CREATED
    assert len(server.requests) == 2


async def test_a_job_and_its_pod_are_asked_for() -> None:
    """The Job goes as it is, and the Pod of the Job as the server answered it."""
    stored = {**JOB, "spec": {"template": {"metadata": {"labels": {"c": "d"}}, "spec": {"x": 1}}}}
    server = ScriptedApi(Response(201, stored), CREATED)
    probes = await probe_job(server, JOB, timeout_seconds=1)
    assert [probe.verdict for probe in probes] == [Verdict.ALLOWED] * 2
    job, pod = server.requests
    assert (job.path, job.query, job.body) == ("/apis/batch/v1/namespaces/ns/jobs", (DRY,), JOB)
    assert (pod.path, pod.query) == ("/api/v1/namespaces/ns/pods", (DRY,))
    assert (pod.body["spec"], pod.body["metadata"]["labels"]) == ({"x": 1}, {"c": "d"})


async def test_the_pod_of_a_refused_job_is_asked_for_too() -> None:
    """Then its template is that which was sent."""
    server = ScriptedApi(failure(403, "Forbidden", "quota"), CREATED)
    job, pod = await probe_job(server, JOB, timeout_seconds=1)
    assert (job.verdict, job.code, job.words) == (Verdict.REFUSED, 403, "quota")
    assert pod.verdict is Verdict.ALLOWED
    assert server.requests[1].body["metadata"]["labels"] == {"a": "b"}


async def test_unknown_fields_of_a_warmup_are_asked_about() -> None:
    """A ModelWarmup is checked as strictly as `kubectl apply` has it checked."""
    server = ScriptedApi(failure(400, "BadRequest", 'unknown field "spec.targetz"'))
    told = await probe_warmup(server, WARMUP, timeout_seconds=1)
    assert server.requests[0].query == (DRY, ("fieldValidation", "Strict"))
    assert (told.verdict, told.words) == (Verdict.REFUSED, 'unknown field "spec.targetz"')


@pytest.mark.parametrize(
    "answer",
    [
        ApiUnanswered("cut"),
        failure(504, "Timeout", "request timed out"),
        failure(403, "Forbidden", 'User "u" cannot create resource "modelwarmups"'),
    ],
)
async def test_no_answer_and_no_right_are_no_refusal(answer: Response | ApiUnanswered) -> None:
    """Where the server judged nothing, what it would say is not known."""
    told = await probe_warmup(ScriptedApi(answer), WARMUP, timeout_seconds=1)
    assert told.verdict is Verdict.UNKNOWN
    assert told.words


async def test_secrets_in_words_are_not_shown() -> None:
    """A webhook that repeats a token does not get it onto a screen."""
    answer = failure(403, "Forbidden", "denied: Bearer abcdefghijklmnop")
    told = await probe_warmup(ScriptedApi(answer), WARMUP, timeout_seconds=1)
    assert "abcdefghijklmnop" not in told.words
