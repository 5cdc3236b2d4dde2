"""Whole worlds: they repeat exactly, restart, and roll back."""

import json
import os
import subprocess
import sys

import pytest

from adapters.simulator.answers import Refusal
from adapters.simulator.connecting import NoSuchWorld, kubeconfig_of, server_of
from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.worlds import World
from machines import labels
from tests.repository import ROOT
from tests.simulator.building import (
    JOBS,
    PODS,
    TEAM,
    conditions,
    delete,
    get,
    job,
    job_body,
    let_all_happen,
    names,
    pass_time,
    pod_of,
    pods_of,
    post,
    told,
    warmup_body,
    watch,
    world_of,
)


def story(seed: int) -> str:
    """Everything that a watch of Jobs and Pods was told in an eventful world, as text."""
    world = World(seed)
    world.add_namespace(TEAM, pool="gpu")
    for index in range(6):
        failing = NodePlan(ending=Ending.FAIL, failures=1) if index % 2 else NodePlan()
        world.add_node(f"n{index}", pool="gpu", plan=failing._replace(fail_rate=0.2))
    cursors = [watch(world, path) for path in (JOBS, PODS)]
    for index in range(6):
        post(world, JOBS, job_body(f"j{index}", f"n{index}", backoffLimit=1))
    pass_time(world, 3)
    world.replace_node("n0")
    world.delete_node("n1")
    world.delete_job(TEAM, "j2")
    let_all_happen(world)
    return json.dumps([cursor.take() for cursor in cursors], sort_keys=True)


def test_the_same_seed_gives_the_same_world_to_the_last_byte() -> None:
    """Also in another process with another hash seed; another seed gives another world."""
    command = [
        sys.executable,
        "-c",
        "from tests.simulator.test_worlds import story; print(story(7), end='')",
    ]
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": str(ROOT)}
    elsewhere = subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment, cwd=ROOT
    ).stdout
    assert story(7) == elsewhere
    assert story(8) != elsewhere


def test_steps_of_time_make_no_difference() -> None:
    """Advancing by many small steps or by one leap ends in the same state."""

    def end(steps: int) -> list[object]:
        world = world_of("n1", "n2", plan=NodePlan(ending=Ending.FAIL, failures=1))
        for name in ("n1", "n2"):
            post(world, JOBS, job_body(name, name))
        for _ in range(steps):
            pass_time(world, 60 / steps)
        return [world.listed(kind) for kind in ("Job", "Pod", "Event", "Node")]

    assert end(1) == end(100)


def test_a_quiet_world_has_nothing_due() -> None:
    """When nothing is going on, there is no next instant, and time passes without a write."""
    world = world_of("n1")
    let_all_happen(world)
    version = world.cluster.storage.version
    pass_time(world, 3600)
    assert world.cluster.next_at() is None
    assert world.cluster.storage.version == version


def test_nothing_happens_before_its_instant() -> None:
    """Up to the next instant nothing is written; at it something is."""
    world = world_of("n1")
    post(world, JOBS, job_body("x", "n1"))
    version, due = world.cluster.storage.version, world.cluster.next_at()
    assert due is not None
    world.cluster.advance(due - 1)
    assert world.cluster.storage.version == version
    world.cluster.advance(due)
    assert world.cluster.now == due
    assert world.cluster.storage.version > version


def test_a_manifest_is_applied_twice_without_harm() -> None:
    """The first creates, the second merges; what cannot be changed raises."""
    world = world_of()
    first = world.apply(warmup_body("w"))
    assert world.apply(warmup_body("w")) == first
    with pytest.raises(Refusal, match="is invalid"):
        world.apply(warmup_body("w", mode="Once"))


def test_people_change_labels_and_annotations() -> None:
    """A value sets, None takes away."""
    world = world_of("n1")
    assert (
        labels.ENABLED not in world.relabel_node("n1", {labels.ENABLED: None})["metadata"]["labels"]
    )
    moved = world.relabel_namespace(TEAM, {labels.POOL: "other"})
    assert moved["metadata"]["labels"][labels.POOL] == "other"
    world.apply(warmup_body("w"))
    held = world.annotate("ModelWarmup", TEAM, "w", {labels.SUSPEND: "true"})
    assert held["metadata"]["annotations"] == {labels.SUSPEND: "true"}
    freed = world.annotate("ModelWarmup", TEAM, "w", {labels.SUSPEND: None})
    assert "annotations" not in freed["metadata"]


