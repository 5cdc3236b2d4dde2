"""Telling: every row has words, and they say what the row says."""

from typing import Any

import pytest

from engine.canonical_json import dumps
from engine.events import Event
from machines.folding import HANDLERS
from machines.intents import (
    INTENT_BY_TYPE,
    Apply,
    Change,
    Create,
    CreateJob,
    Delete,
    DeleteJob,
    Intent,
    Resolve,
    RestoreJob,
    StampTtl,
)
from machines.telling import TOLD, intent_of, tell

CREATE = CreateJob("u", "ns", "job-1", "node-uid", "n-1", "rev", "digest")
DELETE = DeleteJob("u", "ns", "job-1", "job-uid", "node-uid")
STAMP = StampTtl("u", "ns", "job-1", "job-uid", "node-uid", 60)
RESTORE = RestoreJob("u", "ns", "job-1", "job-uid", "node-uid", "digest")
RESOLVE = Resolve("u", "ns")
MADE = Create("u", "PersistentVolumeClaim", "mp", "c", "digest")
CHANGED = Change("u", "PersistentVolumeClaim", "mp", "c", "claim-uid", "Latch", "digest")
APPLIED = Apply("u", "Deployment", "mp", "d", "", "digest")
REMOVED = Delete("u", "HydrationJob", "mp", "j", "job-uid")

POOLED = {"resource-pool.aibrix.ai/name": "fast"}
NODE = {"ready": "True", "labels": POOLED}
OPEN = {"ready": "True", "labels": {**POOLED, "model.aibrix.ai/warmup-enabled": "true"}}
NO_POOL = "without a pool (no label resource-pool.aibrix.ai/name)"
BARE = "node n seen: readiness unknown, in no pool, not opted in"


def row(type_name: str, subject: str = "///", /, **data: Any) -> Event:
    """A row of the log."""
    return Event(5, 2, 0, "here", subject, type_name, 1, dumps(data), 4)


def test_every_type_of_row_has_words() -> None:
    """What can be folded can be told, and nothing else."""
    assert set(HANDLERS) == TOLD


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (row("SessionStarted", "Session///", version="0.1.0"), "warmlog 0.1.0 started, term 2"),
        (row("Synced", kind="Pod"), "every Pod of cluster here was listed"),
        (row("Reachable"), "cluster here answers again"),
        (row("Unreachable", words="refused"), "cluster here does not answer: refused"),
        (row("Unreachable"), "cluster here does not answer: no words"),
        (row("ClusterRolledBack", words="w"), "cluster here went back to an older past: w"),
        (
            row("NamespaceSeen", "Namespace//ns/u", level={"pool": "fast"}),
            "namespace ns seen: in pool fast",
        ),
        (
            row("NamespaceSeen", "Namespace//ns/u", level={"terminating": True}),
            f"namespace ns seen: {NO_POOL}, being deleted",
        ),
        (row("NodeSeen", "Node//n/u", level=OPEN), "node n seen: ready, in pool fast, opted in"),
        (
            row("NodeSeen", "Node//n/u", level={**NODE, "unschedulable": True, "ready": "False"}),
            "node n seen: not ready, in pool fast, not opted in, cordoned",
        ),
        (
            row("NodeSeen", "Node//n/u", level={"taints": [["gpu", "", "NoSchedule"]]}),
            f"{BARE}, with the taint gpu:NoSchedule",
        ),
        (
            row(
                "NodeSeen", "Node//n/u", level={"labels": {"node-role.kubernetes.io/master": ""}}
            ),
            f"{BARE}, control plane",
        ),
        (
            row("ModelWarmupSeen", "ModelWarmup/ns/w/u", level={"generation": 2, "spec": "{}"}),
            "ModelWarmup ns/w seen: generation 2",
        ),
        (
            row(
                "ModelWarmupSeen", "ModelWarmup/ns/w/u",
                level={"generation": 2, "spec": "{}", "annotations": {"a": "true", "b": "x" * 99}},
            ),
            f"ModelWarmup ns/w seen: generation 2, a=true, b={'x' * 39}…",
        ),
        (row("JobSeen", "Job/ns/j/u", level={}), "Job j seen: unfinished"),
        (
            row("JobSeen", "Job/ns/j/u", level={"failedAttempts": 1, "deleting": True}),
            "Job j seen: unfinished, 1 failed attempt, being deleted",
        ),
        (
            row(
                "JobSeen", "Job/ns/j/u",
                level={"outcome": "Failed", "reason": "R", "message": "m", "ttlSeconds": 9},
            ),
            "Job j seen: Failed: R: m, removed 9 s after its end",
        ),
        (
            row("PodSeen", "Pod/ns/p/u", level={"phase": "Running", "nodeName": "n"}),
            "Pod p seen: Running on n",
        ),
        (
            row("PodSeen", "Pod/ns/p/u", level={"phase": "Pending", "reason": "Unschedulable"}),
            "Pod p seen: Pending: Unschedulable",
        ),
        (row("Gone", "Pod/ns/p/u"), "Pod p is gone"),
        (
            row("Gone", "ModelWarmup/ns/w/u", inferred=True),
            "ModelWarmup ns/w is gone (no complete list holds it any more)",
        ),
        (
            row("Recovered", "ModelWarmup/ns/w/u", phase="Failed"),
            "its status told of a past that this log does not hold: Failed",
        ),
        (
            row("Recovered", clusters=[{"name": name, "phase": "Ready"} for name in "ba"]),
            "its status told of a past that this log does not hold: a Ready, b Ready",
        ),
        (row("StatusStored", position=3), "the API server holds the final status"),
        (row("DeadlinePassed", deadline=3), "a deadline passed"),
    ],
)  # fmt: skip
def test_facts(event: Event, words: str) -> None:
    """A fact is told with the names and the words that it holds."""
    assert tell(event) == words


