"""`warmlog retry`: a manifest for the nodes that failed, and none left out in silence."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from adapters.cli.exit_codes import ExitCode
from adapters.manifests.files import manifest_files
from adapters.manifests.objects import warmups
from adapters.simulator.answers import failure
from adapters.simulator.faults import every
from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.resources import WARMUP, path_of
from adapters.simulator.worlds import World
from machines.labels import POOL
from tests.cli.commands import REF, pool_world, printed, record, sample, warmlog
from tests.cli.serving import served
from tests.simulator.building import put

LATENCY = sample()["spec"]["targets"][0]["nodeSelector"]["matchLabels"][POOL]
FAILING = NodePlan(ending=Ending.FAIL)


def half_failed(folder: Path, **metadata: Any) -> tuple[World, Path]:
    """A world in which two nodes of four have failed, and its log."""
    world = pool_world("good-1", "good-2")
    for name in ("bad-1", "bad-2"):
        world.add_node(name, pool=LATENCY, plan=FAILING)
    manifest = sample()
    manifest["metadata"].update(metadata)
    log = record(folder / "run.db", world, lambda each: each.apply(manifest), seconds=900)
    return world, log


def retried(folder: Path, world: World, reference: str = REF) -> tuple[dict[str, Any], str]:
    """The manifest against a live world, as programs read it, and what was said besides."""
    with served(world, folder) as server:
        result = warmlog("retry", reference, "--kubeconfig", server.kubeconfig, "-o", "json")
        assert server.writes == []
    assert result.exit_code == ExitCode.OK, result.stderr
    manifest: dict[str, Any] = json.loads(result.stdout)
    return manifest, result.stderr


def refused(folder: Path, world: World, reference: str = REF) -> tuple[int, str]:
    """The code and the one sentence of a retry against a live world that prints nothing."""
    with served(world, folder) as server:
        result = warmlog("retry", reference, "--kubeconfig", server.kubeconfig)
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.exit_code, result.stderr


def names_of(manifest: dict[str, Any]) -> list[str]:
    """The nodes that a manifest names."""
    return [name for target in manifest["spec"]["targets"] for name in target["nodes"]["names"]]


def with_status(world: World, **changes: Any) -> None:
    """Have the server hold another status of the sample."""
    path = path_of(WARMUP, "default", "runtime-image-warmup")
    held = world.must_find("ModelWarmup", "default", "runtime-image-warmup")
    answer = put(world, f"{path}/status", {**held, "status": {**held["status"], **changes}})
    assert answer.ok


def test_it_names_the_failed_nodes_and_keeps_the_rest_of_the_spec(tmp_path: Path) -> None:
    """Live and from the log the same: targets by name, everything else of the spec as it was."""
    world, log = half_failed(tmp_path)
    live, said = retried(tmp_path, world)
    assert said == ""
    assert names_of(live) == ["bad-1", "bad-2"]
    assert live["metadata"] == {"name": "runtime-image-warmup-retry", "namespace": "default"}
    wanted = sample()["spec"]
    assert {**live["spec"], "targets": wanted["targets"]} == wanted
    assert json.loads(printed("retry", REF, "--log", log, "-o", "json")) == live


def test_the_yaml_is_the_same_and_says_where_it_is_from(tmp_path: Path) -> None:
    """Its comment names the source with its uid, and it is read back as what it stands for."""
    world, log = half_failed(tmp_path)
    text = printed("retry", REF, "--log", log)
    uid = world.must_find("ModelWarmup", "default", "runtime-image-warmup")["metadata"]["uid"]
    first, second = text.splitlines()[:2]
    assert (
        first
        == f"# For 2 nodes that failed in ModelWarmup/default/runtime-image-warmup (uid {uid}),"
    )
    assert second.startswith("# read from position ")
    [file] = manifest_files(["-"], io.BytesIO(text.encode()))
    [manifest] = warmups(file)
    assert manifest.value == json.loads(printed("retry", REF, "--log", log, "-o", "json"))


def test_texts_that_look_like_something_else_stay_texts(tmp_path: Path) -> None:
    """A node called 1e3 and an argument `y` are quoted, so that kubectl reads them as they were."""
    world = pool_world()
    world.add_node("1e3", pool=LATENCY, plan=FAILING)
    manifest = sample()
    manifest["spec"]["imagePreload"]["images"][0]["args"] = ["y", "012", "null", "# no", "a: b", ""]
    log = record(tmp_path / "run.db", world, lambda each: each.apply(manifest), seconds=900)
    text = printed("retry", REF, "--log", log)
    [file] = manifest_files(["-"], io.BytesIO(text.encode()))
    [read] = warmups(file)
    assert names_of(read.value) == ["1e3"]
    assert read.value["spec"]["imagePreload"] == manifest["spec"]["imagePreload"]


def test_a_retry_can_be_retried(tmp_path: Path) -> None:
    """Names count up, and none that exists already is given."""
    world, _ = half_failed(tmp_path)
    again, _ = retried(tmp_path, world)
    world.apply(again)
    assert retried(tmp_path, world)[0]["metadata"]["name"] == "runtime-image-warmup-retry-2"
    log = record(tmp_path / "again.db", world, lambda _: None, seconds=900)
    third, _ = retried(tmp_path, world, "mw/default/runtime-image-warmup-retry")
    assert third["metadata"]["name"] == "runtime-image-warmup-retry-2"
    assert names_of(third) == ["bad-1", "bad-2"]
    recorded = json.loads(printed("retry", REF, "--log", log, "-o", "json"))
    assert recorded["metadata"]["name"] == "runtime-image-warmup-retry-2"


def test_labels_and_annotations_are_carried_with_sense(tmp_path: Path) -> None:
    """What whoever applied it keeps for itself stays behind, the rest comes along."""
    world, _ = half_failed(
        tmp_path,
        labels={"team": "search", "app.kubernetes.io/instance": "argo-app"},
        annotations={
            "warmlog.dev/target-wait-seconds": "60",
            "warmlog.dev/suspend": "false",
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
            "argocd.argoproj.io/tracking-id": "a:b/c",
        },
    )
    metadata = retried(tmp_path, world)[0]["metadata"]
    assert metadata["labels"] == {"team": "search"}
    assert metadata["annotations"] == {"warmlog.dev/target-wait-seconds": "60"}
    assert set(metadata) == {"name", "namespace", "labels", "annotations"}


def test_nodes_that_are_gone_are_left_out_with_a_word(tmp_path: Path) -> None:
    """A node that does not exist any more is named on stderr; if none is left, that ends it."""
    world, _ = half_failed(tmp_path)
    world.delete_node("bad-2")
    manifest, said = retried(tmp_path, world)
    assert names_of(manifest) == ["bad-1"]
    assert said == "warmlog: left out, for they do not exist any more: bad-2.\n"
    world.delete_node("bad-1")
    code, said = refused(tmp_path, world)
    assert code == ExitCode.NOTHING
    assert "None of the nodes that failed exists any more: bad-1, bad-2." in said


def test_without_the_right_to_list_nodes_all_are_named(tmp_path: Path) -> None:
    """Whoever may not list nodes is told, and nothing is left out."""
    world, _ = half_failed(tmp_path)
    world.api.faults.add(every("GET", "/nodes"), failure(403, "Forbidden", "not you"))
    manifest, said = retried(tmp_path, world)
    assert names_of(manifest) == ["bad-1", "bad-2"]
    assert "whether the nodes still exist is not known" in said


def test_a_status_that_names_not_all_of_them_is_not_enough(tmp_path: Path) -> None:
    """When details are left out of a status, the log is asked for and nothing is printed."""
    world, log = half_failed(tmp_path)
    with_status(world, failedNodes=300)
    code, said = refused(tmp_path, world)
    assert code == ExitCode.USAGE
    assert "names 2 of the 300 nodes that failed: say --log LOG" in said
    assert names_of(json.loads(printed("retry", REF, "--log", log, "-o", "json"))) == [
        "bad-1",
        "bad-2",
    ]


def test_what_has_not_ended_is_waited_for(tmp_path: Path) -> None:
    """Of one that runs nothing is printed, live or at a moment of its log."""
    world, log = half_failed(tmp_path)
    result = warmlog("retry", REF, "--log", log, "--at", "30")
    assert (result.exit_code, result.stdout) == (ExitCode.NOTHING, "")
    assert "has not ended, it is Running: wait for its condition Finished" in result.stderr
    with_status(world, phase="Running")
    code, said = refused(tmp_path, world)
    assert code == ExitCode.NOTHING
    assert "2 nodes failed so far" in said


def test_where_nothing_failed_there_is_nothing_to_retry(tmp_path: Path, demo_log: Path) -> None:
    """Of one that succeeded nothing is printed."""
    result = warmlog("retry", REF, "--log", demo_log)
    assert (result.exit_code, result.stdout) == (ExitCode.NOTHING, "")
    assert "No node of ModelWarmup/default/runtime-image-warmup failed: it is Succeeded" in (
        result.stderr
    )
    world = pool_world()
    log = record(tmp_path / "bad.db", world, lambda each: each.apply(sample(targets=[])), seconds=9)
    result = warmlog("retry", REF, "--log", log)
    assert result.exit_code == ExitCode.NOTHING
    assert "it is Failed: InvalidSpec, spec.targets: must have" in result.stderr


def test_a_node_replaced_under_its_name_that_is_ready_is_no_failure(tmp_path: Path) -> None:
    """A machine failed, and another one of its name was warmed: the name is not retried."""
    world = pool_world("slow")
    world.add_node("bad-1", pool=LATENCY, plan=FAILING)
    world.add_node("bad-2", pool=LATENCY, plan=FAILING)
    manifest = sample(policies={"parallelism": 2, "retryLimit": 0})
    world.cordon("slow")
    log = record(
        tmp_path / "run.db",
        world,
        lambda each: each.apply(manifest),
        lambda each: each.replace_node("bad-1", plan=NodePlan()),
        lambda each: each.uncordon("slow"),
        seconds=120,
    )
    assert names_of(json.loads(printed("retry", REF, "--log", log, "-o", "json"))) == ["bad-2"]


@pytest.mark.parametrize("kind", ["modelwarmup", "mw", "ModelWarmups.model.aibrix.ai"])
def test_a_reference_is_written_as_for_explain(tmp_path: Path, kind: str) -> None:
    """Kinds in all their forms, and what does not exist is said with its code."""
    world, _ = half_failed(tmp_path)
    manifest, _ = retried(tmp_path, world, f"{kind}/default/runtime-image-warmup")
    assert names_of(manifest) == ["bad-1", "bad-2"]
    code, said = refused(tmp_path, world, f"{kind}/default/other")
    assert code == ExitCode.NOT_FOUND
    assert said == "warmlog: The cluster holds no ModelWarmup/default/other.\n"


def test_a_log_that_holds_no_such_object_is_said(demo_log: Path) -> None:
    """What a log does not hold has the code that `explain` gives."""
    result = warmlog("retry", "mw/default/other", "--log", demo_log)
    assert (result.exit_code, result.stdout) == (ExitCode.NOT_FOUND, "")
