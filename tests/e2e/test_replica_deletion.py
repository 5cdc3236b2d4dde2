"""Replicas that go, in any order with their caches and clusters, and objects that are refused."""

import pytest

from machines.replicas.names import workload_name
from tests.e2e.caches import CLUSTERS, Site, Team, staged
from tests.e2e.controllers import ControllerProcess
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, request, wait_until
from tests.e2e.joining import LONG_SECONDS, SECOND, apply, inference_cluster
from tests.e2e.replicas import BOTH, COLLECTIONS, DEPLOYMENT, GANG, Fleet, engine, find

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.timeout(300),
    pytest.mark.usefixtures("with_gangs", "second_with_gangs"),
]

A = "qwen"
COMPOSED = ("deployments", "leaderworkersets", "services", "resourceclaimtemplates", "pods")
BACKGROUND: Json = {"propagationPolicy": "Background"}


async def until_nothing_is_left(site: Site) -> None:
    """Wait until all that a replica is composed of is gone, and its Pods."""
    for kind in COMPOSED:
        where = site.path(kind)
        await wait_until(site.session, where, lambda found: not found, timeout_seconds=LONG_SECONDS)


@pytest.mark.parametrize("first", ["cache", "replica"])
async def test_a_replica_and_its_cache_go_in_either_order_on_both_clusters(
    fleet: Fleet, team: Team, staging: ControllerProcess, first: str
) -> None:
    """The cache stays until the last replica has gone, and then goes with its claims."""
    await team.stage(A)
    for site in team.sites:
        await staged(team, A, site)
    await fleet.serve("near", team.home, cache=A)
    await fleet.serve("one", team.second, cache=A)
    await fleet.serve("many", team.second, engine(GANG), cache=A)
    if first == "cache":
        await team.delete(A)
        await team.until_entry(A, team.home, "Ready", "near")
        await team.until_entry(A, team.second, "Ready", *BOTH)
    for name in ("near", *BOTH):
        await fleet.delete(name)
    for name in ("near", *BOTH):
        await fleet.until_gone(name)
    if first == "replica":
        await team.delete(A)
    await team.until_gone(A)
    for site in team.sites:
        await until_nothing_is_left(site)
        await site.storage.until_none()
    await staging.wait_until_quiet()


async def test_what_a_cluster_has_stays_there_when_the_cluster_goes_first(
    fleet: Fleet, team: Team, control_plane: ControlPlane
) -> None:
    """The replica is told that its InferenceCluster does not exist, and leaves its engines running;
    deleted, it goes at once, with a Warning that names what stays behind.
    """
    site, name = team.second, workload_name("one", "main")
    before = await fleet.serve("one", site)
    cluster = await request(team.session, "GET", f"{CLUSTERS}/{SECOND}")
    await request(team.session, "DELETE", f"{CLUSTERS}/{SECOND}")
    try:
        await fleet.until_told("one", "ModelAccepted", "False/WaitingForCluster", SECOND)
        await fleet.delete("one")
        await fleet.until_gone("one")
        told = await fleet.until_events("one", 1)
        assert any(each.reason == "LeftBehind" and name in each.note for each in told)
        there = await find(site, "deployments", name)
        assert there is not None
        assert there["metadata"]["uid"] == before.uid
    finally:
        where = f"{site.path('deployments')}/{name}"
        await request(site.session, "DELETE", where, BACKGROUND)
        apply(control_plane, inference_cluster(SECOND, **cluster["spec"]["cluster"]))
    await fleet.serve("next", site)


async def test_a_cluster_that_does_not_answer_is_waited_for(
    fleet: Fleet, team: Team, second_control_plane: ControlPlane
) -> None:
    """Its replicas are Terminating with the client's words, and go once it answers; replicas of
    other clusters do not wait for that.
    """
    site = team.second
    await fleet.serve_both(site)
    await fleet.serve("near", team.home)
    second_control_plane.stop_api_server()
    try:
        for name in ("near", *BOTH):
            await fleet.delete(name)
        await fleet.until_both_told(
            "Terminating", "True/WaitingForCluster", SECOND, "does not answer", "refused"
        )
        await fleet.until_gone("near")
        await until_nothing_is_left(team.home)
    finally:
        second_control_plane.start_api_server()
    for name in BOTH:
        await fleet.until_gone(name)
    await until_nothing_is_left(site)


async def test_a_refused_object_is_named_and_delays_no_other_replica(
    fleet: Fleet, team: Team, staging: ControllerProcess
) -> None:
    """A Service whose name cannot be and a Deployment that a quota forbids, each with the server's
    words and one Warning; once the quota is gone the Deployment is made.
    """
    site = team.second
    await fleet.serve("first", site)
    quota = await forbid_more(site, "deployments.apps")
    await fleet.create("one", site)
    await fleet.create("not.legal", site, engine(GANG))
    await fleet.serve("many", site, engine(GANG))
    await fleet.until_told("many", "Ready", "True/Available")
    name = workload_name("one", "main")
    await fleet.until_told("one", "Ready", "False/Refused", DEPLOYMENT, name, "exceeded quota")
    await fleet.until_told("not.legal", "Ready", "False/Refused", "not.legal: Invalid")
    for refused in ("one", "not.legal"):
        [told] = await fleet.until_events(refused, 1)
        assert told.reason == "Refused"
    await request(site.session, "DELETE", quota)
    await fleet.served("one", site)
    await fleet.until_told("one", "Ready", "True/Available")
    await fleet.delete("not.legal")  # whose message has the time of the next try
    await fleet.until_gone("not.legal")
    await staging.wait_until_quiet()
    await fleet.assert_replays_agree(staging.log)


async def forbid_more(site: Site, resource: str) -> str:
    """Allow no more objects of a kind than there are in a site's namespace; give the quota."""
    counted = f"count/{resource}"
    there = len((await request(site.session, "GET", site.path(COLLECTIONS[DEPLOYMENT])))["items"])
    body: Json = {"metadata": {"name": "full"}, "spec": {"hard": {counted: str(there)}}}
    where = f"/api/v1/namespaces/{site.namespace}/resourcequotas"
    await request(site.session, "POST", where, body)
    await wait_until(
        site.session,
        where,
        lambda found: counted in found["full"].get("status", {}).get("used", {}),
    )
    return f"{where}/full"
