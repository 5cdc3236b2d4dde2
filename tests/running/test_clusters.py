"""Many clusters in one controller: each has a session that delays, fails and ends by itself."""

import asyncio

from adapters.http.serving import Mark
from adapters.kubernetes.kinds import CLAIM, list_request
from adapters.running.health import ControllerHealth
from adapters.running.limits import Limits
from adapters.simulator.answers import failure
from adapters.simulator.clock import SECOND
from adapters.simulator.faults import Loss, every
from adapters.simulator.worlds import World
from adapters.store.memory_logs import MemoryLog
from machines.caches.child_names import claim_name, workload_namespace
from tests.running.clusters import (
    CACHE,
    OWN,
    entries,
    home_world,
    install,
    other_world,
    phases,
    point,
    reachable,
    serve,
)
from tests.running.fakes import StubbornLog
from tests.running.living import Life, check, living
from tests.running.virtual import in_world

WORKLOADS = workload_namespace("default", "")
NAME = claim_name("default", CACHE)
BOTH = {"east": "Ready", "west": "Ready"}


def three() -> tuple[World, dict[str, World]]:
    """Home, and two clusters that it serves: east and west."""
    home, others = home_world("n1"), {"east": other_world(8), "west": other_world(9)}
    for name in others:
        serve(home, name, name)
    return home, others


async def settled(life: Life) -> None:
    """Wait until nothing is under way."""
    await life.until(lambda: not life.unsent and not life.state.open)


def test_a_model_is_staged_to_every_cluster() -> None:
    """Home and two others each get the claim and the Job, and the log holds the facts of all."""
    home, others = three()
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
    home, others = three()

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
    home, others = three()
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
            await check(life)

    in_world(home, story, [*others.values()])


def test_one_that_answers_from_the_past_withdraws_nothing() -> None:
    """A cluster that lists its claims once as they were before keeps what it has. [C80]"""
    home, others = three()
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
    home, others = three()
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
            await check(life)

    in_world(home, story, [*others.values()])


def test_a_partition_changes_words_and_nothing_else() -> None:
    """A Ready entry of a cluster that falls silent keeps phase and mount, and says so."""
    home, others = three()
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
            await check(life)

    in_world(home, story, [*others.values()])


def test_a_rotated_kubeconfig_gets_a_new_session() -> None:
    """What a Secret leads to now is what is talked to; the old connection ends."""
    home, others = three()
    home.make_cache("default", CACHE)
    others["new"] = other_world(10)

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: phases(home).get("east") == "Ready", seconds=120)
            point(home, "east", "new")
            await life.until(lambda: len(life.remotes["ic/east"]) == 2)
            old = life.remotes["ic/east"][0]
            asked = len(old.requests)
            await life.until(lambda: others["new"].find("PersistentVolumeClaim", WORKLOADS, NAME))
            await life.until(lambda: phases(home)["east"] == "Ready", seconds=300)
            assert len(old.requests) == asked
            assert phases(home)["west"] == "Ready"
            assert len(life.remotes["ic/west"]) == 1
            await settled(life)
            await check(life)

    in_world(home, story, [*others.values()])


def test_a_broken_kubeconfig_is_said_and_mended() -> None:
    """A kubeconfig that cannot be used is the cluster's condition, in words without a secret."""
    home, others = three()
    home.set_secret(OWN, "east-kubeconfig", {"kubeconfig": "swordfish"})
    home.make_cache("default", CACHE)

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: phases(home).get("west") == "Ready", seconds=120)
            await life.until(lambda: reachable(home, "east")[0] == "False")
            assert "names no simulated cluster" in reachable(home, "east")[1]
            assert phases(home)["east"] == "Pending"
            point(home, "east", "east")
            await life.until(lambda: phases(home)["east"] == "Ready", seconds=120)
            await settled(life)
            assert not any("swordfish" in row.data for row in life.log.rows)
            await check(life)

    in_world(home, story, [*others.values()])


def test_a_missing_kubeconfig_is_named() -> None:
    """Without its Secret a cluster says which one is missing, and begins once it is there."""
    home, others = three()
    home.delete_secret(OWN, "east-kubeconfig")

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: reachable(home, "west")[0] == "True")
            words = f"Secret {OWN}/east-kubeconfig with its kubeconfig does not exist"
            await life.until(lambda: reachable(home, "east") == ("False", words))
            assert "ic/east" not in life.remotes
            point(home, "east", "east")
            await life.until(lambda: reachable(home, "east")[0] == "True")
            home.delete_secret(OWN, "east-kubeconfig")
            await life.until(lambda: reachable(home, "east") == ("False", words))
            assert list(life.controller.keeper.sessions) == ["sim", "ic/west"]
            await settled(life)
            await check(life)

    in_world(home, story, [*others.values()])


def test_a_secret_that_may_not_be_read_is_unread() -> None:
    """Forbidden is not missing: the words of the server are told, and nothing is concluded."""
    home, others = three()
    no = failure(403, "Forbidden", "secrets is forbidden", {})
    home.api.faults.add(every("GET", f"/namespaces/{OWN}/secrets"), no, times=100_000)

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: "secrets is forbidden" in reachable(home, "east")[1])
            assert "does not exist" not in reachable(home, "east")[1]
            home.api.faults.clear()
            await life.until(lambda: reachable(home, "east")[0] == "True", seconds=120)
            await settled(life)
            await check(life)

    in_world(home, story, [*others.values()])


def test_a_cluster_goes_and_comes_back() -> None:
    """A cluster that is not served any more is let go of, and one of its name begins anew."""
    home, others = three()
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
            await check(life)

    in_world(home, story, [*others.values()])


def test_definitions_that_are_installed_later_need_no_restart() -> None:
    """Without the CRDs warmups go on, and one sentence says so; with them caches are served."""
    home = home_world("n1", definitions=False)

    async def story() -> None:
        async with living(home) as life:
            await life.until(lambda: life.controller.synced)
            await life.until(lambda: "modelcaches.modelplane.ai" in life.controller.caches_words)
            assert "ModelCache" not in {one.kind for one in life.controller.watch.health}
            install(home)
            serve(home, "home")
            home.make_cache("default", CACHE)
            await life.until(lambda: phases(home) == {"home": "Ready"}, seconds=120)
            assert life.controller.caches_words == ""
            await settled(life)
            await check(life)

    in_world(home, story)


def test_a_restart_finds_what_was_under_way_on_another_cluster() -> None:
    """An effect whose answer is lost in a crash is looked up in the next life, and done once."""
    home, others = three()
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
