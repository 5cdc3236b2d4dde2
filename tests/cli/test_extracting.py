"""`warmlog export --object` and `--since`: a small log that shows the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from adapters.cli.exit_codes import ExitCode
from adapters.simulator.worlds import World
from tests.cli.commands import pool_world, printed, record, sample, warmlog
from tests.recordings.reading import FOLDER

ONE, OTHER = "modelwarmup/default/one", "modelwarmup/default/other"


def named(name: str, *nodes: str) -> dict[str, Any]:
    """A ModelWarmup for those nodes alone."""
    manifest = sample(targets=[{"nodes": {"names": list(nodes)}}])
    manifest["metadata"] = {"name": name, "namespace": "default"}
    return manifest


@pytest.fixture(scope="module")
def two_warmups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of two ModelWarmups that have one node in common, of three and one more."""

    def apply(world: World) -> None:
        world.apply(named("one", "gpu-a", "gpu-b"))
        world.apply(named("other", "gpu-b", "gpu-c"))

    world = pool_world("gpu-a", "gpu-b", "gpu-c", "gpu-d")
    return record(tmp_path_factory.mktemp("two") / "two.db", world, apply, lambda _: None)


def rows_of(path: Path) -> list[Any]:
    """The rows of an exported file."""
    return [json.loads(line) for line in path.read_text().splitlines()[1:]]


def test_an_objects_story_is_a_log_of_its_own(two_warmups: Path, tmp_path: Path) -> None:
    """It is numbered without a gap, is told from the whole, and decides as recorded."""
    extract = tmp_path / "one.jsonl"
    printed("export", two_warmups, "--object", ONE, "-o", extract)
    rows = rows_of(extract)
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    whole = json.loads(printed("replay", two_warmups, "-o", "json"))
    part = json.loads(printed("replay", extract, "-o", "json"))
    assert whole["log"] != part["log"]
    assert len(rows) == part["position"] < whole["position"]
    printed("verify", extract)


def test_an_objects_story_shows_its_status_and_how_it_came_to_it(
    two_warmups: Path, tmp_path: Path
) -> None:
    """But for the log and positions that it names, the status is the same; so is what explains."""
    extract = tmp_path / "one.jsonl"
    printed("export", two_warmups, "--object", ONE, "-o", extract)
    whole, part = (
        json.loads(printed("replay", log, "--object", ONE, "-o", "json"))
        for log in (two_warmups, extract)
    )
    assert whole.pop("warmlog") != part.pop("warmlog")
    assert whole == part
    told = printed("explain", ONE, "--log", extract)
    assert "2 nodes succeeded" in told
    assert "Succeeded" in told


def test_what_is_not_of_the_story_is_left_out(two_warmups: Path, tmp_path: Path) -> None:
    """Neither the other ModelWarmup nor a node that only it has is spoken of."""
    extract = tmp_path / "one.jsonl"
    printed("export", two_warmups, "--object", ONE, "-o", extract)
    text = extract.read_text()
    assert "gpu-b" in text
    for left in ("/other", "gpu-c", "gpu-d"):
        assert left in printed("export", two_warmups)
        assert left not in text


def test_since_a_moment_levels_that_were_superseded_before_are_left_out(tmp_path: Path) -> None:
    """What changes afterwards is told with the same phases at the same times."""
    world = pool_world("gpu-a")
    relabel = [
        lambda each, turn=turn: each.relabel_node("gpu-a", {"turn": str(turn)}) for turn in range(5)
    ]
    log = record(
        tmp_path / "log.db", world, *relabel, lambda each: each.apply(named("one", "gpu-a"))
    )
    extract = tmp_path / "since.jsonl"
    printed("export", log, "--since", "-59s", "-o", extract)
    whole, part = (
        [json.loads(line) for line in printed("replay", place, "--step", "-o", "json").splitlines()]
        for place in (log, extract)
    )
    nodes = [len([row for row in rows if row["type"] == "NodeSeen"]) for rows in (whole, part)]
    assert nodes == [5, 1]
    changes = [
        [(row["at"], row["changes"]) for row in rows if row["changes"]] for rows in (whole, part)
    ]
    assert changes[0] == changes[1] != []


def test_a_replicas_story_holds_its_cache(tmp_path: Path) -> None:
    """Why a ModelReplica waits is told by its ModelCache, on whichever cluster."""
    extract = tmp_path / "replica.jsonl"
    recording = FOLDER / "demo_replicas.jsonl"
    printed("export", recording, "--object", "mr/default/qwen-small-home", "-o", extract)
    kinds = {row["subject"].partition("/")[0] for row in rows_of(extract)}
    assert kinds >= {"ModelReplica", "ModelCache", "PersistentVolumeClaim", "InferenceCluster"}


def test_equal_logs_give_equal_extracts(two_warmups: Path) -> None:
    """Two exports have the same bytes."""
    first, second = (warmlog("export", two_warmups, "--object", ONE) for _ in range(2))
    assert first.stdout_bytes == second.stdout_bytes


def test_an_object_that_is_not_there_is_named_with_those_that_are(two_warmups: Path) -> None:
    """Nothing is written for a name that the log does not know."""
    result = warmlog("export", two_warmups, "--object", "mw/default/nobody")
    assert result.exit_code == ExitCode.NOT_FOUND
    assert "holds no ModelWarmup/default/nobody" in result.stderr
    assert "ModelWarmup/default/one" in result.stderr
    assert result.stdout == ""


def test_a_moment_that_is_none_is_refused(two_warmups: Path) -> None:
    """The message names the option."""
    result = warmlog("export", two_warmups, "--since", "yesterday")
    assert result.exit_code == ExitCode.USAGE
    assert "--since 'yesterday' is neither a position nor a time" in result.stderr
