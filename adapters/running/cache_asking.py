"""Asking for caches and replicas: what no watch shows, each question when its time has come.

Of a claim it is who uses it and what its Events say, of an engine why its Pods do not run.

When each was asked last is kept here only: a restart asks anew, and what is no news makes no row.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import NamedTuple

from adapters.kubernetes.reading_cache_events import read_cache_events
from adapters.kubernetes.reading_claim_users import read_claim_users
from adapters.kubernetes.reading_engine_pods import read_engine_pods
from adapters.ports import Api
from adapters.running.schedules import Schedule, Standing
from adapters.running.waking import woken_or_due
from engine.instants import SECOND
from machines.asking import SILENT_SECONDS
from machines.caches.asking import CacheQuestion, claim_questions, release_questions
from machines.observations import Observation
from machines.replicas.asking import EngineQuestion, engine_questions
from machines.states import State

RELEASE_SECONDS = 2  # between two looks at who uses a claim that is to go; twice that … a minute
LOOK_SECONDS = 0.5  # between two looks for questions while much happens
AT_ONCE = 4  # questions under way

Sink = Callable[[tuple[Observation, ...]], Awaitable[None]]


class Asked(NamedTuple):
    """A question whose time has come."""

    question: CacheQuestion | EngineQuestion
    is_release: bool = False  # who uses the claim; else what Events, or an engine's Pods, say

    async def answer(self, api: Api, *, timeout_seconds: float) -> Observation | None:
        """Ask a cluster; None when there is no whole answer."""
        question = self.question
        if isinstance(question, EngineQuestion):
            return await read_engine_pods(api, question.subject, timeout_seconds=timeout_seconds)
        if self.is_release:
            return await read_claim_users(api, question.subject, timeout_seconds=timeout_seconds)
        return await read_cache_events(api, question, timeout_seconds=timeout_seconds)


class Questions(NamedTuple):
    """What is open of one cluster: whose users to read, whose Events, and whose Pods."""

    releases: list[CacheQuestion]
    events: list[CacheQuestion]
    engines: list[EngineQuestion]


class QuestionBoard:
    """The open questions of a state, looked up for all clusters at once, and not all the time."""

    def __init__(self, interval_seconds: float = 0) -> None:
        """Begin with none; look again no sooner than so long after the last time."""
        self._interval = int(interval_seconds * SECOND)
        self._position = -1  # of the state that was looked at last
        self._at = 0
        self._by_cluster: dict[str, Questions] = {}

    def renew(self, state: State, now: int) -> None:
        """Look again, if there may be others, and it is time to."""
        due = self.renews_at(state)
        if due is None or due > now:
            return
        self._position, self._at, self._by_cluster = state.position, now, {}
        for one in release_questions(state):
            self._on(one.cluster).releases.append(one)
        for one in claim_questions(state):
            self._on(one.cluster).events.append(one)
        for engine in engine_questions(state):
            self._on(engine.cluster).engines.append(engine)

    def renews_at(self, state: State) -> int | None:
        """Give when to look again; None while the state is the one that was looked at."""
        return None if state.position == self._position else self._at + self._interval

    def of(self, cluster: str) -> Questions:
        """Give those of one cluster."""
        return self._by_cluster.get(cluster, Questions([], [], []))

    def _on(self, cluster: str) -> Questions:
        return self._by_cluster.setdefault(cluster, Questions([], [], []))


class CacheAskingBook:
    """Which questions are due, in one session over one cluster. Times are UTC nanoseconds."""

    def __init__(self, cluster: str, board: QuestionBoard) -> None:
        """Begin with nothing asked."""
        self._cluster = cluster
        self._board = board
        self._events = Schedule(first_seconds=SILENT_SECONDS, then_seconds=2 * SILENT_SECONDS)
        self._engines = Schedule(first_seconds=SILENT_SECONDS, then_seconds=2 * SILENT_SECONDS)
        self._releases = Schedule(first_seconds=0, then_seconds=RELEASE_SECONDS)

    def due(self, state: State, now: int) -> list[Asked]:
        """Give the questions whose time has come, and take them as asked."""
        self._board.renew(state, now)
        releases, events, engines = self._board.of(self._cluster)
        ready = self._releases.take(_standing(releases), now)
        found = [Asked(one, is_release=True) for one in releases if one.subject.uid in ready]
        ready = self._events.take(_standing(events), now)
        found += [Asked(one) for one in events if one.subject.uid in ready]
        ready = self._engines.take(_standing(engines), now)
        return [*found, *(Asked(one) for one in engines if one.subject.uid in ready)]

    def next_due(self, state: State) -> int | None:
        """Give when the next question is due, or None."""
        releases, events, engines = self._board.of(self._cluster)
        dues = (
            self._board.renews_at(state),
            self._releases.next_due(_standing(releases)),
            self._events.next_due(_standing(events)),
            self._engines.next_due(_standing(engines)),
        )
        return min((due for due in dues if due is not None), default=None)


def _standing(questions: Sequence[CacheQuestion | EngineQuestion]) -> Iterator[Standing]:
    return ((one.subject.uid, one.since) for one in questions)


class CacheAsker:
    """Asks one cluster, a few questions at a time."""

    def __init__(
        self,
        api: Api,
        board: QuestionBoard,
        sink: Sink,
        look: Callable[[], tuple[State, int]],
        timeout_seconds: float,
    ) -> None:
        """Report to `sink`; `look` gives the newest state and the instant."""
        self._api = api
        self._sink = sink
        self._look = look
        self._timeout_seconds = timeout_seconds
        self._book = CacheAskingBook(api.cluster, board)
        self._woken = asyncio.Event()
        self._places = asyncio.Semaphore(AT_ONCE)

    def wake(self, state: State) -> None:
        """Say that the state has changed."""
        if state.asking or state.asking_replicas:
            self._woken.set()

    async def run(self) -> None:
        """Ask until cancelled."""
        async with asyncio.TaskGroup() as asking:
            while True:
                state, now = self._look()
                await woken_or_due(self._woken, self._book.next_due(state), now)
                for asked in self._book.due(*self._look()):
                    await self._places.acquire()
                    asking.create_task(self._ask(asked))

    async def _ask(self, asked: Asked) -> None:
        try:
            answer = await asked.answer(self._api, timeout_seconds=self._timeout_seconds)
        finally:
            self._places.release()
        if answer is not None:
            await self._sink((answer,))
