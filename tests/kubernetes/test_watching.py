"""Watching a cluster: what is handed on, how failures are said, and how long is waited."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from adapters.kubernetes.kinds import JOB, MODEL_WARMUP, NODE, Kind
from adapters.kubernetes.watch_health import WatchHealth
from adapters.kubernetes.watching import ClusterWatch, WatchSettings, delay_seconds
from adapters.ports import ApiUnanswered, Request, Response
from machines.observations import Listed, Observation, Reachability, RolledBack, Seen, Unread
from machines.versions import KnownVersion
from tests.kubernetes import objects
from tests.kubernetes.fakes import (
    Answer,
    AnsweringApi,
    ManualTimer,
    Script,
    ScriptedApi,
    page,
    refused,
)

BROKEN = ApiUnanswered("https://prod:6443: connection refused")
BOOKMARK: dict[str, Any] = {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "110"}}}
ADDED: dict[str, Any] = {"type": "ADDED", "object": objects.node(version="105")}
UP = Reachability("prod", reachable=True)


def unserved(kind: Kind) -> Unread:
    """The fact that a kind is not there to be read."""
    words = f"cluster prod does not serve {kind.resource}"
    return Unread("prod", kind.name, words, served=False)


class Received:
    """A sink that keeps what it was given."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.observations: list[Observation] = []

    async def __call__(self, observations: tuple[Observation, ...]) -> None:
        """Keep them."""
        self.observations.extend(observations)

    @property
    def names(self) -> list[str]:
        """The observations' kinds, in order."""
        return [type(one).__name__ for one in self.observations]


@asynccontextmanager
async def _running(
    api: ScriptedApi, sink: Received, timer: ManualTimer, *kinds: Kind, **more: Any
) -> AsyncIterator[ClusterWatch]:
    watch = ClusterWatch(api, sink, kinds=kinds or (NODE,), timer=timer, **more)
    task = asyncio.create_task(watch.run())
    try:
        yield watch
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _until_quiet(api: ScriptedApi, requests: int) -> None:
    """Wait until the API has been asked that often, and what came back was handed on."""
    async with asyncio.timeout(5):
        await api.asked(requests)
        for _ in range(20):
            await asyncio.sleep(0)


async def test_a_list_then_a_watch_are_handed_on() -> None:
    """The whole list first, then each change; the cluster answers, and that is said once."""
    watched: list[Script] = [[ADDED, BOOKMARK]]
    api, sink = ScriptedApi(page(objects.node(version="90")), watches=watched), Received()
    async with _running(api, sink, ManualTimer()) as watch:
        await _until_quiet(api, 3)
        assert watch.health == (WatchHealth("prod", "Node", synced=True),)
    assert sink.observations[0] == UP
    assert sink.names == ["Reachability", "Listed", "Seen"]
    # After the watch's end the next one goes on from the last bookmark.
    assert ("resourceVersion", "110") in api.requests[2].query


async def test_settings_reach_the_requests() -> None:
    """Time-outs, page size and the watch's length are those that were set."""
    settings = WatchSettings(request_seconds=7, idle_seconds=8, watch_seconds=9, page_rows=3)
    api, sink = ScriptedApi(page()), Received()
    async with _running(api, sink, ManualTimer(), settings=settings):
        await _until_quiet(api, 2)
    assert ("limit", "3") in api.requests[0].query
    assert ("timeoutSeconds", "9") in api.requests[1].query
    assert api.timeouts == [7, 8]


async def test_a_silent_cluster_is_said_to_be_so() -> None:
    """Each try says that it does not answer, and why; that it answers again is said once."""
    api, sink = ScriptedApi(BROKEN, BROKEN, BROKEN, page()), Received()
    timer = ManualTimer()
    async with _running(api, sink, timer) as watch:
        await _until_quiet(api, 2)
        await _until_quiet(api, 5)
        assert watch.health[0].words == ""
    down = Reachability("prod", reachable=False, words=str(BROKEN))
    assert sink.observations[:4] == [down, down, down, UP]
    assert sink.names == [*["Reachability"] * 4, "Listed"]
    assert timer.slept == [delay_seconds("prod", NODE, failures) for failures in (1, 2, 3)]


async def test_health_says_what_to_do_while_nothing_answers() -> None:
    """The health names the cluster, the cause and a remedy, and that nothing is known yet."""
    api, sink = ScriptedApi(BROKEN), Received()
    timer = ManualTimer(ends_after=0)
    async with _running(api, sink, timer) as watch:
        await timer.ended.wait()
        assert watch.health == (
            WatchHealth(
                "prod",
                "Node",
                synced=False,
                words=(
                    "Cluster prod does not answer for nodes (https://prod:6443: connection"
                    " refused): check that its API server runs and can be reached from here."
                ),
            ),
        )


async def test_a_broken_watch_alone_is_no_silent_cluster() -> None:
    """A connection that was cut is opened again; nothing is said of the cluster."""
    watched: list[Script] = [[ADDED, BROKEN], [BOOKMARK]]
    api, sink = ScriptedApi(page(), watches=watched), Received()
    async with _running(api, sink, ManualTimer()):
        await _until_quiet(api, 4)
    assert [dict(request.query).get("watch") for request in api.requests] == [
        None,
        "true",
        "true",
        "true",
    ]
    assert sink.names == ["Reachability", "Listed", "Seen"]


