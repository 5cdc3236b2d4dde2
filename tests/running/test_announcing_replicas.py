"""Announcing replicas: one Event per cause, over restarts, too."""

import asyncio

from adapters.running.announcing_replicas import ReplicaAnnouncer
from adapters.simulator.faults import every, internal_error
from tests.replicas.builders import DEPLOYMENT, ReplicaScene, spec_of
from tests.running.clusters import CACHE
from tests.running.engines import deployment, engine_world, make_replica, reason, serving
from tests.running.living import Life
from tests.running.virtual import in_world

REASONS = ["Composed", "Serving", "WaitingForCache"]


def reasons(announcer: ReplicaAnnouncer, scene: ReplicaScene) -> list[tuple[str, str]]:
    """Type and reason of what is announced now."""
    return [(one.type, one.reason) for one in announcer.news(scene.state)]


def test_a_replica_waits_is_composed_and_serves() -> None:
    """Each is told once, of the replica, with what is done as the Event's action."""
    scene = ReplicaScene()
    announcer = ReplicaAnnouncer(scene.state)
    scene.cache()
    scene.replica(spec=spec_of())
    [waits] = announcer.news(scene.state)
    assert (waits.subject, waits.reason, waits.action) == (
        scene.mr.subject, "WaitingForCache", "Serve",
    )  # fmt: skip
    assert reasons(announcer, scene) == []
    scene.stage()
    assert ("Normal", "Composed") in reasons(announcer, scene)
    scene.serve()
    assert reasons(announcer, scene) == [("Normal", "Serving")]
    scene.edit(DEPLOYMENT, replicas=2)
    assert reasons(announcer, scene) == []


def of_replicas(life: Life) -> list[str]:
    """The reasons of what was announced of replicas."""
    return [one.reason for one in life.news if one.subject.kind == "ModelReplica"]


def test_a_restart_tells_nothing_again() -> None:
    """What held in one session is not told in the next, however late it is known; news are."""
    world = engine_world()
    make_replica(world, "waits")
    make_replica(world, cache="")
    slow = every("GET", "/services"), internal_error()
    world.api.faults.add(*slow, times=3)  # that takes longer than LeaderWorkerSets are not served

    async def story() -> None:
        async with serving(world) as life:
            await life.until(lambda: reason(world, "Ready") == "Available")
            await life.until(lambda: sorted(of_replicas(life)) == REASONS)
            await life.until(lambda: not life.unsent and not life.state.open)
            log = life.log
        world.api.faults.add(*slow, times=3)
        async with serving(world, log) as life:
            await asyncio.sleep(60)
            make_replica(world, "waits", copies=2)  # its status changes, and why it waits does not
            await asyncio.sleep(60)
            assert of_replicas(life) == []
            world.make_cache("default", CACHE)
            await life.until(lambda: reason(world, "Ready", "waits") == "Available")
            await life.until(lambda: of_replicas(life)[-1:] == ["Serving"])
            assert deployment(world)
            assert sorted(set(of_replicas(life))) == REASONS

    in_world(world, story)
