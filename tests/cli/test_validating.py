"""`warmlog validate`: what a person sees of manifests that are wrong, and what a program does."""

import contextlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from adapters.cli.exit_codes import ExitCode
from adapters.cli.main import app
from tests.cli.commands import SAMPLE, printed, warmlog
from tests.repository import ROOT

GOOD = SAMPLE.read_text()
BAD = GOOD.replace("parallelism: 8", "paralelism: 8").replace("retryLimit: 2", "retryLimit: -2")
OTHER = "apiVersion: v1\nkind: Namespace\nmetadata: {name: models}\n---\n"
KINDS = ("caches", "replicas", "clusters", "warmups")
CACHES = """\
apiVersion: modelplane.ai/v1alpha1
kind: ModelCache
metadata: {name: qwen}
spec:
  source: HuggingFace
  huggingFace: {repo: a/b.git, sizeGiB: 2Gi}
---
apiVersion: modelplane.ai/v1alpha1
kind: InferenceCluster
metadata: {name: home}
spec:
  cluster:
    source: InCluster
    gke: {region: us-central1}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """An empty folder in which the command is run, so that names are short."""
    with contextlib.chdir(tmp_path):
        yield tmp_path


def line_of(text: str, words: str) -> int:
    """The number of the first line that holds these words."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if words in line)


def test_the_samples_are_valid() -> None:
    """Every sample is valid, and nothing in it had better be otherwise."""
    count = len(list((ROOT / "samples/modelwarmup").glob("*.yaml")))
    assert count >= 6
    text = printed("validate", ROOT / "samples/modelwarmup")
    assert text == f"{count} ModelWarmups in {count} files, all valid\n"


def test_the_samples_of_caches_are_valid() -> None:
    """So are those of ModelCaches and InferenceClusters, beside which Secrets stand."""
    text = printed("validate", ROOT / "samples/modelcache")
    assert text == (
        "4 ModelCaches and 2 InferenceClusters in 4 files, all valid; 2 objects of other kinds"
        " skipped\n"
    )


def test_the_samples_of_replicas_are_valid() -> None:
    """Nothing is said against any, and each kind is counted by itself."""
    text = printed("validate", ROOT / "samples/modelreplica")
    kinds = "1 ModelCache, 4 ModelReplicas and 1 InferenceCluster"
    assert text == f"{kinds} in 4 files, all valid\n"


def test_caches_and_clusters_are_judged_like_warmups(folder: Path) -> None:
    """Their faults and warnings are lines as well, and programs get each kind by itself."""
    (folder / "all.yaml").write_text(f"{CACHES}---\n{GOOD}")
    result = warmlog("validate", "all.yaml")
    assert result.exit_code == ExitCode.DIFFERENT
    repo, size, block, last = result.stdout.splitlines()
    assert repo == "all.yaml:6:17: spec.huggingFace.repo: must not end in .git"
    assert size == "all.yaml:6:32: spec.huggingFace.sizeGiB: must be a whole number"
    assert block.startswith("all.yaml:14:5: warning: spec.cluster.gke: has no effect: source is ")
    kinds = "1 ModelWarmup, 1 ModelCache and 1 InferenceCluster in 1 file"
    assert last == f"{kinds}, 1 with faults; 2 faults and 1 warning"
    document = json.loads(warmlog("validate", "all.yaml", "-o", "json").stdout)
    named = [(each["name"], each["valid"]) for kind in KINDS for each in document[kind]]
    assert named == [("qwen", False), ("home", True), ("runtime-image-warmup", True)]


def test_every_fault_is_a_line_that_editors_understand(folder: Path) -> None:
    """File, line and column come first, then the field and the words; the last line counts."""
    (folder / "bad.yaml").write_text(OTHER + BAD)
    result = warmlog("validate", "bad.yaml")
    assert result.exit_code == ExitCode.DIFFERENT
    before = OTHER.count("\n")
    unknown = line_of(BAD, "paralelism") + before
    negative = line_of(BAD, "retryLimit") + before
    misspelt = "spec.policies.paralelism: is no field there; did you mean parallelism?"
    assert result.stdout.splitlines() == [
        f"bad.yaml:{unknown}:5: {misspelt}",
        f"bad.yaml:{negative}:5: spec.policies.retryLimit: must be at least 0",
        "1 ModelWarmup in 1 file, 1 with faults; 2 faults; 1 object of other kinds skipped",
    ]
    assert result.stderr == ""


def test_a_warning_is_marked_and_ends_well(folder: Path) -> None:
    """What is allowed but odd is told as such, with code 0."""
    (folder / "odd.yaml").write_text(GOOD.replace("retryLimit: 2", "retryLimit: 100"))
    first, *_, last = printed("validate", "odd.yaml").splitlines()
    assert re.fullmatch(
        r"odd.yaml:\d+:5: warning: spec.policies.retryLimit: 100 is used as 20", first
    )
    assert last == "1 ModelWarmup in 1 file, valid; 2 warnings"


