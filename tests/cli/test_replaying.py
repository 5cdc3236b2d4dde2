"""`warmlog replay`: statuses at the end and at any moment, as tables and as data."""

import asyncio
import json
from pathlib import Path

import pytest
import yaml

from adapters.cli.exit_codes import ExitCode
from adapters.store.opening import open_log
from engine.canonical_json import dumps
from engine.replaying import Moment, replay
from engine.stepping import Projection
from machines.domain import WARMLOG
from tests.cli.commands import REF, pool_world, printed, record, sample, warmlog


def statuses(path: Path, position: int | None = None) -> list[Projection]:
    """What folding the log gives, without any command."""

    async def fold() -> list[Projection]:
        reader = await open_log(path, read_only=True)
        try:
            replayed = await replay(WARMLOG, reader, Moment(position=position))
        finally:
            await reader.close()
        return list(WARMLOG.project(replayed.state))

    return asyncio.run(fold())


def test_an_objects_status_is_canonical_json(demo_log: Path) -> None:
    """With --object, -o json prints that status alone, byte for byte its canonical JSON."""
    [projection] = statuses(demo_log)
    shown = printed("replay", demo_log, "--object", REF, "-o", "json")
    assert shown == dumps(projection.status) + "\n"


def test_all_objects_are_one_document(demo_log: Path) -> None:
    """-o json holds each object's whole status, with what tells one object from another."""
    [projection] = statuses(demo_log)
    text = printed("replay", demo_log, "-o", "json")
    document = json.loads(text)
    assert text == dumps(document) + "\n"
    assert document["items"] == [
        {
            "cluster": "demo",
            "kind": "ModelWarmup",
            "namespace": "default",
            "name": "runtime-image-warmup",
            "uid": projection.subject.uid,
            "status": projection.status,
        }
    ]
    assert document["log"].startswith("demo-")


def test_yaml_says_what_json_says(demo_log: Path) -> None:
    """-o yaml is the same document in another notation."""
    as_json = json.loads(printed("replay", demo_log, "-o", "json"))
    assert yaml.safe_load(printed("replay", demo_log, "-o", "yaml")) == as_json


def test_a_table_has_a_row_for_each_object(demo_log: Path) -> None:
    """The table shows phase and counters, and says which moment of which log it is."""
    heads, row, blank, foot = printed("replay", demo_log).splitlines()
    assert heads.split() == [
        "NAMESPACE", "NAME", "PHASE", "DESIRED", "ACTIVE", "SUCCEEDED", "FAILED", "MESSAGE",
    ]  # fmt: skip
    assert row.split()[:7] == ["default", "runtime-image-warmup", "Succeeded", "5", "0", "5", "0"]
    assert blank == ""
    assert foot.startswith("1 object at position ")


def test_every_form_of_a_log_gives_the_same(demo_log: Path, exported: Path) -> None:
    """A path, a URL and a JSON Lines file are one log: replays are equal byte for byte."""
    shown = {
        printed("replay", log, "-o", "json")
        for log in (demo_log, f"sqlite:///{demo_log}", exported)
    }
    assert len(shown) == 1


def test_every_position_can_be_looked_at(demo_log: Path) -> None:
    """--at SEQ shows the statuses right after that row, wherever it stands."""
    for position in range(1, 60, 7):
        shown = json.loads(printed("replay", demo_log, "--at", str(position), "-o", "json"))
        assert shown["position"] == position
        expected = [projection.status for projection in statuses(demo_log, position)]
        assert [item["status"] for item in shown["items"]] == expected


def test_a_time_shows_what_had_happened_until_then(demo_log: Path) -> None:
    """--at TIME counts a whole second to its end, and any form of the same time is the same."""
    forms = ["2026-01-01T00:00:05Z", "2026-01-01 01:00:05+01:00", "00:00:05", "2026-01-01 00:00:05"]
    shown = {printed("replay", demo_log, "--at", at, "-o", "json") for at in forms}
    assert len(shown) == 1
    document = json.loads(shown.pop())
    assert document["items"][0]["status"]["phase"] == "Running"
    earlier = json.loads(printed("replay", demo_log, "--at", "00:00:05.000", "-o", "json"))
    assert earlier["position"] < document["position"]


