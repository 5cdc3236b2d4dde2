"""Watches: what they tell, and how they end."""

import asyncio

import pytest

from adapters.ports import ApiUnanswered, Request
from adapters.simulator.watching import WatchCursor
from adapters.simulator.worlds import World
from tests.simulator.building import (
    JOBS,
    NODES,
    delete,
    get,
    job_body,
    merge,
    post,
    told,
    watch,
    world_of,
)

IDLE = "example.com/nobody"


def test_a_watch_tells_every_change_in_order() -> None:
    """ADDED, MODIFIED, DELETED; the end carries a version of its own and the last state."""
    world = world_of()
    cursor = watch(world, JOBS)
    post(world, JOBS, job_body("x", managedBy=IDLE))
    merge(world, f"{JOBS}/x", {"metadata": {"labels": {"a": "b"}}})
    delete(world, f"{JOBS}/x", propagationPolicy="Background")
    events = cursor.take()
    assert [event["type"] for event in events] == ["ADDED", "MODIFIED", "DELETED"]
    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in events]
    assert versions == sorted(set(versions))
    assert events[2]["object"]["metadata"]["labels"]["a"] == "b"
    assert cursor.take() == []


def test_a_watch_begins_where_a_list_ended() -> None:
    """What happened between the list and the opening of the watch is told."""
    world = world_of()
    post(world, JOBS, job_body("x", managedBy=IDLE))
    version = get(world, JOBS).body["metadata"]["resourceVersion"]
    post(world, JOBS, job_body("y", managedBy=IDLE))
    assert told(watch(world, JOBS, resourceVersion=version)) == [("ADDED", "y")]


def test_a_watch_without_a_version_begins_with_all_there_is() -> None:
    """Existing objects come as ADDED; version 0 is the same."""
    world = world_of()
    post(world, JOBS, job_body("x", managedBy=IDLE))
    for version in ("", "0"):
        cursor = watch(world, JOBS, resourceVersion=version)
        assert told(cursor) == [("ADDED", "x")]
        assert told(cursor) == []


def test_a_selector_turns_changes_into_comings_and_goings() -> None:
    """Entering is ADDED; leaving is DELETED, with the last selected state and the new version."""
    world = world_of()
    post(world, JOBS, job_body("x", managedBy=IDLE, marks={"a": "1"}))
    cursor = watch(world, JOBS, labelSelector="sel")
    merge(world, f"{JOBS}/x", {"metadata": {"annotations": {"before": ""}}})
    merge(world, f"{JOBS}/x", {"metadata": {"labels": {"sel": "1"}}})
    merge(world, f"{JOBS}/x", {"metadata": {"annotations": {"while": "1"}}})
    merge(world, f"{JOBS}/x", {"metadata": {"labels": {"sel": None}}})
    left = world.cluster.storage.version
    delete(world, f"{JOBS}/x", propagationPolicy="Background")
    events = cursor.take()
    assert [event["type"] for event in events] == ["ADDED", "MODIFIED", "DELETED"]
    last = events[2]["object"]["metadata"]
    assert (last["labels"]["sel"], last["resourceVersion"]) == ("1", str(left))


def test_a_watch_of_one_namespace_hears_of_no_other() -> None:
    """Also when one name begins with the other."""
    world = world_of()
    world.add_namespace("models-too")
    cursor = watch(world, JOBS)
    body = job_body("x", managedBy=IDLE)
    del body["metadata"]["namespace"]
    post(world, JOBS.replace("models", "models-too"), body)
    post(world, JOBS, job_body("y", managedBy=IDLE))
    assert told(cursor) == [("ADDED", "y")]


def test_events_wait_until_they_are_taken_and_may_be_taken_one_by_one() -> None:
    """The reader decides how far it lags; nothing is lost or told twice."""
    world = world_of()
    cursor = watch(world, JOBS)
    for name in ("x", "y", "z"):
        post(world, JOBS, job_body(name, managedBy=IDLE))
    one = [event["object"]["metadata"]["name"] for event in cursor.take(1)]
    assert (one, told(cursor)) == (["x"], [("ADDED", "y"), ("ADDED", "z")])


def test_a_held_watch_lags_until_it_is_released() -> None:
    """What happens while it is held comes later, and not even a bookmark gives it away."""
    world = world_of()
    cursor = watch(world, JOBS)
    cursor.hold()
    held_at = str(world.cluster.storage.version)
    post(world, JOBS, job_body("x", managedBy=IDLE))
    cursor.bookmark()
    (bookmark,) = cursor.take()
    assert bookmark["type"] == "BOOKMARK"
    assert bookmark["object"]["metadata"] == {"resourceVersion": held_at}
    cursor.release()
    assert told(cursor) == [("ADDED", "x")]


def test_a_watch_that_lags_tells_what_it_kept_back_bit_by_bit() -> None:
    """As many changes of the cluster as it is let; what does not lag has nothing to tell."""
    world = world_of()
    cursor = watch(world, JOBS)
    cursor.trickle(5)
    cursor.hold()
    for name in ("x", "y", "z"):
        post(world, JOBS, job_body(name, managedBy=IDLE))
    cursor.trickle(2)
    assert told(cursor) == [("ADDED", "x"), ("ADDED", "y")]
    assert told(cursor) == []
    cursor.release()
    assert told(cursor) == [("ADDED", "z")]


