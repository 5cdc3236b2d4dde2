"""The live page and what it reads: guarded, read-only, from a process that follows the log."""

import asyncio
import json
import sys

import pytest

from adapters.http.following import MOST_WAITING, Following, Told
from adapters.timeline.pages import live_page
from tests.http.test_guarding import basic
from tests.http.test_pages import LOG, ask, script

ECHO = """
import json, sys
log = json.loads(sys.stdin.readline())["log"]
for asked, line in enumerate(sys.stdin, 1):
    body = json.dumps([log, json.loads(line), asked, sys.argv]).encode()
    sys.stdout.buffer.write(b"[200,%d]\\n" % len(body) + body)
    sys.stdout.flush()
"""
ONCE = ECHO.replace("sys.stdout.flush()", "sys.stdout.flush(); break")


async def test_the_page_may_run_its_own_script_and_ask_its_own_server() -> None:
    """Its header and its element say the same policy; other pages keep theirs."""
    got = await ask("/")
    assert (got.code, got.kind, got.text) == (200, "text/html", live_page())
    policy = got.headers["Content-Security-Policy"]
    assert "script-src 'sha256-" in policy
    assert "connect-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert policy.removesuffix("; frame-ancestors 'none'") in got.text
    other = await ask("/timeline.json")
    assert other.headers["Content-Security-Policy"].startswith("default-src 'none'; frame")
    assert got.headers["Cache-Control"] == other.headers["Cache-Control"] == "no-store"


async def test_the_whole_and_what_came_after_a_position() -> None:
    """Without `after` the whole log with the machines, else what follows, and beyond it nothing."""
    whole = json.loads((await ask("/timeline.json")).text)
    assert (whole["after"], whole["position"]) == (0, len(whole["rows"]["position"]))
    assert whole["machines"]
    assert whole["place"] == str(LOG)
    assert whole["recordedBy"].startswith("recorded by warmlog ")
    end = whole["position"]
    later = json.loads((await ask(f"/timeline.json?after={end - 3}")).text)
    assert later["rows"]["position"] == [end - 2, end - 1, end]
    assert (later["log"], later["machines"]) == (whole["log"], [])
    beyond = json.loads((await ask(f"/timeline.json?after={end + 1000}")).text)
    assert (beyond["rows"]["position"], beyond["lanes"], beyond["position"]) == ([], [], end)


@pytest.mark.parametrize("accepted", ["gzip, deflate", "identity"])
async def test_it_is_compressed_for_who_can_read_that(accepted: str) -> None:
    """It is the same document, compressed or as it is."""
    got = await ask("/timeline.json", Accept_Encoding=accepted)
    assert got.headers.get("Content-Encoding") == ("gzip" if "gzip" in accepted else None)
    assert json.loads(got.text)["format"] == 2


@pytest.mark.parametrize("after", ["-1", "x", "", "1.5", "9" * 19, "٣"])
async def test_what_is_no_position(after: str) -> None:
    """It is refused with a sentence, as JSON."""
    got = await ask(f"/timeline.json?after={after}")
    assert (got.code, got.kind) == (400, "application/json")
    assert "is no position" in json.loads(got.text)["error"]


@pytest.mark.parametrize("path", ["/", "/timeline.json"])
async def test_both_are_guarded_and_can_only_be_read(path: str) -> None:
    """Off loopback a token of somebody who may is needed; nothing but GET and HEAD is answered."""
    refused = await ask(path, listens_on="10.0.0.5")
    assert refused.code == 401
    assert refused.headers["WWW-Authenticate"].startswith('Basic realm="warmlog"')
    assert refused.headers["WWW-Authenticate"].endswith('Bearer realm="warmlog"')
    password = basic("me:good")
    assert (await ask(path, listens_on="10.0.0.5", Authorization=password)).code == 200
    assert (await ask(path, listens_on="10.0.0.5", Authorization="Bearer bad")).code == 403
    assert (await ask(path, listens_on="10.0.0.5", Authorization="Bearer good")).code == 200
    assert (await ask(path, Host="evil.example")).code == 401
    assert (await ask(path, X_Forwarded_For="10.1.2.3")).code == 401
    assert (await ask(path, method="POST")).code == 405
    head = await ask(path, method="HEAD")
    assert (head.code, head.text) == (200, "")


async def test_one_process_is_asked_again_and_again() -> None:
    """It is told the log's place where nobody can read it, and stays."""
    following = Following("postgresql://u:hush@db/log", script(ECHO))
    told = [json.loads((await following.ask(after)).body) for after in (0, 7)]
    await following.close()
    log = "postgresql://u:hush@db/log"
    assert told == [
        [log, {"after": 0, "gzip": False}, 1, ["-c"]],
        [log, {"after": 7, "gzip": False}, 2, ["-c"]],
    ]


async def test_one_that_ended_is_begun_anew() -> None:
    """Whoever asks after its end has an answer from another one."""
    following = Following("log", script(ONCE))
    told = [json.loads((await following.ask(after)).body)[1:3] for after in (1, 2)]
    assert told == [[{"after": 1, "gzip": False}, 1], [{"after": 2, "gzip": False}, 1]]
    await following.close()


@pytest.mark.parametrize(
    "text",
    [
        "raise SystemExit(9)",
        "import sys; sys.stdin.readline(); sys.stdout.write('[200,99]\\nshort')",
    ],
)
async def test_one_that_ends_without_an_answer(text: str) -> None:
    """It is an error, and nobody waits for it."""
    told = await Following("log", script(text)).ask(0)
    assert told.code == 500
    assert b"ask again" in told.body


async def test_one_that_is_silent_is_ended() -> None:
    """After its time there is a sentence, and the next one is asked of another process."""
    following = Following("log", script("import time; time.sleep(600)"), longest_seconds=0.01)
    assert (await following.ask(0)).code == 504
    assert (await following.ask(0)).code == 504


async def test_questions_wait_their_turn_and_not_too_many() -> None:
    """One is answered at a time; whoever comes to a full queue is told at once."""
    following = Following("log", script(ECHO))
    told = await asyncio.gather(*(following.ask(0) for _ in range(MOST_WAITING + 1)))
    await following.close()
    assert [one.code for one in told[:-1]] == [200] * MOST_WAITING
    assert told[-1] == Told(503, f"{MOST_WAITING} questions wait already: "
                            "ask again in a moment.".encode())  # fmt: skip


async def test_a_program_that_is_not_there() -> None:
    """That is an error like any other."""
    assert (await Following("log", (f"{sys.executable}-none",)).ask(0)).code == 500
