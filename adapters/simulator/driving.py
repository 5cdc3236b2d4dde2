"""Driving: the whole controller against a simulated cluster, one deterministic turn at a time.

The same reflectors, writer, acting and status code as in the live loop, but nothing runs at the
same time: the order of all that happens is a function of the seed. A driver can be dropped between
any two of its turns, which is a crash; another one goes on from the log.
"""

from collections import deque
from collections.abc import Callable

from adapters.kubernetes.acting import look_up, perform
from adapters.kubernetes.kinds import WATCHED, Kind
from adapters.kubernetes.reading_events import read_events
from adapters.kubernetes.reading_pods import read_pods
from adapters.kubernetes.reflecting import ReadRefused, Reflector
from adapters.kubernetes.statuses import store_status
from adapters.ports import ApiUnanswered
from adapters.running.asking import AskingBook
from adapters.running.following import FollowingBook
from adapters.running.settling import SettlingBook, settle
from adapters.running.status_books import StatusBook, StatusWrite
from adapters.running.text_holding import TextHolder
from adapters.running.writing import Identity, Writer, open_writer
from adapters.simulator.clock import MILLISECOND
from adapters.simulator.watching import WatchCursor
from adapters.simulator.worlds import World
from engine.events import Event
from engine.logs import EventLog
from machines.deciding import effect_of, is_as_intended, still_wanted
from machines.domain import WARMLOG
from machines.ingesting import due_deadlines, known_versions, next_deadline
from machines.intents import Effect
from machines.observations import Absent, Answered, Observation, RolledBack, Unknown
from machines.states import State

TIMEOUT_SECONDS = 10.0
LATENCY = 2 * MILLISECOND  # what one request takes on the virtual clock
TRIES = 3  # to list a kind in one turn; a later turn tries again
LOOK_UP_AFTER = 1000 * MILLISECOND  # between an Unknown and its look-up

Listener = Callable[[tuple[Event, ...], State], None]


