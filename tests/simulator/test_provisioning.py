"""The simulated provisioners: volumes made, not made, grown and removed."""

import pytest

from adapters.simulator.answers import Refusal
from adapters.simulator.plans import ProvisionerPlan
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

NEVER = ProvisionerPlan(failures=None, words="rpc error: code = ResourceExhausted desc = full")


def provisioned(plan: ProvisionerPlan, *nodes: str, mode: str = LATE) -> World:
    """A world with a class whose provisioner does by `plan`, and a claim of it."""
    world = world_of(*(nodes or ("n1",)))
    world.add_storage_class("shared", mode=mode, plan=plan, expandable=True)
    world.add_claim(TEAM, "c", class_name="shared")
    return world


def test_a_claim_gets_a_volume_of_its_own() -> None:
    """At once where the class does not wait; the words tell each step."""
    world = provisioned(ProvisionerPlan(), mode="Immediate")
    let_all_happen(world)
    claim, volume = claim_now(world), volume_now(world)
    assert phase(world) == "Bound"
    assert volume["metadata"]["name"] == f"pvc-{claim['metadata']['uid']}"
    assert volume["spec"]["persistentVolumeReclaimPolicy"] == "Delete"
    told = [reason for reason, _ in events_about(world, "c")]
    assert set(told) == {"ExternalProvisioning", "Provisioning", "ProvisioningSucceeded"}


def test_a_claim_that_waits_is_provisioned_for_its_pod() -> None:
    """On the node that the scheduler chose; then the Pod runs there."""
    world = provisioned(ProvisionerPlan(on_one_node=True), "n1", "n2")
    pass_time(world, 60)
    assert phase(world) == "Pending"
    fill(world)
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1][0] == "Complete"
    node = pod_of(world, "x")["spec"]["nodeName"]
    assert chosen(world) == node
    (term,) = volume_now(world)["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    assert term["matchExpressions"][0]["values"] == [node]


def test_a_provisioner_that_fails_says_why_again_and_again() -> None:
    """In one Event that is counted; the claim stays Pending, and the Pod has no node."""
    world = provisioned(NEVER)
    fill(world)
    pass_time(world, 600)
    words = f'failed to provision volume with StorageClass "shared": {NEVER.words}'
    assert ("ProvisioningFailed", words) in events_about(world, "c")
    (event,) = [
        each
        for each in world.listed("Event", TEAM)
        if each["reason"] == "ProvisioningFailed" and each["involvedObject"]["name"] == "c"
    ]
    assert (event["type"], event["source"]) == ("Warning", {"component": "shared.example.com"})
    assert event["count"] >= 5
    assert phase(world) == "Pending"
    assert "nodeName" not in pod_of(world, "x")["spec"]


def test_a_provisioner_that_is_mended_goes_on() -> None:
    """After failures of its own, or when somebody repairs it."""
    world = provisioned(ProvisionerPlan(failures=3), mode="Immediate")
    let_all_happen(world)
    assert phase(world) == "Bound"
    world = provisioned(NEVER, mode="Immediate")
    pass_time(world, 600)
    assert phase(world) == "Pending"
    world.set_provisioner("shared", ProvisionerPlan())
    pass_time(world, 10)
    assert phase(world) == "Bound"


def test_a_provisioner_waits_for_a_node_that_is_gone_or_gives_it_back() -> None:
    """The older kind waits for ever with its words; the newer takes the choice off the claim."""
    for gives_back in (False, True):
        world = provisioned(ProvisionerPlan(failures=1, gives_back=gives_back), "n1", "n2")
        world.cordon("n2")
        fill(world)
        pass_time(world, 1)
        assert chosen(world) == "n1"
        world.delete_node("n1")
        world.uncordon("n2")
        pass_time(world, 900)
        words = 'failed to get target node: nodes "n1" not found'
        assert ("ProvisioningFailed", words) in events_about(world, "c")
        expected = ("n2", "Bound") if gives_back else ("n1", "Pending")
        assert (chosen(world), phase(world)) == expected


def test_a_volume_goes_with_its_claim_or_stays_by_the_policy_of_its_class() -> None:
    """Delete removes it, Retain leaves it Released."""
    for policy, left in (("Delete", []), ("Retain", ["Released"])):
        world = world_of("n1")
        world.add_storage_class("shared", plan=ProvisionerPlan(), reclaimPolicy=policy)
        world.add_claim(TEAM, "c", class_name="shared")
        let_all_happen(world)
        assert phase(world) == "Bound"
        world.delete_claim(TEAM, "c")
        let_all_happen(world)
        phases = [volume["status"]["phase"] for volume in world.listed("PersistentVolume")]
        assert (world.listed("PersistentVolumeClaim"), phases) == ([], left)


def test_a_claim_grows_where_its_class_lets_it() -> None:
    """The capacity follows the request; elsewhere the API server refuses to ask."""
    world = provisioned(ProvisionerPlan(), mode="Immediate")
    let_all_happen(world)
    world.resize_claim(TEAM, "c", "20Gi")
    let_all_happen(world)
    assert claim_now(world)["status"]["capacity"] == {"storage": "20Gi"}
    assert volume_now(world)["spec"]["capacity"] == {"storage": "20Gi"}
    assert "VolumeResizeSuccessful" in dict(events_about(world, "c"))
    world.add_storage_class("fixed", plan=ProvisionerPlan())
    world.add_claim(TEAM, "d", class_name="fixed")
    let_all_happen(world)
    with pytest.raises(Refusal, match="only dynamically provisioned pvc can be resized"):
        world.resize_claim(TEAM, "d", "20Gi")


def test_a_volume_that_cannot_grow_keeps_its_size() -> None:
    """The claim is bound all the same, and an Event says what failed."""
    world = provisioned(ProvisionerPlan(grows=False), mode="Immediate")
    let_all_happen(world)
    world.resize_claim(TEAM, "c", "20Gi")
    let_all_happen(world)
    assert claim_now(world)["status"]["capacity"] == {"storage": "10Gi"}
    assert phase(world) == "Bound"
    assert "VolumeResizeFailed" in dict(events_about(world, "c"))
