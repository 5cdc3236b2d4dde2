"""An API server seen past the vault: no secret comes any further."""

from contextlib import aclosing
from typing import Any

import pytest

from adapters.kubernetes.discretion import DiscreetApi
from adapters.kubernetes.kinds import (
    HYDRATION_POD,
    SECRET,
    get_request,
    list_request,
    named,
    watch_request,
)
from adapters.kubernetes.vaults import SecretVault
from adapters.ports import ApiUnanswered, Request, Response
from tests.kubernetes import cache_objects as objects
from tests.kubernetes.fakes import Answer, Script, ScriptedApi, page, refused

TOKEN = "hf-t0ken-marker"
ONE = named(SECRET, objects.NAMESPACE, objects.SECRET_NAME)
GET = get_request(SECRET, objects.NAMESPACE, objects.SECRET_NAME)
RAW = objects.secret({"HF_TOKEN": TOKEN})


def _discreet(*answers: Answer, watches: list[Script] | None = None) -> tuple[Any, SecretVault]:
    vault = SecretVault(b"k" * 32)
    return DiscreetApi(ScriptedApi(*answers, watches=watches), vault), vault


def _value(vault: SecretVault) -> str | None:
    return vault.text_of("prod", objects.NAMESPACE, objects.SECRET_NAME, "HF_TOKEN")


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (GET, Response(200, RAW)),
        (list_request(ONE), page(RAW)),
        (list_request(SECRET), page(RAW)),
        (Request("POST", SECRET.path(objects.NAMESPACE), body=RAW), Response(201, RAW)),
    ],
)
async def test_secrets_leave_their_values(request_: Request, answer: Response) -> None:
    """Whether got, listed or created: the vault has the values, the answer has digests."""
    api, vault = _discreet(answer)
    response = await api.send(request_, timeout_seconds=1)
    assert TOKEN not in str(response)
    assert RAW["data"]["HF_TOKEN"] not in str(response)
    assert "digests" in str(response.body)
    assert _value(vault) == TOKEN


async def test_a_watched_secret_comes_and_goes() -> None:
    """Each event leaves its values; the end of the Secret makes them nobody's, but struck out."""
    events: Script = [
        {"type": "ADDED", "object": RAW},
        {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "9"}}},
        {"type": "DELETED", "object": RAW},
        {"type": "ERROR", "object": {"code": 403, "message": f"no {TOKEN}"}},
    ]
    api, vault = _discreet(watches=[events])
    async with aclosing(api.watch(watch_request(ONE, "1", seconds=9), idle_seconds=1)) as stream:
        given = [(event, _value(vault)) async for event in stream]
    assert TOKEN not in str([event for event, _ in given])
    assert [value for _, value in given] == [TOKEN, TOKEN, None, None]
    assert given[3][0]["object"] == {"code": 403, "message": "no …"}


async def test_a_list_without_the_secret_forgets_it() -> None:
    """It was deleted while nobody watched."""
    api, vault = _discreet(Response(200, RAW), page())
    await api.send(GET, timeout_seconds=1)
    await api.send(list_request(ONE), timeout_seconds=1)
    assert _value(vault) is None


async def test_words_hold_no_secret() -> None:
    """Refusals, broken connections, statuses and Events are quoted without it."""
    pod = objects.hydration_pod({"message": TOKEN, "conditions": [{"message": f"a {TOKEN}"}]})
    pod["spec"]["note"] = TOKEN
    api, _ = _discreet(
        Response(200, RAW),
        refused(422, "Invalid", f"bad {TOKEN}", {"causes": [{"message": TOKEN}]}),
        ApiUnanswered(f"cut at {TOKEN}"),
        page(pod, {"reason": "Failed", "message": f"said {TOKEN}"}),
    )
    await api.send(GET, timeout_seconds=1)
    request = list_request(HYDRATION_POD)
    response = await api.send(request, timeout_seconds=1)
    assert response.body["message"] == "bad …"
    assert TOKEN not in str(response)
    with pytest.raises(ApiUnanswered, match=r"\Acut at …\Z"):
        await api.send(request, timeout_seconds=1)
    response = await api.send(request, timeout_seconds=1)
    first, second = response.body["items"]
    assert first["status"] == {"message": "…", "conditions": [{"message": "a …"}]}
    assert first["spec"] == pod["spec"]
    assert second == {"reason": "Failed", "message": "said …"}