def test_a_recording_of_other_code_is_told(demo_log: Path, tmp_path: Path, exported: Path) -> None:
    """When other code recorded the log, stderr says so in one line, and stdout is as ever."""
    lines = exported.read_bytes()
    begin = lines.index(b'"code_digest":"') + len(b'"code_digest":"')
    other = tmp_path / "other.jsonl"
    other.write_bytes(lines[:begin] + b"0" * 64 + lines[begin + 64 :])
    result = warmlog("replay", other, "-o", "json")
    assert result.exit_code == 0
    assert result.stderr.startswith("warmlog: recorded by 0.1.0 (code 00000000), shown by 0.1.0 (")
    assert result.stderr.count("\n") == 1
    assert result.stdout == printed("replay", demo_log, "-o", "json")
    assert warmlog("replay", demo_log).stderr == ""


def test_a_cut_file_is_used_up_to_its_cut(cut: Path, exported: Path) -> None:
    """The whole rows before a cut are shown; the cut's line is named, and so is the exit code."""
    result = warmlog("replay", cut, "-o", "json")
    assert result.exit_code == ExitCode.LOG_CUT
    assert result.stdout == printed("replay", exported, "--at", "39", "-o", "json")
    assert f"{cut} is cut at line 41" in result.stderr
    before = warmlog("replay", cut, "--at", "39", "-o", "json")
    assert (before.exit_code, before.stderr) == (0, "")


def test_a_moment_before_the_log_is_said(demo_log: Path) -> None:
    """A time before the first row is answered by when the log begins."""
    result = warmlog("replay", demo_log, "--at", "2020-01-01T00:00:00Z")
    assert result.exit_code == ExitCode.NOT_FOUND
    assert "before the log begins, at 2026-01-01 00:00:02Z" in result.stderr


def test_an_object_that_is_not_there_is_said(demo_log: Path) -> None:
    """An unknown object is answered by what the log holds at that moment."""
    result = warmlog("replay", demo_log, "--object", "mw/default/typo")
    assert result.exit_code == ExitCode.NOT_FOUND
    assert "it holds ModelWarmup/default/runtime-image-warmup" in result.stderr
    early = warmlog("replay", demo_log, "--object", REF, "--at", "1")
    assert early.exit_code == ExitCode.NOT_FOUND
    assert "no object at all" in early.stderr
    assert "No object exists" in printed("replay", demo_log, "--at", "1")


def test_objects_stand_in_a_fixed_order(tmp_path: Path) -> None:
    """Several objects are sorted by name, and --cluster keeps those of one cluster."""
    world = pool_world("n-1")
    manifests = [sample(), sample()]
    manifests[0]["metadata"]["name"] = "zeta"
    manifests[1]["metadata"]["name"] = "alpha"
    path = record(
        tmp_path / "two.db",
        world,
        lambda each: each.apply(manifests[0]),
        lambda each: each.apply(manifests[1]),
    )
    shown = json.loads(warmlog("replay", path, "-o", "json").stdout)
    assert [item["name"] for item in shown["items"]] == ["alpha", "zeta"]
    elsewhere = json.loads(warmlog("replay", path, "--cluster", "other", "-o", "json").stdout)
    assert elsewhere["items"] == []


@pytest.mark.parametrize("output", ["table", "yaml"])
def test_an_object_alone_is_shown_for_people_too(demo_log: Path, output: str) -> None:
    """With --object the table has its row, and -o yaml prints its status alone."""
    shown = printed("replay", demo_log, "--object", REF, "-o", output)
    if output == "yaml":
        assert yaml.safe_load(shown)["phase"] == "Succeeded"
    else:
        assert "Succeeded" in shown


def test_at_80_columns_a_message_has_room(failing_log: Path) -> None:
    """On a terminal of 80 columns the long message of a failure takes a few lines, not a hundred.

    The row above it stays whole.
    """
    result = warmlog("replay", failing_log, FORCE_COLOR="1", TERM="dumb", COLUMNS="80")
    lines = result.stdout.splitlines()
    assert len(lines) < 20
    assert lines[0].split()[-1] == "FAILED"
    assert lines[2].split() == ["default", "runtime-image-warmup", "Failed", "3", "0", "0", "3"]
    assert lines[3].startswith("    3 of 3 nodes failed; first gpu-01: ")
