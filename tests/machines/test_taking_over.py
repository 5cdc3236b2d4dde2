"""Taking over from AIBrix's own controller: its Jobs name a node, and say no uid of it."""

from typing import Any

import pytest

from engine.events import Subject
from machines.intents import CreateJob, DeleteJob, StampTtl
from machines.levels import JobLevel
from machines.node_jobs import NodeJobState
from machines.observations import Deleted, Done
from tests.machines.builders import CLUSTER, NAMESPACE, Scene, naming, selecting, spec_of

# What the original writes while its warmup is on its way.
RUNNING: dict[str, Any] = {
    "phase": "Running",
    "observedRevision": "ef7e2d9085ee",
    "desiredNodes": 2,
    "activeNodes": 1,
    "succeededNodes": 1,
    "startTime": "2026-01-01T09:00:00Z",
    "targets": [
        {
            "nodeName": "a",
            "source": "target[0]",
            "sourceCount": 1,
            "revision": "ef7e2d9085ee",
            "jobName": "mw-11111111-22222222-ef7e2d9085ee",
            "phase": "Running",
            "attempt": 1,
            "lastTransitionTime": "2026-01-01T09:00:01Z",
        }
    ],
    "conditions": [
        {
            "type": kind,
            "status": "True" if kind == "Progressing" else "False",
            "reason": "JobsRunning" if kind == "Progressing" else "NotActive",
            "message": "",
            "observedGeneration": 1,
            "lastTransitionTime": "2026-01-01T09:00:00Z",
        }
        for kind in ("Complete", "Progressing", "Degraded")
    ],
}
BEFORE, MADE, AFTER = "2026-01-01T08:00:00Z", "2026-01-01T09:00:00Z", "2026-01-01T10:00:00Z"


def left_by_the_original(
    *jobs: tuple[str, JobLevel], spec: Any = None, status: Any = None, **nodes: str
) -> Scene:
    """A cluster with these nodes (name and creation) and Jobs, seen for the first time."""
    scene = Scene(synced=False)
    for name, created in nodes.items():
        scene.node(name, created=created)
    scene.warmup(spec or spec_of(selecting()), status=status or RUNNING)
    for uid, level in jobs:
        scene.see(Subject("Job", NAMESPACE, f"mw-{uid}", uid), level)
    scene.sync()
    return scene


def original(node: str, outcome: str = "", **changes: Any) -> JobLevel:
    """A Job as the original makes it: controlled, labelled, and no uid of its node."""
    reason = "BackoffLimitExceeded" if outcome == "Failed" else ""
    level = JobLevel("mw-uid", "mw-uid", "", node, "0123456789ab", outcome, reason, created=MADE)
    return level._replace(**changes)


def figures(scene: Scene) -> tuple[int, ...]:
    """Give desired, active, succeeded and failed nodes."""
    names = ("desiredNodes", "activeNodes", "succeededNodes", "failedNodes")
    return tuple(scene.status[name] for name in names)


@pytest.mark.parametrize("revision", ["0123456789ab", "ef7e2d9085ee", ""])
def test_outcomes_of_its_jobs_count(revision: str) -> None:
    """A finished Job is the outcome of the node it names, whatever its revision says."""
    scene = left_by_the_original(
        ("ja", original("a", "Complete", revision=revision)),
        ("jb", original("b", "Failed", revision=revision)),
        a=BEFORE, b=BEFORE,
    )  # fmt: skip
    assert (figures(scene), scene.decided(CreateJob)) == ((2, 0, 1, 1), [])
    assert scene.detail("b")["reason"] == "BackoffLimitExceeded"
    scene.resolve()
    assert scene.phase == "Degraded"


