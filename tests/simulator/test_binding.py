"""The simulated controllers that bind claims, volumes and Pods to one another."""

from adapters.simulator.volume_matching import NO_PROVISIONER
from adapters.simulator.worlds import World
from tests.simulator.building import (
    TEAM,
    conditions,
    events_about,
    job,
    let_all_happen,
    pass_time,
    pod_of,
    world_of,
)
from tests.simulator.volumes import LATE, chosen, claim_now, fill, phase, volume_now


def with_class(*nodes: str, mode: str = LATE) -> World:
    """A world with a class whose volumes people make, and a claim of it."""
    world = world_of(*nodes)
    world.add_storage_class("shared", mode=mode)
    world.add_claim(TEAM, "c", class_name="shared")
    return world


def scheduler_words(world: World, name: str = "x") -> str:
    """What the scheduler says of a Job's Pod."""
    (condition,) = pod_of(world, name)["status"]["conditions"]
    message: str = condition["message"]
    return message


def test_a_claim_that_waits_for_a_pod_says_so() -> None:
    """And then for which one, while that cannot be scheduled."""
    world = with_class("n1")
    world.cordon("n1")
    pass_time(world, 1)
    words = "waiting for first consumer to be created before binding"
    assert events_about(world, "c") == [("WaitForFirstConsumer", words)]
    fill(world)
    pass_time(world, 20)
    pod = pod_of(world, "x")["metadata"]["name"]
    words = f"waiting for pod {pod} to be scheduled"
    assert ("WaitForPodScheduled", words) in events_about(world, "c")
    assert (phase(world), chosen(world)) == ("Pending", "")


def test_the_scheduler_chooses_a_node_and_waits_for_the_claim() -> None:
    """The Pod has no node yet, and nobody says why: that is what people see for minutes."""
    world = with_class("n1")
    fill(world)
    pass_time(world, 2)
    assert (phase(world), chosen(world)) == ("Pending", "n1")
    assert "nodeName" not in pod_of(world, "x")["spec"]
    assert conditions(pod_of(world, "x")) == []
    words = dict(events_about(world, "c"))["ExternalProvisioning"]
    assert "external provisioner 'shared.example.com'" in words


def test_a_claim_of_a_node_that_is_gone_waits_for_ever() -> None:
    """Every other node is refused, for as long as the claim names the one that is gone."""
    world = with_class("n1", "n2", "n3")
    world.cordon("n2")
    world.cordon("n3")
    fill(world)
    pass_time(world, 2)
    assert chosen(world) == "n1"
    world.delete_node("n1")
    world.uncordon("n2")
    world.uncordon("n3")
    pass_time(world, 40 * 60)
    assert (phase(world), chosen(world)) == ("Pending", "n1")
    assert scheduler_words(world).startswith(
        "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind."
    )
    pod = pod_of(world, "x")["metadata"]["name"]
    gone = 'binding volumes: failed to get node "n1": node "n1" not found'
    assert any(gone in words for _, words in events_about(world, pod))
    world.delete_pod(TEAM, pod)
    pass_time(world, 60)
    assert chosen(world) == "n1"  # another Pod alone does not help


def test_without_the_chosen_node_the_claim_binds_elsewhere() -> None:
    """Within seconds after the annotation is taken off, on another node."""
    world = with_class("n1", "n2")
    world.cordon("n2")
    fill(world)
    pass_time(world, 2)
    world.delete_node("n1")
    world.uncordon("n2")
    pass_time(world, 600)
    world.annotate("PersistentVolumeClaim", TEAM, "c", {"volume.kubernetes.io/selected-node": None})
    pass_time(world, 10)
    assert chosen(world) == "n2"
    world.add_volume("v", class_name="shared", claim=(TEAM, "c"))
    let_all_happen(world)
    assert phase(world) == "Bound"
    assert pod_of(world, "x")["spec"]["nodeName"] == "n2"
    assert conditions(job(world, "x"))[-1][0] == "Complete"


def test_a_volume_made_for_a_claim_binds_it() -> None:
    """Both name each other, and the claim has the size and modes of the volume."""
    world = with_class("n1")
    fill(world)
    pass_time(world, 60)
    world.add_volume("v", class_name="shared", claim=(TEAM, "c"), size="20Gi")
    pass_time(world, 20)
    claim, volume = claim_now(world), volume_now(world)
    assert claim["status"] == {
        "phase": "Bound",
        "accessModes": ["ReadWriteMany"],
        "capacity": {"storage": "20Gi"},
    }
    assert volume["spec"]["claimRef"]["uid"] == claim["metadata"]["uid"]
    assert volume["status"]["phase"] == "Bound"
    notes = claim["metadata"]["annotations"]
    assert notes["pv.kubernetes.io/bind-completed"] == "yes"


