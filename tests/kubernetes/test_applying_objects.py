"""Applying what a replica is composed of, and what the answers mean."""

import copy
from typing import Any

import pytest

from adapters.kubernetes.acting import look_up, perform
from adapters.ports import APPLY_PATCH, JSON_PATCH, ApiUnanswered, Response
from machines.intents import Apply, Effect
from machines.observations import Absent, Answer, Deleted, Done, Refused, Seen, Unknown
from tests.kubernetes import replica_objects as objects
from tests.kubernetes.fakes import Answer as Scripted
from tests.kubernetes.fakes import ScriptedApi, refused
from tests.kubernetes.objects import Raw

OURS: Raw = {
    "f:metadata": {"f:annotations": {"f:warmlog.dev/applied": {}}},
    "f:spec": {"f:replicas": {}},
}
MINE = objects.entry("warmlog", "Apply", OURS)
NOTES = {**objects.NOTES, "warmlog.dev/copies": "2"}
ENGINE = 'k:{"name":"engine"}'
COMPOSED: Raw = {
    "f:spec": {"f:template": {"f:spec": {"f:containers": {ENGINE: {".": {}, "f:args": {}}}}}}
}
PROVIDERS = objects.entry("crossplane-kubernetes-provider", "Update", COMPOSED)
OVERTAKEN = refused(409, "Conflict", "the object has been modified")


def _place(kind: str, name: str, uid: str) -> Apply:
    return Apply(objects.REPLICA_UID, kind, objects.NAMESPACE, name, uid, "d2")


FIRST = _place("Deployment", objects.WORKLOAD, "")
AGAIN = FIRST._replace(uid=objects.WORKLOAD_UID)


def _body(raw: Raw | None = None, **notes: str) -> Raw:
    """What is applied: without what only a server writes."""
    body = copy.deepcopy(objects.deployment(notes=NOTES) if raw is None else raw)
    for field in ("uid", "resourceVersion"):
        body["metadata"].pop(field)
    body.pop("status", None)
    body["metadata"]["annotations"] |= {"warmlog.dev/applied": "d2", **notes}
    return body


def _there(version: str = "60", *, fields: list[Any] | None = None, **more: Any) -> Response:
    managed = [MINE] if fields is None else fields
    made: Raw = {"notes": NOTES, "managedFields": managed, **more}
    return Response(200, objects.deployment(version, **made))


def _missing(kind: str = "deployments.apps", name: str = objects.WORKLOAD) -> Response:
    plural = kind.split(".", maxsplit=1)[0]
    return refused(404, "NotFound", f'{kind} "{name}" not found', {"kind": plural, "name": name})


async def _acted(
    intent: Apply, *answers: Scripted, body: Raw | None = None
) -> tuple[Answer, list[str], ScriptedApi]:
    api = ScriptedApi(*answers)
    effect = Effect(7, "prod", intent, _body() if body is None else body)
    performed = await perform(effect, api, timeout_seconds=10)
    assert api.answers == []
    for one in performed.observations:
        assert isinstance(one, Seen | Deleted)
    return performed.answer, [type(one).__name__ for one in performed.observations], api


async def test_what_is_not_there_is_made_by_an_apply() -> None:
    """As our field manager, by force, without a version; it is seen as it was answered."""
    answer, names, api = await _acted(FIRST, _missing(), Response(201, _there().body))
    assert (answer, names) == (Done(objects.WORKLOAD_UID), ["Seen"])
    read, request = api.requests
    path = f"/apis/apps/v1/namespaces/{objects.NAMESPACE}/deployments/{objects.WORKLOAD}"
    assert (read.method, read.path) == ("GET", path)
    assert (request.method, request.path) == ("PATCH", path)
    assert (request.content_type, request.body) == (APPLY_PATCH, _body())
    assert request.query == (("fieldManager", "warmlog"), ("force", "true"))
    with pytest.raises(ValueError, match=r"Deployment .* was not rebuilt"):
        await perform(Effect(7, "prod", FIRST), ScriptedApi(), timeout_seconds=10)


