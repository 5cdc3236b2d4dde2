"""What goes wrong between a client and the simulated API server."""

import re

import pytest

from adapters.ports import ApiUnanswered, Request
from adapters.simulator.faults import (
    Death,
    Loss,
    SenderDied,
    Slowness,
    Stay,
    every,
    internal_error,
    too_many_requests,
    version_conflict,
)
from tests.simulator.building import (
    JOBS,
    NODES,
    PODS,
    TEAM,
    causes,
    events_about,
    get,
    job,
    job_body,
    names,
    pass_time,
    pods_of,
    post,
    summary,
    watch,
    world_of,
)


def test_a_lost_request_did_nothing() -> None:
    """The sender hears nothing, and the server never saw it."""
    world = world_of()
    world.api.faults.add(every("POST", "/jobs"), Loss.REQUEST)
    with pytest.raises(ApiUnanswered, match="refused"):
        post(world, JOBS, job_body("x"))
    assert get(world, f"{JOBS}/x").code == 404
    assert post(world, JOBS, job_body("x")).code == 201


def test_a_lost_reply_did_everything() -> None:
    """The sender hears nothing, and the object is there."""
    world = world_of()
    world.api.faults.add(every("POST", "/jobs"), Loss.REPLY)
    with pytest.raises(ApiUnanswered, match="reset"):
        post(world, JOBS, job_body("x"))
    assert get(world, f"{JOBS}/x").code == 200


async def test_faults_befall_the_port_as_well() -> None:
    """`send` raises what `handle` raises."""
    world = world_of()
    world.api.faults.add(every(), Loss.REQUEST)
    with pytest.raises(ApiUnanswered):
        await world.api.send(Request("GET", NODES), timeout_seconds=1)


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (too_many_requests(), (429, "TooManyRequests")),
        (internal_error(), (500, "InternalError")),
        (version_conflict(), (409, "Conflict")),
    ],
)
def test_an_answer_by_plan_comes_instead_of_the_servers(
    fault: object, expected: tuple[int, str]
) -> None:
    """The request is answered so, and not carried out."""
    world = world_of()
    world.api.faults.add(every("POST"), fault)  # type: ignore[arg-type]
    assert summary(post(world, JOBS, job_body("x"))) == expected
    assert get(world, f"{JOBS}/x").code == 404


def test_a_plan_counts_what_it_lets_pass_and_what_it_befalls() -> None:
    """Some requests pass first, then so many fail, then all is well; others are not counted."""
    world = world_of("n1")
    world.api.faults.add(every("GET", "/nodes"), too_many_requests(), times=2, skipped=1)
    codes = [get(world, path).code for path in (NODES, JOBS, NODES, NODES, NODES)]
    assert codes == [200, 200, 429, 429, 200]


def test_a_sender_that_dies_first_did_nothing() -> None:
    """It is gone before the server sees the request."""
    world = world_of()
    world.api.faults.add(every("POST", "/jobs"), Death.UNSENT)
    with pytest.raises(SenderDied, match="was sent"):
        post(world, JOBS, job_body("x"))
    assert get(world, f"{JOBS}/x").code == 404


def test_a_sender_that_dies_later_did_everything() -> None:
    """It is gone before the answer comes, and the object is there."""
    world = world_of()
    world.api.faults.add(every("POST", "/jobs"), Death.UNHEARD)
    with pytest.raises(SenderDied, match="was answered"):
        post(world, JOBS, job_body("x"))
    assert get(world, f"{JOBS}/x").code == 200


@pytest.mark.parametrize(
    ("slowness", "passed_seconds", "answered", "done"),
    [
        (Slowness(3, 4), 7, True, True),
        (Slowness(0, 60), 10, False, True),
        (Slowness(6, 4), 10, False, True),
        (Slowness(60, 0), 10, False, False),
    ],
)
async def test_a_slow_request_lets_time_pass_and_may_time_out(
    slowness: Slowness, passed_seconds: float, *, answered: bool, done: bool
) -> None:
    """What was on its way back is done; what was still on its way there never will be."""
    world = world_of()
    waits: list[float] = []
    world.api.faults.wait = waits.append
    world.api.faults.add(every("POST"), slowness)
    request = Request("POST", JOBS, body=job_body("x"))
    if answered:
        assert (await world.api.send(request, timeout_seconds=10)).code == 201
    else:
        with pytest.raises(ApiUnanswered, match="in time"):
            await world.api.send(request, timeout_seconds=10)
    assert sum(waits) == passed_seconds
    assert (get(world, f"{JOBS}/x").code == 200) is done