def test_an_unfinished_job_is_its_nodes() -> None:
    """It holds the slot, no second Job is made for its node, and it brings the outcome."""
    scene = left_by_the_original(
        ("ja", original("a")), a=BEFORE, b=BEFORE, spec=spec_of(selecting(), parallelism=1)
    )
    assert (figures(scene), scene.decided(CreateJob)) == ((2, 1, 0, 0), [])
    assert scene.detail("a")["jobName"] == "mw-ja"
    scene.see(Subject("Job", NAMESPACE, "mw-ja", "ja"), original("a", "Complete"))
    assert (figures(scene), scene.creating()) == ((2, 0, 1, 0), ["b"])


def test_it_gets_its_ttl_at_the_end() -> None:
    """The original's finished Jobs are removed after their TTL, once the end is stored."""
    scene = left_by_the_original(("ja", original("a", "Complete")), a=BEFORE)
    scene.resolve()
    assert scene.decided(StampTtl) == []
    scene.store()
    assert [one.job_uid for one in scene.decided(StampTtl)] == ["ja"]


def test_it_goes_with_its_node() -> None:
    """The unfinished Job of a node that may not be warmed any more is deleted."""
    scene = left_by_the_original(("ja", original("a")), a=BEFORE)
    rows = scene.node("a", enabled=None, created=BEFORE)
    assert [one.job_uid for one in scene.decided(DeleteJob, rows)] == ["ja"]
    assert scene.target("a").state is NodeJobState.WITHDRAWN


@pytest.mark.parametrize("outcome", ["", "Complete", "Failed"])
def test_a_job_older_than_the_node_is_none_of_its_own(outcome: str) -> None:
    """A machine that replaced the one that a Job was made for is warmed afresh [W45]"""
    scene = left_by_the_original(("ja", original("a", outcome)), a=AFTER)
    deleted = [one.job_uid for one in scene.decided(DeleteJob)]
    assert deleted == ([] if outcome else ["ja"])
    assert (figures(scene), scene.creating()) == ((1, 0, 0, 0), ["a"])
    scene.finish("a")
    scene.resolve()
    scene.store()
    stamped = {one.job_uid for one in scene.decided(StampTtl)}
    assert (scene.phase, "ja" in stamped) == ("Succeeded", bool(outcome))


def test_a_slot_is_held_until_the_old_machines_job_is_gone() -> None:
    """Parallelism counts the Job that is being deleted, too."""
    scene = left_by_the_original(
        ("ja", original("a")), a=AFTER, spec=spec_of(selecting(), parallelism=1)
    )
    assert scene.creating() == []
    scene.answer(DeleteJob, Done("ja"))
    scene.tell(Deleted(CLUSTER, Subject("Job", NAMESPACE, "mw-ja", "ja"), str(scene.next())))
    assert scene.creating() == ["a"]


def test_made_in_the_same_second() -> None:
    """Kubernetes tells whole seconds: a Job of the second in which its Node joined is its own."""
    scene = left_by_the_original(("ja", original("a", "Complete")), a=MADE)
    assert figures(scene) == (1, 0, 1, 0)


@pytest.mark.parametrize(
    ("outcome", "counts"), [("Complete", (2, 0, 1, 0)), ("Failed", (2, 0, 0, 1))]
)
def test_the_outcome_of_a_machine_that_left(outcome: str, counts: tuple[int, ...]) -> None:
    """Nobody has its name now: its outcome counts, and a name that has one waits no more."""
    scene = left_by_the_original(
        ("ja", original("a", outcome)), b=BEFORE, spec=spec_of(selecting(), naming("a"))
    )
    assert (figures(scene), scene.creating()) == (counts, ["b"])
    scene.node("a", created=AFTER)
    assert (scene.status["desiredNodes"], scene.creating()) == (3, ["b", "a"])


def test_what_runs_for_a_machine_that_left() -> None:
    """Nobody has its name now: the Job that runs for it serves nobody, and is deleted."""
    scene = left_by_the_original(("ja", original("a")), b=BEFORE)
    assert [one.job_uid for one in scene.decided(DeleteJob)] == ["ja"]
    assert figures(scene)[0] == 1