async def test_what_is_there_is_applied_at_the_version_that_was_read() -> None:
    """Again when another write comes in between, and not for ever."""
    answer, names, api = await _acted(
        AGAIN, _there("60"), OVERTAKEN, _there("61"), Response(200, _there("62").body)
    )
    assert (answer, names) == (Done(objects.WORKLOAD_UID), ["Seen"])
    sent = [request.body["metadata"]["resourceVersion"] for request in api.requests[1::2]]
    assert sent == ["60", "61"]
    answer, names, _ = await _acted(AGAIN, *[_there(), OVERTAKEN] * 3)
    assert (answer, names) == (Refused(409, "Conflict", OVERTAKEN.body["message"]), [])


async def test_what_went_or_was_replaced_is_not_made_anew() -> None:
    """What is decided next depends on what is there now."""
    answer, names, _ = await _acted(AGAIN, _missing())
    assert (answer, names) == (Absent(), ["Deleted"])
    answer, names, _ = await _acted(AGAIN._replace(uid="former"), _there())
    assert (answer, names) == (Absent(), ["Deleted", "Seen"])
    answer, names, _ = await _acted(AGAIN, _there(deletionTimestamp="2026-10-21T10:11:12Z"))
    assert (answer, names) == (Absent(), ["Seen"])


@pytest.mark.parametrize(
    ("metadata", "answer"),
    [
        ({"notes": {**NOTES, "warmlog.dev/applied": "d2"}}, Done(objects.WORKLOAD_UID, found=True)),
        ({}, "exists already, and is to be taken over"),
        ({"deletionTimestamp": "2026-10-21T10:11:12Z"}, "exists and is being deleted"),
    ],
)
async def test_what_is_met_where_nothing_was_known(metadata: Raw, answer: Answer | str) -> None:
    """It is what we would apply, or it is decided again, knowing it."""
    found, names, _ = await _acted(FIRST, _there(**metadata))
    assert names == ["Seen"]
    if isinstance(answer, str):
        words = f"Deployment {objects.NAMESPACE}/{objects.WORKLOAD} {answer}"
        assert found == Refused(409, "AlreadyExists", words)
    else:
        assert found == answer


@pytest.mark.parametrize("intent", [FIRST, AGAIN])
@pytest.mark.parametrize(
    ("notes", "marks", "words"),
    [
        (
            {**NOTES, "warmlog.dev/replica-uid": "u2", "warmlog.dev/replica-name": "other"},
            None,
            "and is ModelReplica ml-team/other's (uid u2)",
        ),
        (
            {"warmlog.dev/replica-namespace": "b", "warmlog.dev/replica-name": "r"},
            None,
            "and is ModelReplica b/r's (uid not given)",
        ),
        (
            {},
            {"modelplane.ai/serving": "s"},
            "and is another ModelReplica's: the template of its Pods has modelplane.ai/serving=s",
        ),
        (
            {},
            {},
            "and is no ModelReplica's: the template of its Pods has no label modelplane.ai/serving",
        ),
    ],
)
async def test_what_is_anothers_is_not_touched(
    intent: Apply, notes: Raw, marks: Raw | None, words: str
) -> None:
    """Its holder is named."""
    answer, _, _ = await _acted(intent, _there(notes=notes, marks=marks))
    assert isinstance(answer, Refused)
    assert (answer.code, answer.reason) == (409, "NameTaken")
    assert answer.words.endswith(f"exists already, {words}")


@pytest.mark.parametrize(
    ("kind", "there"),
    [
        ("Service", objects.service(selector={"app": "shop"}, notes={})),
        ("Service", objects.service(selector={"modelplane.ai/serving": "s"}, notes={})),
    ],
)
async def test_a_service_is_known_by_its_selector(kind: str, there: Raw) -> None:
    """Somebody else's of the same name stays as it is."""
    body = _body(objects.service())
    answer, _, _ = await _acted(_place(kind, "r", ""), Response(200, there), body=body)
    assert isinstance(answer, Refused)
    assert answer.reason == "NameTaken"
    assert "its selector has" in answer.words


