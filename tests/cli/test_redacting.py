"""`warmlog export --redact`: a log without names that shows the same."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine.canonical_json import dumps
from machines.pseudonyms import Pseudonyms
from tests.cli.commands import REF, pool_world, printed, record, sample
from tests.recordings import any_order
from tests.recordings.reading import FOLDER, names

_NAME = re.compile(r"x[0-9a-f]{8}")
# Names in the recordings of which nothing may be left, in their clusters, specs and messages.
TELLING = (
    "runtime-image-warmup", "gpu-a", "gpu-b", "gpu-c", "latency-pool", "busybox", "qwen", "Qwen",
    "modelplane-rwx", "hub-token", "vllm",
)  # fmt: skip


def steps(log: Path) -> list[Any]:
    """The steps of every object, without what it is called."""
    lines = printed("replay", log, "--step", "-o", "json").splitlines()
    return [
        (row["at"], sorted((one["uid"], one["before"] is None) for one in row["changes"]))
        for row in map(json.loads, lines)
    ]


# All that a cluster told, and some of what was told to the core in any order, by uids of all sorts.
TOLD = [name for name in names() if name not in any_order.STORIES] + sorted(any_order.STORIES)[:5]


@pytest.mark.parametrize("name", TOLD)
def test_a_redacted_recording_shows_the_same(name: str, tmp_path: Path) -> None:
    """Every object makes its steps at the same times, and no name that tells is left."""
    redacted = tmp_path / "redacted.jsonl"
    recording = FOLDER / f"{name}.jsonl"
    printed("export", recording, "--redact", "-o", redacted)
    assert steps(redacted) == steps(recording)
    text = redacted.read_text()
    assert [each for each in TELLING if each in text] == []
    assert json.loads(text.partition("\n")[0])["logId"].startswith("redacted-")


def test_a_name_has_one_pseudonym_wherever_it_stands(tmp_path: Path) -> None:
    """The node of a Job is the node of its status and of its Pod, and of what explains it."""
    recording = FOLDER / "one_node_cannot_pull.jsonl"
    redacted = tmp_path / "redacted.jsonl"
    printed("export", recording, "--redact", "-o", redacted)
    [item] = json.loads(printed("replay", redacted, "-o", "json"))["items"]
    [failed] = [one for one in item["status"]["targets"] if one["phase"] == "Failed"]
    assert _NAME.fullmatch(failed["nodeName"])
    assert "failed to pull and unpack image" in failed["message"]
    told = printed("explain", f"mw/{item['namespace']}/{item['name']}", "--log", redacted)
    assert f"node {failed['nodeName']}" in told or failed["nodeName"] in told
    rows = [json.loads(line) for line in redacted.read_text().splitlines()[1:]]
    nodes = {row["subject"].split("/")[2] for row in rows if row["type"] == "NodeSeen"}
    assert failed["nodeName"] in nodes


def test_what_is_computed_from_names_is_computed_from_pseudonyms(tmp_path: Path) -> None:
    """A Job is called after its ModelWarmup, and a claim as its ModelCache calls for."""
    redacted = tmp_path / "redacted.jsonl"
    printed("export", FOLDER / "demo_caches.jsonl", "--redact", "-o", redacted)
    rows = [json.loads(line) for line in redacted.read_text().splitlines()[1:]]
    cache = next(row for row in rows if row["type"] == "ModelCacheSeen")["subject"].split("/")[2]
    claims = {
        row["subject"].split("/")[2] for row in rows if row["type"] == "PersistentVolumeClaimSeen"
    }
    assert all(claim.startswith(f"modelcache-default-{cache}-") for claim in claims)
    assert claims


def test_values_of_specs_are_replaced(tmp_path: Path) -> None:
    """Arguments, variables and hosts of images tell whose they are; keywords do not."""
    container = {
        "name": "mover",
        "image": "registry.acme.example/secret/mover:1.2@sha256:" + "ab" * 32,
        "args": ["--from", "s3://acme-weights/llm", "--key=abc123"],
        "env": [{"name": "ACME_TEAM", "value": "sky"}, {"name": "Q", "value": "небо 内部"}],
        "imagePullPolicy": "Always",
    }
    world = pool_world("gpu-a")
    log = record(
        tmp_path / "log.db",
        world,
        lambda each: each.apply(sample(custom={"containers": [container]})),
    )
    text = printed("export", log, "--redact")
    written = [dumps(one).strip('"') for one in ("небо", "内部")]
    for telling in ("acme", "ACME", "abc123", "sky", "mover", "secret", "abab", *written):
        assert telling not in text, telling
    assert "Always" in text
    whole = json.loads(printed("replay", log, "--object", REF, "-o", "json"))
    assert whole["phase"] == "Succeeded"


@pytest.mark.parametrize(
    "key", ["node-restriction.kubernetes.io/acme", "node-role.kubernetes.io/acme"]
)
def test_what_people_name_below_a_public_prefix_is_replaced(key: str) -> None:
    """These prefixes are there for names of their own; what Kubernetes itself names is kept."""
    pseudonyms = Pseudonyms(b"key")
    assert "acme" not in pseudonyms.value(key)
    for public in ("node-role.kubernetes.io/control-plane", "kubernetes.io/hostname"):
        assert pseudonyms.value(public) == public


def test_equal_logs_are_redacted_alike_and_others_otherwise(tmp_path: Path) -> None:
    """Two exports have the same bytes; in another log a name has another pseudonym."""
    recording = FOLDER / "demo.jsonl"
    assert printed("export", recording, "--redact") == printed("export", recording, "--redact")
    other = record(tmp_path / "other.db", pool_world("gpu-a"))
    another = record(tmp_path / "another.db", pool_world("gpu-a"))
    shown = [set(_NAME.findall(printed("export", log, "--redact"))) for log in (other, another)]
    assert shown[0] & shown[1] == set()


def test_the_story_of_an_object_is_redacted_as_a_whole_log_is(tmp_path: Path) -> None:
    """--object, --since and --redact go together."""
    redacted = tmp_path / "part.jsonl"
    recording = FOLDER / "demo_caches.jsonl"
    printed("export", recording, "--object", "mc/default/qwen-everywhere", "--since", "60",
            "--redact", "-o", redacted)  # fmt: skip
    assert len(redacted.read_text().splitlines()) < len(recording.read_text().splitlines())
    assert "qwen" not in redacted.read_text()
