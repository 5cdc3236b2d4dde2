"""`warmlog verify`: no divergence in what this code recorded, each one named in what it did not."""

import json
from pathlib import Path

import pytest

from adapters.cli.exit_codes import ExitCode
from engine.canonical_json import dumps, loads
from tests.cli.commands import printed, warmlog


def altered(source: Path, path: Path) -> Path:
    """A recording whose first create went to another Job name than this code would give."""
    lines = source.read_text().splitlines(keepends=True)
    index = next(n for n, line in enumerate(lines) if '"type":"CreateJobIntended"' in line)
    row = loads(lines[index])
    row["data"]["job_name"] = "somebody-elses"
    lines[index] = dumps(row) + "\n"
    path.write_text("".join(lines))
    return path


def test_a_recording_of_this_code_has_no_divergence(demo_log: Path) -> None:
    """What this code recorded, it would decide again; one line says how many rows that was."""
    text = printed("verify", demo_log)
    assert text.startswith("no divergence: all of ")
    assert text.count("\n") == 1


def test_a_divergence_is_named_with_its_position(exported: Path, tmp_path: Path) -> None:
    """A decision that this code makes otherwise is printed, both ways, and the exit code is 1."""
    path = altered(exported, tmp_path / "altered.jsonl")
    result = warmlog("verify", path)
    assert result.exit_code == ExitCode.DIFFERENT
    first, last = result.stdout.splitlines()[0], result.stdout.splitlines()[-1]
    assert first.startswith("position 16: after fact 15 the recording decided CreateJobIntended")
    assert "somebody-elses" in first
    assert "divergence" in last


def test_divergences_are_data_too(exported: Path, tmp_path: Path) -> None:
    """-o json holds what was recorded and what is decided, as JSON, and who recorded it."""
    path = altered(exported, tmp_path / "altered.jsonl")
    document = json.loads(warmlog("verify", path, "-o", "json").stdout)
    first = document["divergences"][0]
    assert first["position"] == 16
    assert first["recorded"]["data"]["job_name"] == "somebody-elses"
    assert first["decided"]["data"]["job_name"].startswith("runtime-image-warmup-")
    assert document["recordedBy"][0]["version"] == "0.1.0"
    assert json.loads(printed("verify", exported, "-o", "json"))["divergences"] == []


def test_a_cut_file_is_verified_up_to_its_cut(cut: Path) -> None:
    """The rows before a cut are verified; the exit code tells that there may have been more."""
    result = warmlog("verify", cut)
    assert result.exit_code == ExitCode.LOG_CUT
    assert "all of 39 rows" in result.stdout


@pytest.mark.parametrize("rows", range(14, 21))
def test_a_cut_between_facts_and_decisions_is_no_divergence(
    rows: int, exported: Path, tmp_path: Path
) -> None:
    """Decisions that stand behind the cut are not taken for decisions that were not made."""
    path = tmp_path / "cut.jsonl"
    lines = exported.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: rows + 1]))
    result = warmlog("verify", path)
    assert result.exit_code == ExitCode.LOG_CUT, result.stdout
