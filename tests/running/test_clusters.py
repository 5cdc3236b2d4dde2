"""Many clusters in one controller: each has a session that delays, fails and ends by itself."""

import asyncio

import pytest

from adapters.http.serving import Mark
from adapters.kubernetes.kinds import CLAIM, WORKLOAD_KINDS, list_request
from adapters.kubernetes.vaults import SecretVault
from adapters.ports import Api, Request, Response
from adapters.running.cache_asking import QuestionBoard
from adapters.running.health import ControllerHealth
from adapters.running.limits import Limits
from adapters.running.sessions import ClusterSession, Means, Surroundings
from adapters.running.settling import SettlingBook
from adapters.simulator.answers import failure
from adapters.simulator.clock import SECOND
from adapters.simulator.connecting import NamedApi, connector
from adapters.simulator.faults import Loss, every
from adapters.store.memory_logs import MemoryLog
from machines.caches.child_names import claim_name, workload_namespace
from machines.domain import WARMLOG
from machines.observations import Observation
from tests.running.clusters import (
    CACHE,
    entries,
    home_world,
    other_world,
    phases,
    point,
    reachable,
    serve,
    settled,
    three_worlds,
)
from tests.running.fakes import StubbornLog
from tests.running.living import check, living
from tests.running.virtual import LoopTimer, in_world

WORKLOADS = workload_namespace("default", "")
NAME = claim_name("default", CACHE)
BOTH = {"east": "Ready", "west": "Ready"}


def test_a_model_is_staged_to_every_cluster() -> None:
    """Home and two others each get the claim and the Job, and the log holds the facts of all."""
    home, others = three_worlds()
    serve(home, "home")
    home.make_cache("default", CACHE)
    ready = dict.fromkeys(("east", "home", "west"), "Ready")

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: phases(home) == ready, seconds=120)
            for world in (home, *others.values()):
                assert world.find("PersistentVolumeClaim", WORKLOADS, NAME)
            assert {row.cluster for row in life.log.rows} == {"", "sim", "ic/east", "ic/west"}
            await settled(life)
            assert [reachable(home, name)[0] for name in ready] == ["True"] * 3
            await check(life)

    in_world(home, story, [*others.values()])


def staging_seconds(*, hangs: bool) -> float:
    """How long it takes until a model is staged to west, while east hangs or does not."""
    home, others = three_worlds()

    async def story() -> float:
        async with living(home, others=others, limits=Limits(effects=1)) as life:
            await life.until(lambda: reachable(home, "west")[0] == "True")
            await life.until(lambda: reachable(home, "east")[0] == "True")
            life.remotes["ic/east"][0].seconds = 10_000 if hangs else 0
            begun = home.cluster.now
            home.make_cache("default", CACHE)
            await life.until(lambda: phases(home).get("west") == "Ready", seconds=120)
            assert phases(home)["east"] == "Pending" or not hangs
            return (home.cluster.now - begun) / SECOND

    return in_world(home, story, [*others.values()])


def test_one_that_hangs_delays_nobody() -> None:
    """While one cluster lets every request hang, another is served as if it were alone. [C80]"""
    assert abs(staging_seconds(hangs=True) - staging_seconds(hangs=False)) < 0.5


def test_one_that_refuses_delays_nobody() -> None:
    """A cluster that forbids everything is said to, and another is served. [C80]"""
    home, others = three_worlds()
    home.make_cache("default", CACHE)
    no = failure(403, "Forbidden", "warmlog may not", {})
    others["east"].api.faults.add(every(), no, times=100_000)

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: phases(home).get("west") == "Ready", seconds=120)
            await settled(life)
            assert phases(home)["east"] == "Pending"
            assert "warmlog may not" in reachable(home, "east")[1]
            assert "warmlog may not" in entries(home)["east"]["message"]
            others["east"].api.faults.clear()
            await life.until(lambda: phases(home)["east"] == "Ready", seconds=120)
            await settled(life)

    in_world(home, story, [*others.values()])


def test_one_that_answers_from_the_past_withdraws_nothing() -> None:
    """A cluster that lists its claims once as they were before keeps what it has. [C80]"""
    home, others = three_worlds()
    stale = others["east"].api.answer(list_request(CLAIM))
    home.make_cache("default", CACHE)

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: phases(home) == BOTH, seconds=120)
            others["east"].api.faults.add(every("GET", "/persistentvolumeclaims"), stale)
            others["east"].api.cut_watches()
            home.make_cache("default", "second")
            await life.until(lambda: phases(home, "second") == BOTH, seconds=120)
            assert others["east"].api.faults.befalling(list_request(CLAIM)) is None
            gone = [row.subject for row in life.log.rows if row.type == "Gone"]
            assert not [subject for subject in gone if "PersistentVolumeClaim" in subject]
            assert phases(home) == BOTH

    in_world(home, story, [*others.values()])


