"""What becomes of a cache, and what its replicas do then: rows of the contract's table.

Each for a Deployment and for a LeaderWorkerSet at once. How many rollouts there were is read off
the workloads; whether engines were restarted, off their Pods.
"""

import pytest

from machines.labels import ABANDON
from machines.replicas.mounts import NO_MOUNT
from machines.replicas.names import workload_name
from tests.e2e.caches import Site, Team, staged
from tests.e2e.controllers import ControllerProcess
from tests.e2e.controlplane.watching import Json, request
from tests.e2e.replicas import (
    BOTH,
    COLLECTIONS,
    DEPLOYMENT,
    Fleet,
    Workload,
    condition,
    engine,
    find,
    make_available,
    settled,
)

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.timeout(300),
    pytest.mark.usefixtures("with_gangs", "second_with_gangs"),
]

A, B = "qwen", "llama"


async def assert_unchanged(
    fleet: Fleet, staging: ControllerProcess, site: Site, before: dict[str, Workload]
) -> None:
    """Nothing is left to be done, and both workloads are what they were, with the same Pods."""
    await staging.wait_until_quiet()
    assert await fleet.both(site) == before


async def assert_rolled_out_once(
    fleet: Fleet, staging: ControllerProcess, site: Site, before: dict[str, Workload], mount: Json
) -> None:
    """Both workloads are the same with this mount, after one rollout."""
    wanted = {name: each.rollouts + 1 for name, each in before.items()}
    await fleet.both(site, wanted)
    await staging.wait_until_quiet()
    for name, now in (await fleet.both(site)).items():
        assert (now.uid, now.rollouts) == (before[name].uid, wanted[name])
        assert all(each == mount for each in now.mounts)
        assert now.pods.isdisjoint(before[name].pods)


async def refer_both(fleet: Fleet, cache: str) -> None:
    """Have both replicas refer to another cache, or to none."""
    for name in BOTH:
        await fleet.refer(name, cache)


async def test_a_cache_that_is_added_is_mounted_once_it_is_ready(
    fleet: Fleet, team: Team, staging: ControllerProcess
) -> None:
    """Until then the engines go on without one, with one Warning that names the claim; then there
    is one rollout.
    """
    site = team.second
    before = await fleet.serve_both(site)
    assert all(each == NO_MOUNT.to_json() for now in before.values() for each in now.mounts)
    await team.stage(A, sites=[site])
    await team.until_entry(A, site, "Pending", team.claim(A))
    await refer_both(fleet, A)
    await fleet.until_both_told("ModelAccepted", "True/Accepted", team.claim(A))
    await assert_unchanged(fleet, staging, site, before)
    await fleet.assert_warned_once("CacheNotReady")
    await staged(team, A, site)
    await assert_rolled_out_once(fleet, staging, site, before, team.mount(A))


async def test_another_cache_is_mounted_once_it_is_ready(
    fleet: Fleet, team: Team, staging: ControllerProcess
) -> None:
    """Until then the engines keep the mount of the first, whose claim stays; then there is one
    rollout, and the first is free to go.
    """
    site = team.second
    await staged(team, A, site)
    before = await fleet.serve_both(site, A)
    await team.stage(B, sites=[site])
    await refer_both(fleet, B)
    await fleet.until_both_told("ModelAccepted", "True/Accepted", team.claim(B))
    await team.delete(A)
    await team.until(A, lambda cache: "one" in str(cache["status"]))
    await assert_unchanged(fleet, staging, site, before)
    await staged(team, B, site)
    await assert_rolled_out_once(fleet, staging, site, before, team.mount(B))
    await team.until_gone(A)
    await site.storage.until_gone(team.claim(A))


async def test_a_reference_that_is_removed_takes_the_mount_away_at_once(
    fleet: Fleet, team: Team, staging: ControllerProcess
) -> None:
    """Whatever state the cache is in; nothing holds on to its claim any more."""
    site = team.second
    await staged(team, A, site)
    before = await fleet.serve_both(site, A)
    await team.delete(A)
    await fleet.until_both_told("ModelAccepted", "True/Accepted", A)
    await refer_both(fleet, "")
    await assert_rolled_out_once(fleet, staging, site, before, NO_MOUNT.to_json())
    await team.until_gone(A)
    await site.storage.until_gone(team.claim(A))


async def test_a_deleted_cache_stays_for_the_replicas_that_run_with_it(
    fleet: Fleet, team: Team, staging: ControllerProcess
) -> None:
    """The engines keep their mount, with one Warning; a new replica is held with the cache's
    message; once those that run are gone, so is the cache.
    """
    site = team.second
    await staged(team, A, site)
    before = await fleet.serve_both(site, A)
    await team.delete(A)
    await fleet.until_both_told("ModelAccepted", "True/Accepted", A)
    await fleet.create("new", site, cache=A)
    held = await fleet.until_told("new", "ModelAccepted", "False/WaitingForCache")
    entry = await team.until_entry(A, site, "Ready", *BOTH)
    assert held["message"] == entry["message"]
    await assert_unchanged(fleet, staging, site, before)
    await fleet.assert_warned_once("CacheNotReady")
    assert await fleet.until_events("new", 0) == []
    assert await find(site, COLLECTIONS[DEPLOYMENT], workload_name("new", "main")) is None
    for name in (*BOTH, "new"):
        await fleet.delete(name)
    await team.until_gone(A)
    await site.storage.until_gone(team.claim(A))