@pytest.mark.parametrize(
    ("kind", "intent", "words"),
    [
        ("CreateJobIntended", CREATE, "decided to create Job job-1 for node n-1"),
        ("DeleteJobIntended", DELETE, "decided to delete Job job-1"),
        ("StampTtlIntended", STAMP, "decided to have Job job-1 removed after 60 s"),
        (
            "RestoreJobIntended",
            RESTORE,
            "decided to put labels, annotations and owner of Job job-1 back",
        ),
        (
            "ResolveIntended",
            RESOLVE,
            "decided to look at all nodes once more before calling it done",
        ),
    ],
)
def test_decisions(kind: str, intent: Intent, words: str) -> None:
    """A decision is told by what it is to do, and its intent comes back from the row."""
    event = row(kind, **intent._asdict())
    assert tell(event) == words
    assert intent_of(event) == intent


def test_every_decision_is_told() -> None:
    """The decisions above are all that there are."""
    told = (CREATE, DELETE, STAMP, RESTORE, RESOLVE, MADE, CHANGED, REMOVED, APPLIED)
    assert {type(each) for each in told} == set(INTENT_BY_TYPE.values())


@pytest.mark.parametrize(
    ("kind", "data", "intent", "words"),
    [
        ("IntentDone", {}, CREATE, "Job job-1 was created"),
        ("IntentDone", {"found": True}, CREATE, "Job job-1 was there already"),
        ("IntentDone", {}, DELETE, "Job job-1 was deleted"),
        ("IntentDone", {"found": True}, DELETE, "Job job-1 had gone already"),
        ("IntentDone", {}, STAMP, "Job job-1 is to go 60 s after its end"),
        ("IntentDone", {}, MADE, "claim mp/c was created"),
        ("IntentDone", {"found": True}, CHANGED, "claim mp/c is marked as hydrated, as before"),
        ("IntentDone", {}, REMOVED, "Job mp/j was deleted"),
        ("IntentDone", {}, APPLIED, "Deployment mp/d was applied"),
        ("IntentDone", {"found": True}, APPLIED, "Deployment mp/d was applied, as before"),
        ("IntentAbsent", {}, MADE, "nothing was done to create claim mp/c"),
        ("IntentDone", {}, RESOLVE, "all nodes were looked at once more"),
        ("IntentDone", {}, None, "done as intended"),
        (
            "IntentRefused", {"code": 403, "reason": "Forbidden", "words": "no"}, DELETE,
            "the API server refused to delete Job job-1: 403 Forbidden: no",
        ),
        ("IntentUnknown", {"words": "cut"}, None, "no answer: cut; it has to be looked up"),
        ("IntentAbsent", {}, DELETE, "nothing was done to delete Job job-1"),
    ],
)  # fmt: skip
def test_outcomes(kind: str, data: dict[str, object], intent: Intent | None, words: str) -> None:
    """An outcome is told with what it is the outcome of, when that is known."""
    assert tell(row(kind, **data), intent) == words