def test_the_smallest_volume_that_fits_is_taken() -> None:
    """At once, in a class that does not wait for a Pod."""
    world = world_of("n1")
    world.add_storage_class("shared", provisioner=NO_PROVISIONER)
    for name, size in (("small", "5Gi"), ("large", "50Gi"), ("right", "10Gi")):
        world.add_volume(name, class_name="shared", size=size)
    world.add_volume("other", class_name="other")
    pass_time(world, 1)
    world.add_claim(TEAM, "c", class_name="shared")
    pass_time(world, 1)
    assert claim_now(world)["spec"]["volumeName"] == "right"
    phases = {
        volume["metadata"]["name"]: volume["status"]["phase"]
        for volume in world.listed("PersistentVolume")
    }
    assert phases.pop("right") == "Bound"
    assert set(phases.values()) == {"Available"}


def test_a_class_whose_volumes_people_make_waits_for_one() -> None:
    """With words that say nothing of people, and nothing of nodes."""
    world = world_of("n1")
    world.add_storage_class("shared", provisioner=NO_PROVISIONER)
    world.add_claim(TEAM, "c", class_name="shared")
    fill(world)
    pass_time(world, 30)
    words = "no volume plugin matched name: kubernetes.io/no-provisioner"
    assert ("ProvisioningFailed", words) in events_about(world, "c")
    assert "pod has unbound immediate PersistentVolumeClaims." in scheduler_words(world)
    world.add_volume("v", class_name="shared")
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1][0] == "Complete"


def test_claims_without_a_class_or_of_a_missing_one_say_so() -> None:
    """Both stay Pending; a class that is made later helps."""
    world = world_of("n1")
    world.add_claim(TEAM, "none")
    world.add_claim(TEAM, "c", class_name="missing")
    pass_time(world, 1)
    assert events_about(world, "none") == [
        (
            "FailedBinding",
            "no persistent volumes available for this claim and no storage class is set",
        )
    ]
    assert events_about(world, "c") == [
        ("ProvisioningFailed", 'storageclass.storage.k8s.io "missing" not found')
    ]
    world.add_storage_class("missing")
    pass_time(world, 20)
    assert "ExternalProvisioning" in dict(events_about(world, "c"))


def test_a_pod_is_not_scheduled_without_its_claim() -> None:
    """One that is missing, going, or lost: each in the scheduler's words."""
    world = with_class("n1", mode="Immediate")
    fill(world, "missing", "nothing")
    pass_time(world, 1)
    assert 'persistentvolumeclaim "nothing" not found.' in scheduler_words(world, "missing")
    world.add_volume("v", class_name="shared")
    pass_time(world, 20)
    world.lose_volume("v")
    pass_time(world, 1)
    assert phase(world) == "Lost"
    words = "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
    assert ("ClaimLost", words) in events_about(world, "c")
    fill(world, "lost")
    pass_time(world, 1)
    assert 'claim "c" bound to non-existent persistentvolume "v"' in scheduler_words(world, "lost")


def test_a_volume_on_one_node_keeps_its_pods_there() -> None:
    """On all other nodes the scheduler says so."""
    world = with_class("n1", "n2", mode="Immediate")
    world.add_volume("v", class_name="shared", node="n2")
    fill(world)
    pass_time(world, 60)
    assert pod_of(world, "x")["spec"]["nodeName"] == "n2"
    fill(world, "y", node="n1")
    pass_time(world, 1)
    assert "1 node(s) didn't match PersistentVolume's node affinity" in scheduler_words(world, "y")


def test_a_kept_volume_is_released_and_not_given_again() -> None:
    """A claim of the same name is another claim, and waits."""
    world = with_class("n1", mode="Immediate")
    world.add_volume("v", class_name="shared", claim=(TEAM, "c"))
    pass_time(world, 20)
    assert phase(world) == "Bound"
    world.delete_claim(TEAM, "c")
    pass_time(world, 2)
    assert world.must_find("PersistentVolume", "", "v")["status"]["phase"] == "Released"
    world.add_claim(TEAM, "c", class_name="shared")
    pass_time(world, 60)
    assert phase(world) == "Pending"


def test_the_scheduler_gives_up_after_ten_minutes_and_tries_again() -> None:
    """It says so, and the claim keeps its node."""
    world = with_class("n1")
    fill(world)
    pass_time(world, 11 * 60)
    assert conditions(pod_of(world, "x")) == [("PodScheduled", "False", "SchedulerError")]
    assert scheduler_words(world) == (
        'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'
    )
    assert chosen(world) == "n1"
    world.add_volume("v", class_name="shared", claim=(TEAM, "c"))
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1][0] == "Complete"


def test_a_pod_that_is_deleted_while_its_claim_is_bound_leaves_nothing() -> None:
    """The node has its room again, and the claim keeps its choice."""
    world = with_class("n1")
    fill(world)
    pass_time(world, 2)
    world.delete_job(TEAM, "x")
    pass_time(world, 120)
    assert (world.listed("Pod"), chosen(world)) == ([], "n1")
    let_all_happen(world)


def test_controllers_that_restart_bind_what_was_begun() -> None:
    """At any moment: the claim is bound once, and its Job ends well."""
    for seconds in (0.01, 0.5, 1, 2, 5):
        world = with_class("n1", "n2")
        world.add_volume("v", class_name="shared")
        pass_time(world, 1)
        fill(world)
        pass_time(world, seconds)
        world.cluster.restart_controllers()
        let_all_happen(world)
        assert phase(world) == "Bound"
        assert conditions(job(world, "x"))[-1][0] == "Complete"
