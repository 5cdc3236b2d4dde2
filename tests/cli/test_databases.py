"""`warmlog db`: a log's tables and numbers."""

import json
from pathlib import Path

from adapters.cli.exit_codes import ExitCode
from tests.cli.commands import printed, warmlog


def test_statistics_count_every_row(demo_log: Path, exported: Path) -> None:
    """The rows of all types together are the rows of the log, and their sizes are positive."""
    document = json.loads(printed("db", "stats", demo_log, "-o", "json"))
    rows = len(exported.read_bytes().splitlines()) - 1
    assert document["rows"] == document["position"] == rows
    assert sum(each["rows"] for each in document["types"]) == rows
    assert all(each["dataBytes"] > 0 for each in document["types"])
    assert document["firstAt"] == "2026-01-01T00:00:02Z"


def test_statistics_are_a_table_for_people(demo_log: Path) -> None:
    """The table begins with the type that has most rows; above it stands what log it is."""
    lines = printed("db", "stats", demo_log).splitlines()
    assert lines[0].startswith(f"{demo_log}: ")
    assert lines[3].split() == ["TYPE", "ROWS", "DATA"]
    counts = [int(line.split()[1]) for line in lines[4:]]
    assert counts == sorted(counts, reverse=True)


def test_an_upgrade_of_a_newest_log_changes_nothing(demo_log: Path) -> None:
    """A log whose tables are this version's says so and stays as it is."""
    held = demo_log.read_bytes()
    assert "already" in printed("db", "upgrade", demo_log)
    document = json.loads(printed("db", "upgrade", demo_log, "-o", "json"))
    assert document["from"] == document["to"]
    assert demo_log.read_bytes() == held


def test_files_of_json_lines_are_no_databases(exported: Path) -> None:
    """A JSON Lines file has no statistics and no tables; the sentence says how to make a log."""
    for command in ("stats", "upgrade"):
        result = warmlog("db", command, exported)
        assert result.exit_code == ExitCode.LOG_UNREADABLE
        assert "import" in result.stderr
