"""The simulated Job controller."""

from typing import Any

import pytest

from adapters.simulator.clock import SECOND
from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.storage import Manifest
from adapters.simulator.worlds import World
from tests.simulator.building import (
    JOBS,
    PODS,
    TEAM,
    conditions,
    delete,
    events_about,
    get,
    job,
    job_body,
    let_all_happen,
    merge,
    pass_time,
    pod_of,
    pods_of,
    post,
    watch,
    world_of,
)

FAILING = NodePlan(ending=Ending.FAIL, exit_code=3, message="no space left on device")
HANGING = NodePlan(ending=Ending.HANG)
IGNORE_DISRUPTIONS: dict[str, Any] = {
    "rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
}


def created(plan: NodePlan | None = None, **spec: Any) -> World:
    """A world with the Job `x` on the node n1."""
    world = world_of("n1", plan=plan)
    post(world, JOBS, job_body("x", "n1", **spec))
    return world


def told_conditions(events: list[Manifest]) -> list[list[str]]:
    """The types of a Job's conditions, each time that they changed."""
    found: list[list[str]] = []
    for event in events:
        kinds = [kind for kind, _, _ in conditions(event["object"])]
        if not found or found[-1] != kinds:
            found.append(kinds)
    return found


def test_a_job_makes_a_pod_that_belongs_to_it() -> None:
    """Name, labels, owner and finalizer are the Job's; spec and annotations its template's."""
    world = world_of("n1")
    body = job_body("x", "n1", marks={"mine": "1"})
    body["spec"]["template"]["metadata"]["annotations"] = {"note": "2"}
    made = post(world, JOBS, body).body
    pass_time(world, 1)
    metadata = pod_of(world, "x")["metadata"]
    assert metadata["name"].startswith("x-")
    assert metadata["labels"]["mine"] == "1"
    assert metadata["labels"]["batch.kubernetes.io/controller-uid"] == made["metadata"]["uid"]
    assert metadata["annotations"] == {"note": "2"}
    assert metadata["finalizers"] == ["batch.kubernetes.io/job-tracking"]
    (owner,) = metadata["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["controller"]) == ("Job", "x", True)
    status = job(world, "x")["status"]
    assert (status["active"], status["startTime"]) == (1, "2026-01-01T00:00:02Z")


def test_a_job_is_complete_in_two_steps() -> None:
    """SuccessCriteriaMet comes first and Complete in a later write; counters follow."""
    world = world_of("n1")
    cursor = watch(world, JOBS)
    post(world, JOBS, job_body("x", "n1"))
    let_all_happen(world)
    events = cursor.take()
    assert told_conditions(events) == [
        [],
        ["SuccessCriteriaMet"],
        ["SuccessCriteriaMet", "Complete"],
    ]
    interim = next(event for event in events if conditions(event["object"]))["object"]["status"]
    assert len(interim["uncountedTerminatedPods"]["succeeded"]) == 1
    status = job(world, "x")["status"]
    assert (status["succeeded"], status["uncountedTerminatedPods"]) == (1, {})
    assert "completionTime" in status
    assert "finalizers" not in pod_of(world, "x")["metadata"]
    assert ("Completed", "Job completed") in events_about(world, "x")


def test_failures_are_tried_again_after_growing_pauses() -> None:
    """Pods follow each other after 10 s and 20 s; beyond backoffLimit the Job has Failed."""
    world = world_of("n1", plan=FAILING)
    cursor = watch(world, PODS)
    post(world, JOBS, job_body("x", "n1", backoffLimit=2))
    begun: list[int] = []
    ended: list[int] = []
    while (due := world.cluster.next_at()) is not None:
        world.cluster.advance(due)
        for event in cursor.take():
            if event["type"] == "ADDED":
                begun.append(world.cluster.now)
            elif event["object"]["status"]["phase"] == "Failed" and len(ended) < len(begun):
                ended.append(world.cluster.now)
    pauses = [(after - before) / SECOND for before, after in zip(ended, begun[1:], strict=False)]
    assert len(begun) == 3
    assert [9 <= pauses[0] <= 12, 19 <= pauses[1] <= 22] == [True, True]
    found = job(world, "x")
    assert found["status"]["failed"] == 3
    assert [(kind, reason) for kind, _, reason in conditions(found)] == [
        ("FailureTarget", "BackoffLimitExceeded"),
        ("Failed", "BackoffLimitExceeded"),
    ]
    assert found["status"]["conditions"][1]["message"] == (
        "Job has reached the specified backoff limit"
    )


def test_a_job_may_fail_first_and_complete_later() -> None:
    """Failures within backoffLimit are counted and forgiven."""
    world = created(FAILING._replace(failures=2), backoffLimit=2)
    let_all_happen(world)
    status = job(world, "x")["status"]
    assert (status["failed"], status["succeeded"]) == (2, 1)
    assert conditions(job(world, "x"))[-1][0] == "Complete"


def test_a_job_without_retries_fails_at_its_first_failure() -> None:
    """BackoffLimit 0 means one Pod."""
    world = created(FAILING, backoffLimit=0)
    let_all_happen(world)
    assert len(pods_of(world, "x")) == 1
    assert conditions(job(world, "x"))[-1] == ("Failed", "True", "BackoffLimitExceeded")


def test_a_job_that_is_active_for_too_long_fails() -> None:
    """At the deadline its Pod is deleted; Failed comes when that Pod is over."""
    world = world_of("n1", plan=HANGING)
    cursor = watch(world, JOBS)
    post(world, JOBS, job_body("x", "n1", activeDeadlineSeconds=20))
    pass_time(world, 19.9)
    assert conditions(job(world, "x")) == []
    let_all_happen(world)
    events = cursor.take()
    assert told_conditions(events) == [[], ["FailureTarget"], ["FailureTarget", "Failed"]]
    before, end = (event["object"]["status"] for event in events[-2:])
    assert (before["terminating"], before["uncountedTerminatedPods"]) == (0, {})
    assert end["uncountedTerminatedPods"] == {}
    assert conditions(job(world, "x"))[-1] == ("Failed", "True", "DeadlineExceeded")
    assert pods_of(world, "x") == []
    assert "completionTime" not in job(world, "x")["status"]


def test_a_deadline_also_ends_a_job_whose_pod_never_ran() -> None:
    """A Pod that waits for a node counts as active time."""
    world = world_of("n1")
    post(world, JOBS, job_body("x", "nowhere", activeDeadlineSeconds=20))
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1] == ("Failed", "True", "DeadlineExceeded")
    assert pods_of(world, "x") == []


