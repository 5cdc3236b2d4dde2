"""Asking: reads the Events of silent Jobs, each when its time has come.

When each was asked last is kept here only: a restart asks anew, and what is not news makes no row.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator

from adapters.kubernetes.reading_events import read_events
from adapters.kubernetes.timing import Timer
from adapters.ports import Api
from adapters.running.schedules import Schedule, Standing
from machines.asking import SILENT_SECONDS, Question, questions
from machines.observations import Observation
from machines.states import State

ROUND_SECONDS = 0.5  # between two looks for questions, while a Job is silent
AT_ONCE = 4  # namespaces that are asked at a time

Sink = Callable[[tuple[Observation, ...]], Awaitable[None]]


class AskingBook:
    """Which questions are due, in one session over one cluster. Times are UTC nanoseconds."""

    def __init__(self, cluster: str) -> None:
        """Begin with nothing asked."""
        self._cluster = cluster
        self._schedule = Schedule(first_seconds=SILENT_SECONDS, then_seconds=2 * SILENT_SECONDS)

    def due(self, state: State, now: int) -> dict[str, list[Question]]:
        """Give the questions whose time has come by namespace, and take them as asked."""
        found = self._open(state)
        ready = self._schedule.take(_standing(found), now)
        by_namespace: dict[str, list[Question]] = {}
        for one in found:
            if one.job_uid in ready:
                by_namespace.setdefault(one.subject.namespace, []).append(one)
        return by_namespace

    def next_due(self, state: State) -> int | None:
        """Give when the next question is due, or None."""
        return self._schedule.next_due(_standing(self._open(state)))

    def _open(self, state: State) -> list[Question]:
        return [one for one in questions(state) if one.cluster == self._cluster]


def _standing(questions: list[Question]) -> Iterator[Standing]:
    return ((one.job_uid, one.since) for one in questions)


class Asker:
    """Asks while there are silent Jobs, and rests while there are none."""

    def __init__(
        self,
        api: Api,
        sink: Sink,
        timer: Timer,
        look: Callable[[], tuple[State, int]],
        timeout_seconds: float,
    ) -> None:
        """Report to `sink`; `look` gives the newest state and the instant."""
        self._api = api
        self._sink = sink
        self._timer = timer
        self._look = look
        self._timeout_seconds = timeout_seconds
        self._book = AskingBook(api.cluster)
        self._woken = asyncio.Event()
        self._places = asyncio.Semaphore(AT_ONCE)

    def wake(self, state: State) -> None:
        """Say that the state has changed."""
        if state.silent:
            self._woken.set()

    async def run(self) -> None:
        """Ask until cancelled."""
        async with asyncio.TaskGroup() as asking:
            while True:
                await self._woken.wait()
                for namespace, questions in self._book.due(*self._look()).items():
                    await self._places.acquire()
                    asking.create_task(self._ask(namespace, questions))
                if not self._look()[0].silent:
                    self._woken.clear()
                    continue
                await self._timer.sleep(ROUND_SECONDS)

    async def _ask(self, namespace: str, questions: list[Question]) -> None:
        try:
            answers = await read_events(
                self._api, namespace, questions, timeout_seconds=self._timeout_seconds
            )
        finally:
            self._places.release()
        if answers:
            await self._sink(tuple(answers))
