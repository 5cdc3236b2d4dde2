"""Creating and changing what a ModelCache has on a cluster, and what the answers mean."""

import base64
from typing import Any

import pytest

from adapters.kubernetes.acting import look_up, perform
from adapters.kubernetes.discretion import DiscreetApi
from adapters.kubernetes.vaults import SecretVault
from adapters.ports import JSON_PATCH, ApiUnanswered, Response
from machines.caches.changes import ChangeKind
from machines.intents import Change, Create, Effect
from machines.observations import Absent, Answer, Deleted, Done, Refused, Seen, Unknown
from tests.kubernetes import cache_objects as objects
from tests.kubernetes import fakes
from tests.kubernetes.cache_intents import (
    BODY,
    CREATE,
    DELETE,
    EXISTS,
    NOT_FOUND,
    OVERTAKEN,
    SECRET_PLACE,
    change,
    effect,
)
from tests.kubernetes.fakes import ScriptedApi, refused
from tests.kubernetes.objects import Raw

THERE = Response(200, objects.claim())
LATCH = {"annotations": {"warmlog.dev/hydrated": f"{objects.CLAIM_UID}/abc"}}
ANOTHER = {"warmlog.dev/cache-namespace": "b", "warmlog.dev/cache-uid": "u"}
TOKEN = "hf-t0ken-marker"
ENCODED = base64.b64encode(TOKEN.encode()).decode()
# Of another claim, of a path that is not served, of a proxy.
ELSEWHERE = [
    refused(404, "NotFound", "no", {"kind": "persistentvolumeclaims", "name": "other"}),
    refused(404, "NotFound", "the server could not find the requested resource", {}),
    refused(404, message="404 page not found"),
]


async def _acted(going: Effect, *answers: fakes.Answer) -> tuple[Answer, list[str], ScriptedApi]:
    api = ScriptedApi(*answers)
    performed = await perform(going, api, timeout_seconds=10)
    assert api.answers == []
    names = [type(one).__name__ for one in performed.observations]
    for one in performed.observations:
        assert isinstance(one, Seen | Deleted)
        assert one.subject.kind == going.intent.kind  # type: ignore[union-attr]
    return performed.answer, names, api


async def _looked(going: Effect, answer: fakes.Answer) -> Answer:
    return (await look_up(going, ScriptedApi(answer), timeout_seconds=10)).answer


def _claim(**metadata: Any) -> Response:
    raw = objects.claim()
    raw["metadata"] |= metadata
    return Response(200, raw)


async def test_what_is_created_is_seen() -> None:
    """The body goes out as it is, and the object as it was answered comes before Done."""
    answer, names, api = await _acted(effect(CREATE), Response(201, objects.claim()))
    assert (answer, names) == (Done(objects.CLAIM_UID), ["Seen"])
    (request,) = api.requests
    assert (request.method, request.body) == ("POST", BODY)
    path = f"/api/v1/namespaces/{objects.NAMESPACE}/persistentvolumeclaims"
    assert request.path == path
    with pytest.raises(ValueError, match="was not rebuilt"):
        await perform(Effect(7, "prod", CREATE), ScriptedApi(), timeout_seconds=10)


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"annotations": {**objects.OWNER, "warmlog.dev/cache-uid": "of-a-former-one"}},
        {"annotations": None},
    ],
)
async def test_one_of_ours_that_is_there_is_as_good(metadata: Raw) -> None:
    """By our annotations, by those of a former cache of this name, or by the original's label."""
    answer, names, _ = await _acted(effect(CREATE), EXISTS, _claim(**metadata))
    assert (answer, names) == (Done(objects.CLAIM_UID, found=True), ["Seen"])


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        (
            {"annotations": {**objects.OWNER, **ANOTHER}},
            "and is ModelCache b/qwen's (uid u)",
        ),
        (
            {"annotations": {"warmlog.dev/cache-uid": "u"}, "deletionTimestamp": "2026"},
            "and is ModelCache /'s (uid u) and is being deleted",
        ),
        (
            {"annotations": None, "labels": {"modelplane.ai/modelcache": "x"}},
            "and is another ModelCache's: its label modelplane.ai/modelcache is x",
        ),
        (
            {"annotations": None, "labels": None},
            "and is no ModelCache's: it has no label modelplane.ai/modelcache",
        ),
    ],
)  # fmt: skip
async def test_anothers_is_never_taken(metadata: Raw, words: str) -> None:
    """It is refused in words that name who holds it; the object is seen as what it is."""
    answer, names, _ = await _acted(effect(CREATE), EXISTS, _claim(**metadata))
    place = f"PersistentVolumeClaim {objects.NAMESPACE}/{objects.CLAIM_NAME}"
    assert answer == Refused(409, "NameTaken", f"{place} exists already, {words}")
    assert names == ["Seen"]