def test_a_watch_may_tell_once_more_what_it_told_before() -> None:
    """In the old order and as it was then, also what was before it began; then it goes on."""
    world = world_of()
    post(world, JOBS, job_body("x", managedBy=IDLE))
    version = str(world.cluster.storage.version)
    cursor = watch(world, JOBS, resourceVersion=version)
    post(world, JOBS, job_body("y", managedBy=IDLE))
    delete(world, f"{JOBS}/y", propagationPolicy="Background")
    assert told(cursor) == [("ADDED", "y"), ("DELETED", "y")]
    cursor.repeat(1)
    assert told(cursor) == [("DELETED", "y")]
    cursor.repeat(9)
    post(world, JOBS, job_body("z", managedBy=IDLE))
    again = [("ADDED", "x"), ("ADDED", "y"), ("DELETED", "y"), ("ADDED", "z")]
    assert told(cursor) == again
    assert told(cursor) == []


def test_a_watch_cannot_tell_again_what_is_forgotten() -> None:
    """It tells what the server still has, and is not ended for that."""
    world = world_of()
    cursor = watch(world, JOBS)
    post(world, JOBS, job_body("x", managedBy=IDLE))
    assert told(cursor) == [("ADDED", "x")]
    world.cluster.compact()
    cursor.repeat(5)
    assert told(cursor) == []
    assert not cursor.ended


def test_a_bookmark_comes_behind_what_it_vouches_for() -> None:
    """Its version is the cluster's, and what happened before it is told before it."""
    world = world_of()
    cursor = watch(world, JOBS)
    post(world, JOBS, job_body("x", managedBy=IDLE))
    version = world.add_namespace("other")["metadata"]["resourceVersion"]
    cursor.bookmark()
    events = cursor.take()
    assert [event["type"] for event in events] == ["ADDED", "BOOKMARK"]
    assert events[1]["object"]["metadata"]["resourceVersion"] == version


def expired(cursor: WatchCursor) -> bool:
    """Whether a watch ended by saying that its version is too old."""
    (event,) = cursor.take()
    return event["type"] == "ERROR" and event["object"]["code"] == 410 and cursor.ended


def test_a_version_that_was_compacted_is_an_error_event() -> None:
    """A watch from before the cut, or one that fell behind it, ends with 410 Expired."""
    world = world_of()
    behind = watch(world, JOBS)
    post(world, JOBS, job_body("x", managedBy=IDLE))
    world.cluster.compact()
    post(world, JOBS, job_body("y", managedBy=IDLE))
    assert expired(behind)
    assert expired(watch(world, JOBS, resourceVersion="2"))
    now = str(world.cluster.storage.version)
    assert told(watch(world, JOBS, resourceVersion=now)) == []


def test_a_watch_from_a_future_version_is_silent_until_then() -> None:
    """As on a real server: no error, and nothing that is not newer."""
    world = world_of()
    ahead = str(world.cluster.storage.version + 1)
    cursor = watch(world, JOBS, resourceVersion=ahead)
    for name in ("x", "y"):
        post(world, JOBS, job_body(name, managedBy=IDLE))
    assert told(cursor) == [("ADDED", "y")]


def test_a_refused_watch_is_one_error_event() -> None:
    """A selector that cannot be read, or a path that is not there."""
    world = world_of()
    for cursor, code in (
        (watch(world, JOBS, labelSelector="a b"), 400),
        (watch(world, "/apis/batch/v1/jibs"), 404),
        (watch(world, f"{NODES}/n1"), 404),
    ):
        assert not cursor.ended
        assert [event["object"]["code"] for event in cursor.take()] == [code]
        assert cursor.ended


def test_a_cut_loses_what_was_not_taken() -> None:
    """The reader gets an error, and has to begin again."""
    world = world_of()
    cursor = watch(world, JOBS)
    post(world, JOBS, job_body("x", managedBy=IDLE))
    world.api.cut_watches("the cable was pulled")
    with pytest.raises(ApiUnanswered, match="the cable was pulled"):
        cursor.take()
    assert cursor.finished
    assert world.api.cursors == ()


def test_a_watch_that_is_closed_still_tells_what_happened_before() -> None:
    """The server's own end is orderly: nothing more, but nothing less."""
    world = world_of()
    cursor = watch(world, JOBS)
    post(world, JOBS, job_body("x", managedBy=IDLE))
    cursor.close()
    post(world, JOBS, job_body("y", managedBy=IDLE))
    assert not cursor.ended
    assert told(cursor) == [("ADDED", "x")]
    assert cursor.ended


async def next_events(world: World, count: int) -> list[str]:
    """Watch through the port until so many events have come."""
    found: list[str] = []
    async for event in world.api.watch(Request("GET", NODES), idle_seconds=1):
        found.append(event["object"]["metadata"]["name"])
        if len(found) == count:
            break
    return found


async def test_the_port_tells_changes_as_they_happen() -> None:
    """Who iterates waits for changes, and is woken by each."""
    world = world_of("n1")
    watching = asyncio.create_task(next_events(world, 2))
    await asyncio.sleep(0)
    assert not watching.done()
    world.add_node("n2")
    assert await watching == ["n1", "n2"]


async def test_the_port_wakes_who_waits_on_a_watch_that_is_released() -> None:
    """What was held back comes at once when the lag is over."""
    world = world_of()
    watching = asyncio.create_task(next_events(world, 1))
    await asyncio.sleep(0)
    (cursor,) = world.api.cursors
    cursor.hold()
    world.add_node("n1")
    for _ in range(3):
        await asyncio.sleep(0)
    assert not watching.done()
    cursor.release()
    assert await watching == ["n1"]


async def test_the_ports_iterator_ends_when_the_server_closes() -> None:
    """An orderly end ends the iteration; a cut raises."""
    world = world_of("n1")
    watching = asyncio.create_task(next_events(world, 5))
    await asyncio.sleep(0)
    await world.api.close()
    assert await watching == ["n1"]
    watching = asyncio.create_task(next_events(world, 5))
    await asyncio.sleep(0)
    world.api.cut_watches()
    with pytest.raises(ApiUnanswered):
        await watching
