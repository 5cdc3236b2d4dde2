"""`warmlog replay --step` and `--until-phase`: row by row, and up to a phase."""

import json
from pathlib import Path
from typing import Any

from adapters.cli.exit_codes import ExitCode
from tests.cli.commands import REF, printed, warmlog
from tests.recordings.reading import FOLDER

CACHES = FOLDER / "demo_caches.jsonl"
CACHE = "modelcache/default/qwen-everywhere"


def documents(text: str) -> list[Any]:
    """What stands in lines of JSON."""
    return [json.loads(line) for line in text.splitlines()]


def test_each_row_is_told_with_what_it_changed(demo_log: Path, exported: Path) -> None:
    """A line for each row, in order, and below it the phases that it changed."""
    rows = [json.loads(line) for line in exported.read_text().splitlines()[1:]]
    lines = printed("replay", demo_log, "--step").splitlines()
    told = [line for line in lines if line[:6].strip()]
    assert [int(line.split()[0]) for line in told] == [row["seq"] for row in rows]
    below = [line.strip() for line in lines if not line[:6].strip()]
    assert "ModelWarmup/default/runtime-image-warmup phase: → Pending" in below
    assert "ModelWarmup/default/runtime-image-warmup phase: Running → Succeeded" in below


def test_steps_are_a_document_each_for_programs() -> None:
    """With -o json each row is one line of JSON: its data, its words and its changes."""
    steps = documents(printed("replay", CACHES, "--step", "-o", "json"))
    assert [step["position"] for step in steps] == list(range(1, len(steps) + 1))
    changed = [
        (one["name"], one["aspect"], one["before"], one["after"])
        for step in steps
        for one in step["changes"]
    ]
    claim = "modelcache-default-qwen-everywhere-e821d"
    assert ("qwen-everywhere", "cluster home", None, "Pending") in changed
    assert ("qwen-everywhere", "cluster home", "Hydrating", f"Ready: {claim}") in changed
    assert ("home", "condition Reachable", None, "Reachable") in changed
    assert {step["type"] for step in steps} >= {"SessionStarted", "CreateIntended"}


def test_steps_of_one_object_are_those_that_are_about_it_or_change_it() -> None:
    """Rows about others are left out unless they change its phases."""
    steps = documents(printed("replay", CACHES, "--step", "--object", CACHE, "-o", "json"))
    every = documents(printed("replay", CACHES, "--step", "-o", "json"))
    assert 0 < len(steps) < len(every)
    for step in steps:
        about = step["subject"].startswith("ModelCache/default/qwen-everywhere/")
        assert about or step["changes"]
    moved = [step["position"] for step in steps if step["changes"]]
    named = [
        step["position"]
        for step in every
        if any(change["kind"] == "ModelCache" for change in step["changes"])
    ]
    assert moved == named


def test_a_second_cluster_is_named() -> None:
    """Rows that read alike but are of two clusters are told apart."""
    lines = printed("replay", CACHES, "--step").splitlines()
    made = [line for line in lines if "decided to create namespace" in line]
    assert len({line.split("  ", 2)[-1] for line in made}) == len(made)


def test_replaying_stops_where_a_phase_is_reached(demo_log: Path) -> None:
    """--until-phase shows the statuses as of the first row by which the phase is there."""
    shown = printed("replay", demo_log, "--until-phase", f"{REF}=Running", "--object", REF,
                    "-o", "json")  # fmt: skip
    assert json.loads(shown)["phase"] == "Running"
    [last] = documents(
        printed("replay", demo_log, "--until-phase", f"{REF}=Running", "--step", "-o", "json")
    )[-1:]
    assert any(
        (one["kind"], one["aspect"], one["after"]) == ("ModelWarmup", "phase", "Running")
        for one in last["changes"]
    )
    before = printed("replay", demo_log, "--at", str(last["position"] - 1), "--object", REF,
                     "-o", "json")  # fmt: skip
    assert json.loads(before)["phase"] == "Pending"


def test_replaying_stops_where_a_part_reaches_a_phase() -> None:
    """A part after @ is a node or a cluster."""
    goal = "mc/default/qwen-everywhere@west=Ready"
    shown = printed("replay", CACHES, "--until-phase", goal, "--object", CACHE, "-o", "json")
    entries = {entry["name"]: entry for entry in json.loads(shown)["clusters"]}
    assert entries["west"]["phase"] == "Ready"
    assert "mount" in entries["west"]


def test_a_phase_that_is_never_reached_is_said() -> None:
    """The answer names the phases in which the object was instead."""
    result = warmlog("replay", CACHES, "--until-phase", f"{CACHE}@home=Failed")
    assert result.exit_code == ExitCode.NOT_FOUND
    assert "ModelCache/default/qwen-everywhere@home does not come to Failed" in result.stderr
    assert "it was Pending, Hydrating, Ready" in result.stderr
    unknown = warmlog("replay", CACHES, "--until-phase", "mc/default/nobody=Ready")
    assert unknown.exit_code == ExitCode.NOT_FOUND
    assert "it is not known there at all" in unknown.stderr


def test_what_is_no_goal_is_refused() -> None:
    """A goal without a phase, and steps as one YAML document, are wrong command lines."""
    for words in (["--until-phase", REF], ["--until-phase", f"{REF}="], ["--step", "-o", "yaml"]):
        assert warmlog("replay", CACHES, *words).exit_code == ExitCode.USAGE


def test_steps_of_a_cut_file_end_where_it_is_cut(cut: Path) -> None:
    """The whole rows are told, and stderr names the cut."""
    result = warmlog("replay", cut, "--step", "-o", "json")
    assert result.exit_code == ExitCode.LOG_CUT
    assert len(documents(result.stdout)) == 39
    assert "cut" in result.stderr


def test_one_object_of_a_database_has_the_steps_that_it_has_in_a_file(tmp_path: Path) -> None:
    """Of a database the rows of others are not read: the steps, and the ends, are the same."""
    for file, ref, goal in (
        (CACHES, CACHE, "@home=Ready"),
        (FOLDER / "demo_replicas.jsonl", "modelreplica/default/qwen-small-home", "=Serving"),
        (FOLDER / "nodes_come_and_go.jsonl", REF, "=Running"),
    ):
        database = tmp_path / f"{file.stem}.db"
        printed("import", file, database)
        for asked in (
            ["--step", "--object", ref, "-o", "json"],
            ["--step", "--object", ref, "--until-phase", f"{ref}{goal}"],
            ["--until-phase", f"{ref}{goal}", "-o", "json"],
        ):
            said = [warmlog("replay", log, *asked).stdout for log in (file, database)]
            assert said[0] == said[1] != ""
