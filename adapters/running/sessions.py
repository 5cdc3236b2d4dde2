"""Sessions: all that runs for one cluster, with its own tasks, time-outs and back-off.

A session that hangs, refuses or answers from the past waits by itself. What it observed, or does,
once it was closed is nobody's concern any more.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple

from adapters.kubernetes.kinds import WATCHED, Kind
from adapters.kubernetes.timing import Timer
from adapters.kubernetes.watching import ClusterWatch, WatchSettings
from adapters.ports import Api
from adapters.running.asking import Asker
from adapters.running.effecting import Effector
from adapters.running.following import Follower
from adapters.running.settling import Settler, SettlingBook
from machines.deciding import effect_of
from machines.ingesting import known_versions
from machines.intents import CacheIntent, Effect
from machines.observations import Observation
from machines.states import State

Sink = Callable[[tuple[Observation, ...]], Awaitable[None]]


class Limits(NamedTuple):
    """How much at once, and how long to wait."""

    timeout_seconds: float = 10.0
    effects: int = 32
    statuses: int = 8


class Surroundings(NamedTuple):
    """What every session has of the controller."""

    sink: Sink
    look: Callable[[], tuple[State, int]]  # the newest state, and the instant (UTC nanoseconds)
    wanted: Callable[[int], bool]  # whether an open intent is wanted now
    settling: SettlingBook
    timer: Timer
    limits: Limits = Limits()


class ClusterSession:
    """One cluster for as long as one way into it holds."""

    def __init__(self, api: Api, around: Surroundings, kinds: Iterable[Kind] = WATCHED) -> None:
        """Prepare; `run` begins. What is open for the cluster has to be looked up first."""
        self.api = api
        self._around = around
        self._closed = False
        state, seconds = around.look()[0], around.limits.timeout_seconds
        self._uncertain = [
            seq for seq, opened in state.open.items() if opened.cluster == api.cluster
        ]
        self.watch = ClusterWatch(
            api, self._observe, kinds=kinds, known_objects=known_versions(state, api.cluster),
            settings=WatchSettings(), timer=around.timer,
        )  # fmt: skip
        self._effector = Effector(
            api, self._observe, around.timer, around.wanted,
            timeout_seconds=seconds, concurrency=around.limits.effects,
        )  # fmt: skip
        self._asker = Asker(api, self._observe, around.timer, around.look, seconds)
        self._follower = Follower(api, self._observe, around.look, seconds)
        self._settler = Settler(
            api, around.settling, self._observe, lambda: around.look()[1], seconds
        )

    async def run(self) -> None:
        """Work until cancelled, and observe nothing any more then."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.watch.run(), name="watch")
                tasks.create_task(self._effector.run(), name="effects")
                tasks.create_task(self._asker.run(), name="questions")
                tasks.create_task(self._follower.run(), name="unwatched Pods")
                tasks.create_task(self._settler.run(), name="absences")
        finally:
            self.close()

    def close(self) -> None:
        """Let nothing in any more: what comes is of a past that may not be true."""
        self._closed = True

    def perform(self, effect: Effect) -> None:
        """Carry out what was decided, when its turn comes."""
        self._effector.perform(effect)

    def wake(self, state: State) -> None:
        """Say that the state has changed."""
        self._asker.wake(state)
        self._follower.wake(state)
        self._settler.wake()
        waiting = []
        for seq in self._uncertain:
            if seq in state.open and may_look_up(state, seq):
                self._effector.look_up(effect_of(state, seq))
            elif seq in state.open:
                waiting.append(seq)
        self._uncertain = waiting

    async def _observe(self, observations: tuple[Observation, ...]) -> None:
        if not self._closed:
            await self._around.sink(observations)


def may_look_up(state: State, seq: int) -> bool:
    """Say whether what was open before may be looked up now.

    That of a ModelWarmup waits until its cluster was listed: what is decided next needs that.
    """
    opened = state.open[seq]
    cluster = state.clusters.get(opened.cluster)
    listed = cluster is not None and cluster.is_synced
    return listed or isinstance(opened.intent, CacheIntent)
