"""Following: the Pods of the original's Jobs, which no watch shows, are read, and count."""

from typing import Any

import pytest

from engine.events import Subject
from machines.asking import questions
from machines.following import followed
from machines.intents import DeleteJob
from machines.levels import JobPods, PodLevel
from machines.node_jobs import NodeJobState
from machines.observations import Deleted, Done, EventsRead, PodsRead
from tests.machines.builders import CLUSTER, NAMESPACE, Scene, seconds, selecting, spec_of
from tests.machines.test_taking_over import BEFORE, left_by_the_original, original

JOB = Subject("Job", NAMESPACE, "mw-ja", "ja")
PULLING = PodLevel("", "ja", "a", "Pending", "ImagePullBackOff", "pull access denied")
CRASHED = PodLevel("", "ja", "a", "Failed", "Error", "disk is full", exit_code=3)


def taken_over(**policies: int) -> Scene:
    """A cluster of two nodes, with a Job of the original that runs for one of them."""
    spec = spec_of(selecting(), **(policies or {"parallelism": 1}))
    level = original("a", unlabelled_pods=True)
    return left_by_the_original(("ja", level), a=BEFORE, b=BEFORE, spec=spec)


def read(scene: Scene, *live: str, **levels: Any) -> list[str]:
    """The Job's Pods are read; give the types of the rows that it made."""
    rows = scene.tell(PodsRead(CLUSTER, JOB, JobPods(live, **levels)))
    return [row.type for row in rows]


def see(scene: Scene, outcome: str = "", **changes: Any) -> None:
    """The Job is at this level."""
    scene.see(JOB, original("a", outcome, unlabelled_pods=True, **changes))


def is_read(scene: Scene) -> bool:
    """Say whether the Job's Pods are to be read."""
    return [one.subject for one in followed(scene.state, CLUSTER)] == [JOB]


def test_why_its_pod_does_not_run_is_told() -> None:
    """The registry's words are in status, and what says nothing new makes no row."""
    scene = taken_over()
    assert is_read(scene)
    assert read(scene, "p1", newest=PULLING) == ["JobPodsRead"]
    detail = scene.detail("a")
    assert (detail["reason"], detail["message"]) == ("ImagePullBackOff", "pull access denied")
    assert read(scene, "p1", newest=PULLING) == []
    assert scene.listed("Pod").items == ()
    scene.tell(scene.listed("Pod"))
    assert scene.detail("a")["reason"] == "ImagePullBackOff"


def test_a_new_text_is_recorded_once_a_minute() -> None:
    """Words that only read differently wait for their minute; another reason does not."""
    scene = taken_over()
    read(scene, "p1", newest=PULLING)
    other = PULLING._replace(message="other words")
    assert read(scene, "p1", newest=other) == []
    scene.clock += seconds(61)
    assert read(scene, "p1", newest=other) == ["JobPodsRead"]
    assert read(scene, "p1", newest=PULLING._replace(reason="ErrImagePull")) == ["JobPodsRead"]


def test_how_a_pod_failed_is_kept() -> None:
    """The failed attempt's exit code and words lead the message of the Job's end."""
    scene = taken_over()
    read(scene, "p2", newest=PodLevel("", "ja", "a", "Running"), failed=CRASHED)
    see(scene, failed_attempts=1)
    assert scene.detail("a")["message"] == "failed once, last with Error: exit code 3: disk is full"
    see(scene, "Failed", message="no more retries")
    assert scene.detail("a")["message"] == "Error: exit code 3: disk is full; no more retries"


def test_its_pods_hold_the_slot_when_it_is_gone() -> None:
    """Until a read says that no Pod is left nobody else gets the slot."""
    scene = taken_over()
    read(scene, "p1", newest=PodLevel("", "ja", "a", "Running"))
    scene.node("a", enabled=None, created=BEFORE)
    scene.answer(DeleteJob, Done("ja"))
    scene.tell(Deleted(CLUSTER, JOB, str(scene.next())))
    assert (scene.creating(), is_read(scene)) == ([], True)
    read(scene, "p1", newest=PodLevel("", "ja", "a", "Running", deleting=True))
    assert scene.creating() == []
    assert read(scene)[0] == "JobPodsRead"
    assert (scene.creating(), is_read(scene), "ja" in scene.state.jobs) == (["b"], False, False)


