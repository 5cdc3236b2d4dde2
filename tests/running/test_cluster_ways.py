"""Ways into clusters: kubeconfigs that come, change and go, and definitions that come later."""

from adapters.running.cluster_books import Steps, WayBook
from adapters.simulator.answers import failure
from adapters.simulator.clock import SECOND
from adapters.simulator.driving import start
from adapters.simulator.faults import every
from adapters.store.memory_logs import MemoryLog
from engine.events import Draft
from machines.caches.child_names import claim_name, workload_namespace
from tests.running.clusters import (
    CACHE,
    OWN,
    home_world,
    install,
    other_world,
    phases,
    point,
    reachable,
    serve,
    settled,
    three_worlds,
)
from tests.running.fakes import WRITER
from tests.running.living import check, living
from tests.running.virtual import in_world

WORKLOADS = workload_namespace("default", "")
NAME = claim_name("default", CACHE)
BOTH = {"east": "Ready", "west": "Ready"}


def test_a_rotated_kubeconfig_gets_a_new_session() -> None:
    """What a Secret leads to now is what is talked to; the old connection ends."""
    home, others = three_worlds()
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

    in_world(home, story, [*others.values()])


def test_a_cluster_made_anew_at_once_is_read_anew() -> None:
    """An InferenceCluster that takes another's name and kubeconfig in one moment is served."""
    home, others = three_worlds()
    home.make_cache("default", CACHE)

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: phases(home) == BOTH, seconds=120)
            home.delete_inference_cluster("east")
            serve(home, "east", "east")
            await life.until(lambda: len(life.remotes["ic/east"]) == 2)
            await life.until(lambda: phases(home) == BOTH, seconds=120)
            await settled(life)
            assert reachable(home, "east")[0] == "True"

    in_world(home, story, [*others.values()])


async def test_a_cluster_that_goes_and_returns_in_one_moment_is_read_anew() -> None:
    """After a roll-back one batch may tell that an InferenceCluster is gone, and is there: what was
    known of its cluster is forgotten by then, so the session that had read it begins again.
    """
    home, others = three_worlds()
    driver = await start(home, MemoryLog("log"), WRITER, others=others)
    await driver.run(until_at=home.cluster.now + 10 * SECOND)
    state, book = driver.writer.state, WayBook()
    _, west = book.steps(state, ()).begun
    gone = Draft("sim", str(state.served["west"].subject), "Gone", 1, "{}").placed(99, 1, 0)
    assert book.steps(state, ()) == Steps((), ())
    assert book.steps(state, [gone]) == Steps((west.cluster,), (west,))
    del state.served["west"]
    assert book.steps(state, [gone]) == Steps((west.cluster,), ())
    assert book.steps(state, [gone]) == Steps((), ())


def test_a_broken_kubeconfig_is_said_and_mended() -> None:
    """A kubeconfig that cannot be used is the cluster's condition, in words without a secret."""
    home, others = three_worlds()
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
    home, others = three_worlds()
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

    in_world(home, story, [*others.values()])


def test_a_secret_that_may_not_be_read_is_unread() -> None:
    """Forbidden is not missing: the words of the server are told, and nothing is concluded."""
    home, others = three_worlds()
    no = failure(403, "Forbidden", "secrets is forbidden", {})
    home.api.faults.add(every("GET", f"/namespaces/{OWN}/secrets"), no, times=100_000)

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: "secrets is forbidden" in reachable(home, "east")[1])
            assert "does not exist" not in reachable(home, "east")[1]
            home.api.faults.clear()
            await life.until(lambda: reachable(home, "east")[0] == "True", seconds=120)
            await settled(life)

    in_world(home, story, [*others.values()])


def test_words_about_an_old_way_are_taken_back() -> None:
    """A new kubeconfig that may list what the old one may not leaves no complaint behind."""
    home, others = three_worlds()
    others["new"] = other_world(10)
    no = failure(403, "Forbidden", "warmlog may not", {})
    others["east"].api.faults.add(every("GET", "/persistentvolumeclaims"), no, times=100_000)

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: "warmlog may not" in reachable(home, "east")[1])
            point(home, "east", "new")
            await life.until(lambda: reachable(home, "east") == ("True", ""), seconds=60)
            assert life.state.clusters["ic/east"].unread == {}
            await settled(life)

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

    in_world(home, story)
