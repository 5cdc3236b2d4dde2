"""The commands on the log of a running controller, by its address."""

import asyncio
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from adapters.cli.exit_codes import ExitCode
from tests.cli.commands import REF, printed, warmlog
from tests.cli.controllers import EXPOSED, served_log
from tests.cli.terminals import COMMAND, Window
from tests.recordings.reading import FOLDER
from tests.repository import ROOT
from tests.timeline.growing import growing

DEMO = FOLDER / "demo.jsonl"
NAME = "one_node_cannot_pull"


@pytest.fixture
def token(tmp_path: Path) -> Path:
    """A file with the token that is let in."""
    path = tmp_path / "token"
    path.write_text("good\n")
    return path


def test_it_is_a_log_like_any_other(tmp_path: Path) -> None:
    """Every command that reads a log gives the same for an address as for a file."""
    with served_log(DEMO) as place:
        for command in (
            ("replay", "LOG", "-o", "json"),
            ("replay", "LOG", "--at", "-5s", "--object", REF, "-o", "json"),
            ("explain", REF, "--log", "LOG"),
            ("export", "LOG"),
        ):
            of_controller, of_file = (
                printed(*(str(log) if word == "LOG" else word for word in command))
                for log in (place.address, DEMO)
            )
            assert of_controller == of_file
        copied = tmp_path / "copy.db"
        assert "log " in printed("import", f"{place.address}/", copied)
    assert printed("export", copied) == DEMO.read_text()


def test_it_is_watched_through_all_that_becomes_of_it(tmp_path: Path) -> None:
    """A page shows what comes, that the controller is away and is back, and another log."""
    log = asyncio.run(growing(tmp_path / "log.db", NAME))
    asyncio.run(log.begin(20))
    with served_log(log.path) as place:
        port = place.port
        window = Window("watch", place.address, columns=160, lines=24)
        shown = window.wait_for("position 20")
        assert f"http://127.0.0.1:{port}" in shown
        asyncio.run(log.grow(20, 30))
        window.wait_for("position 30")
    window.wait_for("lost, and tried again: http://127.0.0.1")
    window.wait_for("does not answer: connection refused")
    asyncio.run(log.grow(30, 40))
    with served_log(log.path, port=port):
        window.wait_for("position 40")
        window.wait_for("WHAT")
        asyncio.run(log.begin(12, anew=True))
        window.wait_for("position 12")
        window.type(b"q")
        assert window.end() == 0
    assert window.left == window.modes


def test_in_a_pipe_there_are_documents(token: Path) -> None:
    """With a token the changes come as of every log, and Ctrl-C is an ordinary end."""
    with served_log(FOLDER / "demo_replicas.jsonl", listens_on=EXPOSED) as place:
        process = subprocess.Popen(
            [*COMMAND, "watch", place.address, "--token-file", str(token), "-o", "json"],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        first = [json.loads(process.stdout.readline()) for _ in range(4)]
        assert {each["kind"] for each in first} == {
            "ModelCache",
            "ModelReplica",
            "InferenceCluster",
        }
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
    assert (process.returncode, rest) == (0, b"")


def test_the_environment_names_the_token_for_every_command(token: Path) -> None:
    """Who exports WARMLOG_TOKEN_FILE is let in; who does not is told what to do."""
    with served_log(DEMO, listens_on=EXPOSED) as place:
        let_in = warmlog("replay", place.address, WARMLOG_TOKEN_FILE=str(token))
        assert (let_in.exit_code, "Degraded" in let_in.stdout) == (0, True)
        for command in ("watch", "replay"):
            unknown = warmlog(command, place.address)
            assert (unknown.exit_code, unknown.stdout) == (ExitCode.LOG_UNREADABLE, "")
            assert "kubectl create token" in unknown.stderr
            assert unknown.stderr.count("\n") == 1
        token.write_text("bad")
        forbidden = warmlog("watch", place.address, "--token-file", token)
        assert forbidden.exit_code == ExitCode.LOG_UNREADABLE
        assert "refuses: they may not" in forbidden.stderr


def test_nobody_is_there() -> None:
    """An address that nothing answers at may be tried again: its code says so."""
    result = warmlog("watch", "http://127.0.0.1:1")
    assert (result.exit_code, result.stdout) == (ExitCode.LOG_UNAVAILABLE, "")
    assert result.stderr == ("warmlog: http://127.0.0.1:1 does not answer: connection refused.\n")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://", "write a controller's as http://HOST:PORT"),
        ("https://:8080", "write a controller's as http://HOST:PORT"),
        ("http://host:port", "write a controller's as http://HOST:PORT"),
        ("http://[::1", "write a controller's as http://HOST:PORT"),
        ("HTTP://me:hush@host:80", "--token-file"),
        ("http://host?token=hush", "--token-file"),
        ("http://host/#hush", "--token-file"),
    ],
)
def test_an_address_that_is_none(address: str, words: str) -> None:
    """It is said what may be written, and nothing of it is repeated."""
    result = warmlog("watch", address)
    assert result.exit_code == ExitCode.LOG_UNREADABLE
    assert words in result.stderr
    assert "hush" not in result.stderr
    assert result.stderr.count("\n") == 1


def test_credentials_are_for_an_address(token: Path, demo_log: Path) -> None:
    """Given with another log they are a slip, whether they name a token or an authority."""
    for option in ("--token-file", "--ca-file"):
        result = warmlog("watch", demo_log, option, token)
        assert result.exit_code == ExitCode.USAGE
        assert "http://HOST:PORT" in result.stderr


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("import", str(DEMO), "ADDRESS"), ExitCode.USAGE),
        (("db", "upgrade", "ADDRESS"), ExitCode.LOG_UNREADABLE),
        (("db", "stats", "ADDRESS"), ExitCode.LOG_UNREADABLE),
        (("record", "--out", "ADDRESS"), ExitCode.USAGE),
        (("run", "--log", "ADDRESS"), ExitCode.USAGE),
    ],
)
def test_what_writes_takes_no_address(command: tuple[str, ...], code: ExitCode) -> None:
    """Nothing is asked there: a controller's log can only be read."""
    address = "http://127.0.0.1:1"
    result = warmlog(*(address if word == "ADDRESS" else word for word in command))
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.count("\n") == 1
    assert "does not answer" not in result.stderr
