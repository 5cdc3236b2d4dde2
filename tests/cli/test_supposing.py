"""`warmlog what-if`: what warmlog would have decided over what others recorded."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adapters.cli.exit_codes import ExitCode
from machines.labels import ENABLED, POOL, WARMUP_UID
from machines.labels import TARGET_NODE as NODE
from machines.labels import TARGET_NODE_UID as NODE_UID
from tests.cli.commands import printed, warmlog
from tests.importing.reading import MATERIAL, event, listed, raw

MARKS = {POOL: "pool", ENABLED: "true"}
REF = "mw/team/mw"


def pool(*nodes: str, **policies: int) -> str:
    """A namespace, Nodes and a ModelWarmup of all of them, as `kubectl get` prints them."""
    spec: dict[str, Any] = {"targets": [{"nodeSelector": {"matchLabels": {POOL: "pool"}}}]}
    image = {"image": "busybox:1.36", "command": ["true"]}
    spec |= {"imagePreload": {"images": [image]}, "policies": policies}
    ready = {"conditions": [{"type": "Ready", "status": "True"}]}
    raws = [raw("Namespace", "team", 1, metadata={"labels": {POOL: "pool"}})]
    raws += [raw("Node", name, 2, metadata={"labels": MARKS}, status=ready) for name in nodes]
    return listed(*raws, raw("ModelWarmup", "mw", 3, spec=spec))


def job(node: str, version: int, *, at: str, done: bool = False) -> dict[str, Any]:
    """A Job that somebody made for a node."""
    owner = {"kind": "ModelWarmup", "name": "mw", "uid": "mw-uid", "controller": True}
    metadata = {
        "labels": {WARMUP_UID: "mw-uid"},
        "annotations": {NODE: node, NODE_UID: f"{node}-uid"},
        "ownerReferences": [{**owner, "apiVersion": "model.aibrix.ai/v1alpha1"}],
    }
    conditions = [{"type": "Complete", "status": "True"}] if done else []
    status = {"conditions": conditions}
    return raw("Job", f"job-{node}", version, at=at, metadata=metadata, status=status)


def log_of(folder: Path, *material: str) -> Path:
    """A log of material in which there were no Jobs and no Pods at first."""
    path, log = folder / "material.json", folder / "log.db"
    path.write_text("".join(material))
    printed("import", "--none", "jobs", "--none", "pods", path, log)
    return log


def supposed(log: Path, *options: str) -> Sequence[dict[str, Any]]:
    """What `what-if -o json` prints, document by document."""
    lines = printed("what-if", log, "-o", "json", *options).splitlines()
    return [json.loads(line) for line in lines]


def kinds(documents: Sequence[dict[str, Any]]) -> list[str]:
    """What the documents are, in their order."""
    return [each.get("type") or each.get("outcome") or "statuses" for each in documents]


def test_what_nobody_did_is_decided_once_and_stays_open(tmp_path: Path) -> None:
    """One Job for each node, within the limit; no fact says what became of them."""
    log = log_of(tmp_path, pool("a", "b", "c", parallelism=2))
    documents = supposed(log)
    assert kinds(documents) == ["CreateJobIntended", "CreateJobIntended", "statuses"]
    assert documents[-1]["open"] == [1, 2]
    text = printed("what-if", log)
    assert text.count("decided to create Job") == 2
    assert "2 decisions would have been made" in text
    assert "2 of them without an outcome" in text


def test_outcomes_are_taken_from_the_facts_that_follow(tmp_path: Path) -> None:
    """Whoever made the Jobs: they are there, the next is decided, and the warmup comes to its end.

    Before that is believed, a last look is decided on, which the recording answers at once.
    """
    times = [f"2026-01-01T12:00:0{second}Z" for second in range(1, 9)]
    story = [
        event("ADDED", job("a", 4, at=times[0])),
        event("MODIFIED", job("a", 5, at=times[1], done=True)),
        event("ADDED", job("b", 6, at=times[2])),
        event("MODIFIED", job("b", 7, at=times[3], done=True)),
    ]
    log = log_of(tmp_path, pool("a", "b", parallelism=1), *story)
    documents = supposed(log)
    assert kinds(documents) == [
        "CreateJobIntended", "Done", "CreateJobIntended", "Done", "ResolveIntended", "Done",
        "statuses",
    ]  # fmt: skip
    assert [each["uid"] for each in documents if each.get("uid")] == ["job-a-uid", "job-b-uid"]
    [status] = [each["status"] for each in documents[-1]["items"]]
    assert (status["phase"], status["succeededNodes"]) == ("Succeeded", 2)
    rows = len(printed("export", log).splitlines()) - 1
    assert status["warmlog"]["position"] <= rows == documents[-1]["position"]


def test_an_earlier_moment_is_that_of_the_recording(tmp_path: Path) -> None:
    """Up to a position or a time only what came before it is folded and decided."""
    log = log_of(tmp_path, pool("a"), event("ADDED", job("a", 9, at="2026-01-01T12:00:05Z")))
    assert kinds(supposed(log, "--at", "2026-01-01T12:00:04Z")) == ["CreateJobIntended", "statuses"]
    assert kinds(supposed(log)) == ["CreateJobIntended", "Done", "statuses"]
    done = warmlog("what-if", log, "--at", "2025-01-01T12:00:00Z")
    assert done.exit_code == ExitCode.NOT_FOUND


def test_what_is_not_listed_is_not_decided_upon(tmp_path: Path) -> None:
    """Without a word about Jobs nobody knows whether there are any, and `explain` says so."""
    path, log = tmp_path / "material.json", tmp_path / "log.db"
    path.write_text(pool("a"))
    printed("import", path, log)
    assert kinds(supposed(log)) == ["statuses"]
    assert "Job, Pod" in printed("explain", REF, "--log", log)


@pytest.mark.parametrize("name", ["list.json", "watch.json", "audit.log"])
def test_equal_recordings_give_equal_bytes(name: str, tmp_path: Path) -> None:
    """No clock, no chance; and what was done already is not decided again."""
    log = tmp_path / "log.db"
    printed("import", MATERIAL / name, log)
    first = printed("what-if", log, "-o", "json")
    assert first == printed("what-if", log, "-o", "json")
    assert "CreateJobIntended" not in first


def test_a_log_with_decisions_is_for_verify(exported: Path) -> None:
    """What was decided there is compared, not supposed."""
    done = warmlog("what-if", exported)
    assert done.exit_code == ExitCode.USAGE
    assert "warmlog verify" in done.stderr


def test_verify_points_from_a_foreign_recording_to_what_if(tmp_path: Path) -> None:
    """There is no decision in it that could be compared."""
    log = log_of(tmp_path, pool("a"))
    told = printed("verify", log)
    assert "no decision" in told
    assert f"warmlog what-if {log}" in told
