"""Deployments in the simulator: Pods, readiness, rollouts, what they say, and how they end."""

from typing import Any

import pytest

from adapters.simulator.clock import SECOND, Span
from adapters.simulator.conditions import is_deleting, is_true
from adapters.simulator.deployment_books import REVISION
from adapters.simulator.plans import EnginePlan, ProvisionerPlan
from adapters.simulator.resources import CLAIM, CLAIM_TEMPLATE, DEPLOYMENT, POD
from adapters.simulator.storage import Manifest
from adapters.simulator.worlds import World
from tests.simulator.building import TEAM, conditions, events_about, pass_time, world_of
from tests.simulator.cases_applying import (
    claim_template,
    container,
    deployment,
    request_for,
    variable,
)

AVAILABLE = ("Available", "True", "MinimumReplicasAvailable")
UNAVAILABLE = ("Available", "False", "MinimumReplicasUnavailable")


@pytest.fixture
def world() -> World:
    """A cluster with two nodes, on which engines are ready after five seconds."""
    world = world_of("n1", "n2")
    world.plan_engines("", EnginePlan(ready=Span(5 * SECOND, 5 * SECOND)))
    return world


def engines(name: str = "a", *, mounts: bool = False, **how: Any) -> Manifest:
    """A Deployment that fits the nodes; its claim is left out unless it `mounts` it."""
    if not mounts:
        how = {"volumes": [], "containers": [container(volumeMounts=[])], **how}
    body = deployment(name, **{"nodeSelector": {}, **how})
    body["metadata"]["namespace"] = TEAM
    return body


def named(*names: str, **fields: Any) -> dict[str, Any]:
    """The container of an engine with these variables, without a mount."""
    env = [variable(name) for name in names]
    return {"containers": [container(volumeMounts=[], env=env, **fields)]}


def found(world: World, name: str = "a") -> Manifest:
    """The Deployment as it is now."""
    return world.must_find(DEPLOYMENT.kind, TEAM, name)


def uids(world: World, name: str = "a") -> set[str]:
    """The uids of the Pods of a Deployment that are there to stay."""
    pods = world.engine_pods(TEAM, name)
    return {pod["metadata"]["uid"] for pod in pods if not is_deleting(pod)}


def ready(world: World, name: str = "a") -> int:
    """How many Pods are ready."""
    return sum(is_true(pod, "Ready") for pod in world.engine_pods(TEAM, name))


def test_pods_come_up_and_the_deployment_says_so(world: World) -> None:
    """First too few are available, then enough: reasons and messages of a real cluster."""
    world.apply_as("warmlog", engines())
    pass_time(world, 4)
    status = found(world)["status"]
    assert UNAVAILABLE in conditions(found(world))
    assert (status["replicas"], status["unavailableReplicas"]) == (2, 2)
    assert ready(world) == 0
    pass_time(world, 10)
    item = found(world)
    assert item["status"]["availableReplicas"] == 2
    assert item["status"]["observedGeneration"] == item["metadata"]["generation"]
    assert conditions(item) == [
        ("Progressing", "True", "NewReplicaSetAvailable"),
        AVAILABLE,
    ]
    (pod, _) = world.engine_pods(TEAM, "a")
    assert pod["metadata"]["labels"]["modelplane.ai/workload"] == "a"
    pass_time(world, 3600)
    assert found(world) == item  # nothing happens any more


def test_another_template_is_one_rollout(world: World) -> None:
    """New Pods come first, one beyond the number; old ones go as new ones are ready."""
    world.apply_as("warmlog", engines(replicas=2))
    pass_time(world, 20)
    old = uids(world)
    world.apply_as("warmlog", engines(replicas=2, **named("B")))
    pass_time(world, 2)
    assert (len(uids(world)), len(uids(world) & old)) == (3, 2)
    assert AVAILABLE in conditions(found(world))
    pass_time(world, 60)
    assert len(uids(world)) == 2
    assert not uids(world) & old
    assert found(world)["metadata"]["annotations"][REVISION] == "2"
    assert conditions(found(world))[-1] == AVAILABLE


