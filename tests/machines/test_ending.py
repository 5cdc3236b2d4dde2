"""Ending: what is terminal stays so, and what is left is cleared away."""

from typing import Any

import pytest

from engine.canonical_json import dumps
from machines.intents import CreateJob, DeleteJob, StampTtl
from machines.levels import WarmupLevel
from machines.observations import Deleted, Done
from tests.machines.builders import CLUSTER, FORBIDDEN, Scene, naming, selecting, spec_of


def ended(outcome: str = "Complete") -> Scene:
    """A warmup of node a that has ended, its status stored and its Job stamped."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.finish("a", outcome)
    scene.resolve()
    scene.store()
    return scene


@pytest.mark.parametrize("outcome", ["Complete", "Failed"])
def test_the_end_is_frozen(outcome: str) -> None:
    """Whatever becomes of nodes and Jobs, nothing runs again or is shown otherwise [W23] [W115]"""
    scene = ended(outcome)
    status, count = scene.status, len(scene.decided(CreateJob))
    scene.node("b")
    scene.node("a", enabled=None)
    scene.job_gone("a")
    scene.node_gone("a")
    scene.node("a", uid="another")
    scene.namespace("q")
    scene.namespace("p")
    scene.restart()
    scene.wait(10**6)
    assert scene.status == status
    assert len(scene.decided(CreateJob)) == count


def test_an_end_has_a_time() -> None:
    """Only a terminal status has a completion time, and keeps it."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.finish("a")
    scene.wait(30)
    scene.resolve()
    status = scene.status
    assert (status["startTime"], status["completionTime"]) == (
        "2026-01-01T00:00:00Z", "2026-01-01T00:00:30Z",
    )  # fmt: skip


@pytest.mark.parametrize(("outcome", "true"), [("Complete", "Complete"), ("Failed", "Failed")])
def test_what_a_person_can_wait_for(outcome: str, true: str) -> None:
    """Finished is True on any end, so waiting for it always returns [W72]"""
    scene = ended(outcome)
    assert scene.condition("Finished")["status"] == "True"
    assert scene.condition(true)["status"] == "True"
    assert scene.condition("Progressing")["status"] == "False"


def test_a_condition_turns_when_it_turns() -> None:
    """A condition's transition time is that of its own turn, not of the others'."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.finish("a")
    scene.wait(30)
    scene.resolve()
    began, ended_at = "2026-01-01T00:00:00Z", "2026-01-01T00:00:30Z"
    turned = {each["type"]: each["lastTransitionTime"] for each in scene.status["conditions"]}
    assert turned == {
        "Complete": ended_at, "Progressing": ended_at, "Degraded": began, "Failed": began,
        "Finished": ended_at, "Valid": began,
    }  # fmt: skip


def test_what_still_runs_is_deleted_after_the_status() -> None:
    """A Job that runs for nobody at the end is deleted once the status is stored [W49]"""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    running = scene.accept("b")
    scene.node("b", enabled=None)
    scene.deleted("b")
    scene.finish("a")
    scene.resolve()
    scene.foreign_job("late", scene.job_level("b"))
    assert [one.job_uid for one in scene.decided(DeleteJob)] == [running]
    scene.store()
    assert [one.job_uid for one in scene.decided(DeleteJob)] == [running, "late"]


def test_a_withdrawn_nodes_finished_job_gets_its_ttl() -> None:
    """Every Job of ours that finished gets a TTL, whether its node was counted or not."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.accept("b")
    scene.node("b", enabled=None)
    scene.job("b", "Complete")
    scene.finish("a")
    scene.resolve()
    scene.store()
    assert {one.node_uid for one in scene.decided(StampTtl)} == {"uid-a", "uid-b"}


def test_an_invalid_spec_ends_at_once() -> None:
    """A spec that cannot work is Failed before any Job exists, and names the field [W94]"""
    scene = Scene()
    scene.node("a")
    scene.warmup({"targets": [], "imagePreload": {"images": [{"image": " "}]}})
    assert (scene.phase, scene.decided(CreateJob)) == ("Failed", [])
    valid = scene.condition("Valid")
    assert (valid["status"], valid["reason"]) == ("False", "InvalidSpec")
    assert "spec.targets: must have at least one entry" in valid["message"]
    assert "spec.imagePreload.images[0].image: must not be empty" in valid["message"]
    assert scene.condition("Failed")["reason"] == "InvalidSpec"


@pytest.mark.parametrize("spec", [None, "x", 5, [], {"spec": 1}])
def test_a_spec_that_is_none(spec: Any) -> None:
    """What is no object at all ends in the same way, and stops nobody else."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec)
    scene.warmup(spec_of(selecting()), name="other")
    assert (scene.phase, scene.creating()) == ("Failed", ["a"])


def test_a_spec_that_is_no_json() -> None:
    """A stored text that cannot be read as JSON is an invalid spec."""
    scene = Scene()
    scene.see(scene.subject(), WarmupLevel(1, "{"))
    assert scene.phase == "Failed"


def test_an_edited_spec_is_not_acted_on() -> None:
    """Where the rule against edits is missing, an edited spec says so and changes nothing [W61]"""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(naming("a")))
    revision = scene.status["observedRevision"]
    scene.warmup(spec_of(selecting()), generation=2)
    assert (scene.creating(), scene.status["observedRevision"]) == (["a"], revision)
    assert scene.condition("Valid")["reason"] == "SpecChanged"
    assert scene.status["observedGeneration"] == 2


def test_capped_policies_are_told() -> None:
    """A policy that is used at its cap is Valid, and says so."""
    scene = Scene()
    scene.warmup(spec_of(selecting(), retryLimit=99))
    valid = scene.condition("Valid")
    assert (valid["status"], valid["reason"]) == ("True", "PolicyCapped")
    assert valid["message"] == "retryLimit 99 is used as 20"


def test_a_deleted_warmup_is_forgotten() -> None:
    """Once nothing of a deleted ModelWarmup is left, nothing of it is remembered."""
    scene = ended()
    scene.answer(StampTtl, FORBIDDEN)
    scene.warmup_gone()
    subject = scene.job_subject("a")
    scene.tell(Deleted(CLUSTER, subject, str(scene.next())))
    assert (scene.state.warmups, scene.state.jobs, scene.state.timers) == ({}, {}, [])
    assert scene.state.open == {}


def test_a_deleted_uid_is_not_begun_again() -> None:
    """A late event about a deleted ModelWarmup does not bring it back."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    scene.warmup_gone()
    level = WarmupLevel(1, dumps(spec_of(selecting())))
    assert scene.see(scene.subject(), level) == ()


def test_a_ttl_that_the_server_does_not_have() -> None:
    """A TTL that was written, and that a list after a start does not show, is written again."""
    scene = ended()
    scene.answer(StampTtl, Done("job"), "a")
    scene.restart()
    assert len(scene.decided(StampTtl)) == 2
    scene.answer(StampTtl, Done("job"), "a")
    scene.job("a", "Complete", ttl_seconds=3600)
    scene.restart()
    assert len(scene.decided(StampTtl)) == 2


def test_a_deletion_that_the_server_does_not_know_of() -> None:
    """A Job whose deletion was answered, and that a list shows as it was, is deleted again."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    scene.node("a", enabled=None)
    scene.deleted("a")
    scene.restart()
    assert len(scene.decided(DeleteJob)) == 2
    scene.deleted("a")
    scene.job("a", deleting=True)
    scene.restart()
    assert len(scene.decided(DeleteJob)) == 2
