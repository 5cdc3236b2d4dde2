"""Carrying out intents: what each answer of an API server means."""

from typing import Any

import pytest

from adapters.kubernetes.acting import look_up, perform
from adapters.kubernetes.answers import status_words
from adapters.ports import Response
from machines.intents import Intent
from machines.observations import Absent, Answer, Deleted, Done, Listed, Refused, Seen, Unknown
from tests.kubernetes import objects
from tests.kubernetes.fakes import Answer as Scripted
from tests.kubernetes.fakes import ScriptedApi, page, refused
from tests.kubernetes.intents import (
    BODY,
    BROKEN,
    CREATE,
    DELETE,
    ELSEWHERE,
    NOT_FOUND,
    RESOLVE,
    STAMP,
    effect,
)

EXISTS = refused(409, "AlreadyExists", 'jobs.batch "warm-1" already exists')


async def _answer(intent: Intent, *answers: Scripted) -> Answer:
    api = ScriptedApi(*answers)
    performed = await perform(effect(intent), api, timeout_seconds=10)
    assert api.answers == []
    assert set(api.timeouts) == {10}
    return performed.answer


async def _looked_up(intent: Intent, *answers: Scripted) -> Answer:
    api = ScriptedApi(*answers)
    return (await look_up(effect(intent), api, timeout_seconds=10)).answer


async def test_a_job_is_created_by_name() -> None:
    """One POST of the body; what came back is seen, and its uid is the outcome."""
    api = ScriptedApi(Response(201, objects.job()))
    performed = await perform(effect(CREATE), api, timeout_seconds=10)
    assert performed.answer == Done(objects.JOB_UID)
    assert [type(one) for one in performed.observations] == [Seen]
    (request,) = api.requests
    assert (request.method, request.path) == ("POST", "/apis/batch/v1/namespaces/default/jobs")
    assert request.body == BODY


async def test_a_create_without_its_body_is_a_mistake() -> None:
    """An effect whose body was not rebuilt is never sent."""
    with pytest.raises(ValueError, match="default/warm-1 was not rebuilt"):
        await perform(effect(CREATE)._replace(body=None), ScriptedApi(), timeout_seconds=10)


@pytest.mark.parametrize(
    ("found", "answer"),
    [
        (objects.job(), Done(objects.JOB_UID, found=True)),
        (
            objects.job(deleting=True),
            Refused(409, "AlreadyExists", 'jobs.batch "warm-1" already exists'),
        ),
        (
            objects.job(node_uid="another"),
            Refused(409, "NameTaken", 'jobs.batch "warm-1" already exists'),
        ),
        (
            objects.job(node_uid="another", deleting=True),
            Refused(409, "NameTaken", 'jobs.batch "warm-1" already exists'),
        ),
        (
            objects.job(controller="another"),
            Refused(
                409,
                "JobNameConflict",
                "Job default/warm-1 exists already and is not this warmup's:"
                " it belongs to ModelWarmup warm",
            ),
        ),
        (
            {"metadata": {"name": "warm-1", "uid": "x", "deletionTimestamp": "now"}},
            Refused(
                409,
                "JobNameConflict",
                "Job default/warm-1 exists already and is not this warmup's:"
                " nobody controls it and is being deleted",
            ),
        ),
    ],
)
async def test_a_name_that_is_taken_is_looked_at(found: objects.Raw, answer: Answer) -> None:
    """Only owner and node uid say whether a Job that exists is the one that was wanted."""
    assert await _answer(CREATE, EXISTS, Response(200, found)) == answer


async def test_a_name_that_is_free_again_is_tried_again() -> None:
    """The Job that was in the way went in between: refused now, created by the next try."""
    assert await _answer(CREATE, EXISTS, NOT_FOUND) == Refused(
        409, "AlreadyExists", 'jobs.batch "warm-1" already exists'
    )


async def test_a_name_whose_holder_cannot_be_seen_is_unknown() -> None:
    """Without a look at the holder nothing is claimed."""
    answer = await _answer(CREATE, EXISTS, refused(403, "Forbidden", "may not get"))
    assert answer == Unknown("the name is taken, and by whom is unknown: may not get")
    assert await _answer(CREATE, EXISTS, BROKEN) == Unknown("the connection was cut")