async def test_what_has_a_wanted_name_was_read_after_the_create() -> None:
    """So it is there, whatever was known before of what the create, or a look for it, has found."""
    found = await perform(effect(CREATE), ScriptedApi(EXISTS, THERE), timeout_seconds=10)
    looked = await look_up(effect(CREATE), ScriptedApi(THERE), timeout_seconds=10)
    for one in (*found.observations, *looked.observations):
        assert isinstance(one, Seen)
        assert one.found_by == effect(CREATE).seq > 0


async def test_one_of_ours_that_goes_is_waited_for() -> None:
    """The create is refused as it was, so that it is tried again."""
    answer, _, _ = await _acted(effect(CREATE), EXISTS, _claim(deletionTimestamp="2026"))
    assert isinstance(answer, Refused)
    assert (answer.reason, answer.words.endswith("is being deleted")) == ("AlreadyExists", True)
    answer, _, _ = await _acted(effect(CREATE), EXISTS, NOT_FOUND)
    assert isinstance(answer, Refused)


async def test_a_name_whose_holder_is_unknown_is_looked_up() -> None:
    """No answer, or none that tells, is Unknown."""
    for untold in (refused(500, message="etcd"), Response(200, {}), *ELSEWHERE):
        assert isinstance((await _acted(effect(CREATE), EXISTS, untold))[0], Unknown)
    broken = ApiUnanswered("cut")
    assert isinstance((await _acted(effect(CREATE), broken))[0], Unknown)
    assert isinstance((await _acted(effect(CREATE), Response(201, {})))[0], Unknown)


async def test_a_namespace_that_is_there_is_everybodys() -> None:
    """Whoever made it, and even while it goes: what is created in it will say so."""
    create = Create(objects.CACHE_UID, "Namespace", "", objects.NAMESPACE, "digest")
    raw = {
        "metadata": {
            "name": objects.NAMESPACE,
            "uid": "ns",
            "resourceVersion": "5",
            "deletionTimestamp": "2026",
        }
    }
    body = {"metadata": {"name": objects.NAMESPACE}}
    answer, names, api = await _acted(effect(create, body), EXISTS, Response(200, raw))
    assert (answer, names) == (Done("ns", found=True), ["Seen"])
    assert [request.path for request in api.requests] == [
        "/api/v1/namespaces",
        f"/api/v1/namespaces/{objects.NAMESPACE}",
    ]


async def test_a_refused_create_is_answered_with_its_words() -> None:
    """A quota, a namespace that goes: the server's own words."""
    quota = refused(403, "Forbidden", "exceeded quota")
    answer, _, _ = await _acted(effect(CREATE), quota)
    assert answer == Refused(403, "Forbidden", "exceeded quota")
    gone = refused(404, "NotFound", "no namespace", {"kind": "namespaces", "name": "x"})
    answer, _, _ = await _acted(effect(CREATE), gone)
    assert isinstance(answer, Refused)
    assert answer.terminating


