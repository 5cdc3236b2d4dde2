"""`warmlog explain` of ModelCaches and InferenceClusters: the chain from now back to the cause."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from adapters.cli.exit_codes import ExitCode
from adapters.explaining.references import PARTS
from tests.caches.builders import CLAIM, HOME, ONE, WORKLOAD, CacheScene, spec_of
from tests.caches.willing import carry_out, stage
from tests.cli.cache_logs import write
from tests.cli.commands import printed, warmlog

REF = "mc/ml-team/qwen"


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cluster one's chosen node is gone; cluster two is staged, and silent."""
    scene = CacheScene("one", "two", heal_seconds=60)
    scene.cache(spec_of(secret="hub"))
    scene.list_secrets()
    carry_out(scene)
    scene.wait(5)
    scene.token("d1")
    carry_out(scene)
    stage(scene, "ic/two")
    node = scene.node("n")
    scene.claim("Pending", selected_node="n")
    scene.wait(30)
    scene.gone(ONE, node)
    scene.unreachable("ic/two", "i/o timeout")
    return write(scene, tmp_path_factory.mktemp("caches") / "troubled.jsonl")


def explained(path: Path, ref: str = REF, *more: str) -> dict[str, Any]:
    """The explanation as JSON."""
    found: dict[str, Any] = json.loads(printed("explain", ref, "--log", path, "-o", "json", *more))
    return found


def test_each_cluster_is_explained(troubled: Path) -> None:
    """Phase, since when, message, what to do, and the rows that led there, cluster by cluster."""
    told = explained(troubled)
    assert (told["ready"], told["reason"]) == ("1/2", "Partial")
    one, two = told["clusters"]
    assert (one["cluster"], one["phase"]) == ("one", "Pending")
    assert one["since"] == "2026-01-01T00:00:00Z"
    assert "node n, which is gone since 2026-01-01T00:00:35Z" in one["message"]
    assert one["do"].startswith("nothing: the choice is taken back by itself")
    words = [line["words"] for line in one["chain"]]
    assert words[-1] == "Node n is gone"
    assert f"decided to create claim {WORKLOAD}/{CLAIM}" in words
    assert [line["position"] for line in one["chain"]] == sorted(
        line["position"] for line in one["chain"]
    )
    assert two["phase"] == "Ready"
    assert two["do"] == "see whether the API server of two answers with its kubeconfig"
    assert [line["ledTo"] for line in two["chain"] if line["ledTo"]] == [
        "Pending", "Hydrating", "Ready",
    ]  # fmt: skip
    assert two["chain"][-1]["words"] == "cluster ic/two does not answer: i/o timeout"


def test_the_text_says_it_shortly(troubled: Path) -> None:
    """The text begins with the whole, names each cluster's trouble, and ends in where it looked."""
    lines = printed("explain", REF, "--log", troubled).splitlines()
    assert lines[0] == "ModelCache ml-team/qwen is ready on 1/2 clusters (Partial)"
    assert "  Do: see to two, below" in lines
    assert any(line.startswith("one: Pending since 00:00:00.000Z (35 s") for line in lines)
    assert f"How one came to this (… is {WORKLOAD}/modelcache-ml-team-qwen)" in lines
    assert any(line.endswith("claim …-17db2 was created") for line in lines)
    assert lines[-1].startswith("Position ")


def test_one_cluster_alone(troubled: Path) -> None:
    """With --on one cluster is told with its whole way; of another it is said where it is."""
    text = printed("explain", REF, "--log", troubled, "--on", "one")
    assert "two:" not in text
    assert "earlier row" not in text
    result = warmlog("explain", REF, "--log", troubled, "--on", "three")
    assert result.exit_code == ExitCode.NOT_FOUND
    assert "is not staged to cluster three: it is on one, two" in result.stderr


def test_a_moment_before(troubled: Path) -> None:
    """With --at it is told as it was then: the token lacked."""
    told = explained(troubled, REF, "--at", "2026-01-01T00:00:04Z")
    assert told["reason"] == "AuthSecretMissing"
    do = "`kubectl -n ml-team create secret generic hub --from-literal=HF_TOKEN=TOKEN`"
    assert told["clusters"][0]["do"].startswith(do)


def test_more_than_was_asked_for(tmp_path: Path) -> None:
    """A volume that is larger than was asked for, and dearer, is told with its size [C54]"""
    scene = CacheScene()
    scene.cache(spec_of(size=5))
    carry_out(scene)
    scene.claim("Bound", volume="pv-1", requested="5Gi", capacity="1Ti")
    path = write(scene, tmp_path / "large.jsonl")
    assert ", volume pv-1 of 1Ti" in printed("explain", REF, "--log", path, "--on", "one")


