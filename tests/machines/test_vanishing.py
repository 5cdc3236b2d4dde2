"""Vanishing: a Job that goes before its outcome, and not by our hand."""

import pytest

from machines.intents import CreateJob
from machines.observations import Answered, Deleted, Done
from tests.machines.builders import CLUSTER, Scene, naming, selecting, spec_of


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_it_is_made_again_so_many_times(limit: int) -> None:
    """A vanished Job is made again retryLimit times; then its node fails as JobDeleted [W57]"""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting(), retryLimit=limit))
    for _ in range(limit):
        scene.accept("a")
        scene.job_gone("a")
        assert scene.detail("a")["phase"] == "Pending"
        assert scene.detail("a")["reason"] == "JobDeleted"
    scene.accept("a")
    scene.job_gone("a")
    detail = scene.detail("a")
    assert (detail["phase"], detail["reason"]) == ("Failed", "JobDeleted")
    times = f"{limit + 1} time{'s' if limit else ''}"
    assert detail["message"] == f"its Job was deleted by someone {times}"
    assert len(scene.decided(CreateJob)) == limit + 1


def test_what_we_deleted_does_not_count() -> None:
    """A Job that we deleted ourselves uses up none of the recreations."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting(), retryLimit=0))
    scene.accept("a")
    scene.node("a", enabled=None)
    scene.deleted("a")
    scene.node("a")
    scene.job_gone("a")
    assert (scene.target("a").vanished, scene.creating()) == (0, ["a"])


def test_a_finished_job_that_goes_did_not_vanish() -> None:
    """The TTL, or anybody, may take a finished Job: its outcome stays."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.finish("a", "Failed")
    scene.job_gone("a")
    assert scene.detail("a")["reason"] == "BackoffLimitExceeded"


def test_what_its_pod_waited_for_goes_with_it() -> None:
    """The next Job does not inherit the cause that kept the last one's Pod from running."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    job = scene.accept("a")
    scene.pod(job, "pod", "Pending", "a", reason="ImagePullBackOff", message="not found")
    assert scene.detail("a")["reason"] == "ImagePullBackOff"
    scene.pod_gone("pod")
    scene.job_gone("a")
    scene.accept("a")
    assert scene.detail("a")["reason"] == "JobRunning"


def test_gone_before_its_answer() -> None:
    """A Job that was deleted before its create was answered is made again."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    seq = scene.open_intent(CreateJob)
    scene.foreign_job("u", scene.job_level("a"))
    scene.tell(Deleted(CLUSTER, scene.job_subject("a"), str(scene.next())))
    scene.tell(Answered(seq, Done("u")))
    assert scene.creating() == ["a"]


def test_a_job_that_is_there_and_not_shown() -> None:
    """A Job that lost its labels is not made again and again: its node waits, and then fails."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()), wait="3")
    uid = scene.accept("a")
    scene.job_gone("a")
    for _ in range(10):
        if scene.creating():
            scene.answer(CreateJob, Done(uid, found=True), "a")
        scene.wait(1)
    detail = scene.detail("a")
    assert (detail["phase"], detail["reason"]) == ("Failed", "JobNameConflict")
    assert len(scene.decided(CreateJob)) <= 5


def test_a_job_that_is_found_and_gone_before_the_answer_is_no_conflict() -> None:
    """Nothing is said of a Job that holds the name before another look has found it, too."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    uid = scene.accept("a")
    scene.job_gone("a")
    scene.answer(CreateJob, Done(uid, found=True), "a")
    detail = scene.detail("a")
    assert (detail["phase"], detail["reason"]) == ("Pending", "JobDeleted")
    assert scene.creating() == []
    scene.wait(1)
    assert scene.creating() == ["a"]
    scene.answer(CreateJob, Done(uid, found=True), "a")
    assert scene.detail("a")["reason"] == "JobNameConflict"


@pytest.mark.parametrize("owner", ["", "another-uid"])
def test_a_pod_that_gets_another_owner_holds_the_slot_no_more(owner: str) -> None:
    """It is not its Job's any more, so its Job's node is free once the Job has ended."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(naming("a", "b"), parallelism=1))
    job = scene.accept("a")
    scene.pod(job, "p", "Running", "a")
    scene.pod(owner, "p", "Running", "a", warmup_uid="")
    scene.job("a", "Complete")
    assert scene.creating() == ["b"]