async def test_a_change_is_one_guarded_patch() -> None:
    """Uid and version of a fresh read are tested, then ours alone is written."""
    going = effect(change(ChangeKind.LATCH), LATCH)
    answer, names, api = await _acted(going, THERE, Response(200, objects.claim("61")))
    assert (answer, names) == (Done(objects.CLAIM_UID), ["Seen"])
    request = api.requests[1]
    assert (request.method, request.content_type) == ("PATCH", JSON_PATCH)
    assert request.body == [
        {"op": "test", "path": "/metadata/uid", "value": objects.CLAIM_UID},
        {"op": "test", "path": "/metadata/resourceVersion", "value": "60"},
        {
            "op": "add",
            "path": "/metadata/annotations/warmlog.dev~1hydrated",
            "value": f"{objects.CLAIM_UID}/abc",
        },
    ]


async def test_what_is_so_already_is_not_written() -> None:
    """A second try of the same change finds it done."""
    there = objects.claim(notes={**objects.OWNER, **LATCH["annotations"]})
    going = effect(change(ChangeKind.LATCH), LATCH)
    answer, names, _ = await _acted(going, Response(200, there))
    assert (answer, names) == (Done(objects.CLAIM_UID, found=True), ["Seen"])


async def test_a_change_that_is_overtaken_is_made_again() -> None:
    """On what is there then; after three times it is refused."""
    going = effect(change(ChangeKind.LATCH), LATCH)
    failed_test = refused(422, "Invalid", "the server rejected our request", {})
    answer, _, api = await _acted(going, THERE, OVERTAKEN, THERE, failed_test, THERE, THERE)
    assert answer == Done(objects.CLAIM_UID)
    assert len(api.requests) == 6
    answer, _, _ = await _acted(going, *(THERE, OVERTAKEN) * 3)
    assert answer == Refused(409, "Conflict", "the object has been modified")


@pytest.mark.parametrize("gone", [NOT_FOUND, Response(200, objects.claim(uid="another"))])
async def test_a_change_of_what_is_gone_was_not_made(gone: Response) -> None:
    """Another object of the name never gets the latch; that the one is gone is said."""
    going = effect(change(ChangeKind.LATCH), LATCH)
    performed = await perform(going, ScriptedApi(gone), timeout_seconds=10)
    assert performed.answer == Absent()
    first = performed.observations[0]
    assert isinstance(first, Deleted)
    assert (first.subject.uid, first.settled) == (objects.CLAIM_UID, True)
    assert await _looked(going, gone) == Absent()
    release = effect(change(ChangeKind.RELEASE), {"finalizer": "f"})
    assert (await _acted(release, gone))[0] == Done(objects.CLAIM_UID, found=True)


async def test_a_404_about_something_else_tells_nothing() -> None:
    """Whatever was to be done may have happened."""
    for elsewhere in ELSEWHERE:
        for going in (effect(change(ChangeKind.LATCH), LATCH), effect(DELETE)):
            assert isinstance((await _acted(going, elsewhere))[0], Unknown)
            assert isinstance(await _looked(going, elsewhere), Unknown)
        assert isinstance(await _looked(effect(CREATE), elsewhere), Unknown)


async def test_looking_up_says_whether_it_landed() -> None:
    """A create by who holds the name, a change by what is there."""
    foreign = _claim(annotations=None, labels=None)
    assert await _looked(effect(CREATE), THERE) == Done(objects.CLAIM_UID, found=True)
    assert await _looked(Effect(7, "prod", CREATE), THERE) == Done(objects.CLAIM_UID, found=True)
    assert await _looked(effect(CREATE), foreign) == Absent()
    assert await _looked(effect(CREATE), NOT_FOUND) == Absent()
    assert isinstance(await _looked(effect(CREATE), ApiUnanswered("cut")), Unknown)
    latched = Response(200, objects.claim(notes=LATCH["annotations"]))
    going = effect(change(ChangeKind.LATCH), LATCH)
    assert await _looked(going, latched) == Done(objects.CLAIM_UID, found=True)
    assert await _looked(going, THERE) == Absent()
    assert isinstance(await _looked(going, Response(200, {})), Unknown)
    seen = (await look_up(going, ScriptedApi(latched), timeout_seconds=10)).observations
    assert [type(one) for one in seen] == [Seen]


