"""ModelCaches on simulated clusters, with the whole controller."""

import asyncio

import pytest

from adapters.simulator.clock import SECOND, Span
from adapters.simulator.plans import Ending, HydrationPlan, ProvisionerPlan
from adapters.simulator.worlds import World
from engine.canonical_json import dumps
from machines.caches.child_names import claim_name, token_secret_name, workload_namespace
from machines.labels import ENABLED, POOL
from tests.running.clusters import (
    CACHE,
    entries,
    home_world,
    other_world,
    phases,
    serve,
    settled,
)
from tests.running.living import living
from tests.running.stories import manifest
from tests.running.virtual import in_world

WORKLOADS = workload_namespace("default", "")
NAME = claim_name("default", CACHE)
TOKEN = "swordfish-of-the-hub"
READY = {"home": "Ready"}


def message(world: World, cluster: str = "home") -> str:
    """What an entry says on the server."""
    return str(entries(world).get(cluster, {}).get("message", ""))


def claim_uid(world: World) -> str:
    """The uid of the cache's claim; "" while there is none."""
    found = world.find("PersistentVolumeClaim", WORKLOADS, NAME) or {"metadata": {"uid": ""}}
    return str(found["metadata"]["uid"])


def staging_world(*nodes: str) -> World:
    """A cluster that serves itself, and a model that is to be staged there."""
    world = home_world(*nodes)
    serve(world, "home")
    return world


def test_a_model_is_staged_at_home() -> None:
    """A cache goes to Ready on the cluster that warmlog runs in, and its mount is published."""
    world = staging_world("n1")
    world.make_cache("default", CACHE)

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: phases(world) == READY, seconds=120)
            assert entries(world)["home"]["mount"]["volumes"]
            assert message(world) == ""
            await settled(life)
            assert world.listed("Job") == []
            assert claim_uid(world)

    in_world(world, story)


def test_a_claim_on_a_lost_node_is_said_and_healed() -> None:
    """The message names claim and node in seconds, and another is chosen later [C2] [S70]"""
    world = home_world("n1")
    slow = ProvisionerPlan(take=Span(3600 * SECOND, 3600 * SECOND))
    world.add_storage_class("waiting", mode="WaitForFirstConsumer", plan=slow)
    world.add_inference_cluster("home", class_name="waiting")
    world.make_cache("default", CACHE)

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: "chose node n1" in message(world), seconds=60)
            assert NAME in message(world)
            world.delete_node("n1")
            await life.until(lambda: "n1, which is gone since" in message(world), seconds=5)
            world.add_node("n2")
            world.set_provisioner("waiting", ProvisionerPlan())
            await life.until(lambda: phases(world) == READY, seconds=400)
            await settled(life)

    in_world(world, story)


def test_a_failing_hydration_tells_why_and_is_tried_again() -> None:
    """Attempts and last words are kept when the Job is gone, and the retry comes when said [C29]"""
    world = staging_world("n1")
    world.plan_hydration(NAME, HydrationPlan(ending=Ending.FAIL, failures=4, message="disk full"))
    world.make_cache("default", CACHE)

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: phases(world) == {"home": "Failed"}, seconds=600)
            failed_at = world.cluster.now
            await life.until(lambda: not world.listed("Job"), seconds=30)
            await asyncio.sleep(5)
            assert "4 attempts" in message(world)
            assert "disk full" in message(world)
            assert "tried again at" in message(world)
            await life.until(lambda: phases(world) == {"home": "Hydrating"}, seconds=90)
            assert (world.cluster.now - failed_at) / SECOND == pytest.approx(60, abs=10)
            assert "disk full" in message(world)
            await life.until(lambda: phases(world) == READY, seconds=120)
            await settled(life)

    in_world(world, story)


def test_a_token_is_waited_for_and_never_told() -> None:
    """A missing token is named first; its value is in the copy alone, for a time [C5] [C44]"""
    world = staging_world("n1")
    secret = {"name": "hub", "key": "token"}
    world.make_cache("default", CACHE, authSecret=secret)
    copy = token_secret_name("default", CACHE)

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: "Secret default/hub" in message(world), seconds=30)
            world.add_secret("default", "hub", {"token": ""})
            await life.until(lambda: "empty" in message(world), seconds=30)
            world.set_secret("default", "hub", {"token": TOKEN})
            await life.until(lambda: world.find("Secret", WORKLOADS, copy), seconds=30)
            await life.until(lambda: phases(world) == READY, seconds=120)
            await life.until(lambda: not world.find("Secret", WORKLOADS, copy), seconds=30)
            await settled(life)
            told = [row.data for row in life.log.rows]
            told += [dumps(world.must_find("ModelCache", "default", CACHE))]
            told += [dumps(one) for one in world.listed("Event")]
            assert not any(TOKEN in text for text in told)

    in_world(world, story)


