"""The reflector: lists, watches, versions, without any I/O."""

from typing import Any

import pytest

from adapters.kubernetes.kinds import DEPLOYMENT, JOB, NODE, POD
from adapters.kubernetes.reflecting import ReadRefused, Reflector, number
from adapters.ports import Response
from engine.events import Subject
from machines.observations import Deleted, Listed, Observation, RolledBack, Seen
from tests.kubernetes import objects, replica_objects
from tests.kubernetes.fakes import page, refused


def _event(kind: str, raw: Any) -> dict[str, Any]:
    return {"type": kind, "object": raw}


def _bookmark(version: str) -> dict[str, Any]:
    return _event("BOOKMARK", {"metadata": {"resourceVersion": version}})


def _watching(version: str = "100", *nodes: objects.Raw) -> Reflector:
    """A reflector that has listed these nodes."""
    reflector = Reflector("prod", NODE)
    reflector.feed_page(page(*nodes, version=version))
    return reflector


def _kinds(observations: tuple[Observation, ...]) -> list[str]:
    return [type(observation).__name__ for observation in observations]


def test_a_list_is_asked_for_page_by_page() -> None:
    """Nothing is said before the last page; then the whole list is, with its own version."""
    reflector = Reflector("prod", JOB, page_rows=2)
    first = reflector.next_request()
    assert (first.method, first.path) == ("GET", "/apis/batch/v1/jobs")
    assert first.query == (("limit", "2"), ("labelSelector", "model.aibrix.ai/warmup"))
    assert reflector.feed_page(page(objects.job(), version="100", continued="next")) == ()
    assert ("continue", "next") in reflector.next_request().query
    second = objects.job("warm-2", "other-uid")
    (listed,) = reflector.feed_page(page(second, version="100"))
    assert isinstance(listed, Listed)
    assert (listed.cluster, listed.kind, listed.version) == ("prod", "Job", "100")
    assert [seen.subject.name for seen in listed.items] == ["warm-1", "warm-2"]


def test_after_a_list_comes_a_watch_from_its_version() -> None:
    """The watch asks for bookmarks, an end, and our objects only."""
    reflector = Reflector("prod", POD, watch_seconds=300)
    assert not reflector.watching
    reflector.feed_page(page(version="100"))
    assert reflector.watching
    assert reflector.synced
    assert reflector.next_request().query == (
        ("watch", "true"),
        ("allowWatchBookmarks", "true"),
        ("resourceVersion", "100"),
        ("timeoutSeconds", "300"),
        ("labelSelector", "model.aibrix.ai/warmup"),
    )


def test_events_become_observations() -> None:
    """Added and modified objects are seen; deleted ones are gone, with their last level."""
    reflector = _watching()
    (seen,) = reflector.feed_event(_event("ADDED", objects.node(version="101")))
    assert isinstance(seen, Seen)
    assert (seen.subject.uid, seen.version) == (objects.NODE_UID, "101")
    (again,) = reflector.feed_event(_event("MODIFIED", objects.node(version="102")))
    assert isinstance(again, Seen)
    (gone,) = reflector.feed_event(_event("DELETED", objects.node(version="103")))
    assert isinstance(gone, Deleted)
    assert (gone.subject, gone.version) == (Subject("Node", "", "n1", objects.NODE_UID), "103")
    assert reflector.version == "103"


def test_what_is_not_newer_is_dropped() -> None:
    """An event of an object that is not newer than its last level says nothing."""
    reflector = _watching("100", objects.node(version="90"))
    assert reflector.feed_event(_event("MODIFIED", objects.node(version="90"))) == ()
    assert reflector.feed_event(_event("MODIFIED", objects.node(version="89"))) == ()
    assert reflector.feed_event(_event("DELETED", objects.node(version="89"))) == ()
    assert _kinds(reflector.feed_event(_event("MODIFIED", objects.node(version="101")))) == ["Seen"]


