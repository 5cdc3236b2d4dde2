"""The simulated scheduler."""

from typing import Any

import pytest

from adapters.simulator.worlds import World
from tests.simulator.building import (
    JOBS,
    NODES,
    PODS,
    conditions,
    events_about,
    job_body,
    merge,
    pass_time,
    pod_of,
    pods_of,
    post,
    watch,
    world_of,
)

HELPLESS = "Preemption is not helpful for scheduling."


def tried(world: World, node: str) -> str:
    """The scheduler's words about a Pod pinned to a node; "" when it was bound."""
    post(world, JOBS, job_body("x", node))
    pass_time(world, 0.2)
    pod = pod_of(world, "x")
    assert pod["spec"].get("nodeName") in {None, node}
    if "nodeName" in pod["spec"]:
        return ""
    (condition,) = pod["status"]["conditions"]
    assert conditions(pod) == [("PodScheduled", "False", "Unschedulable")]
    assert events_about(world, pod["metadata"]["name"])[-1][0] == "FailedScheduling"
    message: str = condition["message"]
    return message


def test_a_pod_is_bound_to_the_node_it_names() -> None:
    """However many nodes there are."""
    world = world_of("n1", "n2", "n3")
    assert tried(world, "n2") == ""
    assert conditions(pod_of(world, "x"))[0] == ("PodScheduled", "True", "")


def test_a_tainted_node_takes_no_pods() -> None:
    """The words count the nodes by what they object to, as the real scheduler's do."""
    world = world_of("n1", "n2", "n3")
    world.taint("n2", [("k", "v", "NoSchedule")])
    assert tried(world, "n2") == (
        "0/3 nodes are available: 1 node(s) had untolerated taint(s), "
        "2 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to deallocate, "
        f"preemption: 0/3 nodes are available: 3 {HELPLESS}"
    )


def test_a_taint_that_only_prefers_keeps_nobody_away() -> None:
    """PreferNoSchedule is no objection."""
    world = world_of("n1")
    world.taint("n1", [("k", "v", "PreferNoSchedule")])
    assert tried(world, "n1") == ""


@pytest.mark.parametrize(
    ("toleration", "bound"),
    [
        ({"key": "k", "operator": "Exists"}, True),
        ({"key": "k", "operator": "Equal", "value": "v"}, True),
        ({"key": "k", "value": "w"}, False),
        ({"operator": "Exists", "effect": "NoExecute"}, False),
        ({"operator": "Exists"}, True),
    ],
)
def test_tolerations_bear_the_taints_they_match(toleration: dict[str, Any], *, bound: bool) -> None:
    """By key, value and effect; an empty key with Exists bears everything."""
    world = world_of("n1")
    world.taint("n1", [("k", "v", "NoSchedule")])
    spec = {"containers": [{"name": "c", "image": "i:1"}], "tolerations": [toleration]}
    post(world, PODS, {"metadata": {"name": "p"}, "spec": spec})
    pass_time(world, 1)
    assert ("nodeName" in world.must_find("Pod", "models", "p")["spec"]) is bound


def test_a_cordoned_node_takes_no_pods_until_it_is_uncordoned() -> None:
    """The objection is named, and the Pod is bound once it is lifted."""
    world = world_of("n1")
    world.cordon("n1")
    pass_time(world, 1)
    assert "1 node(s) were unschedulable." in tried(world, "n1")
    world.uncordon("n1")
    pass_time(world, 2)
    assert pod_of(world, "x")["spec"]["nodeName"] == "n1"


