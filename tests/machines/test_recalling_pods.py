"""What Pods said in a log that begins, before it knew whose they are."""

import pytest

from engine.events import Subject
from machines.levels import JobLevel
from tests.machines.builders import NAMESPACE, Scene, selecting, spec_of

WORDS = 'failed to resolve reference "busybox:1.36"'


def told_first(*, synced: bool, phase: str = "Pending", **said: object) -> Scene:
    """A Job and its Pod are seen before their ModelWarmup is."""
    scene = Scene(synced=synced)
    scene.nodes("a")
    level = JobLevel("mw-uid", "mw-uid", scene.uids["a"], "a", "rev")
    scene.see(Subject("Job", NAMESPACE, "job", "job-uid"), level)
    scene.pod("job-uid", "pod", phase, "a", **said)
    scene.warmup(spec_of(selecting()))
    return scene


@pytest.mark.parametrize("synced", [False, True])
def test_why_a_pod_waits_is_told_though_its_warmup_came_later(*, synced: bool) -> None:
    """A Pod that waits says it once: whoever begins a log then tells it as well."""
    scene = told_first(synced=synced, reason="ImagePullBackOff", message=WORDS)
    scene.sync()
    detail = scene.detail("a")
    assert (detail["reason"], detail["message"]) == ("ImagePullBackOff", WORDS)


def test_a_pod_that_can_never_run_ends_its_node_then_too() -> None:
    """What is hopeless was so before the ModelWarmup was seen."""
    scene = told_first(synced=False, reason="InvalidImageName", message="no such name")
    scene.sync()
    assert scene.detail("a")["phase"] == "Failed"


def test_how_a_pod_failed_is_told_at_the_end_of_its_job() -> None:
    """The exit code of a failed Pod that was listed first is in the words of the failure."""
    scene = told_first(synced=False, phase="Failed", exit_code=3, reason="Error")
    scene.sync()
    level = JobLevel("mw-uid", "mw-uid", scene.uids["a"], "a", "rev", "Failed")
    scene.see(Subject("Job", NAMESPACE, "job", "job-uid"), level._replace(reason="BackoffLimit"))
    assert "exit code 3" in scene.detail("a")["message"]
