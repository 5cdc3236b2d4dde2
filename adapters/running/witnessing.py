"""Witnessing: the loop that a controller and a recorder share. Observations in, rows into the log.

One task owns the state. Everything else (watches, questions, and a controller's effects) hands it
observations, and is woken with a durable state: nothing ever sees one that is ahead of the log.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

import structlog

from adapters.kubernetes.watching import ClusterWatch
from adapters.ports import Api
from adapters.running.cache_asking import LOOK_SECONDS, QuestionBoard
from adapters.running.caches_serving import await_caches, await_replicas
from adapters.running.cluster_books import Definitions
from adapters.running.cluster_keeping import ClusterKeeper
from adapters.running.sessions import Means, Surroundings
from adapters.running.settling import SettlingBook
from adapters.running.text_holding import TextHolder
from adapters.running.writing import Writer
from engine.errors import LogUnavailable
from engine.events import Event
from engine.instants import SECOND
from machines.deciding import still_wanted
from machines.ingesting import due_deadlines, next_deadline
from machines.observations import Observation
from machines.states import State

FAR_AWAY = 1 << 63  # later than any instant
INBOX_ROWS = 20_000  # observations that may wait before a watch has to
STOP_SECONDS = 5.0  # for a batch that is being written when a stop comes
STORE_RETRY_SECONDS = (0.1, 0.5, 1.0, 2.0, 5.0)

_log = structlog.get_logger(__name__)


class Witness:
    """One session over one cluster and all those that it names, written down as it goes."""

    def __init__(
        self, writer: Writer, api: Api, means: Means, *, believes_unread_kinds: bool = False
    ) -> None:
        """Prepare; `run` begins.

        `believes_unread_kinds` has kinds watched whose definitions may not be read.
        """
        self.writer = writer
        self.store_words = ""  # why the store takes nothing now
        self.caches_words = ""  # why ModelCaches are not served
        self.replicas_words = ""  # why ModelReplicas are not
        self._api = api
        self._means = means
        self._clock = means.clock
        self._believes = believes_unread_kinds
        self._texts = TextHolder()
        self._inbox: list[Observation] = []
        self._woken = asyncio.Event()
        self._drained = asyncio.Event()
        self._settling = SettlingBook()
        around = Surroundings(
            means, self.observe, self._look, self._wanted, self._settling,
            QuestionBoard(LOOK_SECONDS), means.vault.tokens(api.cluster),
        )  # fmt: skip
        self.keeper = ClusterKeeper(api, around, self._drop)
        self.keeper.home.begin(writer.state)

    async def run(self) -> None:
        """Work until cancelled. Raises Fenced when another writer has taken over."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.keeper.run(), name="clusters")
            tasks.create_task(self._await_definitions(), name="definitions")
            for name, work in self._more_work():
                tasks.create_task(work(), name=name)
            tasks.create_task(self._loop(), name="loop")

    async def observe(self, observations: tuple[Observation, ...]) -> None:
        """Take observations in; waits while too many of them wait already."""
        while len(self._inbox) > INBOX_ROWS:
            self._drained.clear()
            await self._drained.wait()
        self._inbox += observations
        self._woken.set()

    @property
    def watch(self) -> ClusterWatch:
        """How the kinds of the cluster fare that is home."""
        return self.keeper.home.watch

    @property
    def synced(self) -> bool:
        """Whether every kind has been listed in this session."""
        cluster = self.writer.state.clusters.get(self._api.cluster)
        return cluster is not None and cluster.is_synced

    @property
    def waiting_observations(self) -> int:
        """How many observations have not been folded yet."""
        return len(self._inbox)

    def _more_work(self) -> Iterator[tuple[str, Callable[[], Coroutine[Any, Any, None]]]]:
        """Give what runs beside the loop, by name."""
        yield from ()

    def _note(self, observation: Observation) -> None:
        """Take note of an observation before anything is made of it."""

    def _more_times(self, state: State) -> Iterator[int | None]:
        """Give the instants at which the loop is to be woken, beside its own."""
        del state
        yield from ()

    async def _follow_up(self, rows: Sequence[Event]) -> None:
        """Do what rows call for that are durable by now; they are all that came last."""

    async def _await_definitions(self) -> None:
        """Look for the kinds of caches, and where they are served for that of replicas."""
        api, timer = self.keeper.home.api, self._means.timer
        seconds = self._means.limits.timeout_seconds

        def tell_of_caches(words: str) -> None:
            self.caches_words = words
            self.keeper.serve(Definitions(caches=not words))
            self._woken.set()

        def tell_of_replicas(words: str) -> None:
            self.replicas_words = words
            self.keeper.serve(Definitions(caches=True, replicas=not words))
            self._woken.set()

        believes = self._believes
        await await_caches(api, tell_of_caches, timer, timeout_seconds=seconds, believes=believes)
        if self.writer.state.caching.replicas:
            await await_replicas(
                api, tell_of_replicas, self.observe, timer,
                timeout_seconds=seconds, believes=believes,
            )  # fmt: skip

    def _look(self) -> tuple[State, int]:
        """Give the newest state, even one that is ahead of the log, and the instant."""
        return self.writer.state, self._clock()

    async def _loop(self) -> None:
        while True:
            await self._wait()
            self._fold_batch()
            rows = await self._flushed()
            await self._follow_up(rows)

    def _fold_batch(self) -> None:
        """Fold what came in since the last batch, and what is due now."""
        now = self._clock()
        batch, self._inbox = self._inbox, []
        self._drained.set()
        for observation in batch:
            self._note(observation)
        batch = self._settling.sift(self.writer.state, batch, now)
        batch = self._texts.sift(self.writer.state, batch, now)
        batch += due_deadlines(self.writer.state, now)
        self.writer.fold_in(batch, now)

    async def _wait(self) -> None:
        """Wait for an observation, a deadline, or whatever else has its time."""
        if not self._inbox:
            self._woken.clear()
            state = self.writer.state
            times = [next_deadline(state), self._texts.next_due(), *self._more_times(state)]
            due = min((time for time in times if time is not None), default=FAR_AWAY)
            seconds = None if due == FAR_AWAY else max(due - self._clock(), 0) / SECOND
            try:
                async with asyncio.timeout(seconds):
                    await self._woken.wait()
            except TimeoutError:
                return

    async def _flushed(self) -> tuple[Event, ...]:
        """Make the batch durable, however long the store takes to come back."""
        tries = 0
        while True:
            try:
                rows = await self._flush_whole()
            except LogUnavailable as error:
                self.store_words = str(error)
                _log.error("the log takes no rows", words=str(error))
                await self._means.timer.sleep(STORE_RETRY_SECONDS[min(tries, 4)])
                tries += 1
            else:
                self.store_words = ""
                return rows

    async def _flush_whole(self) -> tuple[Event, ...]:
        """Write the batch; a stop in between lets it come to its end, one way or the other.

        Else it would not be known what the log holds, and there were no snapshot to begin from.
        """
        flushing = asyncio.ensure_future(self.writer.flush())
        try:
            return await asyncio.shield(flushing)
        except asyncio.CancelledError:
            ended, late = await asyncio.wait([flushing], timeout=STOP_SECONDS)
            for task in late:
                task.cancel()
            for task in ended:
                if not task.cancelled():
                    task.exception()  # news to nobody any more
            raise

    def _drop(self, cluster: str) -> None:
        """Forget what was observed of a cluster in a session that has ended."""
        self._inbox = [one for one in self._inbox if getattr(one, "cluster", "") != cluster]
        self._texts.forget(cluster)
        self._settling.forget(cluster)

    def _wanted(self, seq: int) -> bool:
        """Ask the newest state, even one that is ahead of the log: it can only hold back."""
        return still_wanted(self.writer.state, seq)