def test_one_that_is_down_at_the_start_needs_no_restart() -> None:
    """A cluster that does not answer is said to; once it does, the model is staged there."""
    home, others = three_worlds()
    home.make_cache("default", CACHE)
    others["east"].lose_api("no route to host")

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: phases(home).get("west") == "Ready", seconds=120)
            await life.until(lambda: "no route to host" in reachable(home, "east")[1])
            assert phases(home)["east"] == "Pending"
            assert "no route to host" in entries(home)["east"]["message"]
            health = ControllerHealth(None)
            health.controller = life.controller
            assert [check for check in health.ready() if check.mark is Mark.FAIL] == []
            assert any("of ic/east" in check.name for check in health.ready() if check.words)
            others["east"].regain_api()
            await life.until(lambda: phases(home)["east"] == "Ready", seconds=120)
            await settled(life)

    in_world(home, story, [*others.values()])


def test_a_partition_changes_words_and_nothing_else() -> None:
    """A Ready entry of a cluster that falls silent keeps phase and mount, and says so."""
    home, others = three_worlds()
    home.make_cache("default", CACHE)

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: phases(home) == BOTH, seconds=120)
            await settled(life)
            before = entries(home)
            others["east"].lose_api("no route to host")
            await life.until(lambda: "no route to host" in entries(home)["east"].get("message", ""))
            after = entries(home)
            assert after["west"] == before["west"]
            del after["east"]["message"]
            assert after["east"].items() <= before["east"].items()
            assert reachable(home, "east")[0] == "False"
            others["east"].regain_api()
            await life.until(lambda: entries(home) == before, seconds=120)
            await life.until(lambda: reachable(home, "east")[0] == "True")
            await settled(life)

    in_world(home, story, [*others.values()])


def test_a_cluster_goes_and_comes_back() -> None:
    """A cluster that is not served any more is let go of, and one of its name begins anew."""
    home, others = three_worlds()
    home.make_cache("default", CACHE)

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: phases(home) == BOTH, seconds=120)
            home.delete_inference_cluster("east")
            await life.until(lambda: "ic/east" not in life.controller.keeper.sessions)
            asked = len(life.remotes["ic/east"][0].requests)
            await life.until(lambda: set(phases(home)) == {"west"}, seconds=120)
            assert "ic/east" not in life.state.clusters
            await asyncio.sleep(60)
            assert len(life.remotes["ic/east"][0].requests) == asked
            serve(home, "east", "east")
            await life.until(lambda: phases(home) == BOTH, seconds=120)
            await settled(life)

    in_world(home, story, [*others.values()])


def test_a_restart_finds_what_was_under_way_on_another_cluster() -> None:
    """An effect whose answer is lost in a crash is looked up in the next life, and done once."""
    home, others = three_worlds()
    home.make_cache("default", CACHE)
    log = StubbornLog(MemoryLog("log"))

    async def story() -> None:
        async with living(home, log, others=others) as first:
            await first.until(lambda: reachable(home, "east")[0] == "True")
            others["east"].api.faults.add(every("POST", "/jobs"), Loss.REPLY, times=1)
            await first.until(lambda: others["east"].listed("Job"), seconds=120)
        async with living(home, log, others=others) as second:
            await second.until(lambda: phases(home).get("east") == "Ready", seconds=120)
            await settled(second)
            creates = [one for one in second.remotes["ic/east"][0].writes if one.method == "POST"]
            assert not [one for one in creates if one.path.endswith("/jobs")]
            await check(second)

    in_world(home, story, [*others.values()])


def test_a_cluster_that_goes_leaves_nothing_under_way() -> None:
    """What was sent to a cluster that is not served any more is waited for by nobody."""
    home, others = three_worlds()

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: reachable(home, "west")[0] == "True")
            await life.until(lambda: reachable(home, "east")[0] == "True")
            life.remotes["ic/east"][0].seconds = 10_000
            home.make_cache("default", CACHE)
            await life.until(
                lambda: {one.cluster for one in life.state.open.values()} == {"ic/east"}
            )
            await asyncio.sleep(5)
            home.delete_inference_cluster("east")
            await life.until(lambda: phases(home) == {"west": "Ready"}, seconds=120)
            await settled(life)
            home.delete_cache("default", CACHE)
            await life.until(lambda: not home.find("ModelCache", "default", CACHE), seconds=120)
            await settled(life)

    in_world(home, story, [*others.values()])


