"""`warmlog export` and `warmlog import`: a log leaves a database and comes back the same."""

from pathlib import Path

import pytest

from adapters.cli.exit_codes import ExitCode
from tests.cli.commands import printed, warmlog


def test_stdout_and_a_file_get_the_same_bytes(demo_log: Path, exported: Path) -> None:
    """What is written to stdout is what -o writes into a file."""
    result = warmlog("export", demo_log)
    assert result.stdout_bytes == exported.read_bytes()
    assert result.stderr == ""


def test_a_log_comes_back_from_its_export(exported: Path, tmp_path: Path) -> None:
    """Imported and exported again, a log has the same bytes and the same statuses."""
    path = tmp_path / "back.db"
    assert "imported" in printed("import", exported, path)
    again = tmp_path / "again.jsonl"
    printed("export", path, "-o", again)
    assert again.read_bytes() == exported.read_bytes()
    assert printed("replay", path, "-o", "json") == printed("replay", exported, "-o", "json")


def test_an_import_goes_into_a_new_place_only(exported: Path, demo_log: Path) -> None:
    """A log that holds rows already is refused, and keeps them."""
    held = demo_log.read_bytes()
    result = warmlog("import", exported, demo_log)
    assert result.exit_code == ExitCode.EXISTS
    assert "holds rows already" in result.stderr
    assert demo_log.read_bytes() == held


def test_of_a_cut_file_the_rest_becomes_a_whole_log(cut: Path, tmp_path: Path) -> None:
    """The whole rows of a cut file are exported as a log that is whole, and the cut is said."""
    whole = tmp_path / "whole.jsonl"
    result = warmlog("export", cut, "-o", whole)
    assert result.exit_code == ExitCode.LOG_CUT
    assert f"{cut} is cut at line 41" in result.stderr
    printed("verify", whole)
    assert len(whole.read_bytes().splitlines()) == 40


@pytest.mark.parametrize("rows", range(14, 60))
def test_wherever_a_file_is_cut_its_export_holds_whole_turns(
    rows: int, exported: Path, tmp_path: Path
) -> None:
    """Facts and decisions of a turn that the cut goes through are left out, and that is said."""
    cut, whole = tmp_path / "cut.jsonl", tmp_path / "whole.jsonl"
    cut.write_bytes(b"".join(exported.read_bytes().splitlines(keepends=True)[: rows + 1]))
    result = warmlog("export", cut, "-o", whole)
    assert result.exit_code == ExitCode.LOG_CUT
    printed("verify", whole)
    held = len(whole.read_bytes().splitlines()) - 1
    assert held == rows or f"left out after position {held}: {rows - held} row" in result.stderr


def test_an_import_of_a_cut_file_leaves_nothing_behind(cut: Path, tmp_path: Path) -> None:
    """Of a file that is cut no database is made."""
    result = warmlog("import", cut, tmp_path / "log.db")
    assert result.exit_code == ExitCode.LOG_CUT
    assert [path.name for path in tmp_path.iterdir()] == ["cut.jsonl"]


def test_an_import_goes_into_a_database(exported: Path, tmp_path: Path) -> None:
    """A place that would be JSON Lines is refused with the name of the command for it."""
    result = warmlog("import", exported, tmp_path / "log.jsonl")
    assert result.exit_code == ExitCode.USAGE
    assert "`export` makes .jsonl" in result.stderr


def test_a_format_is_no_file(demo_log: Path) -> None:
    """Who says -o json to export is told that -o takes a file."""
    result = warmlog("export", demo_log, "-o", "json")
    assert result.exit_code == ExitCode.USAGE
    assert "-o takes the FILE to write" in result.stderr


def test_a_file_that_cannot_be_written_is_said(demo_log: Path, tmp_path: Path) -> None:
    """A folder that is missing is one sentence, and nothing is left behind."""
    result = warmlog("export", demo_log, "-o", tmp_path / "no" / "log.jsonl")
    assert result.exit_code == ExitCode.OUTPUT_FAILED
    assert "No such file or directory" in result.stderr
    assert list(tmp_path.iterdir()) == []
