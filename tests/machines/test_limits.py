"""Limits: a ModelWarmup has at most 1,000 targets."""

from machines.intents import CreateJob
from machines.node_jobs import NodeJobState
from tests.machines.builders import Scene, naming, selecting, spec_of


def crowd(count: int) -> list[str]:
    """So many node names."""
    return [f"n{index:04}" for index in range(count)]


def test_a_thousand_are_allowed() -> None:
    """1,000 targets are as many as may be."""
    scene = Scene()
    scene.nodes(*crowd(1000))
    scene.warmup(spec_of(selecting(), parallelism=3))
    assert (scene.phase, scene.status["desiredNodes"]) == ("Running", 1000)
    assert len(scene.creating()) == 3


def test_more_at_first_end_at_once() -> None:
    """More than 1,000 at first resolution fail, visibly, and no Job is ever created."""
    scene = Scene()
    scene.nodes(*crowd(1001))
    scene.warmup(spec_of(selecting()))
    assert (scene.phase, scene.decided(CreateJob)) == ("Failed", [])
    assert scene.condition("Failed")["reason"] == "TargetLimitExceeded"
    assert scene.status["targets"][0]["reason"] == "TargetLimitExceeded"


def test_names_and_nodes_are_counted_together() -> None:
    """Names that wait count as targets; more of both than 1,000 are too many."""
    scene = Scene()
    scene.nodes(*crowd(999))
    scene.warmup(spec_of(selecting(), naming("x", "y")))
    assert scene.condition("Failed")["reason"] == "TargetLimitExceeded"


def test_skipped_nodes_use_up_nothing() -> None:
    """Nodes outside the boundary leave room for those inside [W41]"""
    scene = Scene()
    for name in crowd(1001):
        scene.node(name, enabled=None, marks={"os": "linux"})
    scene.node("a", marks={"os": "linux"})
    scene.warmup(spec_of(selecting(os="linux")))
    assert (scene.status["desiredNodes"], scene.status["skippedNodes"]) == (1, 1001)
    assert scene.phase == "Running"


def test_a_name_gives_its_place_to_its_node() -> None:
    """A node that a waiting name stands for is not one more."""
    scene = Scene()
    scene.nodes(*crowd(999))
    scene.warmup(spec_of(selecting(), naming("z")))
    assert scene.status["desiredNodes"] == 1000
    scene.node("z")
    assert (scene.status["desiredNodes"], scene.mw.overflowed) == (1000, False)


def test_crossing_it_later_admits_no_more() -> None:
    """Who comes as the 1,001st is left out; the others finish, and the end says why [W48]"""
    scene = Scene()
    names = crowd(1000)
    scene.nodes(*names)
    scene.warmup(spec_of(selecting(), parallelism=1000))
    scene.node("z")
    assert (scene.phase, scene.status["desiredNodes"]) == ("Running", 1000)
    for name in names:
        scene.finish(name)
    scene.resolve()
    assert scene.phase == "Degraded"
    assert scene.condition("Degraded")["reason"] == "TargetLimitExceeded"
    assert scene.status["succeededNodes"] == 1000
    assert all(one.state is NodeJobState.READY for one in scene.mw.targets.values())


def test_crossing_it_later_fails_nobody() -> None:
    """That a Job vanishes after the limit was crossed does not end the warmup."""
    scene = Scene()
    scene.nodes(*crowd(1000))
    scene.warmup(spec_of(selecting(), parallelism=1))
    scene.accept("n0000")
    scene.node("z")
    scene.job_gone("n0000")
    assert (scene.phase, scene.creating()) == ("Running", ["n0000"])


def test_who_leaves_makes_room() -> None:
    """A withdrawn node does not count against the limit."""
    scene = Scene()
    scene.nodes(*crowd(1000))
    scene.warmup(spec_of(selecting(), parallelism=1))
    scene.node_gone("n0999")
    scene.node("z")
    assert (scene.status["desiredNodes"], scene.mw.overflowed) == (1000, False)
