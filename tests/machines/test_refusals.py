"""Refusals: what the API server says no to, node by node, without stopping the others."""

import pytest

from machines.backoffs import retry_seconds
from machines.intents import CreateJob, DeleteJob, StampTtl
from machines.job_names import SALTS
from machines.node_jobs import NodeJobState
from machines.observations import Absent, Answered, Done, Refused, Unknown
from tests.machines.builders import FORBIDDEN, INVALID, Scene, selecting, spec_of

TAKEN = Refused(409, "NameTaken", "jobs.batch already exists")
CONFLICT = Refused(409, "JobNameConflict", "Job ns/x is somebody else's")


def refused_scene(answer: Refused, wait: str = "") -> Scene:
    """Nodes a and b, one Job at a time, and the answer to the first create."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting(), parallelism=1), wait=wait)
    scene.refuse("a", answer)
    return scene


def test_a_refusal_is_told_and_the_others_go_on() -> None:
    """A refused node says the server's words, when it is tried again, and holds no slot [W14]"""
    scene = refused_scene(FORBIDDEN)
    assert scene.creating() == ["b"]
    detail = scene.detail("a")
    assert (detail["phase"], detail["reason"]) == ("Pending", "JobCreateRejected")
    assert detail["message"] == "exceeded quota: pods; tried again at 00:00:01Z"
    created = scene.condition("JobsCreated")
    assert (created["status"], created["reason"]) == ("False", "JobCreateRejected")
    assert "the API server refuses the Jobs of 1 node; first a: " in created["message"]
    assert (scene.phase, scene.status["failedNodes"]) == ("Running", 0)


def test_the_condition_mends() -> None:
    """Once the refused Job is taken, JobsCreated is True again, and stays to be seen."""
    scene = refused_scene(FORBIDDEN)
    scene.finish("b")
    assert scene.condition("JobsCreated")["lastTransitionTime"] == "2026-01-01T00:00:00Z"
    scene.wait(3)
    scene.accept("a")
    assert scene.condition("JobsCreated")["status"] == "True"
    assert scene.condition("JobsCreated")["lastTransitionTime"] == "2026-01-01T00:00:03Z"
    assert scene.detail("a")["reason"] == "JobRunning"


def test_no_condition_without_a_refusal() -> None:
    """Where nothing was ever refused there is no condition about it."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    with pytest.raises(KeyError):
        scene.condition("JobsCreated")


def test_the_waits_between_tries() -> None:
    """A refused create is tried again after 1, 2, 4 … 60 seconds, and then every minute."""
    waits = [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert [retry_seconds(number) for number in range(1, 10)] == waits
    assert retry_seconds(10**9) == 60
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    for wait in waits:
        scene.refuse("a", FORBIDDEN)
        scene.wait(wait - 1)
        assert scene.creating() == []
        scene.wait(1)
        assert scene.creating() == ["a"]
    assert scene.phase == "Running"


@pytest.mark.parametrize(
    "answer",
    [INVALID, Refused(400, "BadRequest", "no"), Refused(413, "RequestEntityTooLarge", "no")],
)
def test_what_will_never_be_accepted(answer: Refused) -> None:
    """A create that can never work fails its node with the server's words, and the rest goes on."""
    scene = refused_scene(answer)
    detail = scene.detail("a")
    assert (detail["phase"], detail["reason"]) == ("Failed", "JobCreateRejected")
    assert detail["message"] == answer.words
    scene.finish("b")
    scene.resolve()
    assert scene.phase == "Degraded"
    assert scene.condition("JobsCreated")["status"] == "False"


@pytest.mark.parametrize(
    "answer",
    [
        FORBIDDEN,
        Refused(422, "Invalid", "denied by policy"),
        Refused(429, "TooManyRequests", "later"),
        Refused(500, "InternalError", "oops"),
        Refused(409, "AlreadyExists", "it is being deleted"),
        Refused(404, "NotFound", "no such resource"),
        # What a webhook denies without a code of its own is answered as 400.
        Refused(400, "BadRequest", 'admission webhook "jobs.example.com" denied the request: no'),
    ],
)
def test_what_may_be_accepted_later(answer: Refused) -> None:
    """Everything else is tried again without an end."""
    scene = refused_scene(answer)
    assert scene.detail("a")["phase"] == "Pending"
    scene.finish("b")
    scene.wait(1)
    assert scene.creating() == ["a"]