def test_a_node_that_is_seen_late() -> None:
    """No rule needs two kinds in a certain order: a Job waits for its node to be seen."""
    scene = left_by_the_original(spec=spec_of(selecting()))
    scene.restart(synced=False)
    scene.see(Subject("Job", NAMESPACE, "mw-ja", "ja"), original("a"))
    scene.node("a", created=BEFORE)
    scene.sync()
    assert (figures(scene), scene.decided(CreateJob)) == ((1, 1, 0, 0), [])
    assert scene.decided(DeleteJob) == []


def test_a_machine_once_told_stays() -> None:
    """What was told to be one machine's Job is not the next one's, nor forgotten with its node."""
    scene = left_by_the_original(("ja", original("a")), a=BEFORE)
    scene.node_gone("a")
    scene.node("a", uid="uid-a2", created=AFTER)
    scene.see(Subject("Job", NAMESPACE, "mw-ja", "ja"), original("a", "Complete"))
    assert scene.mw.targets["uid-a"].state is NodeJobState.READY
    assert scene.mw.targets["uid-a2"].state is NodeJobState.PENDING


@pytest.mark.parametrize("controller", ["", "somebody"])
@pytest.mark.parametrize("outcome", ["", "Complete"])
def test_a_label_alone_makes_no_job_ours(controller: str, outcome: str) -> None:
    """A Job that bears our label and is not controlled by the ModelWarmup is left alone [W26]"""
    level = original("a", outcome, controller_uid=controller)
    scene = left_by_the_original(("ja", level), a=BEFORE)
    assert (figures(scene), scene.creating()) == ((1, 0, 0, 0), ["a"])
    scene.finish("a")
    scene.resolve()
    scene.store()
    assert "ja" not in [one.job_uid for one in scene.decided(StampTtl)]
    assert scene.decided(DeleteJob) == []


def test_a_job_that_names_no_node() -> None:
    """Whom it serves is not known: it is left to run, holds a slot, and is nobody's outcome."""
    scene = left_by_the_original(
        ("ja", original("")), a=BEFORE, spec=spec_of(selecting(), parallelism=1)
    )
    assert (scene.decided(DeleteJob), scene.creating()) == ([], [])
    scene.see(Subject("Job", NAMESPACE, "mw-ja", "ja"), original("", "Complete"))
    assert (figures(scene), scene.creating()) == ((1, 0, 0, 0), ["a"])


def test_ages_that_are_not_known_decide_nothing() -> None:
    """A log that does not know how old a node is leaves the original's Jobs as they are."""
    scene = left_by_the_original(("ja", original("a", created="")), a="")
    assert scene.decided(DeleteJob) == []
    scene.node("a", created=BEFORE)
    scene.see(Subject("Job", NAMESPACE, "mw-ja", "ja"), original("a"))
    assert scene.mw.jobs == {"uid-a": ("ja",)}


ENDED: dict[str, Any] = {
    **RUNNING,
    "phase": "Degraded",
    "completionTime": "2026-01-01T09:30:00Z",
    "activeNodes": 0,
    "failedNodes": 1,
    "targets": [
        {
            **RUNNING["targets"][0],
            "phase": "Failed",
            "reason": "DeadlineExceeded",
            "message": "Job was active longer than specified deadline",
        }
    ],
}


def test_its_end_is_kept() -> None:
    """A terminal status of the original stays, with its figures and what it says of its nodes."""
    scene = left_by_the_original(("ja", original("a")), a=BEFORE, b=BEFORE, status=ENDED)
    assert (scene.phase, figures(scene)) == ("Degraded", (2, 0, 1, 1))
    assert scene.decided(CreateJob) == []
    kept = {**ENDED["targets"][0]}
    del kept["attempt"]  # of the original's Continuous mode, and not in our status
    assert scene.status["targets"] == [kept]
    assert scene.status["completionTime"] == ENDED["completionTime"]
    assert scene.condition("Degraded")["reason"] == "NodeFailed"
    assert scene.condition("Finished")["status"] == "True"
    scene.store()
    assert [one.job_uid for one in scene.decided(DeleteJob)] == ["ja"]
