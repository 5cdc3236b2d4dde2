"""Recordings written by hand, of what clusters have been seen to do, replayed by the command.

The rows are those of a controller that asked for one Job and saw it; what follows is the case.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.canonical_json import dumps
from machines.labels import ENABLED, POOL
from tests.cli.commands import printed
from tests.running.stories import MANIFEST_SPEC, NOON

WARMUP, JOB = "ModelWarmup/default/warm/w-1", "Job/default/warm-1/j-1"
OURS = {"warmupUid": "w-1", "controllerUid": "w-1", "nodeUid": "n-1", "nodeName": "n1"}
DIGEST = "0" * 64

Row = tuple[str, str, Mapping[str, Any]]  # type, subject, data


def seen(kind: str, version: int, subject: str = "", **level: Any) -> Row:
    """An object is at this level; the Job unless another subject is given."""
    return f"{kind}Seen", subject or JOB, {"level": level, "version": str(version)}


def pod(version: int, phase: str, **level: Any) -> Row:
    """The one Pod of the Job is in this phase."""
    marks = {"warmupUid": "w-1", "jobUid": "j-1", "nodeName": "n1"}
    return seen("Pod", version, "Pod/default/warm-1-x/p-1", phase=phase, **marks, **level)


def job(version: int, **level: Any) -> Row:
    """The Job is at this level."""
    return seen("Job", version, **OURS, **level)


MARKS = {POOL: "gpu", ENABLED: "true"}
IDENTITY = {"code_digest": DIGEST, "settings_digest": DIGEST, "version": "0.0.1"}
INTENT = {
    "digest": DIGEST, "job_name": "warm-1", "namespace": "default", "node_name": "n1",
    "node_uid": "n-1", "revision": "r", "warmup_uid": "w-1",
}  # fmt: skip
BEGUN: list[Row] = [
    ("SessionStarted", "Session///", IDENTITY),
    seen("Namespace", 1, "Namespace//default/ns-1", pool="gpu"),
    seen("Node", 2, "Node//n1/n-1", labels=MARKS, ready="True"),
    seen("ModelWarmup", 3, WARMUP, generation=1, spec=dumps(MANIFEST_SPEC)),
    *(("Synced", "///", {"kind": kind}) for kind in ("Namespace", "Node", "Job", "Pod")),
    ("Synced", "///", {"kind": "ModelWarmup"}),
    ("CreateJobIntended", WARMUP, INTENT),
    job(10),
    ("IntentDone", WARMUP, {"uid": "j-1"}),
]
INTENDED = 10  # the seq of CreateJobIntended


def write(path: Path, rows: Sequence[Row]) -> Path:
    """Write rows as the JSON Lines that `warmlog` reads, a second apart."""
    last = NOON + len(rows) * 10**9
    header = {
        "after": 0, "epoch": 1, "format": 1, "lastAt": last, "logId": "by-hand",
        "position": len(rows), "warmlog": "log",
    }  # fmt: skip
    lines = [header]
    for seq, (kind, subject, data) in enumerate(rows, start=1):
        decision = kind.endswith("Intended")
        lines.append(
            {
                "at": NOON + seq * 10**9,
                "cause": INTENDED if kind == "IntentDone" else seq - 1 if decision else None,
                "cluster": "" if kind == "SessionStarted" else "c",
                "data": data,
                "epoch": 1,
                "seen": seq - 1 if decision else None,
                "seq": seq,
                "subject": subject,
                "type": kind,
                "version": 1,
            }
        )
    path.write_text("".join(dumps(line) + "\n" for line in lines))
    return path


def replayed(path: Path) -> list[dict[str, Any]]:
    """The status after the Job was taken, and after each later row; each replay is repeated."""
    statuses = []
    ends = json.loads(path.read_text().splitlines()[0])["position"]
    for seq in range(len(BEGUN), ends + 1):
        shown = [
            printed("replay", path, "--at", str(seq), "--object", "modelwarmup/default/warm",
                    "-o", "json")
            for _ in range(2)
        ]  # fmt: skip
        assert shown[0] == shown[1]
        statuses.append(json.loads(shown[0]))
    return statuses


def figures(status: Mapping[str, Any]) -> tuple[str, int, int, int]:
    """The phase, and how many nodes are active, succeeded and failed."""
    return (
        status["phase"], status["activeNodes"], status["succeededNodes"], status["failedNodes"],
    )  # fmt: skip


@pytest.mark.parametrize("phase", ["Running", "Failed"])
def test_a_job_in_back_off_whose_pods_still_end(tmp_path: Path, phase: str) -> None:
    """Whatever a Job counts and its Pods do meanwhile, the status says one thing [S41]"""
    rows = [pod(11, "Running"), pod(12, phase, deleting=True), job(13, failedAttempts=1)]
    path = write(tmp_path / "log.jsonl", [*BEGUN, *rows])
    for status in replayed(path):
        assert figures(status) == ("Running", 1, 0, 0)
        assert [each["phase"] for each in status["targets"]] == ["Running"]


def test_a_pod_that_ends_after_its_job_was_deleted(tmp_path: Path) -> None:
    """It holds the node until it has ended, and its success is nobody's: no Job said so [S43]"""
    gone: Row = ("Gone", JOB, {"version": "12"})
    path = write(tmp_path / "log.jsonl", [*BEGUN, pod(11, "Running"), gone, pod(13, "Succeeded")])
    *_, deleted, ended = replayed(path)
    assert figures(deleted) == figures(ended) == ("Running", 0, 0, 0)
    assert deleted["targets"][0]["reason"] == "PodsTerminating"
    assert ended["targets"][0]["reason"] == "JobDeleted"


def test_pods_that_are_seen_after_their_job_failed(tmp_path: Path) -> None:
    """A node that has failed is not opened again by a Pod that runs, nor by its success [S44]"""
    failed = job(11, outcome="Failed", reason="BackoffLimitExceeded", message="too often")
    path = write(tmp_path / "log.jsonl", [*BEGUN, failed, pod(12, "Running"), pod(13, "Succeeded")])
    _, *statuses = replayed(path)
    for status in statuses:
        assert figures(status)[1:] == (0, 0, 1)
        assert status["targets"][0]["reason"] == "BackoffLimitExceeded"


@pytest.mark.parametrize("outcome", ["Complete", "Failed"])
def test_servers_without_interim_conditions(tmp_path: Path, outcome: str) -> None:
    """A Job that comes to its end at once has ended; only "Finishing" lasts until then [S47]"""
    steps = [job(11, outcome="Finishing"), job(12, outcome=outcome, reason="Why")]
    for rows in (steps, steps[1:]):
        *before, after = replayed(write(tmp_path / "log.jsonl", [*BEGUN, *rows]))
        assert {figures(status) for status in before} == {("Running", 1, 0, 0)}
        failed = int(outcome == "Failed")
        assert figures(after)[1:] == (0, 1 - failed, failed)