def test_versions_are_compared_as_numbers() -> None:
    """9 is older than 10, and what is no number orders nothing."""
    assert number("9") < number("10")
    assert number("") == number("abc") == number("-5") == number("٣") == 0


def test_a_bookmark_moves_the_version() -> None:
    """The next watch goes on from the last bookmark; an older one moves nothing back."""
    reflector = _watching()
    assert reflector.feed_event(_bookmark("150")) == ()
    assert reflector.feed_event(_bookmark("120")) == ()
    assert ("resourceVersion", "150") in reflector.next_request().query


def test_an_expired_version_asks_for_a_list() -> None:
    """ERROR 410 makes the next request the first page of a list, and is no refusal."""
    for status in ({"code": 410}, {"code": 0, "reason": "Expired"}):
        reflector = _watching()
        assert reflector.feed_event(_event("ERROR", status)) == ()
        assert not reflector.watching
        assert reflector.version == "100"


def test_a_list_that_expires_halfway_begins_again() -> None:
    """410 on a later page drops the pages so far; on the first it is a refusal."""
    reflector = Reflector("prod", NODE)
    reflector.feed_page(page(objects.node("old", "old-uid"), continued="next"))
    assert reflector.feed_page(refused(410, "Expired")) == ()
    assert "continue" not in dict(reflector.next_request().query)
    (listed,) = reflector.feed_page(page(objects.node()))
    assert isinstance(listed, Listed)
    assert [seen.subject.name for seen in listed.items] == ["n1"]
    with pytest.raises(ReadRefused):
        Reflector("prod", NODE).feed_page(refused(410, "Expired"))


def test_refusals_are_raised_and_change_nothing() -> None:
    """A refused list or watch says code and words; what was known stays known."""
    reflector = Reflector("prod", NODE)
    with pytest.raises(ReadRefused) as error:
        reflector.feed_page(refused(403, "Forbidden", "nodes is forbidden"))
    assert (error.value.code, error.value.words) == (403, "nodes is forbidden")
    assert error.value.reason == "Forbidden"
    reflector = _watching()
    with pytest.raises(ReadRefused):
        reflector.feed_event(_event("ERROR", {"code": 500, "message": "etcd"}))
    assert reflector.watching
    assert reflector.version == "100"


def test_a_version_from_the_future_asks_for_a_list() -> None:
    """A server that is behind what is known refuses the watch: only a list tells why."""
    reflector = _watching()
    status = {"code": 504, "message": "Too large resource version: 100, current: 50"}
    with pytest.raises(ReadRefused):
        reflector.feed_event(_event("ERROR", status))
    assert not reflector.watching


def test_an_older_list_is_asked_for_again() -> None:
    """One list below the known version is not believed; a second one that is newer is."""
    reflector = _watching("100", objects.node())
    reflector.relist()
    assert reflector.feed_page(page(version="90")) == ()
    assert not reflector.watching
    assert _kinds(reflector.feed_page(page(objects.node(), version="101"))) == ["Listed"]


def test_two_older_lists_mean_a_cluster_that_was_rolled_back() -> None:
    """The second older list in a row is believed, after it was said that the past is back."""
    reflector = _watching("100", objects.node())
    reflector.relist()
    reflector.feed_page(page(version="90"))
    back, listed = reflector.feed_page(page(version="91"))
    assert back == RolledBack("prod", "nodes were known at version 100, and are listed at 91")
    assert isinstance(listed, Listed)
    assert listed.version == "91"
    assert reflector.version == "91"
    assert reflector.watching


def test_a_version_known_from_before_is_held_against_the_first_list() -> None:
    """The caller's known version makes an older first list doubtful."""
    reflector = Reflector("prod", NODE, known_version="200")
    assert reflector.feed_page(page(version="150")) == ()
    assert _kinds(reflector.feed_page(page(version="150"))) == ["RolledBack", "Listed"]


