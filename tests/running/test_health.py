"""Health: each check and each figure, in words that say what to do."""

import asyncio
from pathlib import Path

import pytest

from adapters.http.serving import Check, Mark
from adapters.kubernetes.vaults import SecretVault
from adapters.running.controller import Controller
from adapters.running.health import ControllerHealth, used_share
from adapters.running.logs_opening import RETRY_SECONDS, begin_patiently, open_patiently
from adapters.running.sessions import Means
from adapters.running.writing import open_writer
from adapters.simulator.answers import forbidden
from adapters.simulator.connecting import connector
from adapters.simulator.faults import every, internal_error
from adapters.simulator.resources import JOB
from adapters.store.memory_logs import MemoryLog
from engine.errors import LogUnavailable
from engine.replaying import Replayed, replay
from machines.domain import WARMLOG
from machines.states import WARMUP_KINDS, State
from tests.running.fakes import WRITER, StubbornLog, WatchedApi
from tests.running.living import Life, living
from tests.running.stories import NOON, manifest, pool_world
from tests.running.virtual import LoopTimer, in_world


class Given(Exception):
    """Ends a test that would wait for ever."""


class CountingTimer(LoopTimer):
    """Time in which one waits so many times, and no more."""

    def __init__(self, times: int) -> None:
        """Let so many waits pass."""
        self.slept: list[float] = []
        self._times = times

    async def sleep(self, seconds: float) -> None:
        """Wait no time at all."""
        if len(self.slept) == self._times:
            raise Given
        self.slept.append(seconds)


def marks(health: ControllerHealth) -> dict[str, Mark]:
    """How each check came out."""
    return {check.name: check.mark for check in health.ready()}


def check_of(health: ControllerHealth, name: str) -> Check:
    """One check."""
    return next(check for check in health.ready() if check.name == name)


def health_of(life: Life) -> ControllerHealth:
    """The health of a life."""
    health = ControllerHealth(None)
    health.controller = life.controller
    return health


def test_before_it_runs_it_says_what_it_waits_for() -> None:
    """Without a controller it is alive, not ready, and has no figures."""
    health = ControllerHealth(None)
    assert health.live() == [Check("process", Mark.OK)]
    assert health.ready()[-1] == Check("controller", Mark.FAIL, "not running yet: it starts")
    health.waiting_for = "the lease warmlog-system/warmlog"
    assert health.ready()[-1].words == "not running yet: the lease warmlog-system/warmlog"
    assert health.figures() == {}


@pytest.mark.parametrize(("share", "mark"), [(0.0, Mark.OK), (0.79, Mark.OK), (0.8, Mark.WARN)])
def test_a_full_volume_warns(tmp_path: Path, share: float, mark: Mark) -> None:
    """From 80 % on the volume of a log file is told, with what to do; it makes nothing unready."""
    check = ControllerHealth(tmp_path, lambda folder: share).ready()[0]
    assert check.mark is mark
    assert ("80% full: enlarge it" in check.words) == (mark is Mark.WARN)
    assert ControllerHealth(None, lambda folder: 1.0).ready()[0].mark is Mark.OK


def test_the_volume_is_measured(tmp_path: Path) -> None:
    """A folder's volume is used to some share; what is not there cannot be told."""
    assert 0 < used_share(tmp_path) <= 1
    assert used_share(tmp_path / "none") == 0


def test_the_lease_is_a_check() -> None:
    """Who waits for the lease is not ready, and says who holds it."""
    health = ControllerHealth(None)
    assert marks(health)["lease"] is Mark.OK
    health.lease_words = lambda: "waits for the lease: it is held by other"
    assert check_of(health, "lease") == Check("lease", Mark.FAIL, health.lease_words())


