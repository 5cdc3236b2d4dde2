"""Sessions: all that runs for one cluster, with its own tasks, time-outs and back-off.

A session that hangs, refuses or answers from the past waits by itself. What it observed, or does,
once it was closed is nobody's concern any more.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from adapters.kubernetes.discretion import DiscreetApi
from adapters.kubernetes.kinds import WATCHED, Kind
from adapters.kubernetes.timing import Timer
from adapters.kubernetes.vaults import SecretVault, Tokens
from adapters.kubernetes.watching import ClusterWatch, WatchSettings
from adapters.ports import Api, Connect
from adapters.running.asking import Asker
from adapters.running.cache_asking import CacheAsker, QuestionBoard
from adapters.running.effecting import Effector
from adapters.running.following import Follower
from adapters.running.limits import Limits
from adapters.running.settling import Settler, SettlingBook
from machines.deciding import effect_of
from machines.intents import Effect, ObjectIntent
from machines.observations import Observation
from machines.states import State
from machines.versions import known_versions

Sink = Callable[[tuple[Observation, ...]], Awaitable[None]]


class Means(NamedTuple):
    """What a controller is given to work with."""

    clock: Callable[[], int]  # UTC nanoseconds
    timer: Timer
    vault: SecretVault
    connect: Connect
    limits: Limits = Limits()


class Surroundings(NamedTuple):
    """What every session has of the controller."""

    means: Means
    sink: Sink
    look: Callable[[], tuple[State, int]]  # the newest state, and the instant
    wanted: Callable[[int], bool]  # whether an open intent is wanted now
    settling: SettlingBook
    questions: QuestionBoard
    tokens: Tokens  # of the Secrets that ModelCaches name


class ClusterSession:
    """One cluster for as long as one way into it holds."""

    def __init__(self, api: Api, around: Surroundings, *, is_home: bool = False) -> None:
        """Prepare; `run` begins. Home has ModelWarmups; what is secret stays in the vault."""
        means = around.means
        self.api: Api = DiscreetApi(api, means.vault)
        self.begun = False  # whether what was open before is looked up: now it takes effects
        self._around = around
        self._closed = False
        self._is_home = is_home
        self._kinds: tuple[Kind, ...] = WATCHED if is_home else ()
        self._uncertain: list[int] = []
        state, seconds = around.look()[0], means.limits.timeout_seconds
        self.watch = ClusterWatch(
            self.api, self._observe,
            kinds=self._kinds, known_objects=known_versions(state, api.cluster),
            settings=WatchSettings(), timer=means.timer,
        )  # fmt: skip
        self._effector = Effector(
            self.api, self._observe, means.timer, around.wanted, means.limits, around.tokens
        )
        self._asker = Asker(self.api, self._observe, means.timer, around.look, seconds)
        self._cache_asker = CacheAsker(
            self.api, around.questions, self._observe, around.look, seconds
        )
        self._follower = Follower(self.api, self._observe, around.look, seconds)
        self._settler = Settler(self.api, around.settling, self._observe, means.clock, seconds)

    async def run(self) -> None:
        """Work until cancelled, and observe nothing any more then."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.watch.run(), name="watch")
                tasks.create_task(self._effector.run(), name="effects")
                tasks.create_task(self._asker.run(), name="questions")
                tasks.create_task(self._cache_asker.run(), name="questions of caches")
                tasks.create_task(self._follower.run(), name="unwatched Pods")
                tasks.create_task(self._settler.run(), name="absences")
        finally:
            self.close()

    def close(self) -> None:
        """Let nothing in any more: what comes is of a past that may not be true."""
        self._closed = True

    def follow(self, kinds: tuple[Kind, ...], state: State) -> None:
        """Watch these kinds from now on, and no others; what they were in the state is known."""
        if kinds == self._kinds:
            return
        for kind in set(self._kinds) - set(kinds):
            self._around.means.vault.forget(self.api.cluster, *kind.scope)
        self._kinds = kinds
        cluster = state.clusters.get(self.api.cluster)
        known = known_versions(state, self.api.cluster)
        self.watch.follow(kinds, known, cluster.unread if cluster else None)

    def perform(self, effect: Effect) -> None:
        """Carry out what was decided, when its turn comes."""
        self._effector.perform(effect)

    def begin(self, state: State) -> None:
        """Take note of what is open: what became of it has to be looked up first."""
        cluster = self.api.cluster
        self._uncertain = [seq for seq, one in state.open.items() if one.cluster == cluster]
        self.begun = True

    def wake(self, state: State) -> None:
        """Say that the state has changed."""
        if not self.begun:
            self.begin(state)
        if self._is_home:
            self._asker.wake(state)
            self._follower.wake(state)
        self._cache_asker.wake(state)
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
    return listed or isinstance(opened.intent, ObjectIntent)
