"""`warmlog lint`: each rule finds what it is for, and nothing in whole logs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.cli.exit_codes import ExitCode
from machines.linting import RULES
from tests.cli.commands import printed, warmlog
from tests.recordings.reading import FOLDER, names

Row = dict[str, Any]
Change = Callable[[list[Row]], object]


def linted(path: Path, *options: str) -> tuple[int, dict[str, int]]:
    """The exit code, and how often each rule was broken."""
    result = warmlog("lint", path, *options, "-o", "json")
    [log] = json.loads(result.stdout)["logs"]
    return result.exit_code, log["counts"]


def first(rows: list[Row], kind: str) -> Row:
    """The first row of a type."""
    return next(row for row in rows if row["type"] == kind)


def drop(rows: list[Row], kind: str) -> None:
    """Take out the first row of a type, and number those after it anew."""
    gone = first(rows, kind)["seq"]
    rows[:] = [row for row in rows if row["seq"] != gone]
    for row in rows[gone - 1 :]:
        row["seq"] -= 1
        for name in ("cause", "seen"):
            row[name] = row[name] and row[name] - (row[name] > gone)


BROKEN: dict[str, Change] = {
    "E101": lambda rows: rows.pop(20),
    "E102": lambda rows: rows[20].update(at=rows[19]["at"] - 1),
    "E103": lambda rows: rows[19].update(epoch=2),
    "E104": lambda rows: rows[20].update(type="SomethingNew"),
    "E105": lambda rows: rows[20].update(version=99),
    "E106": lambda rows: first(rows, "JobSeen")["data"].pop("level"),
    "E107": lambda rows: first(rows, "CreateJobIntended").update(cause=70),
    "E108": lambda rows: first(rows, "IntentDone").update(cause=1),
    "E109": lambda rows: first(rows, "CreateJobIntended").update(seen=None),
    "W201": lambda rows: drop(rows, "SessionStarted"),
    "W202": lambda rows: drop(rows, "Synced"),
    "W203": lambda rows: rows.append(
        {**rows[0], "seq": len(rows) + 1, "at": rows[-1]["at"],
         "data": {**rows[0]["data"], "version": "9.9"}}
    ),
    "W204": lambda rows: first(rows, "PodSeen")["data"]["level"].update(
        message="401 for https://somebody:a-password@registry.example/v2"
    ),
}  # fmt: skip


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A recording to be broken."""
    path = tmp_path / "recording.jsonl"
    path.write_bytes((FOLDER / "one_node_cannot_pull.jsonl").read_bytes())
    return path


def rewrite(path: Path, change: Change) -> None:
    """Change the rows of a file, and its header with their number."""
    header, *lines = path.read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    change(rows)
    head = {**json.loads(header), "position": rows[-1]["seq"]}
    texts = (json.dumps(each, sort_keys=True, separators=(",", ":")) for each in (head, *rows))
    path.write_text("".join(f"{text}\n" for text in texts))


@pytest.mark.parametrize("name", names())
def test_nothing_is_wrong_with_a_whole_log(name: str) -> None:
    """Every named recording is free of errors."""
    code, counts = linted(FOLDER / f"{name}.jsonl")
    assert code == ExitCode.OK
    assert [code for code in counts if code.startswith("E")] == []


def test_nothing_is_wrong_with_a_database(demo_log: Path) -> None:
    """A log in a database is looked at as well, with warnings as errors."""
    assert linted(demo_log, "--strict") == (ExitCode.OK, {})


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_rule_is_found(rule: str, recording: Path) -> None:
    """Its code is among the findings; an error ends with 1, a warning only with --strict."""
    rewrite(recording, BROKEN[rule])
    code, counts = linted(recording)
    assert counts.get(rule), counts
    errors = any(found.startswith("E") for found in counts)
    assert code == (ExitCode.DIFFERENT if errors else ExitCode.OK)
    assert linted(recording, "--strict")[0] == ExitCode.DIFFERENT


def test_a_damaged_line_does_not_hide_what_comes_after_it(recording: Path) -> None:
    """It is named by its number, rows after it are looked at, and the cut end is another rule."""
    lines = recording.read_bytes().splitlines(keepends=True)
    lines[10] = b"not a row\n"
    lines[30:] = [lines[30][:40]]
    recording.write_bytes(b"".join(lines))
    result = warmlog("lint", recording)
    assert result.exit_code == ExitCode.DIFFERENT
    assert "E110 a line that is no row: line 11: it is no row of a log" in result.stdout
    assert "E101 a gap in the order: it follows 9" in result.stdout
    assert "W205 the file is cut: line 31" in result.stdout


def test_every_rule_has_been_broken() -> None:
    """No rule is listed that no test breaks."""
    assert BROKEN.keys() | {"E110", "W205"} == {rule.code for rule in RULES}


def test_many_findings_of_one_rule_are_counted(recording: Path) -> None:
    """The first are shown, and the others are a number."""

    def break_many(rows: list[Row]) -> None:
        for row in rows[10:40]:
            row["version"] = 99

    rewrite(recording, break_many)
    shown = warmlog("lint", recording).stdout
    assert shown.count("E105 an unknown version of a row") == 20
    assert "E105 10 times more" in shown


def test_several_recordings_are_looked_at(demo_log: Path, recording: Path) -> None:
    """The last line sums up all of them."""
    shown = printed("lint", demo_log, recording)
    assert shown.splitlines()[-1].startswith("0 errors and ")
