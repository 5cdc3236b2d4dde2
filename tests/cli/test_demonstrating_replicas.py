"""`warmlog demo --story replicas` in a pipe: what it tells, and what its log is good for."""

import json
import re
from pathlib import Path

import pytest
import yaml

from adapters.cli.demo_replica_worlds import (
    CACHE,
    NAME,
    REPO,
    SIZE_GIB,
    ReplicaDemoSettings,
    build_replica_world,
)
from adapters.cli.exit_codes import ExitCode
from tests.cli.commands import exported_logs, printed, warmlog
from tests.pages import even
from tests.repository import ROOT

REPLICAS = ("demo", "--story", "replicas")
REF = f"mr/default/{NAME}"


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_an_engine_waits_and_then_serves_whatever_happens(seed: str, tmp_path: Path) -> None:
    """It waits for the claim and the download, serves, keeps its mount until the next one is
    staged, and serves on without its cache, even from a Deployment that was made anew.
    """
    text = printed(*REPLICAS, "--seed", seed, "--log", tmp_path / "demo.db")
    told = [
        r"WaitingForCache: waiting for claim .*-qwen-small-7d706 to bind",
        r"WaitingForCache: downloading Qwen/",
        r"ModelStarting: engine vllm: Deployment \S+ is not available",
        r"Serving: with the mount of claim modelcache-default-qwen-small-7d706",
        r"Z \(somebody makes ModelCache qwen-roomy, and switches the replica to it\)",
        r"Serving: keeps the mount of claim \S+-qwen-small-7d706: Secret .* does not exist",
        r"Z \(somebody makes Secret hub-token\)",
        r"Serving: keeps the mount of claim \S+-qwen-small-7d706: downloading Qwen/",
        r"Serving: with the mount of claim modelcache-default-qwen-roomy-75ef5",
        r"Z \(somebody deletes ModelCache qwen-roomy\)",
        r"Serving: keeps the mount of claim \S+-qwen-roomy-75ef5: .* is kept for ModelReplica",
        r"Z \(somebody deletes the engine's Deployment by hand\)",
        r"ModelStarting: ",
        r"Serving: keeps the mount of claim \S+-qwen-roomy-75ef5",
        r"modelreplica/default/qwen-small-home is Serving after .*-qwen-roomy-75ef5\.\n",
    ]
    start = 0
    for words in told:
        place = re.compile(words).search(text, start)
        assert place, (words, text)
        start = place.end()
    assert "\x1b" not in text


def test_few_lines_are_told(tmp_path: Path) -> None:
    """What is over before anybody could read it is not told."""
    text = printed(*REPLICAS, "--log", tmp_path / "demo.db")
    assert len(re.findall(r"^\d\d:\d\d:", text, re.MULTILINE)) < 20
    assert "was not read yet" not in text


def test_the_commands_that_it_names_work(tmp_path: Path) -> None:
    """Asked while it waits, and while its switch does, it names Job and Secret at the root."""
    text = printed(*REPLICAS, "--log", tmp_path / "demo.db")
    commands = [line.split() for line in re.findall(r"^  warmlog (.*)$", text, re.MULTILINE)]
    assert [command[0] for command in commands] == ["explain", "explain", "verify"]
    said = [printed(*command) for command in commands]
    assert "job/modelcache-default-qwen-small-hydrate-" in said[0]
    assert "create secret generic hub-token --from-literal=HF_TOKEN=TOKEN" in said[1]
    assert "no divergence" in said[2]


def test_the_page_shows_what_it_says(tmp_path: Path) -> None:
    """What docs/modelreplica.md shows of an explanation is what it says today."""
    page = (ROOT / "docs" / "modelreplica.md").read_text()
    blocks = re.findall(r"```text\n(ModelReplica .*?)```", page, re.DOTALL)
    log = tmp_path / "demo.db"
    printed(*REPLICAS, "--log", log)
    for at, block in zip(("00:00:08", "00:01:10"), blocks, strict=True):
        assert f"explain {REF} --log demo.db --at {at}\n" in page
        said = even(printed("explain", REF, "--log", log, "--at", at))
        assert [piece for piece in block.split("[...]\n") if even(piece) not in said] == []


def test_the_same_seed_gives_the_same_log(tmp_path: Path) -> None:
    """Two demos of one seed differ in no byte of their logs, another seed's does."""
    logs = exported_logs(REPLICAS, tmp_path, "1", "1", "2")
    assert logs[0] == logs[1] != logs[2]


def test_json_is_one_document_at_the_end(tmp_path: Path) -> None:
    """With -o json only the end is printed, with the status as replay has it."""
    path = tmp_path / "demo.db"
    document = json.loads(printed(*REPLICAS, "-o", "json", "--log", path))
    assert document["status"]["workloads"][0]["available"] is True
    shown = printed("replay", path, "--object", REF, "-o", "json")
    assert json.loads(shown) == document["status"]


@pytest.mark.parametrize("option", [("--nodes", "3"), ("--fail-rate", "0.5")])
def test_options_of_the_other_story(option: tuple[str, str]) -> None:
    """What is about warmups is refused, rather than passed over."""
    refused = warmlog(*REPLICAS, *option)
    assert refused.exit_code == ExitCode.USAGE
    assert "about the story of a warmup" in refused.stderr


def test_replica_and_model_are_those_of_the_samples() -> None:
    """The ModelReplica of the demo, and the ModelCache that it begins with, are in `samples/`."""
    path = ROOT / "samples" / "modelreplica" / "single-node.yaml"
    replica = yaml.safe_load(path.read_text())
    home = build_replica_world(ReplicaDemoSettings(1)).home
    found = home.must_find("ModelReplica", "default", replica["metadata"]["name"])
    assert found["metadata"]["name"] == NAME
    [engine], [member] = found["spec"]["engines"], found["spec"]["engines"][0]["members"]
    assert found["spec"]["modelCacheRef"] == replica["spec"]["modelCacheRef"] == {"name": CACHE}
    assert found["spec"]["clusterName"] == replica["spec"]["clusterName"]
    assert engine["name"] == replica["spec"]["engines"][0]["name"]
    [sample] = replica["spec"]["engines"][0]["members"]
    assert member["template"] == sample["template"]
    assert member["nodePoolName"] == sample["nodePoolName"]
    text = (ROOT / "samples" / "modelcache" / "in-cluster.yaml").read_text()
    [cache] = [one for one in yaml.safe_load_all(text) if one["kind"] == "ModelCache"]
    hub = cache["spec"]["huggingFace"]
    assert (cache["metadata"]["name"], hub["repo"], hub["sizeGiB"]) == (CACHE, REPO, SIZE_GIB)
