"""A kind that the API server does not serve: said so, asked for again, and found when it comes."""

import asyncio

import pytest

from adapters.kubernetes.kinds import CLAIM_TEMPLATE, GANG, Kind
from adapters.kubernetes.watching import ClusterWatch
from adapters.ports import Response
from machines.observations import Listed, Unread
from tests.kubernetes import replica_objects
from tests.kubernetes.fakes import ManualTimer, Script, ScriptedApi, page, refused
from tests.kubernetes.test_watching import Received, unserved

NO_PATH = refused(404, message="404 page not found")
NO_RESOURCE = refused(404, "NotFound", "the server could not find the requested resource", {})
GONE = {"type": "ERROR", "object": NO_PATH.body}


async def _watched(api: ScriptedApi, timer: ManualTimer, requests: int, kind: Kind) -> Received:
    sink = Received()
    task = asyncio.create_task(ClusterWatch(api, sink, kinds=[kind], timer=timer).run())
    async with asyncio.timeout(5):
        await api.asked(requests)
        for _ in range(20):
            await asyncio.sleep(0)
    assert not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return sink


@pytest.mark.parametrize("missing", [NO_PATH, NO_RESOURCE])
async def test_what_is_installed_later_is_noticed(missing: Response) -> None:
    """It is said once, asked for ever more rarely, at most every 30 s, and then there."""
    api, timer = ScriptedApi(*[missing] * 12, page(replica_objects.gang())), ManualTimer()
    sink = await _watched(api, timer, 14, GANG)
    assert sink.names == ["Reachability", "Unread", "Unread", "Listed"]
    assert sink.observations[1:3] == [unserved(GANG), Unread("prod", "LeaderWorkerSet", "")]
    assert len(timer.slept) == 12
    assert timer.slept[0] < 1
    assert 15 <= timer.slept[-1] <= 30


async def test_what_is_uninstalled_while_it_is_watched_is_not_gone() -> None:
    """A watch that is refused says nothing of what was there, and neither does the list after."""
    watched: list[Script] = [[GONE]]
    listed = page(replica_objects.gang())
    api = ScriptedApi(listed, NO_PATH, NO_PATH, listed, watches=watched)
    sink = await _watched(api, ManualTimer(), 6, GANG)
    assert sink.names == ["Reachability", "Listed", "Unread", "Unread", "Listed"]
    assert sink.observations[2] == unserved(GANG)
    (first, again) = [one for one in sink.observations if isinstance(one, Listed)]
    assert [len(first.items), len(again.items)] == [1, 1]


@pytest.mark.parametrize(
    "other",
    [
        refused(403, "Forbidden", "not for you"),
        refused(404, message="<html>nothing here</html>"),
        refused(404, "NotFound", "not found", {"kind": "tenants", "name": "x"}),
    ],
)
async def test_another_refusal_does_not_say_that_it_is_not_served(other: Response) -> None:
    """It cannot be read: whether it is there stays unknown."""
    sink = await _watched(ScriptedApi(other, page()), ManualTimer(), 3, CLAIM_TEMPLATE)
    assert sink.observations[1] == Unread("prod", CLAIM_TEMPLATE.name, other.body["message"])


@pytest.mark.parametrize(
    ("kind", "remedy"), [(GANG, "install it there"), (CLAIM_TEMPLATE, "Kubernetes 1.34")]
)
async def test_what_brings_the_kind_is_named(kind: Kind, remedy: str) -> None:
    """Neither comes with our own definitions."""
    api, timer = ScriptedApi(NO_PATH), ManualTimer(ends_after=0)
    watch = ClusterWatch(api, Received(), kinds=[kind], timer=timer)
    task = asyncio.create_task(watch.run())
    await timer.ended.wait()
    (health,) = watch.health
    assert remedy in health.words
    assert kind.resource in health.words
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
