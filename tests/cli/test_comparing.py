"""`warmlog diff`: two logs of the same story, told apart where they part."""

import json
from pathlib import Path

from adapters.cli.exit_codes import ExitCode
from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.worlds import World
from tests.cli.commands import pool_world, printed, record, sample, warmlog
from tests.recordings.reading import FOLDER

WARMUP = "ModelWarmup/default/runtime-image-warmup"


def recorded(path: Path, *, seed: int = 3, failing: str = "") -> Path:
    """A warmup of three nodes, one of which may fail, in a cluster of its own."""
    world = World(seed, name=f"cluster-{seed}") if seed != 3 else pool_world()
    world.relabel_namespace("default", {"resource-pool.aibrix.ai/name": "latency-pool"})
    for name in ("gpu-a", "gpu-b", "gpu-c"):
        plan = NodePlan(ending=Ending.FAIL) if name == failing else NodePlan()
        world.add_node(name, pool="latency-pool", plan=plan)
    policies = {"retryLimit": 0}
    return record(path, world, lambda each: each.apply(sample(policies=policies)), seconds=200)


def test_a_story_does_not_differ_from_itself(demo_log: Path, exported: Path) -> None:
    """Whatever it is stored in."""
    assert printed("diff", demo_log, exported).startswith("no difference: 1 object ")


def test_the_same_story_in_another_cluster_is_the_same(tmp_path: Path) -> None:
    """Uids, times, positions and the cluster's name are no difference."""
    one, other = recorded(tmp_path / "one.db"), recorded(tmp_path / "other.db", seed=8)
    result = warmlog("diff", one, other)
    assert result.exit_code == ExitCode.OK, result.stdout


def test_where_two_stories_part_is_told(tmp_path: Path) -> None:
    """The node that failed in one of them, before what came of it, with both positions."""
    one, other = recorded(tmp_path / "one.db"), recorded(tmp_path / "other.db", failing="gpu-b")
    result = warmlog("diff", one, other)
    assert result.exit_code == ExitCode.DIFFERENT
    lines = result.stdout.splitlines()
    assert lines[0] == f"{WARMUP}, node gpu-b: after Running"
    assert lines[1].startswith(f"  {one}: Succeeded, at position ")
    assert lines[2].startswith(f"  {other}: Failed: BackoffLimitExceeded, at position ")
    assert f"{WARMUP}, phase: after Running" in lines
    assert any("1 of 3 nodes failed" in line for line in lines)


def test_differences_are_data_too(tmp_path: Path) -> None:
    """-o json has each course that parts, with what it was before, and each message."""
    one, other = recorded(tmp_path / "one.db"), recorded(tmp_path / "other.db", failing="gpu-b")
    document = json.loads(warmlog("diff", one, other, "-o", "json").stdout)
    first = document["courses"][0]
    assert (first["object"], first["aspect"], first["before"]) == (WARMUP, "node gpu-b", "Running")
    assert (first["left"]["value"], first["step"]) == ("Succeeded", 2)
    assert {each["place"] for each in document["messages"]} >= {"node gpu-b", "condition Finished"}
    assert document["left"]["name"] == str(one)


def test_messages_can_be_left_out(tmp_path: Path) -> None:
    """What is only said otherwise is no difference then."""
    log = FOLDER / "one_node_cannot_pull.jsonl"
    text = log.read_text().replace("not found", "not there")
    other = tmp_path / "other.jsonl"
    other.write_text(text)
    assert warmlog("diff", log, other).exit_code == ExitCode.DIFFERENT
    assert warmlog("diff", log, other, "--no-messages").exit_code == ExitCode.OK


def test_an_object_of_one_log_alone_is_told_once() -> None:
    """Not once for each of its aspects."""
    logs = FOLDER / "demo_caches.jsonl", FOLDER / "demo_replicas.jsonl"
    result = warmlog("diff", *logs, "--no-messages")
    assert result.exit_code == ExitCode.DIFFERENT
    alone = [line for line in result.stdout.splitlines() if line.endswith("in one of them only")]
    assert len(alone) == len(set(alone)) > 1
    assert any(line.startswith("ModelReplica/default/") for line in alone)


def test_an_object_without_a_namespace_is_named_as_references_do() -> None:
    """In words and in JSON: its kind and its name, and nothing between them."""
    logs = FOLDER / "demo_caches.jsonl", FOLDER / "demo.jsonl"
    lines = warmlog("diff", *logs).stdout.splitlines()
    assert "InferenceCluster/west: in one of them only" in lines
    found = json.loads(warmlog("diff", *logs, "-o", "json").stdout)
    assert "InferenceCluster/west" in {each["object"] for each in found["courses"]}


def test_a_cut_log_is_compared_as_far_as_it_goes(exported: Path, cut: Path) -> None:
    """What it went through before its cut differs from the whole, and the cut is told."""
    result = warmlog("diff", exported, cut)
    assert result.exit_code == ExitCode.DIFFERENT
    assert "stays so" in result.stdout
    assert "cut" in result.stderr
    assert warmlog("diff", cut, cut).exit_code == ExitCode.LOG_CUT
