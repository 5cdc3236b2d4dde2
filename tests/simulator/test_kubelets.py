"""The simulated kubelets: what becomes of Pods by their node's plan."""

from typing import Any

from adapters.simulator.clock import MINUTE, SECOND, Span
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
    job,
    job_body,
    let_all_happen,
    pass_time,
    pod_of,
    pods_of,
    post,
    watch,
    world_of,
)


def created(plan: NodePlan, **spec: Any) -> World:
    """A world with the Job `x` on the node n1."""
    world = world_of("n1", plan=plan)
    post(world, JOBS, job_body("x", "n1", **spec))
    return world


def state_of(pod: Manifest) -> Manifest:
    """The state of a Pod's first container."""
    state: Manifest = pod["status"]["containerStatuses"][0]["state"]
    return state


def test_a_pod_is_pulled_run_and_succeeds() -> None:
    """Waiting, running, terminated; readiness follows, and the times lie in the plan's spans."""
    plan = NodePlan(pull=Span(5 * SECOND, 5 * SECOND), run=Span(7 * SECOND, 7 * SECOND))
    world = created(plan)
    pass_time(world, 3)
    pod = pod_of(world, "x")
    assert pod["status"]["phase"] == "Pending"
    assert state_of(pod) == {"waiting": {"reason": "ContainerCreating"}}
    pass_time(world, 4)
    pod = pod_of(world, "x")
    assert pod["status"]["phase"] == "Running"
    assert ("Ready", "True", "") in conditions(pod)
    let_all_happen(world)
    pod = pod_of(world, "x")
    assert pod["status"]["phase"] == "Succeeded"
    ended = state_of(pod)["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (0, "Completed")
    assert ("Ready", "False", "PodCompleted") in conditions(pod)
    begun, over = int(ended["startedAt"][17:19]), int(ended["finishedAt"][17:19])
    assert over - begun == 7


def test_a_failure_has_an_exit_code_and_words() -> None:
    """Those of the plan, on the first container; the others end well."""
    world = world_of("n1", plan=NodePlan(ending=Ending.FAIL, exit_code=28, message="disk full"))
    body = job_body("x", "n1", backoffLimit=0)
    containers = body["spec"]["template"]["spec"]["containers"]
    containers.append({"name": "image-1", "image": "other:1"})
    post(world, JOBS, body)
    let_all_happen(world)
    pod = pod_of(world, "x")
    assert pod["status"]["phase"] == "Failed"
    ends = [entry["state"]["terminated"] for entry in pod["status"]["containerStatuses"]]
    assert [(end["exitCode"], end.get("message")) for end in ends] == [(28, "disk full"), (0, None)]


def test_only_the_first_pods_of_a_job_may_fail() -> None:
    """`failures` counts the Pods of one Job; another Job begins anew."""
    world = created(NodePlan(ending=Ending.FAIL, failures=1))
    post(world, JOBS, job_body("y", "n1"))
    let_all_happen(world)
    for name in ("x", "y"):
        assert [pod["status"]["phase"] for pod in pods_of(world, name)] == ["Failed", "Succeeded"]


def test_some_pods_fail_by_chance() -> None:
    """At a rate of one half, some of many do and some do not, by seed."""
    names = [f"n{index}" for index in range(20)]
    world = world_of(*names, plan=NodePlan(fail_rate=0.5))
    for name in names:
        post(world, JOBS, job_body(name, name, backoffLimit=0))
    let_all_happen(world)
    ends = {conditions(job(world, name))[-1][0] for name in names}
    assert ends == {"Complete", "Failed"}


def test_an_image_that_cannot_be_pulled_alternates_between_two_reasons() -> None:
    """ErrImagePull with the registry's words, then ImagePullBackOff, again and again."""
    words = "manifest for {image} not found: manifest unknown"
    world = world_of("n1", plan=NodePlan(pull_failures=None, pull_words=words))
    cursor = watch(world, PODS)
    post(world, JOBS, job_body("x", "n1"))
    pass_time(world, 60)
    seen: list[tuple[str, str]] = []
    for event in cursor.take():
        for entry in event["object"]["status"].get("containerStatuses", ()):
            waiting = entry["state"]["waiting"]
            seen.append((waiting["reason"], waiting.get("message", "")))
    said = "manifest for busybox:1 not found: manifest unknown"
    error = ("ErrImagePull", said)
    backoff = ("ImagePullBackOff", f'Back-off pulling image "busybox:1": ErrImagePull: {said}')
    assert seen[0] == ("ContainerCreating", "")
    assert seen[1:5] == [error, backoff, error, backoff]
    assert pod_of(world, "x")["status"]["phase"] == "Pending"


def test_pulls_wait_longer_each_time_and_may_work_in_the_end() -> None:
    """10 s, 20 s, 40 s and so on between pulls; the Pod then runs as usual."""
    world = created(NodePlan(pull_failures=3))
    pass_time(world, 70)
    assert pod_of(world, "x")["status"]["phase"] == "Pending"
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1][0] == "Complete"


