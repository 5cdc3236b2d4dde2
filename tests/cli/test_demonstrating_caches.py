"""`warmlog demo --story caches` in a pipe: what it tells, and what its log is good for."""

import json
import re
from pathlib import Path

import pytest
import yaml

from adapters.cli.demo_cache_worlds import CacheDemoSettings, build_cache_worlds
from adapters.cli.exit_codes import ExitCode
from tests.cli.commands import exported_logs, printed, warmlog
from tests.pages import even
from tests.repository import ROOT

CACHES = ("demo", "--story", "caches")


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_a_lost_node_is_told_and_healed(seed: str, tmp_path: Path) -> None:
    """West names the node that was chosen, that it is gone, the next one, and is Ready at last."""
    text = printed(*CACHES, "--seed", seed, "--log", tmp_path / "demo.db")
    told = [
        r"Z \(the cloud takes node west-1 of west away\)",
        r"west Pending: .* node west-1, which is gone since .* the choice is taken back",
        r"Z \(node west-2 of west joins\)",
        r"west Pending: .* the scheduler chose node west-2",
        r"west Hydrating: downloading Qwen/",
        r"west Ready\n",
        r"modelcache/default/qwen-everywhere is Ready on 2/2 clusters",
    ]
    places = [re.search(words, text) for words in told]
    assert all(places), text
    starts = [place.start() for place in places if place]
    assert starts == sorted(starts)
    assert text.index("home Ready\n") < starts[0]
    assert "\x1b" not in text


def test_few_lines_are_told(tmp_path: Path) -> None:
    """Each change is a line, and words that change without a cause are none."""
    text = printed(*CACHES, "--log", tmp_path / "demo.db")
    assert len(re.findall(r"^\d\d:\d\d:", text, re.MULTILINE)) < 20


def test_the_commands_that_it_names_work(tmp_path: Path) -> None:
    """The demo ends with commands to try; midway one explains what west waits for."""
    path = tmp_path / "demo.db"
    text = printed(*CACHES, "--log", path)
    commands = [line.split() for line in re.findall(r"^  warmlog (.*)$", text, re.MULTILINE)]
    assert [command[0] for command in commands] == ["replay", "explain", "verify"]
    said = [printed(*command) for command in commands]
    assert "Do: nothing: the choice is taken back by itself" in said[1]
    assert "no divergence" in said[2]


def test_the_page_shows_what_it_says(tmp_path: Path) -> None:
    """What docs/modelcache.md shows of an explanation in mid-demo is what it says today."""
    page = (ROOT / "docs" / "modelcache.md").read_text()
    [block] = re.findall(r"```text\n(ModelCache .*?)```", page, re.DOTALL)
    printed(*CACHES, "--log", tmp_path / "demo.db")
    ref = "mc/default/qwen-everywhere"
    said = even(printed("explain", ref, "--log", tmp_path / "demo.db", "--at", "-40s"))
    assert [piece for piece in block.split("[...]\n") if even(piece) not in said] == []


def test_the_same_seed_gives_the_same_log(tmp_path: Path) -> None:
    """Two demos of one seed differ in no byte of their logs, another seed's does."""
    logs = exported_logs(CACHES, tmp_path, "1", "1", "2")
    assert logs[0] == logs[1] != logs[2]


def test_json_is_one_document_at_the_end(tmp_path: Path) -> None:
    """With -o json only the end is printed, with the status as replay has it."""
    path = tmp_path / "demo.db"
    document = json.loads(printed(*CACHES, "-o", "json", "--log", path))
    assert document["status"]["summary"] == {"ready": "2/2"}
    shown = printed("replay", path, "--object", "mc/default/qwen-everywhere", "-o", "json")
    assert json.loads(shown) == document["status"]


@pytest.mark.parametrize("option", [("--nodes", "3"), ("--fail-rate", "0.5")])
def test_options_of_the_other_story(option: tuple[str, str]) -> None:
    """What is about warmups is refused, rather than passed over."""
    refused = warmlog(*CACHES, *option)
    assert refused.exit_code == ExitCode.USAGE
    assert "about the story of a warmup" in refused.stderr


def test_the_model_is_that_of_the_sample() -> None:
    """The ModelCache of the demo is the one in `samples/`."""
    sample = (ROOT / "samples" / "modelcache" / "second-cluster.yaml").read_text()
    [cache] = [one for one in yaml.safe_load_all(sample) if one["kind"] == "ModelCache"]
    demo = build_cache_worlds(CacheDemoSettings(1))
    found = demo.home.must_find("ModelCache", "default", cache["metadata"]["name"])
    assert found["spec"] == cache["spec"]