def test_an_ignored_disruption_counts_for_nothing() -> None:
    """With the policy the Pod is replaced for ever, without it the eviction is a failure."""
    world = created(HANGING, backoffLimit=0, podFailurePolicy=IGNORE_DISRUPTIONS)
    for _ in range(3):
        pass_time(world, 60)
        running = next(pod for pod in pods_of(world, "x") if pod["status"]["phase"] == "Running")
        world.evict_pod(TEAM, running["metadata"]["name"])
    pass_time(world, 60)
    status = job(world, "x")["status"]
    assert ("failed" in status, status["active"]) == (False, 1)
    world = created(HANGING, backoffLimit=0)
    pass_time(world, 60)
    world.evict_pod(TEAM, pod_of(world, "x")["metadata"]["name"])
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1] == ("Failed", "True", "BackoffLimitExceeded")


def test_a_policy_may_end_a_job_by_an_exit_code() -> None:
    """FailJob ends it at once, with the rule in the message; other codes count as usual."""
    codes = {"operator": "In", "values": [3]}
    policy = {"rules": [{"action": "FailJob", "onExitCodes": codes}]}
    world = created(FAILING, backoffLimit=5, podFailurePolicy=policy)
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1] == ("Failed", "True", "PodFailurePolicy")
    assert len(pods_of(world, "x")) == 1
    assert job(world, "x")["status"]["conditions"][0]["message"].endswith(
        "failed with exit code 3 matching FailJob rule at index 0"
    )
    policy = {"rules": [{"action": "FailJob", "onExitCodes": {**codes, "values": [4]}}]}
    world = created(FAILING, backoffLimit=1, podFailurePolicy=policy)
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1] == ("Failed", "True", "BackoffLimitExceeded")