def test_a_controller_at_rest_is_ready_and_has_nothing_under_way() -> None:
    """After a warmup every check is well, and the figures that tell of work are 0."""
    world = pool_world("n1", "n2")
    world.apply(manifest())

    async def story() -> None:
        async with living(world) as life:
            health = health_of(life)
            before = health.figures()
            assert before["unsent rows"] == 0
            assert set(marks(health)) >= {f"watch {kind}" for kind in WARMUP_KINDS}
            assert marks(health)["watch Job"] is Mark.FAIL
            assert check_of(health, "watch Job").words == "not listed yet"
            life.api.seconds = 0.5
            await life.until(lambda: health.figures()["open intents"] == 2, seconds=5)
            await life.ended()
            await asyncio.sleep(1)
            assert {name for name, mark in marks(health).items() if mark is not Mark.OK} == {
                "ModelCaches"  # their definitions are not installed here
            }
            figures = dict(health.figures())
            assert figures.pop("position") == len(life.log.rows)
            assert figures.pop("epoch") == 1
            assert set(figures.values()) == {0}

    in_world(world, story)


def test_each_trouble_is_told() -> None:
    """A store, a watch, a CRD and a status that do not work have each a check with words."""
    world = pool_world("n1")
    world.api.faults.add(every("PATCH", "/status"), internal_error(), times=1000)

    async def story() -> None:
        async with living(world) as life:
            health = health_of(life)
            await life.until(lambda: life.controller.synced)
            uid = world.apply(manifest())["metadata"]["uid"]
            await asyncio.sleep(20)
            status = check_of(health, f"status {uid}")
            assert (status.mark, "etcdserver" in status.words) == (Mark.WARN, True)
            assert health.figures()["unsent statuses"] == 1
            health.crd_words["ModelWarmup"] = "It lacks status.x."
            health.crd_words |= {"InferenceCluster": "", "ModelCache": "It lacks status.y."}
            words = "It lacks status.y. It lacks status.x."
            assert check_of(health, "CRD") == Check("CRD", Mark.WARN, words)

            refusal = forbidden(JOB, "", "no").response
            world.api.faults.add(every("GET", "/jobs"), refusal, times=1000)
            world.cluster.compact()
            world.api.cut_watches()
            await asyncio.sleep(20)
            watch = check_of(health, "watch Job")
            assert watch.mark is Mark.FAIL
            assert "kubectl apply -k deploy/" in watch.words

            life.log.trouble = LogUnavailable("the database is locked")
            world.add_node("n2", pool="gpu")
            await asyncio.sleep(5)
            assert check_of(health, "log") == Check("log", Mark.FAIL, "the database is locked")
            assert health.figures()["unsent rows"] > 0

    in_world(world, story)


async def test_a_server_that_does_not_answer_is_waited_for() -> None:
    """Opening goes on trying, and health says what it waits for."""
    pytest.importorskip("asyncpg")
    health, timer = ControllerHealth(None), CountingTimer(2)
    with pytest.raises(Given):
        await open_patiently("postgresql://nobody@127.0.0.1:1/none", health, timer)
    assert timer.slept == [RETRY_SECONDS] * 2
    assert "127.0.0.1" in health.waiting_for


async def test_a_session_begins_once_the_store_is_back() -> None:
    """A store that goes away while the log is folded is tried again, and then it begins."""
    log = StubbornLog(MemoryLog("log"))
    health, timer = ControllerHealth(None), CountingTimer(9)

    async def fold() -> Replayed[State]:
        if len(timer.slept) < 3:
            raise LogUnavailable("the server has gone away")
        return await replay(WARMLOG, log)

    writer = await begin_patiently(
        log, WRITER, health, clock=lambda: NOON, fold_all=fold, timer=timer
    )
    assert writer.cursor.position == len(log.rows)
    assert len(timer.slept) == 3
    assert health.waiting_for == "the server has gone away"


async def test_figures_before_anything_happened() -> None:
    """A controller that has only begun stands at its session's row."""
    world = pool_world("n1")
    writer = await open_writer(MemoryLog("log"), WRITER, NOON)
    health = ControllerHealth(None)
    means = Means(lambda: NOON, LoopTimer(), SecretVault(b"key"), connector({}))
    health.controller = Controller(writer, WatchedApi(world.api), means)
    figures = dict(health.figures())
    assert (figures.pop("position"), figures.pop("epoch")) == (1, 1)
    assert set(figures.values()) == {0}
