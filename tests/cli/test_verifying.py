"""`warmlog verify`: no divergence in what this code recorded, each one named in what it did not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.cli.exit_codes import ExitCode
from engine.canonical_json import dumps, loads
from tests.cli.commands import printed, warmlog

Change = Callable[[dict[str, Any]], object]


def changed(source: Path, path: Path, pick: str, change: Change) -> Path:
    """A recording whose first row with these words is another, as if it had been recorded so."""
    lines = source.read_text().splitlines(keepends=True)
    index = next(n for n, line in enumerate(lines) if pick in line)
    row = loads(lines[index])
    change(row)
    lines[index] = dumps(row) + "\n"
    path.write_text("".join(lines))
    return path


def altered(source: Path, path: Path) -> Path:
    """A recording whose first create went to another Job name than this code would give."""
    return changed(
        source,
        path,
        '"type":"CreateJobIntended"',
        lambda row: row["data"].update(job_name="somebody-elses"),
    )


def of_another_version(source: Path, path: Path) -> Path:
    """A recording whose sessions another version of warmlog began."""
    return changed(
        source,
        path,
        '"type":"SessionStarted"',
        lambda row: row["data"].update(version="0.0.1", code_digest="c0de" * 16),
    )


def found_in(*arguments: str | Path) -> dict[str, Any]:
    """What `verify -o json` gives of one log."""
    [log] = json.loads(warmlog("verify", *arguments, "-o", "json").stdout)["logs"]
    return dict(log)


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


def test_a_divergence_is_narrowed_to_the_objects_it_takes(exported: Path, tmp_path: Path) -> None:
    """The field that differs is told, and the warmup, namespace and node that show it alone."""
    narrowed = found_in(altered(exported, tmp_path / "altered.jsonl"))["divergences"][0]["narrowed"]
    assert [one["path"] for one in narrowed["decision"]] == ["job_name"]
    assert [one["kind"] for one in narrowed["objects"]] == ["ModelWarmup", "Namespace", "Node"]
    assert narrowed["isLeast"]
    assert narrowed["known"] > len(narrowed["objects"])


def test_the_statuses_after_either_decision_are_compared(exported: Path, tmp_path: Path) -> None:
    """What the object's status becomes by the recorded decision and by this code's, by field."""
    path = changed(
        exported,
        tmp_path / "altered.jsonl",
        '"type":"CreateJobIntended"',
        lambda row: row["data"].update(node_name="gpu-99"),
    )
    lines = warmlog("verify", path).stdout.splitlines()
    assert "  how the decisions differ:" in lines
    assert any(line.split()[:2] == ["node_name", "gpu-99"] for line in lines)
    assert any("the status of ModelWarmup/default/" in line for line in lines)


def test_divergences_are_data_too(exported: Path, tmp_path: Path) -> None:
    """-o json holds what was recorded and what is decided, as JSON, and who recorded it."""
    path = altered(exported, tmp_path / "altered.jsonl")
    document = found_in(path)
    first = document["divergences"][0]
    assert first["position"] == 16
    assert first["recorded"]["data"]["job_name"] == "somebody-elses"
    assert first["decided"]["data"]["job_name"].startswith("runtime-image-warmup-")
    assert document["recordedBy"][0]["version"] == "0.1.0"
    assert found_in(exported)["divergences"] == []


def test_all_divergences_are_listed_when_asked_for(exported: Path, tmp_path: Path) -> None:
    """The first is enough to tell that something is wrong; --all lists every one."""
    path = altered(exported, tmp_path / "one.jsonl")
    path = changed(
        path,
        tmp_path / "two.jsonl",
        '"type":"ResolveIntended"',
        lambda row: row["data"].update(namespace="another"),
    )
    assert len(found_in(path)["divergences"]) == 1
    assert [one["position"] > 15 for one in found_in(path, "--all")["divergences"]] == [True, True]
    assert warmlog("verify", path, "--all").stdout.splitlines()[-1].startswith("2 divergences in ")


def test_several_logs_are_verified_one_after_the_other(exported: Path, tmp_path: Path) -> None:
    """Each is named; one that cannot be read stops no other, and a difference decides the code."""
    bad = altered(exported, tmp_path / "altered.jsonl")
    missing = tmp_path / "missing.jsonl"
    result = warmlog("verify", missing, exported, bad)
    assert result.exit_code == ExitCode.DIFFERENT
    assert "missing.jsonl" in result.stderr
    assert f"{exported}: no divergence" in result.stdout
    assert f"{bad}: position 16" in result.stdout
    assert warmlog("verify", missing, exported).exit_code == ExitCode.LOG_UNREADABLE
    document = json.loads(warmlog("verify", missing, exported, "-o", "json").stdout)
    assert [bool(one.get("error")) for one in document["logs"]] == [True, False]


def test_decisions_of_another_version_are_not_compared(exported: Path, tmp_path: Path) -> None:
    """It may have named its Jobs otherwise; who recorded it is said, and what it is judged by."""
    path = altered(of_another_version(exported, tmp_path / "old.jsonl"), tmp_path / "both.jsonl")
    result = warmlog("verify", path)
    assert result.exit_code == ExitCode.OK, result.stdout
    assert "no divergence in phases, outcomes and mounts" in result.stdout
    assert "recorded by 0.0.1" in result.stderr
    assert found_in(path)["judgedBy"] == "outcomes"


def test_of_what_others_recorded_no_decision_is_missed(exported: Path, tmp_path: Path) -> None:
    """A recording that names its recorder holds facts alone, and that is said."""
    path = tmp_path / "foreign.jsonl"
    changed(
        exported,
        path,
        '"type":"SessionStarted"',
        lambda row: row["data"].update(recorder="kubectl"),
    )
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:16]))  # up to the facts that a controller decides upon
    result = warmlog("verify", path)
    assert result.exit_code == ExitCode.LOG_CUT, result.stdout
    assert "15 rows and no decision: `warmlog what-if" in result.stdout
    assert found_in(path)["judgedBy"] == "outcomes"


def test_an_end_of_another_version_must_be_one_here(exported: Path, tmp_path: Path) -> None:
    """It stored a terminal status, which this code has to reach: else a kept log is broken."""
    old = of_another_version(exported, tmp_path / "old.jsonl")
    path = changed(
        old,
        tmp_path / "both.jsonl",
        '"outcome":"Complete"',
        lambda row: row["data"]["level"].pop("outcome"),
    )
    first = found_in(path)["divergences"][0]
    assert (first["status"]["what"], first["status"]["recorded"]) == ("phase", "an end")
    assert first["status"]["here"] == "Running"
    assert warmlog("verify", path).exit_code == ExitCode.DIFFERENT


def test_the_position_of_a_stored_status_is_compared(exported: Path, tmp_path: Path) -> None:
    """A status stored with a position at which this code changes nothing is a divergence."""
    path = changed(
        exported,
        tmp_path / "altered.jsonl",
        '"type":"StatusStored"',
        lambda row: row["data"].update(position=3),
    )
    first = found_in(path)["divergences"][0]
    assert (first["status"]["what"], first["status"]["recorded"]) == ("last status's position", "3")


def test_what_objects_went_through_is_expected_again(exported: Path, tmp_path: Path) -> None:
    """Phases that no decision shows are held against a file written before, row by row."""
    file = tmp_path / "expected.json"
    printed("verify", exported, "--write-expected", file)
    assert printed("verify", exported, "--expect", file).startswith("no divergence")
    path = changed(
        exported,
        tmp_path / "altered.jsonl",
        '"outcome":"Complete"',
        lambda row: row["data"]["level"].update(outcome="Failed"),
    )
    assert found_in(path)["divergences"] == []
    first = found_in(path, "--expect", file)["divergences"][0]
    assert first["status"]["what"].startswith("node gpu-")
    assert (first["status"]["recorded"], first["status"]["here"][:6]) == ("Succeeded", "Failed")
    row = loads(path.read_text().splitlines()[first["position"]])
    assert row["data"]["level"]["outcome"] == "Failed"
    assert {one["kind"] for one in first["narrowed"]["objects"]} >= {"Job", "ModelWarmup"}


def test_a_step_that_does_not_come_is_told_at_its_row(exported: Path, tmp_path: Path) -> None:
    """An outcome that is not there any more is missed where it came once."""
    file = tmp_path / "expected.json"
    printed("verify", exported, "--write-expected", file)
    path = changed(
        of_another_version(exported, tmp_path / "old.jsonl"),
        tmp_path / "altered.jsonl",
        '"outcome":"Complete"',
        lambda row: row["data"]["level"].pop("outcome"),
    )
    first = found_in(path, "--expect", file)["divergences"][0]
    assert (first["status"]["recorded"], first["status"]["here"]) == ("Succeeded", "Running")
    assert '"type":"JobSeen"' in path.read_text().splitlines()[first["position"]]


@pytest.mark.parametrize("text", ["", "[]", '{"x": {"courses": {"a b": {"phase": ["?"]}}}}'])
def test_expectations_that_are_none_are_refused(text: str, demo_log: Path, tmp_path: Path) -> None:
    """A file that is something else is named, with how to make one; so is a log without any."""
    file = tmp_path / "expected.json"
    file.write_text(text)
    result = warmlog("verify", demo_log, "--expect", file)
    assert result.exit_code == ExitCode.USAGE
    assert "--write-expected" in result.stderr
    file.write_text("{}")
    assert warmlog("verify", demo_log, "--expect", file).exit_code == ExitCode.USAGE


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
