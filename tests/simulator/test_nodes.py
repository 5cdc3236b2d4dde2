"""Nodes that come, go, fall silent and are replaced."""

from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.storage import Manifest
from adapters.simulator.worlds import World
from machines import labels
from tests.simulator.building import (
    JOBS,
    NODES,
    TEAM,
    conditions,
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

HANGING = NodePlan(ending=Ending.HANG)


def taints(world: World, name: str) -> list[tuple[str, str]]:
    """Key and effect of a node's taints."""
    spec = world.must_find("Node", "", name)["spec"]
    return [(taint["key"], taint["effect"]) for taint in spec.get("taints") or ()]


def ready(world: World, name: str) -> str:
    """Status of a node's condition Ready."""
    found = {kind: status for kind, status, _ in conditions(world.must_find("Node", "", name))}
    return found["Ready"]


def running(world: World) -> Manifest:
    """The running Pod of the Job x."""
    pass_time(world, 10)
    pod = pod_of(world, "x")
    assert pod["status"]["phase"] == "Running"
    return pod


def test_a_node_joins_not_ready_and_becomes_ready() -> None:
    """Tainted first, then ready and free of taints, within a second."""
    world = World(1)
    world.add_node("n1", pool="gpu")
    assert (ready(world, "n1"), taints(world, "n1")) == (
        "False",
        [("node.kubernetes.io/not-ready", "NoSchedule")],
    )
    pass_time(world, 1)
    assert (ready(world, "n1"), taints(world, "n1")) == ("True", [])


def test_a_node_whose_kubelet_never_speaks_stays_not_ready() -> None:
    """Nobody else says that it is ready."""
    world = World(1)
    world.add_node("n1")
    world.stop_kubelet("n1")
    pass_time(world, 10)
    assert ready(world, "n1") == "False"


def test_the_labels_of_a_node_say_what_it_is_for() -> None:
    """Pool, opt-in and more; a control-plane node is marked and tainted as one."""
    world = World(1)
    marks = world.add_node("n1", pool="gpu", marks={"a": "b"})["metadata"]["labels"]
    assert (marks[labels.POOL], marks[labels.ENABLED], marks["a"]) == ("gpu", "true", "b")
    assert labels.ENABLED not in world.add_node("n2", enabled=False)["metadata"]["labels"]
    marks = world.add_control_plane_node("cp", pool="gpu")["metadata"]["labels"]
    assert labels.CONTROL_PLANE[0] in marks
    pass_time(world, 1)
    assert taints(world, "cp") == [(labels.CONTROL_PLANE[0], "NoSchedule")]


def test_a_cordon_taints_and_keeps_other_taints() -> None:
    """The node's own taints stay, before, during and after."""
    world = world_of("n1")
    world.taint("n1", [("mine", "v", "NoSchedule")])
    world.cordon("n1")
    pass_time(world, 1)
    assert taints(world, "n1") == [
        ("mine", "NoSchedule"),
        ("node.kubernetes.io/unschedulable", "NoSchedule"),
    ]
    world.uncordon("n1")
    pass_time(world, 1)
    assert taints(world, "n1") == [("mine", "NoSchedule")]


def test_a_silent_node_becomes_unknown_and_loses_its_pods_in_the_end() -> None:
    """Unknown after 50 s; after another 300 s its Pods are told to go, and never do."""
    world = world_of("n1", plan=HANGING)
    post(world, JOBS, job_body("x", "n1"))
    name = running(world)["metadata"]["name"]
    world.stop_kubelet("n1")
    pass_time(world, 49)
    assert ready(world, "n1") == "True"
    pass_time(world, 2)
    assert ready(world, "n1") == "Unknown"
    assert ("node.kubernetes.io/unreachable", "NoExecute") in taints(world, "n1")
    assert "deletionTimestamp" not in world.must_find("Pod", TEAM, name)["metadata"]
    pass_time(world, 3600)
    pod = world.must_find("Pod", TEAM, name)
    assert "deletionTimestamp" in pod["metadata"]
    assert pod["status"]["phase"] == "Running"
    assert ("DisruptionTarget", "True", "DeletionByTaintManager") in conditions(pod)


def test_a_node_that_comes_back_in_time_keeps_its_pods() -> None:
    """Ready again, taints gone, the Pod untouched."""
    world = world_of("n1", plan=HANGING)
    post(world, JOBS, job_body("x", "n1"))
    name = running(world)["metadata"]["name"]
    world.stop_kubelet("n1")
    pass_time(world, 200)
    world.start_kubelet("n1")
    pass_time(world, 3600)
    assert (ready(world, "n1"), taints(world, "n1")) == ("True", [])
    assert "deletionTimestamp" not in world.must_find("Pod", TEAM, name)["metadata"]


def test_a_no_execute_taint_drives_pods_away_at_once() -> None:
    """What does not tolerate it is deleted, as a disruption."""
    world = world_of("n1", plan=HANGING)
    post(world, JOBS, job_body("x", "n1", backoffLimit=0))
    running(world)
    cursor = watch(world, f"/api/v1/namespaces/{TEAM}/pods")
    world.taint("n1", [("maintenance", "", "NoExecute")])
    let_all_happen(world)
    reasons = {
        reason
        for event in cursor.take()
        for kind, _, reason in conditions(event["object"])
        if kind == "DisruptionTarget"
    }
    assert reasons == {"DeletionByTaintManager"}
    assert conditions(job(world, "x"))[-1][0] == "Failed"


def test_a_no_execute_taint_takes_pods_that_have_ended_as_well() -> None:
    """What became of their Job stays."""
    world = world_of("n1")
    post(world, JOBS, job_body("x", "n1"))
    let_all_happen(world)
    assert world.listed("Pod", TEAM)
    world.taint("n1", [("maintenance", "", "NoExecute")])
    let_all_happen(world)
    assert world.listed("Pod", TEAM) == []
    assert "Complete" in {kind for kind, _, _ in conditions(job(world, "x"))}


def test_the_pods_of_a_node_that_left_are_cleared_away_later() -> None:
    """For some 40 s nobody knows; then the Pod fails as a disruption and goes."""
    world = world_of("n1", "n2", plan=HANGING)
    post(world, JOBS, job_body("x", "n1"))
    name = running(world)["metadata"]["name"]
    cursor = watch(world, f"/api/v1/namespaces/{TEAM}/pods")
    world.delete_node("n1")
    pass_time(world, 39)
    assert world.must_find("Pod", TEAM, name)["status"]["phase"] == "Running"
    pass_time(world, 25)
    assert world.find("Pod", TEAM, name) is None
    last = [
        event["object"] for event in cursor.take() if event["object"]["metadata"]["name"] == name
    ]
    assert last[-1]["status"]["phase"] == "Failed"
    assert ("DisruptionTarget", "True", "DeletionByPodGC") in conditions(last[-1])


def test_a_replaced_node_is_another_machine() -> None:
    """Same name, labels and taints, other uid; what ran on the old one is lost at once."""
    world = world_of("n1", plan=HANGING)
    world.taint("n1", [("mine", "v", "PreferNoSchedule")])
    post(world, JOBS, job_body("x", "n1", backoffLimit=0))
    running(world)
    old = get(world, f"{NODES}/n1").body["metadata"]
    new = world.replace_node("n1")["metadata"]
    assert new["uid"] != old["uid"]
    assert new["labels"] == old["labels"]
    let_all_happen(world)
    assert taints(world, "n1") == [("mine", "PreferNoSchedule")]
    status = pod_of(world, "x")["status"]
    ended = status["containerStatuses"][0]["state"]["terminated"]
    assert (status["phase"], ended["exitCode"], ended["reason"]) == (
        "Failed",
        137,
        "ContainerStatusUnknown",
    )


def test_a_pod_that_had_not_begun_begins_on_the_machine_that_replaces() -> None:
    """A Pod bound to the name is taken up by whoever has it."""
    world = world_of("n1", plan=NodePlan(starts=False))
    post(world, JOBS, job_body("x", "n1"))
    pass_time(world, 10)
    world.replace_node("n1", plan=NodePlan())
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1][0] == "Complete"


