"""LeaderWorkerSets that a real API server does not serve: told so, found later, and lost again."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from adapters.kubernetes.configuring import access_from_kubeconfig
from adapters.kubernetes.http_api import HttpApi
from adapters.kubernetes.kinds import GANG
from adapters.kubernetes.timing import SystemTimer
from adapters.kubernetes.watching import ClusterWatch
from adapters.ports import Request
from machines.observations import Listed, Observation, Seen, Unread
from tests.e2e import composing, lws
from tests.e2e.controlplane.running import ControlPlane

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

WORDS = "cluster ic/west does not serve leaderworkersets.leaderworkerset.x-k8s.io"
UNSERVED = Unread("ic/west", "LeaderWorkerSet", WORDS, served=False)
SERVED = Unread("ic/west", "LeaderWorkerSet", "")


class _Hasty(SystemTimer):
    """Waits a little, however long it should."""

    async def sleep(self, seconds: float) -> None:
        """Wait a little."""
        await super().sleep(min(seconds, 0.2))


class _Told:
    """A sink that keeps what it was given."""

    def __init__(self) -> None:
        self.all: list[Observation] = []
        self._more = asyncio.Condition()

    async def __call__(self, observations: tuple[Observation, ...]) -> None:
        async with self._more:
            self.all.extend(observations)
            self._more.notify_all()

    async def until(self, holds: Callable[[Observation], bool]) -> None:
        """Wait until something was told, and forget what came before and with it."""
        async with asyncio.timeout(60), self._more:
            await self._more.wait_for(lambda: any(map(holds, self.all)))
            index = next(index for index, one in enumerate(self.all) if holds(one))
            del self.all[: index + 1]


@asynccontextmanager
async def _watching(control_plane: ControlPlane) -> AsyncIterator[tuple[HttpApi, _Told]]:
    access = await access_from_kubeconfig(control_plane.kubeconfig_text(control_plane.admin_token))
    api, told = HttpApi("ic/west", access), _Told()
    task = asyncio.create_task(ClusterWatch(api, told, kinds=[GANG], timer=_Hasty()).run())
    try:
        yield api, told
        assert not task.done()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await api.close()
        await asyncio.sleep(0.25)  # a watch's connection is cut, and its TLS ends after that


def _shows_it(one: Observation) -> bool:
    """Whether the gang is there: in a watch, or in a list after one that its server broke off."""
    items = one.items if isinstance(one, Listed) else (one,)
    return any(isinstance(each, Seen) and each.subject.name == "come" for each in items)


async def test_gangs_are_noticed_when_they_come_and_when_they_go(
    control_plane: ControlPlane,
) -> None:
    """Said once each time, and never a crash."""
    lws.uninstall(control_plane)
    async with _watching(control_plane) as (api, told):
        await told.until(lambda one: one == UNSERVED)
        lws.install(control_plane)
        await told.until(lambda one: one == SERVED)
        await told.until(lambda one: isinstance(one, Listed) and one.items == ())
        gang = composing.gang("come")
        gang["metadata"]["namespace"] = "default"
        made = await api.send(
            Request("POST", lws.path_of("default"), body=gang), timeout_seconds=30
        )
        assert made.ok, made
        await told.until(_shows_it)
        lws.uninstall(control_plane)
        await told.until(lambda one: one == UNSERVED)
        lws.install(control_plane)
        await told.until(lambda one: one == SERVED)