async def test_what_a_former_replica_of_that_name_left_is_this_ones() -> None:
    """Its fields are ours already, so nothing has to be taken over."""
    notes = {**NOTES, "warmlog.dev/replica-uid": "former"}
    there = _there(notes=notes, fields=[MINE, PROVIDERS])
    answer, _, api = await _acted(AGAIN, there, _there())
    assert answer == Done(objects.WORKLOAD_UID)
    assert len(api.requests) == 2


@pytest.mark.parametrize("notes", [{}, NOTES])
async def test_what_others_composed_becomes_ours_before(notes: Raw) -> None:
    """Without our annotations, or without our fields as after a restored backup."""
    there = _there(notes=notes, fields=[PROVIDERS, objects.scaling()])
    answer, _, api = await _acted(AGAIN, there, _there("61"), _there("62"))
    assert answer == Done(objects.WORKLOAD_UID)
    _, taking, applying = api.requests
    assert (taking.method, taking.content_type) == ("PATCH", JSON_PATCH)
    mine = PROVIDERS | {"manager": "warmlog", "operation": "Apply"}
    assert taking.body == [
        {"op": "test", "path": "/metadata/uid", "value": objects.WORKLOAD_UID},
        {"op": "test", "path": "/metadata/resourceVersion", "value": "60"},
        {
            "op": "replace",
            "path": "/metadata/managedFields",
            "value": [objects.scaling(), mine],
        },
    ]
    assert applying.body["metadata"]["resourceVersion"] == "61"


async def test_taking_over_is_tried_again_or_refused() -> None:
    """As any change is."""
    there = _there(notes={}, fields=[PROVIDERS])
    answer, _, _ = await _acted(AGAIN, there, refused(422, "Invalid"), there, _there(), _there())
    assert answer == Done(objects.WORKLOAD_UID)
    answer, _, _ = await _acted(AGAIN, there, refused(403, "Forbidden", "no"))
    assert answer == Refused(403, "Forbidden", "no")


async def test_what_was_scaled_meanwhile_is_not_undone() -> None:
    """Only when copies were edited since is the number ours to set."""
    scaled = _there(fields=[MINE, objects.scaling()], replicas=5)
    answer, names, _ = await _acted(AGAIN, scaled)
    place = f"Deployment {objects.NAMESPACE}/{objects.WORKLOAD}"
    words = f"kube-controller-manager has scaled {place} to 5 meanwhile"
    assert (answer, names) == (Refused(409, "ScaledMeanwhile", words), ["Seen"])
    edited = _body(None, **{"warmlog.dev/copies": "3"})
    answer, _, _ = await _acted(AGAIN, scaled, _there(), body=edited)
    assert answer == Done(objects.WORKLOAD_UID)
    same = _there(fields=[MINE, objects.scaling()])
    assert (await _acted(AGAIN, same, _there()))[0] == Done(objects.WORKLOAD_UID)


