"""Pages that show the log: `/explain` in text and JSON, guarded, read-only, one at a time."""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import aiohttp
import pytest

from adapters.explaining.answers import Answer
from adapters.http.asking import MOST_WAITING, Asker
from adapters.http.guarding import Guard
from adapters.http.pages import pages_over
from adapters.http.serving import serving
from tests.cli.commands import REF, printed, warmlog
from tests.http.test_guarding import Judge
from tests.http.test_serving import HOST, OK, Told
from tests.recordings.reading import FOLDER

LOG = FOLDER / "demo.jsonl"


class Got(NamedTuple):
    """What was answered."""

    code: int
    kind: str
    text: str
    headers: Mapping[str, str]


async def ask(
    path: str, *, log: Path = LOG, listens_on: str = HOST, method: str = "GET", **headers: str
) -> Got:
    """Ask a server of a log; underscores of header names stand for hyphens."""
    pages = pages_over(str(log), Guard(listens_on, Judge()))
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with (
        serving(Told(OK), HOST, 0, pages) as port,
        aiohttp.ClientSession() as session,
        session.request(method, f"http://{HOST}:{port}{path}", headers=named) as response,
    ):
        told = await response.text()
        return Got(response.status, response.content_type, told, response.headers)


@pytest.mark.parametrize("at", ["", "40", "00:00:05"])
async def test_it_is_the_very_text_of_the_command(at: str) -> None:
    """Now and in the past, `/explain` says word for word what `warmlog explain` prints."""
    got = await ask(f"/explain?object={REF}" + (f"&at={at}" if at else ""))
    assert (got.code, got.kind) == (200, "text/plain")
    options = ("--at", at) if at else ()
    expected = await asyncio.to_thread(printed, "explain", REF, "--log", str(LOG), *options)
    assert got.text == expected


async def test_a_node_is_explained_by_its_own_name() -> None:
    """What is no object of warmlog's has its explanation there, too; who asks there has no log."""
    got = await ask("/explain?object=node/gpu-01")
    told = await asyncio.to_thread(warmlog, "explain", "node/gpu-01", WARMLOG_LOG=str(LOG))
    assert (got.code, got.text) == (200, told.stdout)


@pytest.mark.parametrize(
    ("query", "accept"), [("&format=json", "*/*"), ("", "application/json"), ("&node=gpu-04", "")]
)
async def test_json_to_who_asks_for_it(query: str, accept: str) -> None:
    """By `format` or by Accept it is the document of `-o json`; a node is asked for as well."""
    node = ("--node", "gpu-04") if "node" in query else ()
    query += "&format=json" if node else ""
    got = await ask(f"/explain?object={REF}{query}", Accept=accept)
    assert (got.code, got.kind) == (200, "application/json")
    wanted = ("explain", REF, "--log", str(LOG), "-o", "json", *node)
    assert got.text == await asyncio.to_thread(printed, *wanted)


@pytest.mark.parametrize(
    ("query", "code", "words"),
    [
        ("", 400, "?object=KIND/NAMESPACE/NAME"),
        ("?object=nothing", 400, "names no object"),
        (f"?object={REF}&at=99999", 400, "is no position of this log"),
        (f"?object={REF}&on=east", 400, "leave it out"),
        ("?object=mw/default/other", 404, "holds no ModelWarmup/default/other"),
    ],
)
async def test_what_is_wrong_is_said_with_what_to_do(query: str, code: int, words: str) -> None:
    """A question that means nothing, or about nobody, has its code and one sentence."""
    got = await ask(f"/explain{query}", Accept="application/json")
    assert got.code == code
    told = json.loads(got.text)
    assert told["code"] == code
    assert words in told["error"]


async def test_a_log_that_cannot_be_read(tmp_path: Path) -> None:
    """Then the question has no answer, and it is said why."""
    got = await ask(f"/explain?object={REF}", log=tmp_path / "none.db")
    assert got.code == 500
    assert "There is no log at" in got.text


async def test_others_are_refused_and_told_what_to_grant() -> None:
    """Off loopback: 401 with the scheme to use, 403 for a bearer who may not, else the answer."""
    path = f"/explain?object={REF}"
    refused = await ask(path, listens_on="10.0.0.5")
    assert (refused.code, refused.headers["WWW-Authenticate"]) == (401, 'Bearer realm="warmlog"')
    forbidden = await ask(path, listens_on="10.0.0.5", Authorization="Bearer bad")
    assert (forbidden.code, forbidden.text) == (403, "they may not\n")
    answered = await ask(path, listens_on="10.0.0.5", Authorization="Bearer good")
    assert answered.code == 200
    rebound = await ask(path, Host="evil.example")
    assert rebound.code == 401
    forwarded = await ask(path, X_Forwarded_For="10.1.2.3")
    assert forwarded.code == 401


async def test_it_can_only_be_read() -> None:
    """Other methods are refused, and every answer says that browsers may make nothing of it."""
    assert (await ask("/explain", method="POST")).code == 405
    assert (await ask("/explain", method="DELETE")).code == 405
    head = await ask(f"/explain?object={REF}", method="HEAD")
    assert (head.code, head.text) == (200, "")
    assert head.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert head.headers["X-Content-Type-Options"] == "nosniff"
    assert head.headers["Cache-Control"] == "no-store"


def script(text: str) -> tuple[str, ...]:
    """A process that runs this instead of the one that explains."""
    return sys.executable, "-c", text


async def test_a_question_that_takes_too_long_is_ended() -> None:
    """After its time there is an answer that says so, and nobody waits for the process any more."""
    asker = Asker("log", script("import time; time.sleep(600)"), longest_seconds=0.01)
    late = await asker.ask({})
    assert late.code == 504
    assert "warmlog explain" in late.body


async def test_questions_wait_their_turn_and_not_too_many() -> None:
    """One is answered at a time; whoever comes to a full queue is told at once."""
    asker = Asker("log", script("import sys; sys.stdin.read(); print('[200, \"told\"]')"))
    told = await asyncio.gather(*(asker.ask({}) for _ in range(MOST_WAITING + 1)))
    assert told[:-1] == [Answer(200, "told")] * MOST_WAITING
    assert told[-1].code == 503
    assert await asker.ask({}) == Answer(200, "told")


async def test_a_process_that_dies_is_an_error() -> None:
    """Whatever kills it, the one who asked is told, and the next question is answered."""
    assert (await Asker("log", script("raise SystemExit(9)")).ask({})).code == 500


async def test_the_log_is_in_nobodys_sight() -> None:
    """The log's URL, which may hold a password, is no argument of the process: it is sent to it."""
    text = "import json, sys; print(json.dumps([200, [sys.argv, json.load(sys.stdin)['log']]]))"
    answer = await Asker("postgresql://u:hush@db/log", script(text)).ask({})
    assert answer.body == [["-c"], "postgresql://u:hush@db/log"]