def test_a_pod_deleted_by_hand_is_a_failure_and_is_replaced() -> None:
    """The Job counts it at once and makes another one after the pause."""
    world = created(HANGING, backoffLimit=1)
    pass_time(world, 10)
    first = pod_of(world, "x")["metadata"]["name"]
    world.delete_pod(TEAM, first)
    pass_time(world, 30)
    assert job(world, "x")["status"]["failed"] == 1
    assert pod_of(world, "x")["metadata"]["name"] != first


def test_a_deleted_pod_that_nobody_runs_is_failed_for_a_job_that_waits_for_ends() -> None:
    """With a failure policy a Pod counts at its end only; it gets one from the Pod collector."""
    world = world_of("n1")
    body = job_body("x", "nowhere", podFailurePolicy=IGNORE_DISRUPTIONS, backoffLimit=0)
    post(world, JOBS, body)
    pass_time(world, 1)
    world.delete_pod(TEAM, pod_of(world, "x")["metadata"]["name"])
    pass_time(world, 30)
    assert conditions(job(world, "x")) == []
    assert "deletionTimestamp" in pod_of(world, "x")["metadata"]
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1] == ("Failed", "True", "BackoffLimitExceeded")
    assert pods_of(world, "x") == []


def test_ends_are_told_in_events_of_their_kind() -> None:
    """A failure is a warning, a success is not."""
    world = world_of("n1", "n2")
    world.cluster.plans["n2"] = FAILING
    post(world, JOBS, job_body("x", "n1"))
    post(world, JOBS, job_body("y", "n2", backoffLimit=0))
    let_all_happen(world)
    kinds = {
        (event["involvedObject"]["name"], event["reason"]): event["type"]
        for event in world.listed("Event")
    }
    assert kinds["x", "Completed"] == "Normal"
    assert kinds["y", "BackoffLimitExceeded"] == "Warning"


def test_suspending_takes_the_pod_away_and_stops_the_deadline() -> None:
    """The Pod is no failure; resuming starts anew, with a new start time."""
    world = created(HANGING, activeDeadlineSeconds=30)
    pass_time(world, 20)
    merge(world, f"{JOBS}/x", {"spec": {"suspend": True}})
    pass_time(world, 60)
    status = job(world, "x")["status"]
    assert conditions(job(world, "x")) == [("Suspended", "True", "JobSuspended")]
    assert ("failed" in status, "startTime" in status) == (False, False)
    assert pods_of(world, "x") == []
    merge(world, f"{JOBS}/x", {"spec": {"suspend": False}})
    pass_time(world, 20)
    assert conditions(job(world, "x")) == [("Suspended", "False", "JobResumed")]
    assert job(world, "x")["status"]["startTime"] == "2026-01-01T00:01:22Z"
    assert len(pods_of(world, "x")) == 1


def test_a_job_with_completions_runs_so_many_pods() -> None:
    """As many at a time as parallelism says, until enough have succeeded."""
    world = world_of("n1")
    post(world, JOBS, job_body("x", "n1", parallelism=2, completions=3))
    pass_time(world, 1)
    assert job(world, "x")["status"]["active"] == 2
    let_all_happen(world)
    assert job(world, "x")["status"]["succeeded"] == 3
    assert len(pods_of(world, "x")) == 3


def test_a_job_that_somebody_else_manages_is_left_alone() -> None:
    """ManagedBy keeps the controller away."""
    world = created(managedBy="example.com/other")
    let_all_happen(world)
    assert (job(world, "x")["status"], pods_of(world, "x")) == ({}, [])