async def test_a_number_that_is_ours_alone_is_not_left_out() -> None:
    """It would fall back to 1: whoever scaled it does so no more."""
    body = _body()
    del body["spec"]["replicas"]
    answer, _, _ = await _acted(AGAIN, _there(replicas=5), body=body)
    assert isinstance(answer, Refused)
    assert answer.reason == "ScaledMeanwhile"
    composed = {"f:spec": {**COMPOSED["f:spec"], "f:replicas": {}}}
    former = objects.entry("crossplane", "Update", composed)
    answer, _, _ = await _acted(AGAIN, _there(notes={}, fields=[former], replicas=5), body=body)
    assert isinstance(answer, Refused)  # it becomes ours alone
    for fields in ([MINE, objects.scaling()], []):
        answer, _, _ = await _acted(AGAIN, _there(fields=fields, replicas=5), _there(), body=body)
        assert answer == Done(objects.WORKLOAD_UID)


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        (
            refused(403, "Forbidden", 'pods "x" is forbidden: exceeded quota: gpus'),
            Refused(403, "Forbidden", 'pods "x" is forbidden: exceeded quota: gpus'),
        ),
        (
            refused(422, "Invalid", "bad", {"causes": [{"field": "metadata.name"}]}),
            Refused(422, "Invalid", "bad", field=True),
        ),
        (
            refused(422, "Invalid", "a webhook says no"),
            Refused(422, "Invalid", "a webhook says no"),
        ),
        (
            refused(404, "NotFound", "no namespace", {"kind": "namespaces", "name": "mp"}),
            Refused(404, "NotFound", "no namespace", terminating=True),
        ),
        (
            refused(403, "Forbidden", "going", {"causes": [{"reason": "NamespaceTerminating"}]}),
            Refused(403, "Forbidden", "going", terminating=True),
        ),
        (refused(504, "Timeout", "timed out"), Unknown("timed out")),
        (ApiUnanswered("cut"), Unknown("cut")),
        (Response(200, {}), Unknown(f"Service {objects.NAMESPACE}/r came back without a uid")),
    ],
)
async def test_what_an_apply_is_answered(response: Scripted, answer: Answer) -> None:
    """In the server's own words; without an answer that tells, nothing is known."""
    intent, body = _place("Service", "r", ""), _body(objects.service())
    found, _, _ = await _acted(intent, _missing("services", "r"), response, body=body)
    assert found == answer


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        (refused(403, "Forbidden", "not for you"), Refused(403, "Forbidden", "not for you")),
        (
            refused(404, message="404 page not found"),
            Refused(
                404,
                "",
                f"404, but not about LeaderWorkerSet {objects.NAMESPACE}/x: 404 page not found",
            ),
        ),
        (
            Response(200, {"metadata": {}}),
            Unknown(f"LeaderWorkerSet {objects.NAMESPACE}/x came back without a uid"),
        ),
        (ApiUnanswered("cut"), Unknown("cut")),
    ],
)
async def test_what_cannot_be_read_is_not_applied(response: Scripted, answer: Answer) -> None:
    """Nothing was written: that is a refusal, also of a kind that is not served."""
    intent, body = _place("LeaderWorkerSet", "x", ""), _body(objects.gang())
    assert (await _acted(intent, response, body=body))[0] == answer


@pytest.mark.parametrize(
    ("intent", "response", "answer", "names"),
    [
        (FIRST, _missing(), Absent(), []),
        (AGAIN, _missing(), Absent(), ["Deleted"]),
        (FIRST, _there(), Absent(), ["Seen"]),
        (AGAIN, _there(), Absent(), ["Seen"]),
        (AGAIN._replace(uid="former"), _there(), Absent(), ["Deleted", "Seen"]),
        (
            AGAIN,
            _there(notes={**NOTES, "warmlog.dev/applied": "d2"}),
            Done(objects.WORKLOAD_UID, found=True),
            ["Seen"],
        ),
        (
            FIRST,
            _there(notes={**NOTES, "warmlog.dev/applied": "d2"}),
            Done(objects.WORKLOAD_UID, found=True),
            ["Seen"],
        ),
        (FIRST, refused(403, "Forbidden", "no"), Unknown("no"), []),
        (
            FIRST,
            refused(404, message="404 page not found"),
            Unknown(
                f"404, but not about Deployment {objects.NAMESPACE}/{objects.WORKLOAD}:"
                " 404 page not found"
            ),
            [],
        ),
        (
            AGAIN,
            Response(200, {}),
            Unknown(f"Deployment {objects.NAMESPACE}/{objects.WORKLOAD} came back without a uid"),
            [],
        ),
        (AGAIN, ApiUnanswered("cut"), Unknown("cut"), []),
    ],
)
async def test_whether_an_apply_landed(
    intent: Apply, response: Scripted, answer: Answer, names: list[str]
) -> None:
    """It did when what is there says that this very body was applied."""
    looked = await look_up(Effect(7, "prod", intent), ScriptedApi(response), timeout_seconds=10)
    assert looked.answer == answer
    assert [type(one).__name__ for one in looked.observations] == names