@pytest.mark.parametrize("response", ELSEWHERE)
async def test_a_404_about_something_else_frees_no_name(response: Response) -> None:
    """Only a 404 that names the Job says that its name is free again."""
    words = f"the name is taken, and by whom is unknown: {status_words(response)}"
    assert await _answer(CREATE, EXISTS, response) == Unknown(words)


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        (
            refused(422, "Invalid", "bad", {"causes": [{"field": "spec.x", "message": "no"}]}),
            Refused(422, "Invalid", "bad", field=True),
        ),
        (
            refused(422, "Invalid", "denied by policy", {"causes": [{"message": "no"}]}),
            Refused(422, "Invalid", "denied by policy"),
        ),
        (
            refused(404, "NotFound", 'namespaces "default" not found', {"kind": "namespaces"}),
            Refused(404, "NotFound", 'namespaces "default" not found', terminating=True),
        ),
        (
            refused(404, "", "404 page not found"),
            Refused(404, "", "404 page not found"),
        ),
        (
            refused(403, "Forbidden", "going", {"causes": [{"reason": "NamespaceTerminating"}]}),
            Refused(403, "Forbidden", "going", terminating=True),
        ),
        (refused(403, "Forbidden", "quota"), Refused(403, "Forbidden", "quota")),
        (refused(400, "BadRequest", "type"), Refused(400, "BadRequest", "type")),
        (refused(413, "", "too large"), Refused(413, "", "too large")),
        (refused(429, "TooManyRequests"), Refused(429, "TooManyRequests", "TooManyRequests")),
        (refused(409, "Conflict", "quota moved"), Refused(409, "Conflict", "quota moved")),
        (refused(503, "", ""), Refused(503, "", "HTTP 503")),
        (refused(504, "Timeout", "gave up"), Unknown("gave up")),
        (
            refused(500, "InternalError", "etcdserver: request timed out"),
            Unknown("etcdserver: request timed out"),
        ),
        (BROKEN, Unknown("the connection was cut")),
        (Response(201, {}), Unknown("the created Job came back without a uid")),
    ],
)
async def test_each_refusal_is_classified(response: Scripted, answer: Answer) -> None:
    """Code, reason and words are the server's; no answer that tells is Unknown."""
    assert await _answer(CREATE, response) == answer


async def test_words_of_the_server_are_steadied() -> None:
    """What the server says about one cause is one text, without secrets."""
    response = refused(403, "Forbidden", 'pods "warm-1-x7k2p" of hf_AbCd1234efgh5678')
    assert await _answer(CREATE, response) == Refused(403, "Forbidden", 'pods "warm-1-…" of hf_…')


async def test_resolving_looks_at_all_nodes_and_the_namespace() -> None:
    """The Nodes come as one complete list, whatever the number of pages; then the Namespace."""
    api = ScriptedApi(
        page(objects.node("a", "a-uid"), continued="next"),
        page(objects.node("b", "b-uid")),
        Response(200, objects.namespace()),
    )
    performed = await perform(effect(RESOLVE), api, timeout_seconds=10)
    nodes, namespace = performed.observations
    assert isinstance(nodes, Listed)
    assert [seen.subject.name for seen in nodes.items] == ["a", "b"]
    assert isinstance(namespace, Seen)
    assert namespace.subject.uid == "ns-uid"
    assert performed.answer == Done()


async def test_a_namespace_that_is_gone_is_told_by_a_complete_list() -> None:
    """404 gives no uid and no version; the list of all Namespaces, which lacks it, does."""
    api = ScriptedApi(
        page(objects.node()),
        refused(404, "NotFound", "no such namespace"),
        page(objects.namespace("other", "other-uid"), version="77"),
    )
    performed = await perform(effect(RESOLVE), api, timeout_seconds=10)
    _, namespaces = performed.observations
    assert isinstance(namespaces, Listed)
    assert (namespaces.kind, namespaces.version) == ("Namespace", "77")
    assert performed.answer == Done()
    assert not any(isinstance(one, Deleted) for one in performed.observations)


