"""Messages: what a target says of itself, nearest cause first."""

import pytest

from machines.messages import cause_text, cut
from machines.states import Words
from tests.machines.builders import Scene, selecting, spec_of


def running() -> tuple[Scene, str]:
    """A warmup whose one node has its Job; with the Job's uid."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    return scene, scene.accept("a")


def words(scene: Scene) -> tuple[str, str]:
    """What node a says."""
    detail = scene.detail("a")
    return detail["reason"], detail.get("message", "")


def test_a_job_that_runs_has_nothing_to_say() -> None:
    """While all is well the reason says so, and there is no message."""
    scene, job = running()
    scene.pod(job, "pod", "Running", "a")
    assert words(scene) == ("JobRunning", "")


def test_a_pod_that_has_not_started() -> None:
    """A Job without a Pod, and a Pod that does not run and gives no reason, are told apart."""
    scene, job = running()
    assert words(scene) == ("JobRunning", "its Job has no Pod yet")
    scene.pod(job, "pod", "Pending", "a")
    assert words(scene) == ("JobRunning", "its Pod has not started yet")


@pytest.mark.parametrize("reason", ["Unschedulable", "ImagePullBackOff", "FailedMount"])
def test_why_a_pod_does_not_run(reason: str) -> None:
    """The Pod's cause and its words are its node's [W50]"""
    scene, job = running()
    scene.pod(job, "pod", "Pending", "a", reason=reason, message="the words")
    assert words(scene) == (reason, "the words")
    scene.pod(job, "pod", "Running", "a")
    assert words(scene) == ("JobRunning", "")


def test_the_cause_survives_its_pod() -> None:
    """A Job that timed out tells what kept its Pod from running, after both are gone [W50]"""
    scene, job = running()
    scene.node("b")
    scene.pod(job, "pod", "Pending", "a", reason="ImagePullBackOff", message="not found")
    scene.pod_gone("pod")
    scene.job("a", "Failed", reason="DeadlineExceeded", message="too slow")
    expected = ("DeadlineExceeded", "ImagePullBackOff: not found; too slow")
    assert words(scene) == expected
    scene.job_gone("a")
    assert words(scene) == expected


def test_how_the_last_pod_failed() -> None:
    """A failing Pod's exit code and last words stand before the Job's own."""
    scene, job = running()
    failed = {"reason": "Error", "message": "no space", "exit_code": 3}
    scene.pod(job, "pod", "Failed", "a", **failed)
    scene.job("a", failed_attempts=1)
    assert words(scene) == (
        "JobRetrying", "failed once, last with Error: exit code 3: no space",
    )  # fmt: skip
    scene.job("a", failed_attempts=2)
    assert words(scene)[1].startswith("failed 2 times")
    scene.job("a", "Failed", reason="BackoffLimitExceeded", message="limit reached")
    assert words(scene) == (
        "BackoffLimitExceeded", "Error: exit code 3: no space; limit reached",
    )  # fmt: skip


def test_an_exit_code_alone() -> None:
    """A Pod that said nothing is told by its exit code, once."""
    scene, job = running()
    scene.pod(job, "pod", "Failed", "a", exit_code=1)
    scene.pod(job, "pod2", "Failed", "a", exit_code=1, message="left with exit code 1")
    scene.job("a", "Failed")
    assert words(scene)[1].startswith("PodFailed: left with exit code 1; Job ")


def test_a_pod_that_was_cut_off() -> None:
    """A Pod that ended before it ran tells what had kept it from running."""
    scene, job = running()
    scene.pod(job, "pod", "Pending", "a", reason="Unschedulable", message="no node")
    scene.pod(job, "pod", "Failed", "a")
    scene.job("a", "Failed", reason="DeadlineExceeded", message="late")
    assert words(scene) == ("DeadlineExceeded", "Unschedulable: no node; late")


def test_a_second_attempt_that_was_cut_off() -> None:
    """A deadline that ends a later attempt is told after how an earlier one failed [W53]"""
    scene, job = running()
    scene.pod(job, "pod", "Failed", "a", reason="CommandFailed", message="bad disk", exit_code=5)
    scene.job("a", failed_attempts=1)
    scene.pod(job, "pod2", "Running", "a")
    killed = {"reason": "Error", "message": "killed", "exit_code": 137, "deleting": True}
    scene.pod(job, "pod2", "Failed", "a", **killed)
    scene.job("a", "Failed", reason="DeadlineExceeded", message="too slow")
    expected = "CommandFailed: exit code 5: bad disk; too slow"
    assert words(scene) == ("DeadlineExceeded", expected)


def test_an_attempt_that_failed_by_itself_is_told_instead_of_the_one_before() -> None:
    """The last attempt that nobody cut off is the one that is told."""
    scene, job = running()
    scene.pod(job, "pod", "Failed", "a", reason="CommandFailed", message="bad disk", exit_code=5)
    scene.pod(job, "pod2", "Failed", "a", reason="Evicted", message="no room")
    scene.job("a", "Failed", reason="BackoffLimitExceeded", message="limit reached")
    assert words(scene)[1] == "Evicted: no room; limit reached"


def test_a_job_without_words() -> None:
    """A Failed condition that says nothing still gives a reason and a sentence."""
    scene, _ = running()
    scene.job("a", "Failed")
    reason, message = words(scene)
    assert reason == "JobFailed"
    assert message == f"Job {scene.target('a').job_name} failed"


def test_a_job_on_a_node_that_was_cordoned() -> None:
    """A node that is cordoned while its Job runs says so."""
    scene, _ = running()
    scene.node("a", cordoned=True)
    assert words(scene) == ("NodeUnschedulable", "node is cordoned")


def test_success_needs_no_words() -> None:
    """A node that is Ready has no detail and no words."""
    scene, _ = running()
    scene.job("a", "Complete")
    assert scene.status["targets"] == []
    assert scene.target("a").words == Words()


def test_cutting() -> None:
    """A text is cut on a character's boundary, and says that it was."""
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "ab…"
    assert len(cut("\U0001f600" * 2000)) == 1024


def test_causes_in_words() -> None:
    """A cause is told as reason and message, or as the one of them that there is."""
    assert cause_text(Words("R", "m")) == "R: m"
    assert cause_text(Words("R", "")) == "R"
    assert cause_text(Words("", "m")) == "m"
    assert cause_text(Words()) == ""


def test_a_job_that_is_tried_no_more_says_how_it_ends() -> None:
    """While the last Pods go, nobody is told that it is tried again, but what failed it [S47]"""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    uid = scene.accept("a")
    scene.pod(uid, "p", "Pending", "a", reason="ImagePullBackOff", message="no such tag")
    scene.job("a", "Finishing", reason="DeadlineExceeded", message="too long", failed_attempts=1)
    scene.pod(uid, "p", "Failed", "a", exit_code=137, deleting=True)
    assert scene.detail("a")["phase"] == "Running"
    assert scene.detail("a")["reason"] == "JobFinishing"
    said = "its Job fails as DeadlineExceeded: ImagePullBackOff: no such tag; too long"
    assert scene.detail("a")["message"] == said
    scene.job("a", "Failed", reason="DeadlineExceeded", message="too long")
    assert scene.detail("a")["reason"] == "DeadlineExceeded"


def test_a_job_that_has_done_its_work_says_so() -> None:
    """Success is no success before Complete is True, and no trouble either."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    scene.job("a", "Finishing")
    assert (scene.detail("a")["phase"], scene.detail("a")["reason"]) == ("Running", "JobFinishing")