def test_the_old_machines_kubelet_is_gone_with_it() -> None:
    """What the old machine would have done next never happens on the new one."""
    world = world_of("n1")
    post(world, JOBS, job_body("x", "n1", backoffLimit=0))
    pass_time(world, 1)
    assert pod_of(world, "x")["status"]["phase"] == "Pending"
    world.delete_node("n1")
    pass_time(world, 30)
    assert pod_of(world, "x")["status"]["phase"] == "Pending"
    let_all_happen(world)
    assert pods_of(world, "x") == []
    assert conditions(job(world, "x"))[-1][0] == "Failed"


def test_a_heartbeat_is_a_version_without_news() -> None:
    """Only a time moves."""
    world = world_of("n1")
    before = get(world, f"{NODES}/n1").body
    world.heartbeat("n1")
    pass_time(world, 1)
    world.heartbeat("n1")
    after = get(world, f"{NODES}/n1").body
    assert after["metadata"]["resourceVersion"] != before["metadata"]["resourceVersion"]
    assert (after["spec"], after["metadata"]["labels"]) == (
        before["spec"],
        before["metadata"]["labels"],
    )
    assert ready(world, "n1") == "True"


def test_a_node_that_never_spoke_is_not_tainted_for_it() -> None:
    """As on a real server: without a condition there is nothing to taint for."""
    world = World(1)
    world.cluster.kubelets.stop("n1")
    post(world, NODES, {"metadata": {"name": "n1"}})
    pass_time(world, 1)
    assert "taints" not in get(world, f"{NODES}/n1").body["spec"] or taints(world, "n1") == []
    merge(world, f"{NODES}/n1", {"metadata": {"labels": {"a": "b"}}})
    assert get(world, f"{NODES}/n1").body["metadata"]["labels"] == {"a": "b"}
