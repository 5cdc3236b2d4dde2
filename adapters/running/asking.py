"""Asking: reads the Events of silent Jobs, each when its time has come.

When each was asked last is kept here only: a restart asks anew, and what is not news makes no row.
"""

import asyncio
from collections.abc import Awaitable, Callable

from adapters.kubernetes.event_words import read_events
from adapters.kubernetes.timing import Timer
from adapters.ports import Api
from machines.asking import Question, ask_at, questions
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
        self._asked: dict[str, tuple[int, int]] = {}  # by Job: the silence's begin, and how often

    def due(self, state: State, now: int) -> dict[str, list[Question]]:
        """Give the questions whose time has come by namespace, and take them as asked."""
        found = self._open(state)
        present = {one.job_uid for one in found}
        self._asked = {uid: asked for uid, asked in self._asked.items() if uid in present}
        ready = [one for one in found if ask_at(one, self._times(one)) <= now]
        by_namespace: dict[str, list[Question]] = {}
        for one in ready:
            self._asked[one.job_uid] = (one.since, self._times(one) + 1)
            by_namespace.setdefault(one.subject.namespace, []).append(one)
        return by_namespace

    def next_due(self, state: State) -> int | None:
        """Give when the next question is due, or None."""
        dues = (ask_at(one, self._times(one)) for one in self._open(state))
        return min(dues, default=None)

    def _open(self, state: State) -> list[Question]:
        return [one for one in questions(state) if one.cluster == self._cluster]

    def _times(self, question: Question) -> int:
        since, times = self._asked.get(question.job_uid, (0, 0))
        return times if since == question.since else 0


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