def test_what_cannot_be_read_stops_nothing_else(folder: Path) -> None:
    """A missing file, one that is no YAML, and a good one are all told of."""
    (folder / "a.yaml").write_text("a: [\n---\n" + GOOD)
    (folder / "b.json").write_bytes(b"\x00\x01")
    result = warmlog("validate", "missing.yaml", folder)
    assert result.exit_code == ExitCode.DIFFERENT
    missing, broken, binary, last = result.stdout.splitlines()
    assert missing == "missing.yaml: cannot be read: No such file or directory"
    assert broken.startswith(f"{folder}/a.yaml:2:1: is not YAML: ")
    assert binary == f"{folder}/b.json:1:1: is no text: it holds a NUL byte"
    assert last == "1 ModelWarmup in 3 files, valid; 3 faults"


@pytest.mark.parametrize("text", ["", "# nothing\n", OTHER])
def test_nothing_to_judge_is_said(text: str, folder: Path) -> None:
    """Files without a ModelWarmup are fine, and the line says that there was none."""
    (folder / "none.yaml").write_text(text)
    assert printed("validate", "none.yaml").startswith("nothing to judge in 1 file")


def test_standard_input_is_a_file_like_others() -> None:
    """`-` reads what another program prints, in YAML and in JSON."""
    result = CliRunner().invoke(app, ["validate", "-"], input=BAD, catch_exceptions=False)
    assert result.exit_code == ExitCode.DIFFERENT
    assert result.stdout.startswith(f"<stdin>:{line_of(BAD, 'paralelism')}:5: ")


def test_a_program_gets_the_same_as_json(folder: Path) -> None:
    """-o json is one canonical line with each finding, each object, and whether all is valid."""
    (folder / "both.yaml").write_text(f"{OTHER}{BAD}---\n{GOOD}")
    result = warmlog("validate", "both.yaml", "-o", "json")
    assert result.exit_code == ExitCode.DIFFERENT
    document: dict[str, Any] = json.loads(result.stdout)
    assert result.stdout == json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n"
    assert {name: document[name] for name in ("valid", "files", "others")} == {
        "valid": False,
        "files": 1,
        "others": 1,
    }
    assert document["faults"][1] == {
        "file": "both.yaml",
        "line": line_of(BAD, "retryLimit") + 4,
        "column": 5,
        "field": "spec.policies.retryLimit",
        "words": "must be at least 0",
        "reason": "InvalidSpec",
    }
    assert [each["reason"] for each in document["warnings"]] == ["ObjectTwice"]
    named = {"file": "both.yaml", "name": "runtime-image-warmup", "namespace": "default"}
    [first, second] = document["warmups"]
    assert first == {**named, "line": first["line"], "valid": False}
    assert second == {**named, "line": second["line"], "valid": True}


def test_the_same_files_give_the_same_lines(folder: Path) -> None:
    """Files come in the order given and sorted in folders, findings by their place."""
    for name in ("c.yaml", "a.yaml", "b.yaml"):
        (folder / name).write_text(BAD)
    result = warmlog("validate", "b.yaml", ".", "b.yaml")
    order = [line.split(":")[0] for line in result.stdout.splitlines()[:-1]]
    assert list(dict.fromkeys(order)) == ["b.yaml", "a.yaml", "c.yaml"]


def test_names_from_outside_cannot_move_the_cursor(folder: Path) -> None:
    """Whatever a file and its fields are called, each finding is one plain line."""
    name = os.fsdecode(b"a\xff\x1b[2J\n.yaml")
    (folder / name).write_text('{"kind": "ModelWarmup", "spec": {"\\u001b[2J\\nx": 1}}')
    result = warmlog("validate", ".")
    assert result.exit_code == ExitCode.DIFFERENT
    assert "\x1b" not in result.stdout
    assert all(": " in line for line in result.stdout.splitlines()[:-1])
    assert json.loads(warmlog("validate", ".", "-o", "json").stdout)["files"] == 1


def test_the_command_needs_a_file() -> None:
    """Without a file the command line is wrong."""
    assert warmlog("validate").exit_code == ExitCode.USAGE


def test_the_page_shows_what_is_printed(folder: Path) -> None:
    """The example in docs/command-line.md is what the command makes of the file that it shows."""
    page = (ROOT / "docs/command-line.md").read_text()
    section = page[page.index("\n## validate\n") :]
    manifest, shown = re.findall(r"```(?:yaml|text)\n(.*?)```", section, re.DOTALL)[:2]
    (folder / "warmup.yaml").write_text(manifest)
    assert warmlog("validate", "warmup.yaml").stdout == shown
