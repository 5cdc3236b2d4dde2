"""Following: reads the Pods that no watch shows, each Job's when its time has come.

When each was read last is kept here only: a restart reads anew, and what is no news makes no row.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator

from adapters.kubernetes.reading_pods import read_pods
from adapters.ports import Api
from adapters.running.schedules import Schedule, Standing
from adapters.running.waking import woken_or_due
from engine.events import Subject
from machines.following import followed
from machines.observations import Observation
from machines.states import State

Sink = Callable[[tuple[Observation, ...]], Awaitable[None]]


class FollowingBook:
    """Which Jobs' Pods are due, in one session over one cluster. Times are UTC nanoseconds."""

    def __init__(self, cluster: str) -> None:
        """Begin with nothing read."""
        self._cluster = cluster
        self._schedule = Schedule(first_seconds=0, then_seconds=1)

    def due(self, state: State, now: int) -> dict[str, list[Subject]]:
        """Give the Jobs to read now by namespace, and take them as read."""
        ready = self._schedule.take(self._standing(state), now)
        by_namespace: dict[str, list[Subject]] = {}
        for subject, _ in followed(state, self._cluster):
            if subject.uid in ready:
                by_namespace.setdefault(subject.namespace, []).append(subject)
        return by_namespace

    def next_due(self, state: State) -> int | None:
        """Give when the next read is due, or None."""
        return self._schedule.next_due(self._standing(state))

    def _standing(self, state: State) -> Iterator[Standing]:
        return ((one.subject.uid, one.since) for one in followed(state, self._cluster))


class Follower:
    """Reads while there are Pods to follow, and rests while there are none."""

    def __init__(
        self,
        api: Api,
        sink: Sink,
        look: Callable[[], tuple[State, int]],
        timeout_seconds: float,
    ) -> None:
        """Report to `sink`; `look` gives the newest state and the instant."""
        self._api = api
        self._sink = sink
        self._look = look
        self._timeout_seconds = timeout_seconds
        self._book = FollowingBook(api.cluster)
        self._woken = asyncio.Event()

    def wake(self, state: State) -> None:
        """Say that the state has changed."""
        if state.unwatched:
            self._woken.set()

    async def run(self) -> None:
        """Read until cancelled, one namespace after the other."""
        while True:
            state, now = self._look()
            await woken_or_due(self._woken, self._book.next_due(state), now)
            for namespace, jobs in self._book.due(*self._look()).items():
                read = await read_pods(
                    self._api, namespace, jobs, timeout_seconds=self._timeout_seconds
                )
                if read:
                    await self._sink(tuple(read))