class Faulty(NamedApi):
    """An API on which warmlog itself fails, as long as it is told to."""

    is_faulty = True

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Answer, or raise what nobody expects."""
        if self.is_faulty:
            raise LookupError("nobody expects this")
        return await super().send(request, timeout_seconds=timeout_seconds)


def test_a_fault_of_our_own_stops_the_work_on_one_cluster_alone() -> None:
    """A session that breaks off is begun again, its cluster says so, and others are served."""
    home, others = three_worlds()
    home.make_cache("default", CACHE)
    faulty, known = Faulty(others["east"].api, "ic/east"), connector(others)

    async def connect(cluster: str, kubeconfig: str) -> Api:
        return faulty if cluster == "ic/east" else await known(cluster, kubeconfig)

    async def story() -> None:
        async with living(home, connect=connect) as life:
            await life.until(lambda: phases(home).get("west") == "Ready", seconds=120)
            assert "LookupError" in reachable(home, "east")[1]
            assert "LookupError" in life.controller.keeper.troubles["ic/east"]
            faulty.is_faulty = False
            await life.until(lambda: phases(home) == BOTH, seconds=120)
            assert life.controller.keeper.troubles == {}
            await settled(life)

    in_world(home, story, [*others.values()])


def test_a_connection_that_takes_long_is_used_at_once() -> None:
    """However quiet everything else is by then, what is wanted of the cluster is watched."""
    home, others = home_world("n1"), {"east": other_world(8)}
    serve(home, "east", "east")
    known = connector(others)

    async def connect(cluster: str, kubeconfig: str) -> Api:
        await asyncio.sleep(1000)
        return await known(cluster, kubeconfig)

    async def story() -> None:
        async with living(home, connect=connect) as life:
            begun = home.cluster.now
            await life.until(lambda: reachable(home, "east")[0] == "True", seconds=1100)
            assert (home.cluster.now - begun) / SECOND < 1003
            await settled(life)

    in_world(home, story, [*others.values()])


@pytest.mark.parametrize("closes", [False, True])
async def test_nothing_is_observed_of_a_session_that_is_closed(*, closes: bool) -> None:
    """What a closed session still hears is of a past that may not be true: nobody is told."""
    told: list[Observation] = []

    async def sink(observations: tuple[Observation, ...]) -> None:
        told.extend(observations)

    world, state = other_world(8), WARMLOG.initial("log")
    means = Means(lambda: 0, LoopTimer(), SecretVault(b"key"), connector({}))
    tokens = means.vault.tokens("sim")
    around = Surroundings(
        means, sink, lambda: (state, 0), lambda _: True, SettlingBook(), QuestionBoard(), tokens
    )
    session = ClusterSession(NamedApi(world.api, "ic/east"), around)
    session.follow(WORKLOAD_KINDS, state)
    if closes:
        session.close()
    running = asyncio.create_task(session.run())
    for _ in range(50):
        await asyncio.sleep(0)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert bool(told) is not closes


def test_what_went_out_of_the_way_is_noticed() -> None:
    """Somebody's claim under the wanted name is named, and once it is gone the model is staged."""
    home = home_world("n1")
    serve(home, "home")
    home.add_namespace(WORKLOADS)
    home.add_claim(WORKLOADS, NAME)
    home.make_cache("default", CACHE)

    async def story() -> None:
        async with living(home) as life:
            await life.until(lambda: "belongs to" in str(entries(home)))
            await asyncio.sleep(200)
            reads = [one for one in life.api.requests if one.path.endswith(f"claims/{NAME}")]
            assert len(reads) < 15
            home.delete_claim(WORKLOADS, NAME)
            await life.until(lambda: phases(home) == {"home": "Ready"}, seconds=120)
            await settled(life)

    in_world(home, story)


def test_other_words_of_a_silence_are_told() -> None:
    """Why a cluster does not answer is told anew: at once for another kubeconfig, else in time."""
    home, others = three_worlds()
    others["east"].lose_api("refused")

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: "refused" in reachable(home, "east")[1])
            others["east"].lose_api("no route")
            await life.until(lambda: "no route" in reachable(home, "east")[1], seconds=100)
            point(home, "east", "nowhere")
            await life.until(lambda: "names no simulated" in reachable(home, "east")[1], seconds=5)
            await settled(life)

    in_world(home, story, [*others.values()])