async def test_a_cache_that_comes_again_under_its_name_restarts_nothing(
    fleet: Fleet, team: Team, staging: ControllerProcess
) -> None:
    """While there is none the engines keep their mount, and it is told that it is not found; the
    new one takes over the claim and what is in it.
    """
    site = team.second
    await staged(team, A, site)
    before = await fleet.serve_both(site, A)
    await team.change(A, annotations={ABANDON: "true"})
    await team.delete(A)
    await team.until_gone(A)
    await fleet.until_both_told(
        "ModelAccepted", "True/Accepted", f"ModelCache {A} not found in namespace {team.namespace}"
    )
    await assert_unchanged(fleet, staging, site, before)
    await team.stage(A, sites=[site])
    await team.until_entry(A, site, "Ready")
    for name in BOTH:
        await fleet.until(name, lambda status: not condition(status, "ModelAccepted")["message"])
    await assert_unchanged(fleet, staging, site, before)


async def test_a_lost_claim_is_told_and_nothing_else(
    fleet: Fleet, team: Team, staging: ControllerProcess
) -> None:
    """The entry is Pending, and the engines keep their mount, with one Warning naming the claim."""
    site = team.second
    await staged(team, A, site)
    before = await fleet.serve_both(site, A)
    await site.storage.lose_volume(team.claim(A))
    # The Event of the claim is read a little later than its phase.
    await team.until_entry(A, site, "Pending", team.claim(A), "ClaimLost")
    await fleet.until_both_told("ModelAccepted", "True/Accepted", team.claim(A), "ClaimLost")
    await assert_unchanged(fleet, staging, site, before)
    await fleet.assert_warned_once("CacheNotReady", team.claim(A))
    await fleet.assert_replays_agree(staging.log)


async def test_a_cluster_that_is_not_selected_any_more_keeps_its_replicas(
    fleet: Fleet, team: Team, staging: ControllerProcess
) -> None:
    """The engines keep their mount, with one Warning, and the entry stays for them; a new replica
    is held: the cache does not stage there. Selected again, all is as it was.
    """
    site = team.second
    await staged(team, A, site)
    before = await fleet.serve_both(site, A)
    words = f"ModelCache {A} does not stage to cluster {site.name}"
    await team.select(A, team.home)
    await fleet.until_both_told("ModelAccepted", "True/Accepted", words)
    await fleet.create("new", site, cache=A)
    held = await fleet.until_told("new", "ModelAccepted", "False/WaitingForCache")
    assert held["message"] == words
    kept = await team.until_entry(A, site, "Ready")
    assert kept["retained"] is True
    await assert_unchanged(fleet, staging, site, before)
    await fleet.assert_warned_once("CacheNotReady")
    await team.select(A, site)
    await fleet.until_told("new", "ModelReady", "True/Serving")
    await assert_unchanged(fleet, staging, site, before)


async def test_a_workload_that_is_deleted_by_hand_comes_back_as_it_was(
    fleet: Fleet, team: Team, staging: ControllerProcess
) -> None:
    """With the mount that it had, although the cache offers none now."""
    site = team.second
    await staged(team, A, site)
    before = await fleet.serve_both(site, A)
    await team.select(A, team.home)
    await fleet.until_both_told("ModelAccepted", "True/Accepted", "does not stage")
    for name, kind in BOTH.items():
        where = f"{site.path(COLLECTIONS[kind])}/{workload_name(name, 'main')}"
        background: Json = {"propagationPolicy": "Background"}
        await request(site.session, "DELETE", where, background)
        now = await settled(site, kind, name, is_not=before[name].uid)
        assert now.templates == before[name].templates
    await make_available(site, workload_name("many", "main"))
    await fleet.until_both_told("ModelReady", "True/Serving")
    await staging.wait_until_quiet()
    await fleet.assert_replays_agree(staging.log)


async def test_what_else_changes_of_a_replica_is_never_held_back(
    fleet: Fleet, team: Team, staging: ControllerProcess
) -> None:
    """Another image is rolled out once, with the mount that the engines have."""
    site = team.second
    await staged(team, A, site)
    before = await fleet.serve_both(site, A)
    await team.delete(A)
    await fleet.until_both_told("ModelAccepted", "True/Accepted", A)
    for name, kind in BOTH.items():
        await fleet.change(name, engines=[engine(kind, image="engine:v2")])
    await assert_rolled_out_once(fleet, staging, site, before, team.mount(A))
    assert {each for now in (await fleet.both(site)).values() for each in now.images} == {
        "engine:v2"
    }