async def test_a_watch_that_says_nothing_is_followed_by_a_list() -> None:
    """A server restored from a backup says nothing to a watch from its future: a list tells."""
    watched: list[Script] = [[ApiUnanswered("silent")]]
    api, sink = (
        ScriptedApi(page(version="100"), page(version="50"), page(version="50"), watches=watched),
        Received(),
    )
    timer = ManualTimer()
    async with _running(api, sink, timer):
        await _until_quiet(api, 5)
    assert sink.names == ["Reachability", "Listed", "RolledBack", "Listed"]
    assert timer.slept == [delay_seconds("prod", NODE, 1)]


async def test_a_rollback_makes_the_other_kinds_list_again() -> None:
    """What one kind found out counts for all: none of them doubts its next list."""
    event = {"type": "MODIFIED", "object": objects.job(version="201")}
    lists = {"Node": ["100", "50", "50"], "Job": ["200", "60"]}
    node_watches = iter([[ApiUnanswered("silent")]])
    woken = asyncio.Event()

    class Api(AnsweringApi):
        async def watch(
            self, request: Request, *, idle_seconds: float
        ) -> AsyncIterator[dict[str, Any]]:
            await self._note(request, idle_seconds)
            if "nodes" in request.path:
                for error in next(node_watches, []):
                    raise error
                woken.set()
            elif dict(request.query)["resourceVersion"] == "200":
                await woken.wait()
                yield event
            await asyncio.Event().wait()

    def answer(request: Request) -> Answer:
        name = "Node" if "nodes" in request.path else "Job"
        return page(version=lists[name].pop(0))

    api, sink = Api(answer), Received()
    async with _running(api, sink, ManualTimer(), NODE, JOB):
        await _until_quiet(api, 8)
    assert sink.names.count("RolledBack") == 1
    assert [one.version for one in sink.observations if isinstance(one, Listed)] == [
        "100",
        "200",
        "50",
        "60",
    ]
    assert not any(isinstance(one, Seen) for one in sink.observations)


@pytest.mark.parametrize(
    ("kind", "response", "words"),
    [
        (
            MODEL_WARMUP,
            refused(404, "", "404 page not found"),
            (
                "Cluster prod does not serve modelwarmups.model.aibrix.ai:"
                " apply the CRD with `kubectl apply -k crds/`."
            ),
        ),
        (
            JOB,
            refused(403, "Forbidden", "jobs.batch is forbidden"),
            (
                "warmlog may not list and watch jobs.batch in cluster prod: apply its roles with"
                " `kubectl apply -k deploy/`. It was told: jobs.batch is forbidden"
            ),
        ),
        (
            NODE,
            refused(401, "Unauthorized", "Unauthorized"),
            (
                "Cluster prod does not accept warmlog's credentials: renew the token or certificate"
                " of its kubeconfig or service account."
            ),
        ),
        (
            NODE,
            refused(503, "ServiceUnavailable", "starting"),
            (
                "Cluster prod refuses to list or watch nodes for now (503: starting);"
                " nothing need be done unless that lasts."
            ),
        ),
    ],
)
async def test_a_refusal_is_a_sentence_with_what_to_do(
    kind: Kind, response: Answer, words: str
) -> None:
    """A missing CRD, permission or credential is named, with the remedy."""
    api, sink = ScriptedApi(response), Received()
    timer = ManualTimer(ends_after=0)
    async with _running(api, sink, timer, kind) as watch:
        await timer.ended.wait()
        assert watch.health == (WatchHealth("prod", kind.name, synced=False, words=words),)
    # A refusal is an answer: the cluster is not silent. One that may pass by itself is no fact.
    assert isinstance(response, Response)
    said = Unread("prod", kind.name, response.body["message"])
    if response.code == 404:
        said = unserved(kind)
    assert sink.observations == ([UP] if response.code == 503 else [UP, said])


async def test_what_was_refused_is_asked_for_until_it_is_there() -> None:
    """A CRD or a permission that is applied later is found without a restart."""
    missing = refused(404, "", "404 page not found")
    api, sink = ScriptedApi(missing, missing, page()), Received()
    async with _running(api, sink, ManualTimer(), MODEL_WARMUP) as watch:
        await _until_quiet(api, 4)
        assert watch.health == (WatchHealth("prod", "ModelWarmup", synced=True),)
    assert sink.observations[1:3] == [
        unserved(MODEL_WARMUP),
        Unread("prod", "ModelWarmup", ""),
    ]
    assert sink.names == ["Reachability", "Unread", "Unread", "Listed"]


async def test_a_refusal_that_lasts_is_said() -> None:
    """A server that has no time for a while tells nothing; one that never has is quoted."""
    busy = refused(503, "ServiceUnavailable", "starting")
    api, sink = ScriptedApi(*[busy] * 5, page()), Received()
    async with _running(api, sink, ManualTimer()):
        await _until_quiet(api, 7)
    assert sink.names == ["Reachability", "Unread", "Unread", "Listed"]
    api, sink = ScriptedApi(*[busy] * 3, page()), Received()
    async with _running(api, sink, ManualTimer()):
        await _until_quiet(api, 5)
    assert sink.names == ["Reachability", "Listed"]


