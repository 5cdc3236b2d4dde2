"""What a user can cause: one sentence that says what to do, and a documented exit code."""

import re
import sqlite3
from pathlib import Path

import pytest

from adapters.cli.exit_codes import ExitCode
from adapters.cli.problems import code_of
from adapters.composing import LOST, STOPPED
from engine.errors import (
    EventMalformed,
    Fenced,
    LogForbidden,
    LogFull,
    LogTruncated,
    LogUnavailable,
    LogUnreachable,
    LogUnreadable,
    PositionTaken,
)
from tests.cli.commands import REF, printed, warmlog
from tests.repository import ROOT


def foreign_database(path: Path) -> None:
    """Somebody else's SQLite database."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.commit()
    connection.close()


def newer_log(path: Path) -> None:
    """A log that a later warmlog has written."""
    printed("demo", "--nodes", "1", "--log", path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE log SET format = 99")
    connection.commit()
    connection.close()


def newer_lines(path: Path) -> None:
    """JSON Lines that a later warmlog has written."""
    path.write_text(
        '{"after":0,"epoch":1,"format":99,"lastAt":0,"logId":"x","position":0,"warmlog":"log"}\n'
    )


COMMANDS = {
    "replay": ("replay", "LOG"),
    "explain": ("explain", REF, "--log", "LOG"),
    "verify": ("verify", "LOG"),
    "export": ("export", "LOG"),
    "stats": ("db", "stats", "LOG"),
    "upgrade": ("db", "upgrade", "LOG"),
}


def run_on(command: str, log: Path | str) -> tuple[int, str, str]:
    """Run one of the commands that read a log; give its code, stdout and stderr."""
    result = warmlog(*(str(log) if word == "LOG" else word for word in COMMANDS[command]))
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["missing.db", "missing.jsonl", "folder"])
def test_a_log_that_is_not_there(command: str, name: str, tmp_path: Path) -> None:
    """A missing file, and a folder, are one sentence that names the path."""
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
    code, stdout, stderr = run_on(command, path)
    assert (code, stdout) == (ExitCode.LOG_UNREADABLE, "")
    assert stderr.startswith("warmlog: ")
    assert str(path) in stderr
    assert stderr.count("\n") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_a_database_of_somebody_else(command: str, tmp_path: Path) -> None:
    """Another program's database is not taken for a log, and is left as it is."""
    path = tmp_path / "recipes.db"
    foreign_database(path)
    held = path.read_bytes()
    code, stdout, stderr = run_on(command, path)
    assert (code, stdout) == (ExitCode.LOG_UNREADABLE, "")
    assert "is not a log of warmlog" in stderr
    assert path.read_bytes() == held


@pytest.mark.parametrize("command", ["replay", "explain", "verify", "export"])
@pytest.mark.parametrize("name", ["newer.db", "newer.jsonl"])
def test_a_log_of_a_later_version(command: str, name: str, tmp_path: Path) -> None:
    """A log of a newer format is refused with the advice to use that version."""
    path = tmp_path / name
    (newer_lines if name.endswith("jsonl") else newer_log)(path)
    code, stdout, stderr = run_on(command, path)
    assert (code, stdout) == (ExitCode.LOG_UNREADABLE, "")
    assert "format 99, written by a newer warmlog" in stderr


@pytest.mark.parametrize("text", ["not json\n", "", '{"a":1}\n'])
def test_a_file_that_is_no_log(text: str, tmp_path: Path) -> None:
    """A .jsonl file whose first line is no header is no log."""
    path = tmp_path / "other.jsonl"
    path.write_text(text)
    code, stdout, stderr = run_on("replay", path)
    assert (code, stdout) == (ExitCode.LOG_UNREADABLE, "")
    assert "is not a log of warmlog" in stderr


def test_a_file_cut_in_its_first_line(exported: Path, tmp_path: Path) -> None:
    """Of a file that ends within its header nothing can be used, and that is said."""
    path = tmp_path / "cut.jsonl"
    path.write_bytes(exported.read_bytes()[:30])
    code, stdout, stderr = run_on("replay", path)
    assert (code, stdout) == (ExitCode.LOG_CUT, "")
    assert "cut at line 1: nothing of the log is left" in stderr