def test_no_secret_is_told(troubled: Path) -> None:
    """Not even the digest of a token is in an explanation [C44]"""
    assert "d1" not in printed("explain", REF, "--log", troubled, "-o", "json")


def test_a_cluster_is_explained(troubled: Path) -> None:
    """An InferenceCluster tells since when it is silent, and what is staged there."""
    told = explained(troubled, "inferencecluster/two")
    assert (told["reachable"], told["reason"]) == ("False", "Unreachable")
    assert told["since"] == "2026-01-01T00:00:35Z"
    assert [row["modelCache"] for row in told["caches"]] == ["ml-team/qwen"]
    assert [line["ledTo"] for line in told["causes"] if line["ledTo"]] == [
        "NotContacted", "Reachable", "Unreachable",
    ]  # fmt: skip
    text = printed("explain", "ic/two", "--log", troubled)
    assert text.startswith("InferenceCluster two: Unreachable since 2026-01-01 00:00:35Z")


def test_what_is_gone(tmp_path: Path) -> None:
    """An object that was deleted is told with when, and as it was just before that."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.cache_gone()
    scene.gone(HOME, scene.cluster_subject("one"))
    path = write(scene, tmp_path / "gone.jsonl")
    for ref in (REF, "ic/one"):
        went, _, was, *_ = printed("explain", ref, "--log", path).splitlines()
        assert "was deleted at position" in went
        assert was.startswith(("ModelCache ml-team/", "InferenceCluster one: "))
    result = warmlog("explain", "mc/ml-team/other", "--log", path)
    assert "holds no ModelCache/ml-team/other" in result.stderr


def test_a_cluster_that_was_replaced_and_is_gone(tmp_path: Path) -> None:
    """Of two InferenceClusters of one name that are gone, the last one is explained."""
    scene = CacheScene()
    scene.cluster("one", uid="another")
    scene.gone(HOME, scene.cluster_subject("one", "another"))
    path = write(scene, tmp_path / "replaced.jsonl")
    document = json.loads(printed("explain", "ic/one", "--log", path, "-o", "json"))
    assert document["object"]["uid"] == "another"
    assert document["gone"]["type"] == "Gone"


def test_options_of_the_other_kind(troubled: Path) -> None:
    """--node is about warmups and --on about caches, and each says so."""
    for arguments in (
        ("mc/a/b", "--node", "n"), ("mw/a/b", "--on", "c"), ("ic/a", "--on", "c"),
    ):  # fmt: skip
        result = warmlog("explain", *arguments, "--log", troubled)
        assert result.exit_code == ExitCode.USAGE
        assert "is about a Model" in result.stderr


def test_nothing_is_selected(tmp_path: Path) -> None:
    """A cache without clusters is told which labels are wanted."""
    scene = CacheScene()
    scene.cache(spec_of(selector={"tier": "gpu"}))
    told = explained(write(scene, tmp_path / "none.jsonl"))
    assert told["reason"] == "NoClusters"
    assert "tier=gpu" in told["do"][0]


def test_the_commands_that_tell_more_look_at_the_same_log(troubled: Path, tmp_path: Path) -> None:
    """They can be typed as they stand, whatever the log is called; and say less where they may."""
    path = tmp_path / "a log.jsonl"
    path.write_bytes(troubled.read_bytes())
    words = printed("explain", "node/n", "--log", path)
    commands = re.findall(r"More: `warmlog (.*)`", words)
    assert commands
    for command in commands:
        assert "ModelCache ml-team/qwen" in printed(*shlex.split(command))
    told = warmlog("explain", "node/n", WARMLOG_LOG=str(path)).stdout
    assert re.findall(r"More: `warmlog (.*)`", told) == [
        command.partition(" --log ")[0] for command in commands
    ]
    more = explained(path, "node/n")["of"]
    assert [each["more"] for each in more] == [f"warmlog {command}" for command in commands]


def test_a_part_that_an_object_has_not_is_refused_with_those_that_have_it(troubled: Path) -> None:
    """The words name each kind that the option takes."""
    result = warmlog("explain", "mw/ml-team/warm", "--on", "one", "--log", troubled)
    assert result.exit_code == ExitCode.USAGE
    for kind in PARTS["on"]:
        assert f" {kind}" in result.stderr
