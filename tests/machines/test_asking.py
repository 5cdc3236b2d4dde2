"""Asking: a Job for which nothing runs is asked about, and what its Events say is a cause."""

from collections.abc import Iterable

import pytest

from engine.events import Event, Subject
from machines.asking import questions
from machines.intents import CreateJob
from machines.levels import PodLevel
from machines.observations import EventsRead
from tests.machines.builders import CLUSTER, NAMESPACE, Scene, naming, selecting, spec_of

QUOTA = 'pods "mw-…" is forbidden: exceeded quota: q, requested: pods=1, used: …, limited: pods=2'


def scene_of(*nodes: str) -> Scene:
    """A warmup whose nodes all have their Job, and no Pod."""
    scene = Scene()
    scene.nodes(*nodes)
    scene.warmup(spec_of(selecting()))
    scene.answer_all_creates()
    return scene


def say(scene: Scene, node: str, reason: str = "", message: str = "") -> tuple[Event, ...]:
    """The Events of a node's Job are read."""
    subject = scene.job_subject(node)
    return scene.tell(EventsRead(CLUSTER, subject, subject.uid, reason, message))


def asked(scene: Scene) -> list[Subject]:
    """Whose Events are to be read."""
    return [question.subject for question in questions(scene.state)]


def types(rows: Iterable[Event]) -> list[str]:
    """The types of rows."""
    return [row.type for row in rows]


def test_a_job_without_pods_is_asked_about() -> None:
    """From its creation on a Job is silent until a Pod of it runs, or says why it does not."""
    scene = scene_of("a")
    job = scene.job_subject("a")
    (question,) = questions(scene.state)
    assert (question.subject, question.since) == (job, scene.clock)
    scene.pod(job.uid, "p", "Pending", "a")
    assert [subject.name for subject in asked(scene)] == ["p"]
    scene.pod(job.uid, "p", "Pending", "a", reason="Unschedulable", message="no room")
    assert asked(scene) == []
    scene.pod(job.uid, "p", "Running", "a")
    assert asked(scene) == []
    scene.pod(job.uid, "p", "Failed", "a", exit_code=1)
    assert asked(scene) == [job]
    scene.job("a", "Failed")
    assert asked(scene) == []


def test_refused_pods_are_a_refusal() -> None:
    """What keeps Pods out is the cause, and JobsCreated is False until it is mended [W37]"""
    scene = scene_of("a", "b")
    assert types(say(scene, "a", "FailedCreate", QUOTA)) == ["EventsRead"]
    assert scene.detail("a")["reason"] == "FailedCreate"
    assert scene.detail("a")["message"] == QUOTA
    condition = scene.condition("JobsCreated")
    assert (condition["status"], condition["reason"]) == ("False", "FailedCreate")
    assert condition["message"] == (
        f"the API server refuses the Pods of 1 node; first a: FailedCreate: {QUOTA}"
    )
    scene.pod(scene.job_subject("a").uid, "p", "Pending", "a")
    assert scene.detail("a")["reason"] == "JobRunning"
    assert scene.condition("JobsCreated")["status"] == "True"


def test_the_same_words_again_are_no_news() -> None:
    """Words that are known make no row, and a new text under the same reason waits a minute."""
    scene = scene_of("a")
    say(scene, "a", "FailedCreate", QUOTA)
    scene.wait(5)
    assert say(scene, "a", "FailedCreate", QUOTA) == ()
    assert say(scene, "a", "FailedCreate", "another text") == ()
    scene.wait(60)
    assert types(say(scene, "a", "FailedCreate", "another text")) == ["EventsRead"]
    assert types(say(scene, "a")) == ["EventsRead"]
    assert scene.detail("a")["reason"] == "JobRunning"


def test_an_answer_that_comes_too_late() -> None:
    """What was read of a Job that runs meanwhile, has ended or is gone, makes no row."""
    scene = scene_of("a", "b")
    gone = scene.job_subject("b")
    scene.pod(scene.job_subject("a").uid, "p", "Running", "a")
    assert say(scene, "a", "FailedCreate", QUOTA) == ()
    scene.job_gone("b")
    assert scene.tell(EventsRead(CLUSTER, gone, gone.uid, "FailedCreate", QUOTA)) == ()