def test_after_a_rollback_elsewhere_the_next_list_is_believed() -> None:
    """`forget` drops the known version, but not the pages of a list that is under way."""
    reflector = _watching("100", objects.node())
    reflector.forget()
    assert not reflector.watching
    # The old watch may go on for a while; what it says counts no more.
    assert reflector.feed_event(_event("ADDED", objects.node(version="300"))) == ()
    assert _kinds(reflector.feed_page(page(version="50"))) == ["Listed"]
    reflector = Reflector("prod", NODE)
    reflector.feed_page(page(objects.node("a", "a-uid"), version="50", continued="next"))
    reflector.forget()
    (listed,) = reflector.feed_page(page(objects.node("b", "b-uid"), version="50"))
    assert isinstance(listed, Listed)
    assert [seen.subject.name for seen in listed.items] == ["a", "b"]


def test_objects_that_cannot_be_read_are_skipped_and_named() -> None:
    """One bad object stops neither a list nor a watch; a sentence names it, once."""
    reflector = Reflector("prod", NODE)
    bad = {"metadata": {"name": "bad"}}
    (listed,) = reflector.feed_page(page(bad, objects.node()))
    assert isinstance(listed, Listed)
    assert len(listed.items) == 1
    assert reflector.skipped() == ("Node /bad has no uid and no resourceVersion",)
    assert reflector.skipped() == ()
    assert reflector.feed_event(_event("ADDED", bad)) == ()
    assert reflector.feed_event(_event("DELETED", bad)) == ()
    assert reflector.feed_event(_event("SURPRISE", {})) == ()
    assert reflector.feed_event([]) == ()
    assert len(reflector.skipped()) == 4


@pytest.mark.parametrize("body", [None, {}, {"metadata": 3, "items": {}}, {"items": []}])
def test_a_list_without_a_version_is_no_list(body: Any) -> None:
    """An answer that is no list is refused, never taken for an empty one."""
    with pytest.raises(ReadRefused):
        Reflector("prod", NODE).feed_page(Response(200, body))


def test_what_is_of_no_replica_is_dropped_before_it_is_kept() -> None:
    """Neither a list nor a watch gives it, and the watch goes on from it all the same."""
    foreign = replica_objects.deployment("90", notes={}, marks={})
    reflector = Reflector("prod", DEPLOYMENT)
    (listed,) = reflector.feed_page(page(foreign, version="100"))
    assert isinstance(listed, Listed)
    assert listed.items == ()
    for kind, version in (("ADDED", "101"), ("MODIFIED", "102"), ("DELETED", "103")):
        raw = replica_objects.deployment(version, notes={}, marks={})
        assert reflector.feed_event(_event(kind, raw)) == ()
    assert (reflector.version, reflector.skipped()) == ("103", ())


def test_what_becomes_somebody_elses_is_gone_once() -> None:
    """Only if it was known; and it is seen again when it comes back to us."""
    reflector = Reflector("prod", DEPLOYMENT)
    reflector.feed_page(page(replica_objects.deployment("90"), version="100"))
    foreign = [
        replica_objects.deployment(version, notes={}, marks={}) for version in ("90", "101", "102")
    ]
    assert reflector.feed_event(_event("MODIFIED", foreign[0])) == ()  # it is not newer
    (gone,) = reflector.feed_event(_event("MODIFIED", foreign[1]))
    assert isinstance(gone, Deleted)
    assert (gone.subject.name, gone.version, gone.last) == ("r-main-bb4e3", "101", None)
    assert reflector.feed_event(_event("MODIFIED", foreign[2])) == ()
    assert reflector.feed_event(_event("DELETED", foreign[2])) == ()
    (seen,) = reflector.feed_event(_event("MODIFIED", replica_objects.deployment("104")))
    assert isinstance(seen, Seen)
    (gone,) = reflector.feed_event(_event("DELETED", replica_objects.deployment("105")))
    assert isinstance(gone, Deleted)
