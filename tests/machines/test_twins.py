"""What a peer got wrong that warms for groups of Pods: each fault's twin among nodes and Jobs."""

from typing import Any

import pytest

from machines.deciding import effect_of
from machines.intents import CreateJob, Resolve, StampTtl
from machines.labels import TARGET_NODE, TARGET_NODE_UID
from machines.observations import Done
from machines.warmups import WarmupState
from tests.machines.builders import Scene, naming, selecting, spec_of

UNSCHEDULABLE = {"reason": "Unschedulable", "message": "Insufficient cpu."}


def pinned_to(body: dict[str, Any]) -> list[str]:
    """The nodes onto which a Job's Pod may go, by the names of the nodes themselves."""
    affinity = body["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]
    [term] = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    [field] = term["matchFields"]
    assert (field["key"], field["operator"]) == ("metadata.name", "In")
    values: list[str] = field["values"]
    return values


@pytest.mark.parametrize("others", [[], ["b"]])
def test_a_pod_that_no_node_takes_is_no_success(others: list[str]) -> None:
    """While a Pod waits for the scheduler its node is active, and nothing ends over it [W90]"""
    scene = Scene()
    scene.nodes("a", *others)
    scene.warmup(spec_of(selecting()))
    for name in others:
        scene.finish(name)
    job = scene.accept("a")
    scene.pod(job, "pod", "Pending", "", **UNSCHEDULABLE)
    scene.restart()
    scene.wait(10**6)
    status = scene.status
    figures = (status["activeNodes"], status["succeededNodes"])
    assert (scene.phase, figures) == ("Running", (1, len(others)))
    assert scene.detail("a")["reason"] == "Unschedulable"
    assert scene.decided(Resolve) == []


def test_who_was_not_asked_for_holds_up_nobody() -> None:
    """Other nodes, and what waits for another warmup, are nothing to this one [W92]"""
    scene = Scene()
    scene.nodes("a")
    scene.node("other", cordoned=True)
    scene.warmup(spec_of(naming("other", "absent")), name="another")
    scene.warmup(spec_of(naming("a")))
    assert scene.status["desiredNodes"] == 1
    scene.finish("a")
    scene.resolve()
    assert scene.phase == "Succeeded"
    assert scene.state.warmups["another-uid"].state is WarmupState.HYDRATING


def test_each_job_is_its_own_nodes() -> None:
    """Of Jobs decided together each names one node, and can run nowhere else [W113] [W114]"""
    scene = Scene()
    scene.nodes("a", "b", "c")
    scene.warmup(spec_of(selecting()))
    bodies = {}
    for seq, opened in scene.state.open.items():
        assert isinstance(opened.intent, CreateJob)
        body = effect_of(scene.state, seq).body
        assert body is not None
        notes = body["metadata"]["annotations"]
        assert notes[TARGET_NODE_UID] == scene.uids[notes[TARGET_NODE]] == opened.intent.node_uid
        bodies[notes[TARGET_NODE]] = pinned_to(body)
    assert bodies == {"a": ["a"], "b": ["b"], "c": ["c"]}


def test_an_older_image_is_not_the_newer_ones_success() -> None:
    """A machine that was warmed for one image gets a Job for the next one [W115]"""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.finish("a")
    scene.resolve()
    scene.store()
    scene.answer(StampTtl, Done())
    images = [{"image": "busybox:newer", "command": ["true"]}]
    newer = scene.warmup({**spec_of(selecting()), "imagePreload": {"images": images}}, name="newer")
    first, second = scene.decided(CreateJob)
    assert (second.warmup_uid, second.node_uid) == ("newer-uid", first.node_uid)
    assert second.revision != first.revision
    assert newer.state is WarmupState.HYDRATING
