"""Effecting: carries out logged intents, a few at a time, and reports what became of them.

An intent without a sure outcome is looked up until there is one.
"""

import asyncio
from collections.abc import Awaitable, Callable

from adapters.kubernetes.acting import Performed, look_up, perform
from adapters.kubernetes.timing import Timer
from adapters.kubernetes.vaults import Tokens
from adapters.ports import Api
from adapters.running.limits import Limits
from machines.deciding import is_as_intended
from machines.intents import Effect
from machines.observations import Absent, Answered, Observation, Unknown

Wanted = Callable[[int], bool]
Sink = Callable[[tuple[Observation, ...]], Awaitable[None]]

LONGEST_LOOK_UP_SECONDS = 30.0


class Effector:
    """Carries out effects of one cluster."""

    def __init__(
        self,
        api: Api,
        sink: Sink,
        timer: Timer,
        wanted: Wanted,
        limits: Limits,
        tokens: Tokens | None = None,
    ) -> None:
        """Report to `sink`.

        `wanted` is asked of an intent's seq when its turn has come; `tokens` gives what Secrets
        are written with.
        """
        self._api = api
        self._sink = sink
        self._timer = timer
        self._wanted = wanted
        self._tokens = tokens
        self._timeout_seconds = limits.timeout_seconds
        self._concurrency = limits.effects
        self._queue: asyncio.Queue[tuple[Effect, bool]] = asyncio.Queue()

    def perform(self, effect: Effect) -> None:
        """Carry out `effect` when its turn comes."""
        self._queue.put_nowait((effect, False))

    def look_up(self, effect: Effect) -> None:
        """Find out whether `effect` landed, when its turn comes."""
        self._queue.put_nowait((effect, True))

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as workers:
            for _ in range(self._concurrency):
                workers.create_task(self._work(workers))

    async def _work(self, workers: asyncio.TaskGroup) -> None:
        while True:
            effect, landed_unknown = await self._queue.get()
            sendable = self._wanted(effect.seq) and is_as_intended(effect)
            if not landed_unknown and not sendable:
                # Not wanted any more, or not to be rebuilt: it did not happen. Decide anew.
                await self._sink((Answered(effect.seq, Absent()),))
                continue
            if landed_unknown:
                done = await look_up(effect, self._api, timeout_seconds=self._timeout_seconds)
            else:
                done = await perform(
                    effect, self._api, timeout_seconds=self._timeout_seconds, tokens=self._tokens
                )
            await self._report(effect, done)
            if isinstance(done.answer, Unknown):
                workers.create_task(self._look_up_later(effect))

    async def _report(self, effect: Effect, done: Performed) -> None:
        await self._sink((*done.observations, Answered(effect.seq, done.answer)))

    async def _look_up_later(self, effect: Effect) -> None:
        """Look up outside the workers' queue, so that a dead cluster does not fill it."""
        wait_seconds = 1.0
        while True:
            await self._timer.sleep(wait_seconds)
            found = await look_up(effect, self._api, timeout_seconds=self._timeout_seconds)
            if not isinstance(found.answer, Unknown):
                await self._report(effect, found)
                return
            wait_seconds = min(wait_seconds * 2, LONGEST_LOOK_UP_SECONDS)