def test_a_job_that_never_had_a_pod_says_why_it_failed() -> None:
    """The Job's own reason, and before its words those that kept its Pods away."""
    scene = scene_of("a")
    say(scene, "a", "FailedCreate", QUOTA)
    scene.job("a", "Failed", reason="DeadlineExceeded", message="too long")
    assert scene.detail("a")["reason"] == "DeadlineExceeded"
    assert scene.detail("a")["message"] == f"FailedCreate: {QUOTA}; too long"
    assert scene.condition("JobsCreated")["status"] == "False"


def test_a_restart_asks_again_and_keeps_what_it_knew() -> None:
    """The question is open after a start; the words that the log holds are shown before."""
    scene = scene_of("a")
    say(scene, "a", "FailedCreate", QUOTA)
    scene.restart()
    assert asked(scene) == [scene.job_subject("a")]
    assert scene.detail("a")["reason"] == "FailedCreate"


@pytest.mark.parametrize("reason", ["InvalidImageName", "ErrImageNeverPull"])
def test_what_can_never_be_pulled_fails_at_once(reason: str) -> None:
    """A Pod that waits for what can never be ends its node, and its Job is deleted."""
    scene = scene_of("a", "b")
    uid = scene.job_subject("a").uid
    scene.pod(uid, "p", "Pending", "a", reason=reason, message="it names no image")
    assert scene.detail("a")["phase"] == "Failed"
    assert scene.detail("a")["reason"] == reason
    assert scene.detail("a")["message"] == "it names no image"
    scene.deleted("a")
    scene.job_gone("a")
    scene.pod_gone("p")
    assert scene.detail("a")["phase"] == "Failed"
    assert len(scene.decided(CreateJob)) == len(["a", "b"])


def disrupt(scene: Scene, node: str, name: str) -> None:
    """A Pod of a node's Job runs, is evicted and ends."""
    uid = scene.job_subject(node).uid
    words = "Evicted: The node was low on resource: memory"
    scene.pod(uid, name, "Running", node)
    scene.pod(uid, name, "Running", node, reason="DisruptionTarget", message=words, deleting=True)
    scene.pod(uid, name, "Failed", node, reason="DisruptionTarget", message=words)


def test_disruptions_are_no_failures_and_end_all_the_same() -> None:
    """Each is counted once with the kubelet's words, the fifth ends it as Evicted [W52] [S49]"""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting(), retryLimit=1))
    scene.answer_all_creates()
    for index in range(3):
        disrupt(scene, "a", f"p{index}")
        assert scene.detail("a")["reason"] == "JobDisrupted"
        assert scene.target("a").disruptions == index + 1
    assert "disrupted 3 times, last with Evicted: The node was low" in scene.detail("a")["message"]
    disrupt(scene, "a", "p3")
    assert (scene.detail("a")["phase"], scene.detail("a")["reason"]) == ("Failed", "Evicted")
    assert scene.detail("a")["message"].startswith("disrupted 4 times, last with Evicted: The node")
    scene.deleted("a")
    scene.job_gone("a")
    assert scene.detail("a")["reason"] == "Evicted"
    assert len(scene.decided(CreateJob)) == 1


def test_a_disrupted_pod_is_counted_once_over_a_restart() -> None:
    """What is listed again after a start was counted before."""
    scene = scene_of("a")
    uid = scene.job_subject("a").uid
    level = PodLevel("mw-uid", uid, "a", "Running", "DisruptionTarget", "evicted")
    scene.see(Subject("Pod", NAMESPACE, "p", "p-uid"), level)
    scene.restart()
    scene.see(Subject("Pod", NAMESPACE, "p", "p-uid"), level._replace(phase="Failed"))
    assert scene.target("a").disruptions == 1


def test_a_named_node_that_fails_early_is_satisfied() -> None:
    """The name of a node with an outcome waits for nothing more."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(naming("a")))
    scene.answer_all_creates()
    uid = scene.job_subject("a").uid
    scene.pod(uid, "p", "Pending", "a", reason="InvalidImageName")
    scene.resolve()
    assert scene.phase == "Failed"
