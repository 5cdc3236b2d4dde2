"""Keeping clusters: a session with each that models are staged to, for as long as there is a way.

Each is reached by a task of its own, so that one that cannot be connected to delays nobody.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

import structlog

from adapters.ports import Api
from adapters.running.cluster_books import (
    Definitions,
    KindBook,
    Wants,
    Way,
    WayBook,
    moves_wants,
    wants_of,
)
from adapters.running.sessions import ClusterSession, Surroundings
from engine.errors import WarmlogError
from engine.events import Event
from machines.observations import Reachability
from machines.states import State

FIRST_DELAY, LONGEST_DELAY = 1.0, 60.0  # seconds between two tries of one way

_log = structlog.get_logger(__name__)


class _Kept(NamedTuple):
    """A session, and what is watched in it."""

    session: ClusterSession
    kinds: KindBook


class ClusterKeeper:
    """The sessions of one controller, home among them. Used by the task of its loop alone."""

    def __init__(self, home: Api, around: Surroundings, drop: Callable[[str], None]) -> None:
        """Prepare; `run` begins. `drop` is told of each cluster whose observations are void."""
        self.troubles: dict[str, str] = {}  # why a cluster cannot be connected to, by its name
        self._means = around.means
        self._around = around
        self._drop = drop
        self._ways = WayBook()
        self._defined = Definitions()
        self._wants = Wants(frozenset(), {})
        self._is_stale = True  # the state may want something else than the last one
        self.home = ClusterSession(home, around, is_home=True)
        self._kept = {home.cluster: _Kept(self.home, KindBook(home.cluster, is_home=True))}
        self._waiting: dict[str, Way] = {}  # their kubeconfigs were not read in this session yet
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._group = asyncio.TaskGroup()

    @property
    def sessions(self) -> dict[str, ClusterSession]:
        """The sessions by the name of their cluster in the log."""
        return {name: kept.session for name, kept in self._kept.items()}

    async def run(self) -> None:
        """Keep sessions until cancelled; that of home begins at once."""
        async with self._group:
            self._group.create_task(self.home.run(), name="home")
            await asyncio.Event().wait()

    def serve(self, defined: Definitions) -> None:
        """Say which kinds are there to be watched."""
        self._defined = defined

    def session_of(self, cluster: str) -> ClusterSession | None:
        """Give the session in which decisions for a cluster are carried out now."""
        kept = self._kept.get(cluster)
        return kept.session if kept is not None and kept.session.begun else None

    def follow(self, state: State, rows: Sequence[Event]) -> None:
        """Do what a durable state, and the rows that made it, call for.

        Sessions end, others begin, and each watches what is wanted of its cluster.
        """
        if self._is_stale or moves_wants(self._wants, rows):
            self._is_stale = False
            self._wants = wants_of(state)
            steps = self._ways.steps(state, rows)
            for name in steps.ended:
                self._end(name)
            self._waiting |= {way.cluster: way for way in steps.begun}
        for way in list(self._waiting.values()):
            self._reach(way)
        for session, book in list(self._kept.values()):
            session.follow(book.kinds(self._wants, self._defined), state)
            session.wake(state)

    def _reach(self, way: Way) -> None:
        secret = way.secret
        kubeconfig = self._means.vault.text_of(
            self.home.api.cluster, secret.namespace, secret.name, secret.key
        )
        if kubeconfig is not None:
            del self._waiting[way.cluster]
            self._tasks[way.cluster] = self._group.create_task(
                self._keep(way.cluster, kubeconfig), name=way.cluster
            )

    def _end(self, name: str) -> None:
        self._waiting.pop(name, None)
        self.troubles.pop(name, None)
        task = self._tasks.pop(name, None)
        if task is not None:
            task.cancel()
        kept = self._kept.pop(name, None)
        if kept is not None:
            kept.session.close()
            _log.info("a cluster is left", cluster=name)
        self._drop(name)

    async def _keep(self, name: str, kubeconfig: str) -> None:
        """Hold a session until cancelled, whatever ends one before that."""
        delay = FIRST_DELAY
        while True:
            words = await self._hold(name, kubeconfig)
            self.troubles[name] = words
            _log.warning("a cluster cannot be reached", cluster=name, words=words)
            await self._around.sink((Reachability(name, reachable=False, words=words),))
            await self._means.timer.sleep(delay)
            delay = min(delay * 2, LONGEST_DELAY)

    async def _hold(self, name: str, kubeconfig: str) -> str:
        """Hold one session; give the words of what ended it."""
        try:
            api = await self._means.connect(name, kubeconfig)
        except WarmlogError as error:
            return self._means.vault.scrub(str(error))
        self.troubles.pop(name, None)
        session = ClusterSession(api, self._around)
        self._kept[name] = _Kept(session, KindBook(name, is_home=False))
        try:
            await self._around.sink(())  # wakes the loop, which tells it what to watch
            await session.run()
        except ExceptionGroup as group:
            # A fault of warmlog's own, met on one cluster, must not stop the work on the others.
            _log.exception("a session broke off", cluster=name)
            return f"warmlog itself failed: {type(_first(group)).__name__}"
        finally:
            if self._kept.get(name, (None,))[0] is session:
                del self._kept[name]
            await api.close()
        return "its session ended"


def _first(group: ExceptionGroup[Exception]) -> Exception:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, ExceptionGroup) else error