@pytest.mark.parametrize(("stay", "code_meanwhile"), [(Stay.THERE, 404), (Stay.BACK, 200)])
def test_a_request_may_be_under_way_while_other_things_happen(
    stay: Stay, code_meanwhile: int
) -> None:
    """Its sender stands still before the server sees it, or before the answer comes."""
    world = world_of()
    world.api.faults.add(every("POST"), stay)
    sending = world.api.send(Request("POST", JOBS, body=job_body("x")), timeout_seconds=10)
    sending.send(None)
    assert get(world, f"{JOBS}/x").code == code_meanwhile
    with pytest.raises(StopIteration) as end:
        sending.send(None)
    assert end.value.value.code == 201
    assert get(world, f"{JOBS}/x").code == 200


def test_one_fault_can_be_taken_back() -> None:
    """The others stay."""
    world = world_of("n1")
    world.api.faults.add(every("POST"), Stay.THERE)
    world.api.faults.add(every("GET"), internal_error())
    world.api.faults.remove(Stay.THERE)
    assert post(world, JOBS, job_body("x")).code == 201
    assert get(world, NODES).code == 500


def test_one_kind_alone_may_be_listed_from_the_past() -> None:
    """Lists of that kind lag, those of the others do not."""
    world = world_of("n1")
    world.api.faults.list_versions["Node"] = world.cluster.storage.version
    world.add_node("n2")
    post(world, JOBS, job_body("x"))
    assert names(get(world, NODES)) == ["n1"]
    assert names(get(world, JOBS)) == ["x"]
    world.api.faults.clear()
    assert names(get(world, NODES)) == ["n1", "n2"]


def test_faults_can_be_cleared() -> None:
    """Plans that were not used up are forgotten."""
    world = world_of("n1")
    world.api.faults.add(every(), internal_error(), times=100)
    world.api.faults.clear()
    assert get(world, NODES).code == 200


def test_an_unreachable_server_answers_nothing() -> None:
    """Neither requests nor watches get through; the cluster itself goes on."""
    world = world_of("n1")
    cursor = watch(world, NODES)
    world.lose_api("no route to host")
    with pytest.raises(ApiUnanswered, match="no route"):
        cursor.take()
    with pytest.raises(ApiUnanswered, match="no route"):
        get(world, NODES)
    with pytest.raises(ApiUnanswered, match="no route"):
        watch(world, NODES)
    world.add_node("n2")
    world.regain_api()
    assert names(get(world, NODES)) == ["n1", "n2"]


def test_quota_lets_the_job_through_and_stops_its_pods() -> None:
    """The Job stays without Pods, says why in Events, and goes on when it is allowed to."""
    world = world_of("n1")
    world.forbid("Pod", TEAM, "exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0")
    post(world, JOBS, job_body("x", "n1"))
    pass_time(world, 2)
    assert pods_of(world, "x") == []
    assert "active" not in job(world, "x")["status"]
    reason, words = events_about(world, "x")[0]
    assert reason == "FailedCreate"
    assert re.fullmatch(r'Error creating: pods "x-\w{5}" is forbidden: exceeded quota: q.*', words)
    world.allow("Pod", TEAM)
    pass_time(world, 10)
    assert len(pods_of(world, "x")) == 1


def test_an_admission_policy_refuses_without_naming_a_field() -> None:
    """422, as built-in validation, but its cause has no field."""
    world = world_of()
    words = "ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no"
    world.deny("Job", TEAM, words)
    refused = post(world, JOBS, job_body("x"))
    assert summary(refused) == (422, "Invalid")
    assert refused.body["details"]["causes"] == [{"message": words}]
    assert refused.body["message"] == f'jobs.batch "x" is forbidden: {words}'
    world.forbid("Job", TEAM, "no")
    assert summary(post(world, JOBS, job_body("x"))) == (403, "Forbidden")
    world.allow("Job", TEAM)
    assert post(world, JOBS, job_body("x")).code == 201


def test_refusals_hold_in_their_namespace_only() -> None:
    """Another namespace is not concerned."""
    world = world_of()
    world.add_namespace("other")
    world.deny("Pod", "other", "no")
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}}
    assert post(world, PODS, pod).code == 201
    refused = post(world, PODS.replace(TEAM, "other"), pod)
    assert list(refused.body["details"]["causes"][0]) == ["message"]
    assert causes(post(world, PODS, {**pod, "spec": {}})) == [
        ("FieldValueRequired", "spec.containers")
    ]