def test_a_missing_node_is_waited_for() -> None:
    """All nodes there are do not satisfy the affinity; the one that joins takes the Pod."""
    world = world_of("n1", "n2")
    assert tried(world, "n3").startswith(
        "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    )
    world.add_node("n3")
    pass_time(world, 12)
    assert pod_of(world, "x")["spec"]["nodeName"] == "n3"


def test_a_cluster_without_nodes_has_words_of_its_own() -> None:
    """There is nothing to count."""
    assert tried(world_of(), "n1") == "no nodes available to schedule pods"


def test_labels_asked_for_by_affinity_must_be_there() -> None:
    """MatchExpressions hold besides the name; a relabelled node then fits."""
    world = world_of("n1")
    body = job_body("x", "n1")
    affinity = body["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]
    (term,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    term["matchExpressions"] = [{"key": "zone", "operator": "In", "values": ["a"]}]
    post(world, JOBS, body)
    pass_time(world, 1)
    pod = pod_of(world, "x")
    assert (
        "1 node(s) didn't match Pod's node affinity/selector"
        in (pod["status"]["conditions"][0]["message"])
    )
    world.relabel_node("n1", {"zone": "a"})
    pass_time(world, 12)
    assert pod_of(world, "x")["spec"]["nodeName"] == "n1"


def test_a_full_node_takes_a_pod_when_another_one_ends() -> None:
    """Allocatable Pods are counted, those that have ended are not."""
    world = world_of("n1")
    merge(world, f"{NODES}/n1/status", {"status": {"allocatable": {"pods": "1"}}})
    for name in ("x", "y"):
        post(world, JOBS, job_body(name, "n1"))
    pass_time(world, 1)
    waiting = [
        pod for name in ("x", "y") for pod in pods_of(world, name) if "nodeName" not in pod["spec"]
    ]
    assert len(waiting) == 1
    words = waiting[0]["status"]["conditions"][0]["message"]
    assert "1 Too many pods." in words
    assert words.endswith("1 No preemption victims found for incoming pod.")
    pass_time(world, 60)
    assert all("nodeName" in pod["spec"] for name in ("x", "y") for pod in pods_of(world, name))


def test_a_new_node_that_is_not_ready_takes_no_pods() -> None:
    """It is tainted until its kubelet has said that it is ready."""
    world = world_of("n1")
    world.add_node("n2")
    post(world, JOBS, job_body("x", "n2"))
    pod = None
    while pod is None or not pod["status"].get("conditions"):
        due = world.cluster.next_at()
        assert due is not None
        world.cluster.advance(due)
        pod = next(iter(pods_of(world, "x")), None)
    assert "untolerated taint(s)" in pod["status"]["conditions"][0]["message"]
    pass_time(world, 5)
    assert pod_of(world, "x")["spec"]["nodeName"] == "n2"


def test_words_change_with_each_node_that_joins() -> None:
    """A Pod that cannot be scheduled is told a new count again and again."""
    world = world_of("n1")
    world.taint("n1", [("k", "v", "NoSchedule")])
    post(world, JOBS, job_body("x", "n1"))
    pass_time(world, 1)
    cursor = watch(world, PODS)
    for index in range(5):
        world.add_node(f"other-{index}")
        pass_time(world, 15)
    words = [event["object"]["status"]["conditions"][0]["message"] for event in cursor.take()]
    assert len(words) == len(set(words)) == 5


def test_a_heartbeat_makes_nobody_try_again() -> None:
    """A Node that only said that it is alive is no news to the scheduler."""
    world = world_of("n1")
    world.taint("n1", [("k", "v", "NoSchedule")])
    post(world, JOBS, job_body("x", "n1"))
    pass_time(world, 60)
    before = events_about(world, pod_of(world, "x")["metadata"]["name"])
    counts = [event["count"] for event in world.listed("Event")]
    world.heartbeat("n1")
    pass_time(world, 60)
    assert events_about(world, pod_of(world, "x")["metadata"]["name"]) == before
    assert [event["count"] for event in world.listed("Event")] == counts


def test_the_same_words_again_are_counted_in_one_event() -> None:
    """A second attempt that ends in the same words makes no second Event."""
    world = world_of("n1", "n2")
    world.taint("n1", [("k", "v", "NoSchedule")])
    post(world, JOBS, job_body("x", "n1"))
    pass_time(world, 30)
    world.relabel_node("n2", {"a": "b"})
    pass_time(world, 30)
    name = pod_of(world, "x")["metadata"]["name"]
    (event,) = [each for each in world.listed("Event") if each["involvedObject"]["name"] == name]
    assert (event["count"], event["type"], event["reason"]) == (2, "Warning", "FailedScheduling")
    created = [each for each in world.listed("Event") if each["reason"] == "SuccessfulCreate"]
    assert [each["type"] for each in created] == ["Normal"]


def test_an_unpinned_pod_goes_where_there_are_fewest() -> None:
    """Ties are broken by name, so that a run can be repeated."""
    world = world_of("n1", "n2")
    for name in ("x", "y", "z"):
        post(world, JOBS, job_body(name))
        pass_time(world, 0.5)
    assert [pod_of(world, name)["spec"]["nodeName"] for name in ("x", "y", "z")] == [
        "n1",
        "n2",
        "n1",
    ]
