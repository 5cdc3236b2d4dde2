"""`warmlog` as a process: bytes that depend on nothing but the log, pipes, terminals, signals."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.cli.exit_codes import ExitCode
from tests.cli.commands import REF
from tests.repository import ROOT

COMMAND = [sys.executable, "-m", "adapters.cli.entering"]
IN_TURN = """
import json, sys
from adapters.cli.main import app
for command in json.loads(sys.argv[1]):
    app(command, standalone_mode=False)
    print(end=chr(0), flush=True)
"""
SURROUNDINGS = (
    {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"},
    {"PYTHONHASHSEED": "1", "TZ": "Asia/Kolkata", "LC_ALL": "C"},
)


def environment(**more: str) -> dict[str, str]:
    """The environment of a process that finds this repository's packages from any folder."""
    kept = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    return {**kept, "PYTHONPATH": str(ROOT), **more}


def output(*arguments: str | Path, cwd: Path, **more: str) -> bytes:
    """Run a command that ends well, in a process of its own, and give what it printed."""
    return printed([*COMMAND, *map(str, arguments)], cwd, **more)


def outputs(*commands: tuple[str, ...], cwd: Path, **more: str) -> list[bytes]:
    """Run commands one after the other in one process, and give what each printed."""
    told = printed([sys.executable, "-c", IN_TURN, json.dumps(commands)], cwd, **more)
    return told.split(b"\0")[: len(commands)]


def printed(words: list[str], cwd: Path, **more: str) -> bytes:
    """Run a process that ends well and complains of nothing, and give what it printed."""
    done = subprocess.run(words, cwd=cwd, env=environment(**more), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    return done.stdout


def test_one_seed_is_one_log(tmp_path: Path) -> None:
    """Two demos of one seed, under other hash seeds, zones and folders, differ in no byte."""
    told: list[list[bytes]] = []
    for number, around in enumerate(SURROUNDINGS):
        folder = tmp_path / f"place {number}"
        folder.mkdir()
        demo = ("demo", "--nodes", "20", "--seed", "7", "--log", f"log-{number}.db")
        log = folder / f"log-{number}.db"
        shown = outputs(
            demo,
            ("export", str(log)),
            ("replay", str(log), "-o", "json"),
            ("replay", str(log), "--at", "00:00:09", "-o", "json"),
            ("explain", REF, "--log", str(log), "--at", "-5s"),
            cwd=folder,
            **around,
        )
        told.append([each.replace(log.name.encode(), b"LOG") for each in shown])
    assert told[0] == told[1]
    assert all(told[0])
    assert told[0][1].count(b"\n") > 200


def test_a_reader_who_leaves_is_no_error(demo_log: Path) -> None:
    """When whoever reads stops reading, the command ends at once, silently, with its own code."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, "export", str(demo_log)],
        env=environment(),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (ExitCode.PIPE_CLOSED, b"")


@pytest.mark.parametrize("command", ["export", "replay"])
def test_a_full_disk_is_one_sentence(command: str, demo_log: Path) -> None:
    """What cannot be written is said in one line, also when that shows at the very end."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, command, str(demo_log)],
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == ExitCode.OUTPUT_FAILED
    assert done.stderr == b"warmlog: The output cannot be written: No space left on device.\n"


def test_help_needs_no_database_and_no_simulator() -> None:
    """`--help` imports neither SQLAlchemy nor the simulator, so that it is there at once."""
    watched = (
        "import sys; from adapters.cli.main import app; "
        "found = {'sqlalchemy', 'adapters.simulator', 'aiohttp', 'pydantic'} & set(sys.modules); "
        "print(sorted(found))"
    )
    done = subprocess.run(
        [sys.executable, "-c", watched], env=environment(), capture_output=True, check=True
    )
    assert done.stdout == b"[]\n"


class Terminal:
    """A command that sees a terminal of 100 columns."""

    def __init__(self, *arguments: str, cwd: Path) -> None:
        """Start it."""
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=cwd,
            env=environment(COLUMNS="100", LINES="30", TERM="xterm"),
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)
        self.text = ""

    def read_until(self, wanted: str) -> None:
        """Read on until `wanted` has been shown, or all is over."""
        while wanted not in self.text and self.read():
            pass

    def read(self) -> bool:
        """Read what was printed since; False once the command has ended."""
        try:
            found = os.read(self._master, 65536)
        except OSError:  # what Linux gives when the other end is closed
            return False
        self.text += found.decode(errors="replace")
        return bool(found)

    def end(self) -> int:
        """Read the rest and give the exit code."""
        while self.read():
            pass
        os.close(self._master)
        return self.process.wait(timeout=30)


def test_on_a_terminal_a_table_moves(tmp_path: Path) -> None:
    """On a terminal the nodes are redrawn in place, and the last table stays."""
    terminal = Terminal("demo", "--nodes", "1", "--log", "demo.db", cwd=tmp_path)
    assert terminal.end() == 0
    assert "\x1b[?25l" in terminal.text  # the cursor hides while the table moves
    assert "\x1b[?25h" in terminal.text
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.text)
    assert "virtual time" in plain
    assert "Hydrating" in plain
    tail = plain[plain.rindex("NODE") :]
    assert re.search(r"gpu-01 +Ready", tail)
    assert "1 of 1 nodes are Ready" in tail


def test_an_interrupted_demo_leaves_a_log(tmp_path: Path) -> None:
    """Ctrl-C ends a demo at once; the log so far is named, and whole."""
    terminal = Terminal("demo", "--log", "demo.db", cwd=tmp_path)
    terminal.read_until("Hydrating")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == ExitCode.INTERRUPTED
    assert "stopped; the log so far is demo.db" in terminal.text
    assert "Traceback" not in terminal.text
    assert b"no divergence" in output("verify", tmp_path / "demo.db", cwd=tmp_path)
