"""Outcomes: they belong to a machine, by its uid, and stick to it whatever happens to its name."""

import pytest

from machines.intents import CreateJob, DeleteJob
from machines.node_jobs import NodeJobState
from tests.machines.builders import Scene, naming, selecting, spec_of


def test_all_succeeded() -> None:
    """Every node's Job Complete is a success, and says for what it was."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.finish("a")
    scene.finish("b")
    scene.resolve()
    assert scene.phase == "Succeeded"
    complete = scene.condition("Complete")
    assert (complete["status"], complete["reason"]) == ("True", "ImagePreloadSucceeded")


def test_one_early_failure_ends_nothing() -> None:
    """While any node is on its way the warmup goes on, whatever has failed already [W6]"""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.finish("a", "Failed")
    assert (scene.phase, "completionTime" in scene.status) == ("Running", False)


@pytest.mark.parametrize(("last", "phase"), [("Failed", "Failed"), ("Complete", "Degraded")])
def test_failed_means_that_nothing_succeeded(last: str, phase: str) -> None:
    """Failed says that no node succeeded, Degraded that some did [W7] [W100]"""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.finish("a", "Failed")
    scene.finish("b", last)
    scene.resolve()
    assert scene.phase == phase
    assert scene.condition("Degraded")["reason"] == "NodeFailed"


@pytest.mark.parametrize("outcome", ["Complete", "Failed"])
def test_an_outcome_survives_its_labels(outcome: str) -> None:
    """A node that is relabelled after its outcome keeps it, success or failure [W43]"""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.finish("a", outcome)
    before = scene.status
    scene.node("a", enabled=None, pool="q")
    after = scene.status
    figures = ("desiredNodes", "succeededNodes", "failedNodes")
    assert [after[name] for name in figures] == [before[name] for name in figures]


@pytest.mark.parametrize("outcome", ["Complete", "Failed"])
def test_an_outcome_survives_its_machine(outcome: str) -> None:
    """A node that leaves after its outcome keeps it."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.finish("a", outcome)
    scene.node_gone("a")
    scene.finish("b")
    scene.resolve()
    assert scene.phase == ("Succeeded" if outcome == "Complete" else "Degraded")
    assert scene.status["desiredNodes"] == 2


def test_an_outcome_survives_its_job() -> None:
    """A finished Job that somebody deletes is not run again [W57]"""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.finish("a")
    scene.job_gone("a")
    assert scene.status["succeededNodes"] == 1
    assert len(scene.decided(CreateJob)) == 2


@pytest.mark.parametrize("entry", [selecting(), naming("a")])
def test_another_machine_under_the_name(entry: dict[str, object]) -> None:
    """A machine that takes the name of one that succeeded is a target of its own [W45]"""
    scene = Scene()
    scene.nodes("a", "z")
    scene.warmup(spec_of(entry, naming("z")))
    scene.finish("a")
    scene.node_gone("a")
    scene.node("a", uid="uid-a2")
    assert scene.creating() == ["z", "a"]
    assert (scene.status["desiredNodes"], scene.status["succeededNodes"]) == (3, 1)
    first, second = [one for one in scene.decided(CreateJob) if one.node_name == "a"]
    assert first.job_name != second.job_name


def test_an_old_job_is_no_new_machines_success() -> None:
    """The Job of the machine before does not count for the one that has its name now [W45]"""
    scene = Scene()
    scene.node("a", uid="uid-a1")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    old = scene.job_level("a")
    subject = scene.job_subject("a")
    scene.node_gone("a")
    scene.node("a", uid="uid-a2")
    scene.see(subject, old._replace(outcome="Complete"))
    assert scene.mw.targets["uid-a2"].state is NodeJobState.PENDING
    assert "uid-a2" in scene.mw.creating


