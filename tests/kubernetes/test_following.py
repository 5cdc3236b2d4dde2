"""Which kinds of a cluster are watched may change while it is watched."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from adapters.kubernetes.kinds import CLAIM, MODEL_CACHE, NODE, SECRET, Kind, named
from adapters.kubernetes.watching import ClusterWatch, delay_seconds
from adapters.ports import ApiUnanswered, Request
from machines.observations import Listed, Reachability, RolledBack, Unread
from machines.versions import KnownVersion
from tests.kubernetes.fakes import Answer, AnsweringApi, ManualTimer, page, refused
from tests.kubernetes.test_watching import Received

ONE, OTHER = named(SECRET, "team", "one"), named(SECRET, "team", "other")


@asynccontextmanager
async def _following(
    api: AnsweringApi, sink: Received, *kinds: Kind
) -> AsyncIterator[ClusterWatch]:
    watch = ClusterWatch(api, sink, kinds=kinds, timer=ManualTimer(ends_after=3))
    task = asyncio.create_task(watch.run())
    try:
        yield watch
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _quiet() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


def _served(request: Request) -> Answer:
    return page()


def _lists(api: AnsweringApi) -> list[str]:
    return [one.path for one in api.requests if ("watch", "true") not in one.query]


async def test_a_named_secret_is_listed_and_watched_by_its_name_alone() -> None:
    """The list says of which one it is."""
    api, sink = AnsweringApi(_served), Received()
    async with _following(api, sink, ONE) as watch:
        await _quiet()
        assert [one.kind for one in watch.health] == ["Secret/team/one"]
    assert [one.path for one in api.requests] == ["/api/v1/namespaces/team/secrets"] * 2
    assert all(("fieldSelector", "metadata.name=one") in one.query for one in api.requests)
    listed = sink.observations[-1]
    assert isinstance(listed, Listed)
    assert (listed.kind, listed.scope) == ("Secret", ("team", "one"))


async def test_kinds_come_and_go_without_disturbing_the_others() -> None:
    """What is watched already is not listed again; what is not wanted any more is let go."""
    api, sink = AnsweringApi(_served), Received()
    async with _following(api, sink, NODE) as watch:
        await _quiet()
        watch.follow([NODE, ONE, OTHER, CLAIM])
        await _quiet()
        watch.follow([OTHER, NODE, NODE])
        await _quiet()
        assert [one.kind for one in watch.health] == ["Node", "Secret/team/other"]
        assert [one for one in watch.health if not one.synced] == []
        watch.follow([NODE, ONE])
        await _quiet()
    assert _lists(api) == [
        "/api/v1/nodes",
        *["/api/v1/namespaces/team/secrets"] * 2,
        "/api/v1/persistentvolumeclaims",
        "/api/v1/namespaces/team/secrets",
    ]


async def test_a_watch_without_kinds_waits_for_the_first() -> None:
    """A cluster may have nothing to be watched yet."""
    api, sink = AnsweringApi(_served), Received()
    async with _following(api, sink) as watch:
        await _quiet()
        watch.follow([NODE])
        await _quiet()
    assert _lists(api) == ["/api/v1/nodes"]


async def test_a_kind_that_is_let_go_keeps_no_cluster_silent() -> None:
    """Only what is watched has to answer before the cluster does."""

    def answer(request: Request) -> Answer:
        return ApiUnanswered("cut") if "secrets" in request.path else page()

    api, sink = AnsweringApi(answer), Received()
    async with _following(api, sink, ONE) as watch:
        await _quiet()
        watch.follow([NODE])
        await _quiet()
    said = [one.reachable for one in sink.observations if isinstance(one, Reachability)]
    assert (said[0], said[-1], said.count(True)) == (False, True, 1)


async def test_a_kind_that_is_not_served_is_unread_and_the_cluster_answers() -> None:
    """ModelCaches without their CRD are no silence of the cluster."""

    def answer(request: Request) -> Answer:
        missing = refused(404, "NotFound", "the server could not find the requested resource")
        return missing if "modelcaches" in request.path else page()

    api, sink = AnsweringApi(answer), Received()
    async with _following(api, sink, MODEL_CACHE, NODE):
        await _quiet()
    words = "cluster prod does not serve modelcaches.modelplane.ai"
    assert Unread("prod", "ModelCache", words, served=False) in sink.observations
    said = [one.reachable for one in sink.observations if isinstance(one, Reachability)]
    assert said == [True]


async def test_an_unread_secret_names_itself() -> None:
    """Whoever waits for it learns why it cannot be read."""
    api = AnsweringApi(lambda _: refused(403, "Forbidden", "secrets is forbidden"))
    sink = Received()
    async with _following(api, sink, ONE):
        await _quiet()
    assert sink.observations[1:] == [
        Unread("prod", "Secret", "secrets is forbidden", ("team", "one"))
    ]


async def test_known_versions_are_told_with_new_kinds() -> None:
    """A first list of theirs that is older is doubted like any other's."""
    api, sink = AnsweringApi(_served), Received()
    async with _following(api, sink) as watch:
        watch.follow([CLAIM], {"PersistentVolumeClaim": {"uid": KnownVersion(500)}})
        await _quiet()
    assert [type(one) for one in sink.observations[1:]] == [RolledBack, Listed]


@pytest.mark.parametrize("failures", [1, 2, 5])
def test_secrets_wait_apart(failures: int) -> None:
    """A hundred of them do not ask again in the same moment."""
    assert delay_seconds("prod", ONE, failures) != delay_seconds("prod", OTHER, failures)