@pytest.mark.parametrize(
    ("answers", "answer"),
    [
        ([refused(403, "Forbidden", "no nodes")], Refused(403, "Forbidden", "no nodes")),
        ([BROKEN], Unknown("the connection was cut")),
        ([page(), refused(500, "InternalError", "oops")], Refused(500, "InternalError", "oops")),
        (
            [page(), Response(200, {})],
            Unknown("Namespace /(unnamed) has no name and no uid and no resourceVersion"),
        ),
    ],
)
async def test_a_look_that_fails_decides_nothing(answers: list[Scripted], answer: Answer) -> None:
    """Without both answers a Resolve is not Done."""
    assert await _answer(RESOLVE, *answers) == answer


@pytest.mark.parametrize(
    ("intent", "found", "answer"),
    [
        (CREATE, objects.job(), Done(objects.JOB_UID, found=True)),
        (CREATE, objects.job(deleting=True), Done(objects.JOB_UID, found=True)),
        (CREATE, objects.job(node_uid="another"), Absent()),
        (CREATE, objects.job(controller="another"), Absent()),
        (CREATE, None, Absent()),
        (DELETE, None, Done(objects.JOB_UID, found=True)),
        (DELETE, objects.job(uid="another"), Done(objects.JOB_UID, found=True)),
        (DELETE, objects.job(deleting=True), Done(objects.JOB_UID, found=True)),
        (DELETE, objects.job(), Absent()),
        (STAMP, None, Done(found=True)),
        (STAMP, objects.job(uid="another"), Done(found=True)),
        (STAMP, objects.job(ttl_seconds=3600), Done(objects.JOB_UID, found=True)),
        (STAMP, objects.job(ttl_seconds=60), Absent()),
        (STAMP, objects.job(), Absent()),
    ],
)
async def test_looking_up_says_whether_an_intent_landed(
    intent: Intent, found: objects.Raw | None, answer: Answer
) -> None:
    """The object under the name tells: it is as intended, or it is not."""
    response = NOT_FOUND if found is None else Response(200, found)
    assert await _looked_up(intent, response) == answer


@pytest.mark.parametrize("intent", [CREATE, DELETE, STAMP])
async def test_looking_up_without_an_answer_stays_unknown(intent: Intent) -> None:
    """No answer, or a refusal to look, tells nothing."""
    assert await _looked_up(intent, BROKEN) == Unknown("the connection was cut")
    assert await _looked_up(intent, refused(403, "", "no")) == Unknown("no")


@pytest.mark.parametrize("intent", [CREATE, DELETE, STAMP])
@pytest.mark.parametrize("response", ELSEWHERE)
async def test_looking_up_believes_no_404_about_something_else(
    intent: Intent, response: Response
) -> None:
    """A 404 that does not name the Job says neither that it went nor that it never came."""
    assert await _looked_up(intent, response) == Unknown(status_words(response))


async def test_a_look_leaves_nothing_to_look_up() -> None:
    """A Resolve is simply done again."""
    assert await _looked_up(RESOLVE) == Absent()


async def test_a_job_that_is_found_is_also_seen() -> None:
    """What a look-up found comes as an observation, so that no list can lack it."""
    api = ScriptedApi(Response(200, objects.job()))
    performed = await look_up(effect(CREATE), api, timeout_seconds=10)
    (seen,) = performed.observations
    assert isinstance(seen, Seen)
    assert seen.subject.uid == objects.JOB_UID


async def test_odd_answers_break_nothing() -> None:
    """Answers of the wrong shape are outcomes too: they say nothing about the Job."""
    odd: list[Any] = [None, [], "text", {"metadata": []}]
    for body in odd:
        assert await _answer(CREATE, Response(409, body)) == Refused(409, "", "HTTP 409")
        for intent in (CREATE, DELETE, STAMP):
            unknown = Unknown("Job warm-1 came back without a uid")
            assert await _looked_up(intent, Response(200, body)) == unknown