def test_a_rotated_token_is_tried_at_once() -> None:
    """A hydration that failed is not waited for when the token is another one [C31]"""
    world = staging_world("n1")
    words = f"401: {TOKEN} is not allowed"
    world.plan_hydration(NAME, HydrationPlan(ending=Ending.FAIL, failures=4, message=words))
    world.add_secret("default", "hub", {"token": TOKEN})
    world.make_cache("default", CACHE, authSecret={"name": "hub", "key": "token"})

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: phases(world) == {"home": "Failed"}, seconds=600)
            await life.until(lambda: "is not allowed" in message(world), seconds=20)
            assert TOKEN not in message(world)
            world.set_secret("default", "hub", {"token": "another-swordfish"})
            await life.until(lambda: phases(world) != {"home": "Failed"}, seconds=10)
            await life.until(lambda: phases(world) == READY, seconds=120)
            await settled(life)
            assert not any(TOKEN in row.data for row in life.log.rows)

    in_world(world, story)


def test_a_cache_in_use_is_kept_until_nobody_mounts_it() -> None:
    """Deleted while a Pod mounts the claim it stays, says so, and goes with the Pod [C18]"""
    world = staging_world("n1")
    world.make_cache("default", CACHE)

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: phases(world) == READY, seconds=120)
            mount = entries(world)["home"]["mount"]
            world.add_mounting_pod(WORKLOADS, "engine", NAME)
            world.delete_cache("default", CACHE)
            await life.until(lambda: "engine" in message(world), seconds=30)
            assert entries(world)["home"]["mount"] == mount
            await asyncio.sleep(300)
            assert claim_uid(world)
            await settled(life)
            world.delete_pod(WORKLOADS, "engine")
            await life.until(lambda: not claim_uid(world), seconds=90)
            await life.until(lambda: not world.find("ModelCache", "default", CACHE), seconds=30)
            await settled(life)

    in_world(world, story)


def test_a_cluster_that_is_not_selected_any_more_is_retained_while_used() -> None:
    """Its entry stays, marked, for as long as a Pod mounts the claim; then both go [C19]"""
    world, other = staging_world("n1"), other_world(8)
    serve(world, "east", "east")
    world.relabel("InferenceCluster", "", "east", {"stage": "yes"})
    world.relabel("InferenceCluster", "", "home", {"stage": "yes"})
    world.make_cache("default", CACHE, selector={"stage": "yes"})

    async def story() -> None:
        async with living(world, others={"east": other}) as life:
            both = {"east": "Ready", "home": "Ready"}
            await life.until(lambda: phases(world) == both, seconds=120)
            other.add_mounting_pod(WORKLOADS, "engine", NAME)
            world.relabel("InferenceCluster", "", "east", {"stage": None})
            await life.until(lambda: entries(world)["east"].get("retained"), seconds=30)
            await asyncio.sleep(120)
            assert claim_uid(other)
            other.delete_pod(WORKLOADS, "engine")
            await life.until(lambda: phases(world) == READY, seconds=120)
            await life.until(lambda: not claim_uid(other), seconds=30)
            assert claim_uid(world)
            await settled(life)

    in_world(world, story, [other])


def test_a_claim_that_vanishes_takes_the_mount_with_it() -> None:
    """A Ready cache whose claim is deleted withdraws the mount, and is staged anew [S34]"""
    world = staging_world("n1")
    world.make_cache("default", CACHE)

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: phases(world) == READY, seconds=120)
            first = claim_uid(world)
            world.delete_claim(WORKLOADS, NAME)
            await life.until(lambda: phases(world) == {"home": "Pending"}, seconds=10)
            assert "mount" not in entries(world)["home"]
            await life.until(lambda: phases(world) == READY, seconds=120)
            assert claim_uid(world) not in {"", first}
            await settled(life)

    in_world(world, story)


def test_one_name_of_two_kinds_is_two_objects() -> None:
    """A ModelWarmup and a ModelCache of one name and namespace have a status each [S35]"""
    world = staging_world("n1")
    world.relabel_namespace("default", {POOL: "gpu"})
    world.relabel_node("n1", {POOL: "gpu", ENABLED: "true"})
    world.make_cache("default", CACHE)
    world.apply(manifest(CACHE))

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: phases(world) == READY, seconds=120)
            warmup = ["ModelWarmup", "default", CACHE]
            await life.until(
                lambda: world.must_find(*warmup)["status"]["phase"] == "Succeeded", seconds=120
            )
            await settled(life)
            assert "clusters" not in world.must_find(*warmup)["status"]
            assert "targets" not in world.must_find("ModelCache", "default", CACHE)["status"]

    in_world(world, story)


def test_idle_restarts_add_no_object_row() -> None:
    """Restarts beside a staged model say that they began, and write nothing."""
    world, other = staging_world("n1"), other_world(8)
    serve(world, "east", "east")
    world.make_cache("default", CACHE)
    both = {"east": "Ready", "home": "Ready"}

    async def story() -> None:
        async with living(world, others={"east": other}) as first:
            await first.until(lambda: phases(world) == both, seconds=120)
            await settled(first)
        rows = len(first.log.rows)
        for _ in range(3):
            async with living(world, first.log, others={"east": other}) as again:
                await asyncio.sleep(60)
                assert again.api.writes == []
                assert [one.writes for one in again.remotes["ic/east"]] == [[]]
                assert again.news == []
                await settled(again)
        types = {row.type for row in first.log.rows[rows:]}
        assert types == {"SessionStarted", "Synced"}

    in_world(world, story, [other])