def test_a_damaged_line_is_named(exported: Path, tmp_path: Path) -> None:
    """A line that is no row of a log is named by its number, and the log is not used."""
    path = tmp_path / "damaged.jsonl"
    lines = exported.read_bytes().splitlines(keepends=True)
    lines[9] = b"garbage\n"
    path.write_bytes(b"".join(lines))
    code, _, stderr = run_on("replay", path)
    assert code == ExitCode.LOG_UNREADABLE
    assert "line 10 is damaged" in stderr


@pytest.mark.parametrize("url", ["mysql://u@h/d", "postgresql://u@h:port/d", "sqlite://"])
def test_a_url_that_cannot_be_one(url: str) -> None:
    """A URL of another database, or one that cannot be parsed, says what may be written."""
    code, _, stderr = run_on("replay", url)
    assert code == ExitCode.LOG_UNREADABLE
    assert stderr.count("\n") == 1


def test_a_server_that_does_not_answer() -> None:
    """A database server that is not there may be tried again: its code says so."""
    pytest.importorskip("asyncpg")
    code, _, stderr = run_on("replay", "postgresql://nobody:secret@127.0.0.1:1/none")
    assert code == ExitCode.LOG_UNAVAILABLE
    assert "does not answer" in stderr
    assert "secret" not in stderr


@pytest.mark.parametrize(
    "at", ["yesterday", "0", "99999", "-5", "2026-13-01T00:00:00Z", "25:00:00", "", "1.5"]
)
def test_a_moment_that_is_none(at: str, demo_log: Path) -> None:
    """A bad --at is a wrong command line, answered by what may be written."""
    result = warmlog("replay", demo_log, "--at", at)
    assert (result.exit_code, result.stdout) == (ExitCode.USAGE, "")
    assert result.stderr.startswith("warmlog: --at ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("reference", ["x", "mw/a", "mw//a", "mw/a/b/c", "configmap/a/b", ""])
def test_a_reference_that_names_nothing(reference: str, demo_log: Path) -> None:
    """A reference of another form, or kind, says how one is written."""
    result = warmlog("explain", reference, "--log", demo_log)
    assert result.exit_code == ExitCode.USAGE
    assert "modelwarmup/default/runtime-image-warmup" in result.stderr


@pytest.mark.parametrize(
    "arguments", [("replay",), ("nonsense",), ("replay", "x", "--nonsense"), ("demo", "-o", "xml")]
)
def test_a_wrong_command_line(arguments: tuple[str, ...]) -> None:
    """What cannot be a command is one line that ends with where help is."""
    result = warmlog(*arguments)
    assert (result.exit_code, result.stdout) == (ExitCode.USAGE, "")
    assert re.fullmatch(r"warmlog: .*\. Try `.* --help`\.\n", result.stderr)


def test_no_command_at_all_shows_the_commands() -> None:
    """Without any argument the help is shown, on stderr, since nothing was done."""
    result = warmlog()
    assert result.exit_code == ExitCode.USAGE
    assert "replay" in result.stderr


def test_every_error_has_its_code() -> None:
    """Each kind of error ends with the code that the documentation gives for it."""
    expected = {
        LogUnreadable: ExitCode.LOG_UNREADABLE,
        LogForbidden: ExitCode.LOG_UNREADABLE,
        EventMalformed: ExitCode.LOG_UNREADABLE,
        LogTruncated: ExitCode.LOG_CUT,
        LogUnavailable: ExitCode.LOG_UNAVAILABLE,
        LogUnreachable: ExitCode.LOG_UNAVAILABLE,
        LogFull: ExitCode.LOG_UNAVAILABLE,
        Fenced: ExitCode.SUPERSEDED,
        PositionTaken: ExitCode.SUPERSEDED,
    }
    assert {kind: code_of(kind("words")) for kind in expected} == expected


def test_a_controller_that_lost_its_log_says_so_by_its_code() -> None:
    """What the controller gives when another one took over is the documented code."""
    assert (STOPPED, LOST) == (ExitCode.OK, ExitCode.SUPERSEDED)


def test_the_documentation_lists_every_code() -> None:
    """The table of docs/command-line.md is the list of codes, names and meanings."""
    text = (ROOT / "docs/command-line.md").read_text()
    table = text[text.index("| code | name | meaning |") :]
    rows = re.findall(r"^\| (\d+) \| ([A-Z_]+) \| (.+) \|$", table, re.MULTILINE)
    assert rows == [(str(code.value), code.name, code.meaning) for code in ExitCode]