def test_what_people_do_passes_all_faults() -> None:
    """Faults befall the controller under test, not the world."""
    world = world_of("n1")
    world.api.faults.unreachable = "no route to host"
    world.cordon("n1")
    assert world.must_find("Node", "", "n1")["spec"]["unschedulable"] is True
    with pytest.raises(LookupError):
        world.must_find("Node", "", "n2")


def test_events_can_be_switched_off() -> None:
    """A world without them is cheaper, and goes the same way."""
    world = World(1)
    world.cluster.recorder.enabled = False
    world.add_namespace(TEAM)
    world.add_node("n1")
    post(world, JOBS, job_body("x", "n1"))
    let_all_happen(world)
    assert world.listed("Event") == []
    assert conditions(job(world, "x"))[-1][0] == "Complete"


def test_controllers_that_restart_finish_what_was_begun() -> None:
    """At any moment: every Job still ends well, with one Pod."""
    for seconds in (0.01, 1, 2, 3, 5):
        world = world_of("n1", "n2", "n3")
        for name in ("n1", "n2", "n3"):
            post(world, JOBS, job_body(name, name, ttlSecondsAfterFinished=1000))
        pass_time(world, seconds)
        world.cluster.restart_controllers()
        pass_time(world, 60)
        for name in ("n1", "n2", "n3"):
            assert conditions(job(world, name))[-1][0] == "Complete"
            assert len(pods_of(world, name)) == 1
        let_all_happen(world)
        assert world.listed("Job") == []


def test_a_cluster_that_is_rolled_back_lives_its_past_again() -> None:
    """Objects are as they were, versions repeat, watches are cut, and controllers go on."""
    world = world_of("n1")
    post(world, JOBS, job_body("x", "n1"))
    past = world.cluster.storage.version
    listed = get(world, JOBS).body
    cursor = watch(world, JOBS)
    let_all_happen(world)
    post(world, JOBS, job_body("y", "n1"))
    world.cluster.roll_back(past)
    assert cursor.finished
    assert get(world, JOBS).body == listed
    assert (pods_of(world, "x"), names(get(world, JOBS))) == ([], ["x"])
    fresh = watch(world, JOBS)
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1][0] == "Complete"
    assert ("MODIFIED", "x") in told(fresh)


def test_a_running_pod_that_is_rolled_back_goes_on() -> None:
    """Its kubelet sees it running and ends it; no second Pod is made."""
    world = world_of("n1")
    post(world, JOBS, job_body("x", "n1"))
    while not pods_of(world, "x") or pod_of(world, "x")["status"]["phase"] != "Running":
        due = world.cluster.next_at()
        assert due is not None
        world.cluster.advance(due)
    past = world.cluster.storage.version
    let_all_happen(world)
    world.cluster.roll_back(past)
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1][0] == "Complete"
    assert len(pods_of(world, "x")) == 1


def test_a_deletion_is_on_a_fresh_object() -> None:
    """A Job deleted by hand is gone, and one of the same name is another one."""
    world = world_of("n1")
    first = post(world, JOBS, job_body("x", "n1")).body["metadata"]["uid"]
    world.delete_job(TEAM, "x")
    second = post(world, JOBS, job_body("x", "n1")).body["metadata"]["uid"]
    assert first != second
    assert delete(world, f"{JOBS}/x", preconditions={"uid": first}).code == 409


def test_a_world_beside_another_shares_nothing_but_its_instant() -> None:
    """Its uids are others, also those of what every cluster has; a kubeconfig leads there."""
    home = world_of("n1")
    east, west = home.beside("east"), home.beside("west")
    worlds = (home, east, west)
    assert {world.cluster.now for world in worlds} == {home.cluster.now}
    for name in ("default", "kube-system"):
        uids = {world.must_find("Namespace", "", name)["metadata"]["uid"] for world in worlds}
        assert len(uids) == 3
    home.add_secret("default", "key", {"kubeconfig": kubeconfig_of("east")})
    assert server_of(kubeconfig_of("east"), {"east": east, "west": west}) is east.api
    with pytest.raises(NoSuchWorld, match="names no simulated cluster"):
        server_of(kubeconfig_of("north"), {"east": east})
