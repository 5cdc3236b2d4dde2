"""Leaving: a node that goes, or loses its authorisation, before it has an outcome."""

import pytest

from machines.intents import DeleteJob
from machines.node_jobs import NodeJobState
from machines.observations import Absent, Done
from tests.machines.builders import Scene, naming, selecting, spec_of


def test_a_selected_node_that_leaves_is_withdrawn() -> None:
    """A selected node without an outcome that goes counts nowhere any more."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.node_gone("a")
    assert scene.target("a").state is NodeJobState.WITHDRAWN
    assert (scene.status["desiredNodes"], len(scene.status["targets"])) == (1, 1)


def test_its_job_is_deleted() -> None:
    """Its Job goes with it, and its slot is free once the Job and its Pods are gone."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting(), parallelism=1))
    job = scene.accept("a")
    scene.pod(job, "pod", "Running", "a")
    rows = scene.node("a", enabled=None)
    assert [one.job_uid for one in scene.decided(DeleteJob, rows)] == [job]
    scene.deleted("a")
    scene.job_gone("a")
    assert scene.creating() == []
    scene.pod_gone("pod")
    assert scene.creating() == ["b"]


def test_a_deletion_that_did_not_happen_is_decided_again() -> None:
    """A delete that is found not to have landed is made again while it is wanted."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    scene.node("a", enabled=None)
    scene.answer(DeleteJob, Absent(), "a")
    assert len(scene.decided(DeleteJob)) == 2


def test_nothing_left() -> None:
    """When all are withdrawn and none was done, nothing is resolved."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.node_gone("a")
    assert (scene.phase, scene.condition("Progressing")["reason"]) == (
        "Pending", "NoTargetsResolved",
    )  # fmt: skip


def test_withdrawn_beside_a_success() -> None:
    """Who was withdrawn does not count against the others."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.finish("b")
    scene.node_gone("a")
    scene.resolve()
    assert (scene.phase, scene.status["desiredNodes"]) == ("Succeeded", 1)


def test_who_comes_back_is_wanted_again() -> None:
    """A node that is labelled back before its old Job is gone gets its next one after that."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    scene.node("a", enabled=None)
    scene.node("a")
    assert scene.target("a").state is NodeJobState.HYDRATING
    scene.deleted("a")
    scene.job_gone("a")
    assert (scene.target("a").state, scene.creating()) == (NodeJobState.PENDING, ["a"])
    assert scene.target("a").vanished == 0


@pytest.mark.parametrize(
    ("outcome", "counts"), [("Complete", (2, 1, 0)), ("Failed", (2, 0, 1)), ("", (1, 0, 0))]
)
def test_an_outcome_that_came_in_between_counts(outcome: str, counts: tuple[int, int, int]) -> None:
    """A Job that ended before it was deleted is its machine's outcome, here as in a later log."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    scene.node("a", enabled=None)
    scene.job("a", outcome)
    status = scene.status
    assert (status["desiredNodes"], status["succeededNodes"], status["failedNodes"]) == counts
    later = Scene(synced=False)
    later.node("a", enabled=None)
    later.node("b")
    later.warmup(spec_of(selecting()))
    later.foreign_job("job", scene.job_level("a", outcome))
    later.sync()
    assert later.status["desiredNodes"] == status["desiredNodes"]
    assert later.status["succeededNodes"] == status["succeededNodes"]


def test_a_named_node_that_leaves_is_waited_for() -> None:
    """A named node goes back to waiting, with a new deadline, and its Job is deleted."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(naming("a")), wait="60")
    scene.accept("a")
    scene.wait(50)
    scene.node_gone("a")
    assert len(scene.decided(DeleteJob)) == 1
    assert (scene.detail("a")["reason"], scene.status["desiredNodes"]) == ("NodeNotFound", 1)
    scene.wait(59)
    assert scene.detail("a")["phase"] == "Pending"
    scene.wait(1)
    assert scene.detail("a")["phase"] == "Failed"


def test_a_named_node_that_loses_its_labels() -> None:
    """So does one that may not be warmed any more."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(naming("a")))
    scene.accept("a")
    scene.node("a", enabled="false")
    assert scene.detail("a")["reason"] == "NodeNotAuthorized"
    assert (scene.phase, len(scene.decided(DeleteJob))) == ("Pending", 1)


def test_a_namespace_that_moves() -> None:
    """When the namespace's pool changes, every unfinished node is asked for anew [W55]"""
    scene = Scene()
    scene.node("a")
    scene.node("b", pool="q", marks={"gpu": "1"})
    scene.warmup(spec_of(selecting(), selecting(gpu="1")))
    job = scene.accept("a")
    scene.namespace("q")
    assert [one.job_uid for one in scene.decided(DeleteJob)] == [job]
    assert (scene.creating(), scene.target("a").state) == (["b"], NodeJobState.WITHDRAWN)


def test_what_was_not_listed_did_not_leave() -> None:
    """Between a start and the first lists nobody leaves for not having been seen."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting(), naming("a")))
    scene.restart(synced=False)
    scene.tell(scene.listed("Namespace"), scene.listed("Job"), scene.listed("Pod"))
    assert scene.target("a").state is NodeJobState.PENDING
    scene.sync()
    assert scene.target("a").state is NodeJobState.PENDING


def test_who_left_while_nobody_looked() -> None:
    """What the first list after a start does not hold has left."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    scene.restart(synced=False)
    scene.tell(scene.listed("Node", without=["a"]))
    scene.sync()
    assert scene.target("a").state is NodeJobState.WITHDRAWN
    assert len(scene.decided(DeleteJob)) == 1


def test_a_create_that_landed_for_nobody() -> None:
    """A create that landed though its node has left is deleted when it is found."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.node("a", enabled=None)
    uid = scene.accept("a")
    assert [one.job_uid for one in scene.decided(DeleteJob)] == [uid]


def test_a_deleted_job_is_not_asked_to_go_twice() -> None:
    """A Job whose deletion was answered is waited for, not deleted again."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    scene.node("a", enabled=None)
    scene.answer(DeleteJob, Done(), "a")
    scene.job("a", deleting=True)
    assert len(scene.decided(DeleteJob)) == 1


def test_a_node_with_an_outcome_is_not_skipped() -> None:
    """Who failed, or succeeded, and loses its label afterwards is counted once [W43]"""
    scene = Scene()
    scene.nodes("a", "b", "c")
    spec = spec_of(selecting(os="linux"))
    for name in "abc":
        scene.node(name, marks={"os": "linux"})
    scene.warmup(spec)
    scene.finish("a", "Failed")
    scene.finish("b")
    for name in "abc":
        scene.node(name, enabled=None, marks={"os": "linux"})
    counts = [scene.status[f"{what}Nodes"] for what in ("failed", "succeeded", "skipped")]
    assert counts == [1, 1, 1]


def test_an_outcome_found_later_is_not_skipped() -> None:
    """A finished Job of a node outside the boundary counts as its outcome, and as nothing else."""
    scene = Scene()
    scene.node("a", enabled=None, marks={"os": "linux"})
    scene.node("b", marks={"os": "linux"})
    scene.warmup(spec_of(selecting(os="linux")))
    assert scene.status["skippedNodes"] == 1
    scene.foreign_job("old", scene.job_level("a", "Complete"))
    counts = [scene.status[f"{what}Nodes"] for what in ("succeeded", "skipped")]
    assert counts == [1, 0]