def test_a_hanging_pod_runs_for_ever() -> None:
    """Nothing is due any more, and nothing has ended."""
    world = created(NodePlan(ending=Ending.HANG))
    let_all_happen(world)
    assert pod_of(world, "x")["status"]["phase"] == "Running"


def test_a_pod_that_never_starts_stays_in_creation() -> None:
    """The kubelet took it, and that was all."""
    world = created(NodePlan(starts=False))
    let_all_happen(world)
    assert state_of(pod_of(world, "x")) == {"waiting": {"reason": "ContainerCreating"}}


def test_a_deleted_pod_ends_its_containers_first() -> None:
    """It fails with 137, is shown so, and then goes; never later than its grace."""
    plan = NodePlan(ending=Ending.HANG, stop=Span(MINUTE, MINUTE))
    world = created(plan)
    pass_time(world, 10)
    name = pod_of(world, "x")["metadata"]["name"]
    cursor = watch(world, PODS, fieldSelector=f"metadata.name={name}")
    delete(world, f"{PODS}/{name}", gracePeriodSeconds=4)
    pass_time(world, 3.9)
    assert world.find("Pod", TEAM, name) is not None
    pass_time(world, 3)
    assert world.find("Pod", TEAM, name) is None
    events = cursor.take()
    phases = [event["object"]["status"]["phase"] for event in events]
    assert phases[0] == "Running"
    assert phases[-1] == "Failed"
    assert events[-1]["type"] == "DELETED"
    assert state_of(events[-1]["object"])["terminated"]["exitCode"] == 137


def test_a_pod_that_ended_is_removed_at_once() -> None:
    """There are no containers to wait for."""
    world = created(NodePlan())
    let_all_happen(world)
    world.delete_pod(TEAM, pod_of(world, "x")["metadata"]["name"])
    assert pods_of(world, "x") == []


def test_an_evicted_pod_says_why() -> None:
    """Failed, reason Evicted, the kubelet's words, and the condition that policies look for."""
    world = created(NodePlan(ending=Ending.HANG), backoffLimit=0)
    pass_time(world, 10)
    words = "The node was low on resource: ephemeral-storage."
    world.evict_pod(TEAM, pod_of(world, "x")["metadata"]["name"], words)
    pod = pod_of(world, "x")
    status = pod["status"]
    assert (status["phase"], status["reason"], status["message"]) == ("Failed", "Evicted", words)
    assert ("DisruptionTarget", "True", "TerminationByKubelet") in conditions(pod)
    assert ("Evicted", words) in events_about(world, pod["metadata"]["name"])


def test_an_evicted_pod_stays_as_it_was_evicted() -> None:
    """What its containers would have done later does not happen any more."""
    world = created(NodePlan(run=Span(MINUTE, MINUTE)), backoffLimit=0)
    pass_time(world, 10)
    world.evict_pod(TEAM, pod_of(world, "x")["metadata"]["name"])
    let_all_happen(world)
    assert pod_of(world, "x")["status"]["reason"] == "Evicted"


def test_init_containers_are_over_when_the_others_run() -> None:
    """All at once, each Completed."""
    world = world_of("n1", plan=NodePlan(ending=Ending.HANG))
    body = job_body("x", "n1")
    first = [{"name": "first", "image": "busybox:1"}]
    body["spec"]["template"]["spec"]["initContainers"] = first
    post(world, JOBS, body)
    let_all_happen(world)
    (entry,) = pod_of(world, "x")["status"]["initContainerStatuses"]
    assert (entry["name"], entry["state"]["terminated"]["reason"]) == ("first", "Completed")


def test_a_failed_pull_is_told_as_a_warning() -> None:
    """The back-off after it is not."""
    world = created(NodePlan(pull_failures=None))
    pass_time(world, 30)
    kinds = {event["reason"]: event["type"] for event in world.listed("Event")}
    assert (kinds["Failed"], kinds["Pulling"], kinds["BackOff"]) == ("Warning", "Normal", "Normal")


def test_a_stopped_kubelet_does_and_says_nothing() -> None:
    """A Pod that is bound there stays Pending; when the kubelet is back, it runs."""
    world = world_of("n1")
    world.stop_kubelet("n1")
    post(world, JOBS, job_body("x", "n1"))
    pass_time(world, 20)
    pod = pod_of(world, "x")
    assert (pod["spec"]["nodeName"], "containerStatuses" in pod["status"]) == ("n1", False)
    world.start_kubelet("n1")
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1][0] == "Complete"


def test_a_running_pod_survives_a_short_silence_of_its_kubelet() -> None:
    """What ran goes on, and its end is told when the kubelet is back."""
    world = created(NodePlan(run=Span(5 * SECOND, 5 * SECOND)))
    pass_time(world, 5)
    assert pod_of(world, "x")["status"]["phase"] == "Running"
    world.stop_kubelet("n1")
    pass_time(world, 30)
    assert pod_of(world, "x")["status"]["phase"] == "Running"
    world.start_kubelet("n1")
    let_all_happen(world)
    assert conditions(job(world, "x"))[-1][0] == "Complete"
    assert len(pods_of(world, "x")) == 1
