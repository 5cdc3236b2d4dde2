"""The whole controller over a simulated cluster, on virtual time."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from adapters.kubernetes.announcing import Announcement
from adapters.kubernetes.vaults import SecretVault
from adapters.ports import Api, Connect
from adapters.running.announcing import Announcer
from adapters.running.announcing_caches import CacheAnnouncer
from adapters.running.announcing_replicas import ReplicaAnnouncer
from adapters.running.controller import Controller
from adapters.running.limits import Limits
from adapters.running.sessions import Means
from adapters.running.writing import Identity, open_writer
from adapters.simulator.connecting import connector
from adapters.simulator.worlds import World
from adapters.store.memory_logs import MemoryLog
from engine.canonical_json import dumps
from engine.events import Subject
from engine.verifying import verify
from machines.domain import WARMLOG
from machines.states import State
from tests.running.fakes import WRITER, StubbornLog, WatchedApi
from tests.running.virtual import LoopTimer


class Life(NamedTuple):
    """One session of the controller, and what it touches."""

    world: World
    log: StubbornLog
    api: WatchedApi
    controller: Controller
    news: list[Announcement]
    task: asyncio.Task[None]
    remotes: dict[str, list[WatchedApi]]  # what was connected to, by the cluster's name in the log

    @property
    def state(self) -> State:
        """The newest state."""
        return self.controller.writer.state

    @property
    def types(self) -> list[str]:
        """The types of the log's rows."""
        return [row.type for row in self.log.rows]

    @property
    def unsent(self) -> int:
        """How many statuses and conditions the server may not hold."""
        state, controller = self.controller.writer.state, self.controller
        return controller.book.unsent(state) + controller.conditions.unsent(state)

    async def until(self, holds: Callable[[], object], *, seconds: float = 600) -> None:
        """Let virtual time pass until something holds; it is a failure when it never does."""
        for _ in range(int(seconds * 10)):
            if holds():
                return
            assert not self.task.done(), "the controller has ended"
            await asyncio.sleep(0.1)
        raise AssertionError(f"it never came to that in {seconds} s: {self.types[-5:]}")

    async def ended(self, name: str = "warm") -> None:
        """Wait until a warmup has ended, on the server and in the log."""
        await self.until(lambda: phase(self.world, name) in {"Succeeded", "Degraded", "Failed"})
        await self.until(lambda: not self.unsent and not self.controller.writer.state.open)


@asynccontextmanager
async def living(
    world: World,
    log: StubbornLog | None = None,
    limits: Limits | None = None,
    others: Mapping[str, World] | None = None,
    connect: Connect | None = None,
    identity: Identity = WRITER,
) -> AsyncIterator[Life]:
    """Run a session while the context lasts, then cancel it, as a signal would.

    `others` are the clusters to which kubeconfigs of the world point; `connect` is another way to
    reach clusters.
    """
    log = log or StubbornLog(MemoryLog("log"))
    api = WatchedApi(world.api)
    writer = await open_writer(log, identity, world.cluster.now)
    state = writer.state
    announcers = Announcer(state), CacheAnnouncer(state), ReplicaAnnouncer(state)
    news: list[Announcement] = []
    remotes: dict[str, list[WatchedApi]] = {}
    connect = connect or connector(others or {})

    def tell(state: State) -> None:
        for announcer in announcers:
            news.extend(announcer.news(state))

    async def watched(cluster: str, kubeconfig: str) -> Api:
        remote = WatchedApi(await connect(cluster, kubeconfig))
        remotes.setdefault(cluster, []).append(remote)
        return remote

    vault = SecretVault(await log.secret_key())
    means = Means(lambda: world.cluster.now, LoopTimer(), vault, watched, limits or Limits())
    controller = Controller(writer, api, means, tell)
    task = asyncio.create_task(controller.run())
    try:
        yield Life(world, log, api, controller, news, task, remotes)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def phase(world: World, name: str = "warm") -> str:
    """The phase that the server holds."""
    found = world.find("ModelWarmup", "default", name) or {}
    return str(found.get("status", {}).get("phase", ""))


def status(world: World, name: str = "warm") -> Any:
    """The status that the server holds."""
    return world.must_find("ModelWarmup", "default", name)["status"]


def held(world: World, subject: Subject) -> Any:
    """What the server holds of a status that is ours: of a cluster, our one condition."""
    whole = world.must_find(subject.kind, subject.namespace, subject.name)["status"]
    if subject.kind != "InferenceCluster":
        return whole
    return {"conditions": [one for one in whole["conditions"] if one["type"] == "Reachable"]}


async def check(life: Life) -> None:
    """The replayed log gives the statuses of the server, and decides as it did."""
    state = WARMLOG.initial((await life.log.identify()).log_id)
    for row in life.log.rows:
        state = WARMLOG.fold(state, row)
    for projection in WARMLOG.project(state):
        assert dumps(projection.status) == dumps(held(life.world, projection.subject))
    assert [str(found) async for found in verify(WARMLOG, life.log)] == []
    assert [row.seq for row in life.log.rows] == list(range(1, len(life.log.rows) + 1))