def test_what_is_not_of_the_template_restarts_nothing(world: World) -> None:
    """Replicas, annotations and labels of the Deployment leave the Pods alone."""
    world.apply_as("warmlog", engines(replicas=2))
    pass_time(world, 20)
    old = uids(world)
    body = engines(replicas=3)
    body["metadata"]["annotations"] = {"note": "2"}
    body["metadata"]["labels"] = {"more": "1"}
    world.apply_as("warmlog", body)
    pass_time(world, 20)
    assert old < uids(world)
    assert len(uids(world)) == 3
    world.scale(DEPLOYMENT.kind, TEAM, "a", 1)
    pass_time(world, 20)
    assert len(uids(world)) == 1
    assert found(world)["metadata"]["annotations"][REVISION] == "1"


def test_going_back_to_a_template_is_a_rollout_of_its_own(world: World) -> None:
    """The Pods are new ones, and the revision counts on."""
    world.apply_as("warmlog", engines(replicas=1))
    pass_time(world, 20)
    old = uids(world)
    for body in (engines(replicas=1, **named("B")), engines(replicas=1)):
        world.apply_as("warmlog", body)
        pass_time(world, 60)
    assert len(uids(world)) == 1
    assert not uids(world) & old
    assert found(world)["metadata"]["annotations"][REVISION] == "3"


def test_a_rollout_that_never_gets_ready_keeps_the_old_pods(world: World) -> None:
    """After the deadline it says that it is stuck; what serves goes on serving."""
    world.apply_as("warmlog", engines(replicas=2))
    pass_time(world, 20)
    old = uids(world)
    world.plan_engines("", EnginePlan(ready=None))
    world.apply_as("warmlog", engines(replicas=2, **named("B")))
    pass_time(world, 700)
    assert old < uids(world)
    assert AVAILABLE in conditions(found(world))
    assert ("Progressing", "False", "ProgressDeadlineExceeded") in conditions(found(world))


