"""Demo stories that a controller plays on simulated clusters while a recorder looks on."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from adapters.cli.demo_cache_worlds import WEST, CacheDemoSettings, build_cache_worlds
from adapters.cli.demo_replica_worlds import ReplicaDemoSettings, build_replica_world
from adapters.cli.demo_worlds import DemoSettings, build_world
from adapters.kubernetes.vaults import SecretVault
from adapters.ports import Api, Request, Response
from adapters.recording.reading_only import ReadOnlyApi
from adapters.recording.recorder import Recorder
from adapters.recording.witnesses import WITNESSING
from adapters.running.sessions import Means
from adapters.running.writing import Identity, Writer, open_writer
from adapters.simulator.connecting import connector
from adapters.simulator.worlds import World
from adapters.store.memory_logs import MemoryLog
from engine.events import Event
from machines.caches.settings import CachingSettings
from machines.domain import WARMLOG
from machines.recorders import RECORD
from machines.states import State
from tests.running.fakes import WRITER, StubbornLog
from tests.running.living import Life, living
from tests.running.virtual import LoopTimer, in_world

CONTROLLER = "controller"  # the id of its log


class Scene(NamedTuple):
    """Where a story plays, and how long until it is over."""

    home: World
    others: dict[str, World]
    caching: CachingSettings | None
    seconds: int


class Witnessed(NamedTuple):
    """What a story has left: two logs of it, and what the recorder asked."""

    controller_rows: list[Event]
    rows: list[Event]
    requests: list[Request]


class ScreenedApi:
    """An API server that refuses paths with certain ends, as to somebody without the rights."""

    def __init__(self, api: Api, screened: Sequence[str], requests: list[Request]) -> None:
        """Ask `api` for all else; every request is added to `requests`."""
        self._api = api
        self._screened = tuple(screened)
        self._requests = requests

    @property
    def cluster(self) -> str:
        """The name of the cluster."""
        return self._api.cluster

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Answer, or refuse."""
        self._requests.append(request)
        if request.path.endswith(self._screened):
            words = f"cannot list {request.path}: not allowed"
            status = {"kind": "Status", "code": 403, "message": words, "reason": "Forbidden"}
            return Response(403, status)
        return await self._api.send(request, timeout_seconds=timeout_seconds)

    def watch(self, request: Request, *, idle_seconds: float) -> AsyncIterator[dict[str, Any]]:
        """Watch."""
        self._requests.append(request)
        return self._api.watch(request, idle_seconds=idle_seconds)

    async def close(self) -> None:
        """Nothing is held."""


def scene(name: str, seed: int = 3) -> Scene:
    """Build one of the three demos."""
    if name == "warmups":
        return Scene(build_world(DemoSettings(8, seed, 0.3)).world, {}, None, 120)
    if name == "caches":
        settings = CacheDemoSettings(seed)
        demo = build_cache_worlds(settings)
        return Scene(demo.home, {WEST: demo.west}, settings.caching, 200)
    told = ReplicaDemoSettings(seed)
    stage = build_replica_world(told)
    return Scene(stage.home, dict(stage.others), told.caching, 200)


@asynccontextmanager
async def recording(
    scene: Scene, log: MemoryLog, requests: list[Request], screened: Sequence[str] = ()
) -> AsyncIterator[Recorder]:
    """Record a scene while the context lasts; `screened` are ends of paths that are refused."""

    async def connect(cluster: str, kubeconfig: str) -> Api:
        remote = await connector(scene.others)(cluster, kubeconfig)
        return ReadOnlyApi(ScreenedApi(remote, (), requests))

    async def stay(writer: Writer, _now: int) -> Writer:
        return writer

    world = scene.home
    identity = Identity("0.0.1", "c0de" * 16, "5e77" * 16, scene.caching, RECORD)
    writer = await open_writer(log, identity, world.cluster.now, domain=WITNESSING)
    # Under the key of the controller, whose rows are compared: digests of Secrets are keyed.
    vault = SecretVault(await MemoryLog(CONTROLLER).secret_key())
    means = Means(lambda: world.cluster.now, LoopTimer(), vault, connect)
    api = ReadOnlyApi(ScreenedApi(world.api, screened, requests))
    recorder = Recorder(writer, api, means, lambda _state, _rows: None, stay)
    task = asyncio.create_task(recorder.run())
    try:
        yield recorder
        assert not task.done(), task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until_synced(recorder: Recorder) -> None:
    """Let virtual time pass until home was listed, and some more."""
    for _ in range(100):
        await asyncio.sleep(0.1)
    assert recorder.synced


def witness(scene: Scene, screened: Sequence[str] = ()) -> Witnessed:
    """Let a controller play a story to its end, and a recorder look on from the beginning."""
    requests: list[Request] = []
    controllers, log = MemoryLog(CONTROLLER), MemoryLog("recording")

    async def play() -> None:
        identity = WRITER._replace(caching=scene.caching)
        life: Life
        async with (
            living(
                scene.home, StubbornLog(controllers), others=scene.others, identity=identity
            ) as life,
            recording(scene, log, requests, screened),
        ):
            await asyncio.sleep(scene.seconds)
            await life.until(lambda: not life.unsent and not life.state.open)
            await asyncio.sleep(5)

    in_world(scene.home, play, list(scene.others.values()))
    return Witnessed(controllers.rows, log.rows, requests)


def folded(rows: Sequence[Event]) -> State:
    """Fold rows, as `replay` does."""
    state = WARMLOG.initial("folded")
    for row in rows:
        state = WARMLOG.fold(state, row)
    return state


def statuses(state: State, *, without: Sequence[str] = ("warmlog",)) -> Mapping[str, Any]:
    """Give the statuses of a state by the objects that they are of, some fields left out."""
    return {
        str(one.subject): {key: one.status[key] for key in one.status if key not in without}
        for one in WARMLOG.project(state)
    }


def phases(state: State) -> Mapping[str, Any]:
    """Give what a state says in one word each: of phases, targets, entries and conditions."""
    return {name: _words(status) for name, status in statuses(state).items()}


def _words(status: dict[str, Any]) -> list[Any]:
    rows = ("conditions", "clusters", "targets")
    named = [row for field in rows for row in status.get(field) or ()]
    fields = ("type", "status", "reason", "name", "nodeName", "phase")
    counts = [status.get(field) for field in ("phase", "succeededNodes", "failedNodes")]
    return [*counts, *([row.get(field) for field in fields] for row in named)]
