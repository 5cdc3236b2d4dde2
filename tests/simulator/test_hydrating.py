"""The simulated kubelets: Pods that fill claims, and Pods that need Secrets."""

from typing import Any

import pytest

from adapters.simulator.plans import Ending, HydrationPlan, NodePlan, ProvisionerPlan
from adapters.simulator.storage import Manifest
from adapters.simulator.worlds import World
from tests.simulator.building import (
    JOBS,
    PODS,
    TEAM,
    conditions,
    events_about,
    job,
    job_body,
    let_all_happen,
    pass_time,
    pod_of,
    pods_of,
    post,
    world_of,
)
from tests.simulator.volumes import fill, filling_job

FAILING = HydrationPlan(ending=Ending.FAIL, message="No space left on device", exit_code=28)


def filled(plan: HydrationPlan, **spec: Any) -> World:
    """A world in which a Job fills a claim by `plan`, on a node that would do otherwise."""
    world = world_of("n1", plan=NodePlan(ending=Ending.FAIL, message="of the node"))
    world.add_storage_class("shared", plan=ProvisionerPlan())
    world.add_claim(TEAM, "c", class_name="shared")
    world.plan_hydration("", HydrationPlan(ending=Ending.HANG))
    world.plan_hydration("c", plan)
    fill(world, **spec)
    return world


def ended(pod: Manifest) -> Manifest:
    """How a Pod's container ended."""
    (entry,) = pod["status"]["containerStatuses"]
    state: Manifest = entry["state"]["terminated"]
    return state


def test_a_claim_is_filled_by_its_own_plan() -> None:
    """Whatever the node's plan says, and the longest key that fits the claim's name wins."""
    world = filled(HydrationPlan())
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1][0] == "Complete"


def test_a_container_that_fails_leaves_its_last_words() -> None:
    """Four Pods of a Job that may try three times again, each with the end of its log."""
    world = filled(FAILING._replace(message="a" * 3000 + "No space left"), backoffLimit=3)
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1] == ("Failed", "True", "BackoffLimitExceeded")
    pods = pods_of(world, "x")
    assert (len(pods), job(world, "x")["status"]["failed"]) == (4, 4)
    for pod in pods:
        state = ended(pod)
        assert state["exitCode"] == 28
        assert state["message"].endswith("aNo space left")
        assert len(state["message"]) == 2048


def test_without_the_policy_a_log_is_no_message() -> None:
    """A container that does not ask for it ends without a word."""
    world = world_of("n1")
    world.add_storage_class("shared", plan=ProvisionerPlan())
    world.add_claim(TEAM, "c", class_name="shared")
    world.plan_hydration("c", FAILING)
    body = filling_job("x", backoffLimit=0)
    del body["spec"]["template"]["spec"]["containers"][0]["terminationMessagePolicy"]
    post(world, JOBS, body)
    let_all_happen(world)
    assert "message" not in ended(pod_of(world, "x"))


def test_failures_are_counted_for_the_claim() -> None:
    """So that a second Job on the same claim can succeed where the first did not."""
    world = filled(FAILING._replace(failures=2), backoffLimit=0)
    let_all_happen(world)
    for name, expected in (("y", "Failed"), ("z", "Complete")):
        fill(world, name, backoffLimit=0)
        let_all_happen(world)
        assert conditions(job(world, name))[-1][0] == expected


def test_a_pod_on_a_node_waits_for_its_claim() -> None:
    """Also when nobody asked the scheduler: it starts once the claim is bound."""
    world = world_of("n1")
    world.add_storage_class("shared")
    world.add_claim(TEAM, "c", class_name="shared")
    body = filling_job("x")["spec"]["template"]
    spec = {**body["spec"], "nodeName": "n1"}
    post(world, PODS, {"metadata": {"name": "p"}, "spec": spec})
    pass_time(world, 60)
    words = f"Unable to attach or mount volumes: error processing PVC {TEAM}/c: PVC is not bound"
    assert ("FailedMount", words) in events_about(world, "p")
    world.add_volume("v", class_name="shared", claim=(TEAM, "c"))
    let_all_happen(world)
    assert world.must_find("Pod", TEAM, "p")["status"]["phase"] == "Succeeded"


def needing(name: str, variable: Manifest) -> Manifest:
    """A Job whose container has one variable."""
    body = job_body(name, "n1")
    body["spec"]["template"]["spec"]["containers"][0].update(variable)
    return body


def from_key(secret: str, key: str, **more: Any) -> Manifest:
    """An environment with one variable out of a Secret."""
    reference = {"secretKeyRef": {"name": secret, "key": key, **more}}
    return {"env": [{"name": "HF_TOKEN", "valueFrom": reference}]}


def waiting(world: World, name: str = "x") -> tuple[str, str]:
    """Why the container of a Job's Pod waits: reason and message."""
    (entry,) = pod_of(world, name)["status"]["containerStatuses"]
    state = entry["state"]["waiting"]
    return state["reason"], state["message"]


def test_a_pod_waits_for_the_secret_that_it_names() -> None:
    """In the kubelet's own words; then it starts by itself."""
    world = world_of("n1")
    post(world, JOBS, needing("x", from_key("hub", "HF_TOKEN")))
    pass_time(world, 60)
    assert waiting(world) == ("CreateContainerConfigError", 'secret "hub" not found')
    told = events_about(world, pod_of(world, "x")["metadata"]["name"])
    assert ("Failed", 'Error: secret "hub" not found') in told
    world.add_secret(TEAM, "hub", {"other": "text"})
    pass_time(world, 30)
    assert waiting(world)[1] == f"couldn't find key HF_TOKEN in Secret {TEAM}/hub"
    world.set_secret(TEAM, "hub", {"HF_TOKEN": ""})
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1][0] == "Complete"


@pytest.mark.parametrize(
    "variable",
    [
        from_key("hub", "HF_TOKEN", optional=True),
        {"envFrom": [{"secretRef": {"name": "hub", "optional": True}}]},
        {"env": [{"name": "A", "value": "b"}]},
    ],
)
def test_what_is_optional_is_not_waited_for(variable: Manifest) -> None:
    """A missing Secret that the container can do without."""
    world = world_of("n1")
    post(world, JOBS, needing("x", variable))
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1][0] == "Complete"


def test_a_secret_that_goes_while_a_pod_runs_does_no_harm() -> None:
    """The Pod has its environment; only the next one waits."""
    world = world_of("n1")
    world.add_secret(TEAM, "hub", {"HF_TOKEN": "text"})
    post(world, JOBS, needing("x", {"envFrom": [{"secretRef": {"name": "hub"}}]}))
    while not pods_of(world, "x") or pod_of(world, "x")["status"]["phase"] != "Running":
        due = world.cluster.next_at()
        assert due is not None
        world.cluster.advance(due)
    world.delete_secret(TEAM, "hub")
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1][0] == "Complete"
    post(world, JOBS, needing("y", {"envFrom": [{"secretRef": {"name": "hub"}}]}))
    pass_time(world, 30)
    assert waiting(world, "y") == ("CreateContainerConfigError", 'secret "hub" not found')
