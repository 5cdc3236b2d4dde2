"""Guarding: no write leaves that could still be under way when the lease is another's."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from adapters.ports import Request
from adapters.running.guarding import GuardedApi, Unguarded
from tests.running.fakes import WatchedApi
from tests.running.stories import pool_world
from tests.running.virtual import LoopTimer, in_world

READ = Request("GET", "/api/v1/nodes")
MARK = {"metadata": {"labels": {"a": "b"}}}
WRITES = [
    Request("POST", "/api/v1/namespaces", body={"metadata": {"name": "new"}}),
    Request("PATCH", "/api/v1/nodes/n1", body=MARK, content_type="application/merge-patch+json"),
    Request("DELETE", "/api/v1/nodes/n1"),
]


class Lease:
    """A guard whose lease lasts until an instant of the loop."""

    until = 0.0

    def outlives(self, seconds: float) -> bool:
        """Say whether it lasts that long."""
        return asyncio.get_running_loop().time() + seconds < self.until


@pytest.mark.parametrize("write", WRITES, ids=lambda write: str(write.method))
def test_a_write_waits_for_the_lease(write: Request) -> None:
    """It is sent when the lease outlives its time-out, and not a moment earlier."""
    world = pool_world("n1")

    async def story() -> None:
        api, lease = WatchedApi(world.api), Lease()
        guarded = GuardedApi(api, lease, LoopTimer())
        lease.until = 10.0  # just too short for a request of ten seconds
        sending = asyncio.create_task(guarded.send(write, timeout_seconds=10))
        await asyncio.sleep(30)
        assert api.requests == []
        lease.until = 45.0
        response = await asyncio.wait_for(sending, 1)
        assert response.ok
        assert api.requests == [write]

    in_world(world, story)


def test_reads_pass_without_a_lease() -> None:
    """Reading and watching need no lease: they change nothing."""
    world = pool_world("n1")

    async def story() -> None:
        guarded = GuardedApi(WatchedApi(world.api), Lease(), LoopTimer())
        listed = await asyncio.wait_for(guarded.send(READ, timeout_seconds=10), 0.01)
        assert listed.ok
        version = listed.body["metadata"]["resourceVersion"]
        since = (("watch", "true"), ("resourceVersion", version))
        watching = guarded.watch(READ._replace(query=since), idle_seconds=60)
        world.add_node("n2")
        event = await asyncio.wait_for(anext(watching), 1)
        assert event["object"]["metadata"]["name"] == "n2"
        assert isinstance(watching, AsyncGenerator)
        await watching.aclose()
        assert guarded.cluster == world.api.cluster
        await guarded.close()

    in_world(world, story)


def test_a_waiting_write_can_be_given_up() -> None:
    """Who stops while a write waits for the lease sends nothing."""
    world = pool_world("n1")

    async def story() -> None:
        api = WatchedApi(world.api)
        guarded = GuardedApi(api, Lease(), LoopTimer())
        sending = asyncio.create_task(guarded.send(WRITES[0], timeout_seconds=10))
        await asyncio.sleep(5)
        sending.cancel()
        await asyncio.wait({sending})
        assert sending.cancelled()
        assert api.requests == []

    in_world(world, story)


@pytest.mark.parametrize("seconds", [0.0, 10.0, 1e9])
def test_without_a_lease_nothing_waits(seconds: float) -> None:
    """A controller that was told to run without a lease sends at once."""
    assert Unguarded().outlives(seconds)