def test_a_background_delete_takes_the_job_at_once_and_its_pod_later() -> None:
    """The Pod's label and name stay readable while its containers end."""
    world = created(HANGING)
    pass_time(world, 10)
    delete(world, f"{JOBS}/x", propagationPolicy="Background")
    assert get(world, f"{JOBS}/x").code == 404
    pass_time(world, 0.6)
    pod = pod_of(world, "x")
    assert "deletionTimestamp" in pod["metadata"]
    assert pod["status"]["phase"] == "Running"
    let_all_happen(world)
    assert pods_of(world, "x") == []


def test_a_foreground_delete_keeps_the_job_until_its_pod_is_gone() -> None:
    """The Job is marked, makes no new Pod, and goes last."""
    world = created(HANGING)
    pass_time(world, 10)
    cursor = watch(world, "/api/v1/pods")
    delete(world, f"{JOBS}/x", propagationPolicy="Foreground")
    assert job(world, "x")["metadata"]["finalizers"] == ["foregroundDeletion"]
    let_all_happen(world)
    assert [event["type"] for event in cursor.take()].count("ADDED") == 0
    assert (pods_of(world, "x"), world.find("Job", TEAM, "x")) == ([], None)


@pytest.mark.parametrize("options", [{}, {"propagationPolicy": "Orphan"}])
def test_an_orphaned_pod_goes_on_without_its_job(options: dict[str, str]) -> None:
    """This is what batch/v1 does unless it is told otherwise; the Pod loses its owner."""
    world = created(HANGING)
    pass_time(world, 10)
    delete(world, f"{JOBS}/x", **options)
    let_all_happen(world)
    assert world.find("Job", TEAM, "x") is None
    metadata = pod_of(world, "x")["metadata"]
    assert ("ownerReferences" in metadata, "finalizers" in metadata) == (False, False)
    assert pod_of(world, "x")["status"]["phase"] == "Running"


def test_a_job_of_the_same_name_has_nothing_to_do_with_the_old_ones_pods() -> None:
    """A Job created again counts its own Pods only."""
    world = created(HANGING)
    pass_time(world, 10)
    delete(world, f"{JOBS}/x", propagationPolicy="Background")
    world.cluster.plans["n1"] = NodePlan()
    post(world, JOBS, job_body("x", "n1"))
    let_all_happen(world)
    assert job(world, "x")["status"]["succeeded"] == 1
    assert len(pods_of(world, "x")) == 1


def test_a_job_that_is_to_run_fewer_pods_lets_the_others_go() -> None:
    """Those that it deletes for that are no failures."""
    world = created(HANGING, completions=2, parallelism=2)
    pass_time(world, 10)
    assert job(world, "x")["status"]["active"] == 2
    merge(world, f"{JOBS}/x", {"spec": {"parallelism": 1}})
    let_all_happen(world)
    assert len(pods_of(world, "x")) == 1
    merge(world, f"{JOBS}/x", {"spec": {"parallelism": 0}})
    let_all_happen(world)
    status = job(world, "x")["status"]
    assert (pods_of(world, "x"), status.get("active"), status.get("failed")) == ([], None, None)


def test_a_deleted_job_that_is_held_tells_what_still_works_for_it() -> None:
    """As long as a finalizer keeps it, its orphans count for it no more, and its own Pods do."""
    world = created(HANGING)
    merge(world, f"{JOBS}/x", {"metadata": {"finalizers": ["example.com/held"]}})
    pass_time(world, 10)
    delete(world, f"{JOBS}/x", propagationPolicy="Background")
    let_all_happen(world)
    assert job(world, "x")["status"]["active"] == 1
    other = created(HANGING)
    merge(other, f"{JOBS}/x", {"metadata": {"finalizers": ["example.com/held"]}})
    pass_time(other, 10)
    delete(other, f"{JOBS}/x", propagationPolicy="Orphan")
    let_all_happen(other)
    assert "active" not in job(other, "x")["status"]