def test_a_name_that_another_node_has() -> None:
    """A name that another Job of ours holds is salted, at once and up to seven times."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    for _ in range(SALTS - 1):
        scene.refuse("a", TAKEN)
    names = [one.job_name for one in scene.decided(CreateJob)]
    assert len(set(names)) == len(names) == SALTS
    scene.refuse("a", TAKEN)
    assert scene.detail("a")["reason"] == "JobNameConflict"
    assert scene.creating() == []


def test_a_foreign_job_of_the_name() -> None:
    """A foreign Job of the wanted name is waited for as long as an absent node is [W15]"""
    scene = refused_scene(CONFLICT, wait="5")
    assert (scene.detail("a")["phase"], scene.creating()) == ("Pending", ["b"])
    scene.finish("b")
    for wait in (1, 2):
        scene.wait(wait)
        scene.refuse("a", CONFLICT)
        assert scene.detail("a")["phase"] == "Pending"
    scene.wait(4)
    scene.refuse("a", CONFLICT)
    detail = scene.detail("a")
    assert (detail["phase"], detail["reason"]) == ("Failed", "JobNameConflict")
    assert detail["message"] == CONFLICT.words


def test_a_conflict_is_counted_from_its_own_first_day() -> None:
    """What was refused for another reason before has not waited for the name yet."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()), wait="5")
    for wait in (1, 2, 4, 8):
        scene.refuse("a", FORBIDDEN)
        scene.wait(wait)
    scene.refuse("a", CONFLICT)
    assert scene.detail("a")["phase"] == "Pending"


def test_a_conflict_without_a_wait() -> None:
    """With a wait of 0 a foreign Job of the name fails its node at once."""
    scene = refused_scene(CONFLICT, wait="0")
    assert scene.detail("a")["phase"] == "Failed"


def test_a_refusal_that_landed_after_all() -> None:
    """A Job that is seen though its create was refused is taken, and nothing is tried again."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.refuse("a", FORBIDDEN)
    scene.foreign_job("u", scene.job_level("a"))
    assert scene.target("a").state is NodeJobState.HYDRATING
    assert (scene.state.timers, scene.condition("JobsCreated")["status"]) == ([], "True")


def test_a_namespace_that_is_going_stops_everything() -> None:
    """A create refused because its namespace is going stops all creates, and fails nobody."""
    scene = refused_scene(Refused(403, "Forbidden", "ns is terminating", terminating=True))
    assert (scene.creating(), scene.status["failedNodes"]) == ([], 0)
    assert {scene.detail(name)["reason"] for name in ("a", "b")} == {"NamespaceUnavailable"}
    scene.wait(10**5)
    assert scene.creating() == []


def test_an_unknown_answer_stays_open() -> None:
    """A create without an answer keeps its slot until it was looked up."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting(), parallelism=1))
    seq = scene.open_intent(CreateJob)
    scene.tell(Answered(seq, Unknown("timed out")))
    assert (scene.state.open[seq].uncertain, scene.creating()) == (True, ["a"])
    rows = scene.tell(Answered(seq, Absent()))
    assert [one.node_name for one in scene.decided(CreateJob, rows)] == ["a"]


def test_an_unknown_answer_that_landed() -> None:
    """A create that is found to have landed is not made again."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.tell(Answered(scene.open_intent(CreateJob), Unknown("timed out")))
    scene.accept("a")
    assert len(scene.decided(CreateJob)) == 1
    assert scene.target("a").state is NodeJobState.HYDRATING


def test_open_intents_are_uncertain_after_a_start() -> None:
    """A start makes every open intent one to be looked up."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.restart()
    assert [one.uncertain for one in scene.state.open.values()] == [True]
    assert len(scene.decided(CreateJob)) == 1


def test_a_create_that_is_not_wanted_any_more() -> None:
    """A create that did not land, for a node that has left, is not made again."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.node_gone("a")
    scene.answer(CreateJob, Absent(), "a")
    assert len(scene.decided(CreateJob)) == 1


def test_a_refused_deletion_is_tried_again() -> None:
    """A delete that is refused is made again after 1, 2, 4 … seconds, also after the end [W111]"""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    scene.node("a", enabled=None)
    scene.answer(DeleteJob, FORBIDDEN, "a")
    scene.finish("b")
    scene.resolve()
    assert scene.phase == "Succeeded"
    scene.wait(1)
    assert len(scene.decided(DeleteJob)) == 1
    scene.store()
    assert len(scene.decided(DeleteJob)) == 2
    scene.answer(DeleteJob, FORBIDDEN, "a")
    scene.wait(2)
    assert len(scene.decided(DeleteJob)) == 3


def test_a_refused_stamp_is_tried_again() -> None:
    """A TTL that could not be written is written later."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.finish("a")
    scene.resolve()
    scene.store()
    scene.answer(StampTtl, FORBIDDEN, "a")
    scene.wait(1)
    scene.answer(StampTtl, Done("u"), "a")
    assert (len(scene.decided(StampTtl)), scene.state.open) == (2, {})


def test_a_refusal_after_the_end_waits_for_nothing() -> None:
    """An answer that comes when its warmup is gone asks for no deadline."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.warmup_gone()
    scene.refuse("a", FORBIDDEN)
    assert (scene.state.timers, scene.state.warmups) == ([], {})


def test_who_left_is_refused_no_more() -> None:
    """A node that leaves takes its refusal with it."""
    scene = refused_scene(FORBIDDEN)
    scene.node_gone("a")
    assert scene.condition("JobsCreated")["status"] == "True"
    assert scene.state.timers == []