def test_the_first_outcome_is_the_outcome() -> None:
    """A Job that claims another end later changes nothing, and is noted as ignored."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.finish("a")
    scene.job("a", "Failed", reason="BackoffLimitExceeded")
    assert (scene.status["succeededNodes"], scene.status["failedNodes"]) == (1, 0)
    ignored = scene.mw.ignored[0]
    assert (ignored.about, ignored.trigger, ignored.state) == ("a", "job_failed", "Ready")


def test_ignored_triggers_are_kept_within_bounds() -> None:
    """Of what was ignored the last few are kept, each once."""
    scene = Scene()
    names = [f"n{index:02}" for index in range(30)]
    scene.nodes(*names, "z")
    scene.warmup(spec_of(selecting(), parallelism=40))
    for name in names:
        scene.finish(name)
        for attempt in range(2):
            scene.job(name, "Failed", failed_attempts=attempt + 1)
    assert [note.about for note in scene.mw.ignored] == names[-16:]


def test_an_outcome_that_came_before_its_answer() -> None:
    """A Job that is seen Complete before its create is answered has succeeded."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.foreign_job("early", scene.job_level("a", "Complete"))
    assert scene.status["succeededNodes"] == 1
    assert scene.decided(DeleteJob) == []


def test_a_finished_job_of_a_lost_log() -> None:
    """A finished Job of this warmup and machine is its outcome, though another log made it."""
    scene = Scene(synced=False)
    scene.node("a")
    scene.node("b")
    scene.warmup(spec_of(selecting()))
    scene.foreign_job("old", scene.job_level("a", "Complete"))
    scene.sync()
    assert (scene.status["succeededNodes"], scene.creating()) == (1, ["b"])


def test_a_finished_job_of_a_lost_log_and_a_machine_that_left() -> None:
    """The same holds for a machine that is not there any more: its outcome is not forgotten."""
    scene = Scene(synced=False)
    scene.node("b")
    scene.uids["a"] = "uid-a"
    scene.warmup(spec_of(selecting(), naming("a")))
    scene.foreign_job("old", scene.job_level("a", "Failed", reason="BackoffLimitExceeded"))
    scene.sync()
    assert (scene.status["failedNodes"], scene.status["desiredNodes"]) == (1, 2)
    assert scene.detail("a")["reason"] == "BackoffLimitExceeded"


def test_an_unfinished_job_of_a_lost_log_is_taken_over() -> None:
    """A Job that runs already is not created a second time."""
    scene = Scene(synced=False)
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.foreign_job("old", scene.job_level("a"))
    scene.sync()
    assert (scene.status["activeNodes"], scene.decided(CreateJob)) == (1, [])
    assert scene.decided(DeleteJob) == []


def test_a_warmup_of_the_same_name_begins_anew() -> None:
    """Old Jobs of a ModelWarmup that was deleted say nothing about the next of its name [W4]"""
    scene = Scene()
    scene.node("a")
    scene.foreign_job("old", scene.job_level_of("before-uid", "a", "Complete"))
    scene.warmup(spec_of(selecting()))
    assert (scene.status["succeededNodes"], scene.creating()) == (0, ["a"])


def test_a_job_whose_annotation_was_changed() -> None:
    """A Job that says another node than before stays its own node's: the log knows better."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting(), parallelism=2))
    scene.accept("a")
    subject = scene.job_subject("a")
    scene.see(subject, scene.job_level("b"))
    assert scene.target("a").state is NodeJobState.HYDRATING
    assert scene.target("b").state is NodeJobState.PENDING
    scene.see(subject, scene.job_level("b", "Complete"))
    assert scene.target("a").state is NodeJobState.READY


def test_a_failure_in_a_namespace_that_goes() -> None:
    """What a namespace takes with it is nobody's failure, not even of a machine never admitted."""
    scene = Scene()
    scene.uids["a"] = "uid-a"
    scene.namespace(terminating=True)
    scene.warmup(spec_of(selecting()))
    scene.foreign_job("old", scene.job_level("a", "Failed"))
    assert (scene.mw.targets, scene.phase) == ({}, "Pending")
    scene.foreign_job("older", scene.job_level("a", "Complete"))
    assert scene.status["succeededNodes"] == 1