class Driver:
    """One life of the controller in a simulated world."""

    def __init__(self, world: World, writer: Writer, listener: Listener | None = None) -> None:
        """Drive `writer`; `listener` is told of each durable batch and the state after it."""
        self.world = world
        self.writer = writer
        self.book = StatusBook()
        self._texts = TextHolder()
        self._asking = AskingBook(world.api.cluster)
        self._following = FollowingBook(world.api.cluster)
        self._settling = SettlingBook()
        self._listener = listener
        versions = known_versions(writer.state, world.api.cluster)
        self._reflectors = [
            _reflector(world.api.cluster, kind, versions[kind.name]) for kind in WATCHED
        ]
        self._cursors: dict[str, WatchCursor] = {}
        self._inbox: list[Observation] = []
        self._effects: deque[Effect] = deque()
        self._look_ups: deque[tuple[int, Effect]] = deque()  # (not before, effect)
        for seq, opened in writer.state.open.items():
            if opened.uncertain:
                self._look_ups.append((0, effect_of(writer.state, seq)))

    @property
    def now(self) -> int:
        """The virtual instant, UTC nanoseconds."""
        return self.world.cluster.now

    async def turn(self) -> bool:
        """Do the next thing; False when nothing can be done before time passes.

        One turn is one of: a batch into the log, one effect, one look-up, what is still there,
        what Events say, how Pods fare that no watch shows, one status.
        """
        self._observe()
        if self._inbox or self.writer.unsent_rows:
            await self._write()
            return True
        if self._effects:
            await self._act(self._effects.popleft())
            return True
        if self._look_ups and self._look_ups[0][0] <= self.now and self._is_synced():
            await self._look(self._look_ups.popleft()[1])
            return True
        asked = await self._settle() or await self._ask() or await self._follow()
        return asked or await self._store()

    async def run(self, *, until_at: int | None = None, turns: int = 1_000_000) -> None:
        """Take turns and let time pass until nothing is left to do, or until an instant.

        RuntimeError after so many turns: a controller that never rests.
        """
        for _ in range(turns):
            if await self.turn():
                continue
            due = self.next_at()
            if due is None or (until_at is not None and due > until_at):
                return
            self.world.cluster.advance(due)
        msg = f"the controller did not come to rest within {turns} turns"
        raise RuntimeError(msg)

    def next_at(self) -> int | None:
        """Give the next instant at which anything can happen; None when all is at rest."""
        state = self.writer.state
        times = [
            self.world.cluster.next_at(),
            next_deadline(state),
            self.book.next_due(state),
            self._texts.next_due(),
            self._asking.next_due(state),
            self._following.next_due(state),
            self._settling.next_due(self.world.api.cluster),
        ]
        if self._look_ups and self._is_synced():
            times.append(self._look_ups[0][0])
        due = min((time for time in times if time is not None), default=None)
        return None if due is None else max(due, self.now)

    def _is_synced(self) -> bool:
        cluster = self.writer.state.clusters.get(self.world.api.cluster)
        return cluster is not None and cluster.is_synced

    def _observe(self) -> None:
        for reflector in self._reflectors:
            for _ in range(TRIES):
                try:
                    self._take(reflector, self._read(reflector))
                except (ApiUnanswered, ReadRefused):
                    self._cursors.pop(reflector.kind.name, None)
                if reflector.watching:
                    break  # else what the watch was to go on from is forgotten, or too new
        for observation in self._inbox:
            self.book.note(observation)
        self._inbox = self._settling.sift(self.writer.state, self._inbox, self.now)
        self._inbox = self._texts.sift(self.writer.state, self._inbox, self.now)
        self._inbox += due_deadlines(self.writer.state, self.now)

    def _take(self, reflector: Reflector, observations: list[Observation]) -> None:
        self._inbox += observations
        if any(isinstance(one, RolledBack) for one in observations):
            for other in self._reflectors:
                if other is not reflector:
                    other.forget()

    def _read(self, reflector: Reflector) -> list[Observation]:
        api, name = self.world.api, reflector.kind.name
        found: list[Observation] = []
        while not reflector.watching:
            self._cursors.pop(name, None)
            found += reflector.feed_page(api.handle(reflector.next_request()))
        cursor = self._cursors.get(name)
        if cursor is None or cursor.finished:
            cursor = self._cursors[name] = api.open_watch(reflector.next_request())
        for event in cursor.take():
            found += reflector.feed_event(event)
        return found

    async def _write(self) -> None:
        observations, self._inbox = self._inbox, []
        self.writer.fold_in(observations, self.now)
        rows = await self.writer.flush()
        for row in rows:
            if WARMLOG.is_decision(row.type) and row.seq in self.writer.state.open:
                self._effects.append(effect_of(self.writer.state, row.seq))
        if rows and self._listener is not None:
            self._listener(rows, self.writer.state)

    async def _act(self, effect: Effect) -> None:
        if not still_wanted(self.writer.state, effect.seq) or not is_as_intended(effect):
            self._inbox.append(Answered(effect.seq, Absent()))
            return
        performed = await perform(effect, self.world.api, timeout_seconds=TIMEOUT_SECONDS)
        self.world.cluster.advance(self.now + LATENCY)
        self._answered(effect, performed.observations, performed.answer)

    async def _look(self, effect: Effect) -> None:
        found = await look_up(effect, self.world.api, timeout_seconds=TIMEOUT_SECONDS)
        self.world.cluster.advance(self.now + LATENCY)
        self._answered(effect, found.observations, found.answer)

    def _answered(
        self, effect: Effect, observations: tuple[Observation, ...], answer: object
    ) -> None:
        self._inbox += observations
        self._inbox.append(Answered(effect.seq, answer))  # type: ignore[arg-type]  # an Answer
        if isinstance(answer, Unknown):
            self._look_ups.append((self.now + LOOK_UP_AFTER, effect))

    async def _settle(self) -> bool:
        absences = self._settling.due(self.world.api.cluster, self.now)
        for absence in absences:
            self._inbox += await settle(
                self._settling, absence, self.world.api, lambda: self.now,
                timeout_seconds=TIMEOUT_SECONDS,
            )  # fmt: skip
            self.world.cluster.advance(self.now + LATENCY)
        return bool(absences)

    async def _follow(self) -> bool:
        due = self._following.due(self.writer.state, self.now)
        for namespace, jobs in due.items():
            self._inbox += await read_pods(
                self.world.api, namespace, jobs, timeout_seconds=TIMEOUT_SECONDS
            )
            self.world.cluster.advance(self.now + LATENCY)
        return bool(due)

    async def _ask(self) -> bool:
        due = self._asking.due(self.writer.state, self.now)
        for namespace, questions in due.items():
            self._inbox += await read_events(
                self.world.api, namespace, questions, timeout_seconds=TIMEOUT_SECONDS
            )
            self.world.cluster.advance(self.now + LATENCY)
        return bool(self._inbox)

    async def _store(self) -> bool:
        for due in self.book.due(self.writer.state, self.now):
            if not isinstance(due, StatusWrite):
                self._inbox.append(due)
                return True
            result = await store_status(
                self.world.api,
                due.subject,
                due.status,
                due.version,
                timeout_seconds=TIMEOUT_SECONDS,
            )
            self.world.cluster.advance(self.now + LATENCY)
            self._inbox += self.book.settle(due, result, self.now)
            return True
        return False


def _reflector(cluster: str, kind: Kind, versions: dict[str, int]) -> Reflector:
    """Begin to reflect a kind, knowing the versions that an earlier life has seen."""
    newest = max(versions.values(), default=0)
    return Reflector(
        cluster, kind, known_version=str(newest) if newest else "", known_objects=versions
    )


async def start(
    world: World, log: EventLog, identity: Identity, listener: Listener | None = None
) -> Driver:
    """Start the controller on a log, as after a crash or for the first time."""
    return Driver(world, await open_writer(log, identity, world.cluster.now), listener)