@pytest.mark.parametrize("restarted", [True, False])
def test_unread_pods_may_be_there(restarted: bool) -> None:  # noqa: FBT001 -- a parameter
    """A Job that goes before its Pods were read holds its node until they are gone [S62]"""
    scene = taken_over(parallelism=1, retryLimit=1)
    scene.tell(Deleted(CLUSTER, JOB, str(scene.next())))
    assert (scene.creating(), is_read(scene)) == ([], True)
    assert scene.target("a").vanished == 1
    if restarted:
        scene.restart()
        assert scene.creating() == []
    read(scene)
    assert (scene.creating(), is_read(scene)) == (["a"], False)


def test_a_finished_job_is_not_read() -> None:
    """Kubernetes calls a Job finished when its Pods have ended: what lives was read before."""
    scene = taken_over()
    see(scene, "Complete")
    assert (scene.creating(), is_read(scene)) == (["b"], False)
    scene = taken_over()
    read(scene, "p1", newest=PodLevel("", "ja", "a", "Running"))
    see(scene, "Complete")
    assert (scene.creating(), is_read(scene)) == ([], True)
    read(scene)
    assert (scene.creating(), is_read(scene)) == (["b"], False)


def test_what_can_never_run_is_given_up() -> None:
    """A hopeless pull fails the node at once, and its Job is deleted."""
    scene = taken_over()
    read(scene, "p1", newest=PULLING._replace(reason="InvalidImageName", message="bad name"))
    assert scene.target("a").state is NodeJobState.FAILED
    assert [one.job_uid for one in scene.decided(DeleteJob)] == ["ja"]


def test_of_others_nothing_is_read() -> None:
    """Neither the Pods of foreign Jobs are read, nor those that the watch shows."""
    scene = taken_over()
    assert read(scene) == ["JobPodsRead"]
    scene.tell(PodsRead(CLUSTER, JOB._replace(uid="other"), JobPods(("p",))))
    scene.foreign_job("f", original("a", unlabelled_pods=True, controller_uid="somebody"))
    assert [one.subject.uid for one in followed(scene.state, CLUSTER)] == ["ja"]
    see(scene, controller_uid="another")
    assert list(followed(scene.state, CLUSTER)) == []


def test_jobs_that_were_seen_before_their_warmup() -> None:
    """The order in which a Job and its ModelWarmup are seen does not matter."""
    scene = Scene(synced=False)
    scene.node("a", created=BEFORE)
    scene.see(JOB, original("a", unlabelled_pods=True))
    assert not is_read(scene)
    scene.warmup(spec_of(selecting()))
    scene.sync()
    assert is_read(scene)


def test_a_pod_that_says_nothing_is_asked_about() -> None:
    """A volume that cannot be mounted is told in Events alone, of Pods that no watch shows, too."""
    scene = taken_over()
    creating = PodLevel("", "ja", "a", "Pending")
    read(scene, "p1", newest=creating)
    (question,) = questions(scene.state)
    assert (question.subject.kind, question.subject.uid) == ("Pod", "p1")
    words = 'MountVolume.SetUp failed: configmap "c" not found'
    scene.tell(EventsRead(CLUSTER, question.subject, "ja", "FailedMount", words))
    assert (scene.detail("a")["reason"], scene.detail("a")["message"]) == ("FailedMount", words)
    scene.clock += seconds(61)
    read(scene, "p1", newest=creating._replace(phase="Running"))
    assert list(questions(scene.state)) == []
    assert scene.detail("a")["reason"] == "JobRunning"


def test_a_pod_that_is_shown_has_its_job_read_again() -> None:
    """A live Pod of a finished Job, labelled by hand, has the Job's other Pods read, too."""
    scene = taken_over()
    see(scene, "Complete")
    assert not is_read(scene)
    pod = Subject("Pod", NAMESPACE, "p1", "p1")
    scene.see(pod, PodLevel("mw", "ja", "a", "Running"))
    assert is_read(scene)
    scene.see(pod, PodLevel("mw", "ja", "a", "Succeeded"))
    assert not is_read(scene)