def _vault(value: str = TOKEN) -> SecretVault:
    """A vault in which the user's own Secret is, of the cluster `home`."""
    vault = SecretVault(b"k" * 32)
    raw = objects.secret({"HF_TOKEN": value})
    raw["metadata"] |= {"namespace": "ml-team", "name": "hub"}
    vault.keep("home", raw)
    return vault


def _secret_body(**token: str) -> Raw:
    named = {"namespace": "ml-team", "name": "hub", "key": "HF_TOKEN"}
    digest = _vault().digest(ENCODED)
    metadata = {"name": objects.SECRET_NAME, "annotations": objects.OWNER}
    return {"metadata": metadata, "token": {**named, "digest": digest, **token}}


async def test_a_secret_is_created_with_the_value_that_was_decided_on() -> None:
    """The value goes out as the user's Secret has it, and comes into no observation."""
    vault = _vault()
    api = ScriptedApi(Response(201, objects.secret({"HF_TOKEN": TOKEN})))
    going = effect(Create(*SECRET_PLACE, "digest"), _secret_body())
    performed = await perform(
        going, DiscreetApi(api, vault), timeout_seconds=10, tokens=vault.tokens("home")
    )
    assert performed.answer == Done("secret-uid")
    assert api.requests[0].body == {
        "metadata": _secret_body()["metadata"],
        "data": {"HF_TOKEN": ENCODED},
    }
    assert [type(one) for one in performed.observations] == [Seen]
    assert TOKEN not in str(performed)
    assert ENCODED not in str(performed)


@pytest.mark.parametrize("token", [{"digest": "another"}, {"key": "OTHER"}, {"name": "else"}])
async def test_a_token_that_is_not_to_be_had_is_not_written(token: dict[str, str]) -> None:
    """It has changed since, or is gone: then nothing is done, and it is decided anew."""
    for intent in (
        Create(*SECRET_PLACE, "digest"),
        Change(*SECRET_PLACE, "secret-uid", ChangeKind.ROTATE, "digest"),
    ):
        vault = _vault()
        answers = () if isinstance(intent, Create) else (Response(200, objects.secret({})),)
        api = DiscreetApi(ScriptedApi(*answers), vault)
        going = effect(intent, _secret_body(**token))
        performed = await perform(going, api, timeout_seconds=10, tokens=vault.tokens("home"))
        assert performed.answer == Absent()
    without = await perform(going, ScriptedApi(*answers), timeout_seconds=10)
    assert without.answer == Absent()


async def test_a_token_is_rotated_once() -> None:
    """The copy holds the one key that is asked for, and is written only when it does not."""
    vault = _vault()
    rotate = Change(*SECRET_PLACE, "secret-uid", ChangeKind.ROTATE, "digest")
    going = effect(rotate, {"token": _secret_body()["token"]})
    old = Response(200, objects.secret({"HF_TOKEN": "old-marker", "EARLIER": "old-marker"}))
    new = Response(200, objects.secret({"HF_TOKEN": TOKEN}))
    api = ScriptedApi(old, new, new, new)
    discreet = DiscreetApi(api, vault)
    tokens = vault.tokens("home")
    performed = await perform(going, discreet, timeout_seconds=10, tokens=tokens)
    assert performed.answer == Done("secret-uid")
    whole = {"op": "add", "path": "/data", "value": {"HF_TOKEN": ENCODED}}
    assert api.requests[1].body[2:] == [whole]
    performed = await perform(going, discreet, timeout_seconds=10, tokens=tokens)
    assert performed.answer == Done("secret-uid", found=True)
    looked = await look_up(going, discreet, timeout_seconds=10)
    assert looked.answer == Done("secret-uid", found=True)