async def test_one_kind_without_permission_stops_no_other() -> None:
    """Every kind has a task of its own."""

    def answer(request: Request) -> Answer:
        return refused(403, "Forbidden", "no") if "jobs" in request.path else page()

    api, sink, timer = AnsweringApi(answer), Received(), ManualTimer(ends_after=3)
    async with _running(api, sink, timer, JOB, NODE) as watch:
        await timer.ended.wait()
        assert [(one.kind, one.synced) for one in watch.health] == [("Job", False), ("Node", True)]


async def test_while_a_kind_gets_no_answer_its_cluster_is_silent() -> None:
    """While one kind fails, the others do not make the cluster one that answers."""

    def answer(request: Request) -> Answer:
        return BROKEN if "jobs" in request.path else page()

    events: Script = [BOOKMARK] * 5
    api = AnsweringApi(answer, watches=[list(events) for _ in range(3)])
    sink, timer = Received(), ManualTimer(ends_after=6)
    async with _running(api, sink, timer, JOB, NODE):
        await timer.ended.wait()
    reachabilities = [one for one in sink.observations if isinstance(one, Reachability)]
    assert {one.reachable for one in reachabilities} == {False}


async def test_an_expired_watch_is_followed_by_a_list() -> None:
    """410 asks for a list, after a short wait so that a broken server is not stormed."""
    expired: Script = [{"type": "ERROR", "object": {"code": 410}}]
    api, sink = ScriptedApi(page(), page(version="101"), watches=[expired]), Received()
    timer = ManualTimer()
    async with _running(api, sink, timer):
        await _until_quiet(api, 4)
    assert sink.names == ["Reachability", "Listed", "Listed"]
    assert timer.slept == [delay_seconds("prod", NODE, 1)]


async def test_a_short_empty_watch_is_a_failure_and_a_long_one_is_not() -> None:
    """A server that ends watches at once is asked ever more slowly."""
    watched: list[Script] = [[], [], []]
    api, sink = ScriptedApi(*[page() for _ in range(4)], watches=watched), Received()
    timer = ManualTimer()
    async with _running(api, sink, timer):
        await _until_quiet(api, 8)
    assert timer.slept == [delay_seconds("prod", NODE, failures) for failures in (1, 2, 3)]


async def test_what_the_sink_raises_ends_the_watch() -> None:
    """A fenced writer must stop: the sink's error is not swallowed."""

    async def sink(observations: tuple[Observation, ...]) -> None:
        raise RuntimeError("fenced")

    watch = ClusterWatch(ScriptedApi(page()), sink, kinds=(NODE,), timer=ManualTimer())
    with pytest.raises(ExceptionGroup) as error:
        await watch.run()
    assert error.group_contains(RuntimeError, match="fenced")


async def test_known_versions_are_held_against_first_lists() -> None:
    """A cluster that was rolled back while nobody watched is found out at the start."""
    api, sink = ScriptedApi(page(version="50"), page(version="50")), Received()
    async with _running(
        api, sink, ManualTimer(), known_objects={"Node": {"uid-n": KnownVersion(100)}}
    ):
        await _until_quiet(api, 3)
    assert any(isinstance(one, RolledBack) for one in sink.observations)


async def test_an_object_that_went_back_is_found_out() -> None:
    """A newer list that shows an object as it was before is of another past."""
    node = {"metadata": {"name": "n", "uid": "uid-n", "resourceVersion": "50"}}
    api, sink = ScriptedApi(page(node, version="120")), Received()
    async with _running(
        api, sink, ManualTimer(), known_objects={"Node": {"uid-n": KnownVersion(90)}}
    ):
        await _until_quiet(api, 2)
    assert any(isinstance(one, RolledBack) for one in sink.observations)


async def test_an_object_that_had_ended_is_found_out() -> None:
    """A list that holds what had gone is of another past, whatever was written onto it since."""
    node = {"metadata": {"name": "n", "uid": "uid-n", "resourceVersion": "110"}}
    api, sink = ScriptedApi(page(node, version="120")), Received()
    ended = {"Node": {"uid-n": KnownVersion(90, ended=True)}}
    async with _running(api, sink, ManualTimer(), known_objects=ended):
        await _until_quiet(api, 2)
    assert any(isinstance(one, RolledBack) for one in sink.observations)


def test_delays_double_are_jittered_and_bounded() -> None:
    """Each failure waits longer, never above 30 s, kinds apart, and the same in each run."""
    delays = [delay_seconds("prod", NODE, failures) for failures in range(1, 40)]
    assert all(0.25 <= delay <= 30 for delay in delays)
    assert delays[0] < 0.51
    assert delays[-1] >= 15
    assert delay_seconds("prod", NODE, 5) != delay_seconds("prod", JOB, 5)
    assert delays == [delay_seconds("prod", NODE, failures) for failures in range(1, 40)]