def test_an_engine_that_crashes_is_started_again(world: World) -> None:
    """It backs off between its starts, and is ready once it crashes no more."""
    crashing = EnginePlan(
        ready=Span(5 * SECOND, 5 * SECOND),
        crash=Span(2 * SECOND, 2 * SECOND),
        crashes=2,
        message="CUDA out of memory",
    )
    world.plan_engines("", crashing)
    world.apply_as("warmlog", engines(replicas=1))
    pass_time(world, 8)
    (pod,) = world.engine_pods(TEAM, "a")
    (entry,) = pod["status"]["containerStatuses"]
    assert entry["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert entry["lastState"]["terminated"]["message"] == "CUDA out of memory"
    assert (pod["status"]["phase"], ready(world)) == ("Running", 0)
    pass_time(world, 60)
    (pod,) = world.engine_pods(TEAM, "a")
    assert pod["status"]["containerStatuses"][0]["restartCount"] == 2
    assert ready(world) == 1


def test_a_pod_waits_for_its_claim(world: World) -> None:
    """Without the claim it is not scheduled, with an unbound one neither; bound, it runs."""
    world.apply_as("warmlog", engines(replicas=1, mounts=True))
    pass_time(world, 5)
    (pod,) = world.engine_pods(TEAM, "a")
    words = '0/2 nodes are available: persistentvolumeclaim "claim" not found. not found'
    assert ("FailedScheduling", words) in events_about(world, pod["metadata"]["name"])
    world.add_storage_class("fast", plan=ProvisionerPlan())
    world.add_claim(TEAM, "claim", class_name="fast")
    pass_time(world, 60)
    assert ready(world) == 1


def test_a_claim_stays_while_an_engine_mounts_it(world: World) -> None:
    """A deleted claim goes when the last Pod that mounts it has gone, and holds new ones back."""
    world.add_storage_class("fast", plan=ProvisionerPlan())
    world.add_claim(TEAM, "claim", class_name="fast")
    world.apply_as("warmlog", engines(replicas=1, mounts=True))
    pass_time(world, 60)
    world.delete_claim(TEAM, "claim")
    pass_time(world, 60)
    assert is_deleting(world.must_find(CLAIM.kind, TEAM, "claim"))
    assert ready(world) == 1
    world.delete_deployment(TEAM, "a")
    pass_time(world, 60)
    assert world.listed(POD.kind, TEAM) == []
    assert world.find(CLAIM.kind, TEAM, "claim") is None


def test_a_pod_waits_for_the_template_of_its_devices(world: World) -> None:
    """An Event says which ResourceClaimTemplate is missing; with it the Pod starts."""
    devices = {
        "resourceClaims": [{"name": "devices", "resourceClaimTemplateName": "gpus"}],
        **named("A", resources={"claims": [{"name": "devices"}]}),
    }
    world.apply_as("warmlog", engines(replicas=1, **devices))
    pass_time(world, 5)
    (pod,) = world.engine_pods(TEAM, "a")
    assert "nodeName" not in pod["spec"]
    words = (
        'PodResourceClaim devices: resource claim template "gpus": '
        'resourceclaimtemplate.resource.k8s.io "gpus" not found'
    )
    told = events_about(world, pod["metadata"]["name"])
    assert told == [("FailedResourceClaimCreation", words)]
    template = claim_template("gpus", request_for(1))
    template["metadata"]["namespace"] = TEAM
    assert world.apply_as("warmlog", template)["kind"] == CLAIM_TEMPLATE.kind
    pass_time(world, 60)
    assert ready(world) == 1


def test_pods_go_where_their_pool_is(world: World) -> None:
    """A node selector that no node fulfils leaves the Pod pending, in the scheduler's words."""
    world.apply_as("warmlog", engines(replicas=1, nodeSelector={"modelplane.ai/pool": "h100"}))
    pass_time(world, 5)
    (pod,) = world.engine_pods(TEAM, "a")
    ((_, words),) = events_about(world, pod["metadata"]["name"])
    assert words.startswith(
        "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."
    )
    world.add_node("n3", marks={"modelplane.ai/pool": "h100"})
    pass_time(world, 60)
    (pod,) = world.engine_pods(TEAM, "a")
    assert pod["spec"]["nodeName"] == "n3"


def test_pods_that_are_refused_are_told_of(world: World) -> None:
    """A quota keeps the Pods away: ReplicaFailure in the API server's words, until it does not."""
    world.forbid(POD.kind, TEAM, "exceeded quota: pods")
    world.apply_as("warmlog", engines(replicas=1))
    pass_time(world, 5)
    assert ("ReplicaFailure", "True", "FailedCreate") in conditions(found(world))
    world.allow(POD.kind, TEAM)
    pass_time(world, 120)
    assert [kind for kind, _, _ in conditions(found(world))] == ["Progressing", "Available"]
    assert ready(world) == 1


def test_a_pod_deleted_by_hand_is_replaced(world: World) -> None:
    """By one of the same template, so that no rollout is counted."""
    world.apply_as("warmlog", engines(replicas=1))
    pass_time(world, 20)
    (pod,) = world.engine_pods(TEAM, "a")
    world.delete_pod(TEAM, pod["metadata"]["name"])
    pass_time(world, 60)
    assert uids(world) != {pod["metadata"]["uid"]}
    assert ready(world) == 1
    assert found(world)["metadata"]["annotations"][REVISION] == "1"


def test_controllers_that_restart_go_on_where_they_were(world: World) -> None:
    """Half-way through a rollout they forget all, and it ends as it would have."""
    world.apply_as("warmlog", engines(replicas=2))
    pass_time(world, 20)
    world.apply_as("warmlog", engines(replicas=2, **named("B")))
    pass_time(world, 4)
    world.cluster.restart_controllers()
    pass_time(world, 60)
    assert (len(uids(world)), ready(world)) == (2, 2)
    assert conditions(found(world))[-1] == AVAILABLE
