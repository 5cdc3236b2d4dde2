"""Driving: the whole controller against a simulated cluster, one deterministic turn at a time.

The same reflectors, writer, acting and status code as in the live loop, but nothing runs at the
same time: the order of all that happens is a function of the seed. A driver can be dropped between
any two of its turns, which is a crash; another one goes on from the log.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from adapters.kubernetes.acting import Performed, look_up, perform
from adapters.kubernetes.reading_events import read_events
from adapters.kubernetes.reading_pods import read_pods
from adapters.kubernetes.vaults import SecretVault
from adapters.running.cache_asking import QuestionBoard
from adapters.running.clocks import SteadyClock
from adapters.running.cluster_books import Way, WayBook, moves_wants, wants_of
from adapters.running.condition_books import ConditionBook
from adapters.running.settling import SettlingBook, settle
from adapters.running.status_books import StatusBook, StatusWrite
from adapters.running.text_holding import TextHolder
from adapters.running.witnessing import STORE_RETRY_SECONDS
from adapters.running.writing import Identity, Writer, open_writer
from adapters.simulator.clock import MILLISECOND, SECOND, earliest
from adapters.simulator.connecting import NoSuchWorld, server_of
from adapters.simulator.driven_definitions import DefinitionBook
from adapters.simulator.driven_sessions import (
    CLOSE_BY,
    TIMEOUT_SECONDS,
    DrivenSession,
    Host,
    Shared,
)
from adapters.simulator.worlds import World
from engine.errors import LogUnavailable
from engine.events import Event
from engine.logs import EventLog
from machines.deciding import effect_of, is_as_intended, still_wanted
from machines.domain import WARMLOG
from machines.ingesting import due_deadlines, next_deadline
from machines.intents import Effect
from machines.observations import Absent, Answered, Observation, Reachability, Unknown
from machines.states import State

LATENCY = 2 * MILLISECOND  # what one request takes on the virtual clock
LOOK_UP_AFTER = 1000 * MILLISECOND  # between an Unknown and its look-up

QUIET_STEPS = 1000  # at most so many instants are passed over without a turn
Listener = Callable[[tuple[Event, ...], State], None]


class Driver:
    """One life of the controller in a simulated world, and in others that kubeconfigs point to."""

    def __init__(
        self,
        world: World,
        writer: Writer,
        listener: Listener | None = None,
        *,
        others: Mapping[str, World] | None = None,
        vault: SecretVault | None = None,
        host: Host = CLOSE_BY,
    ) -> None:
        """Drive `writer`; `listener` is told of each durable batch and the state after it."""
        self.world = world
        self.others = others or {}
        self.writer = writer
        self.book = StatusBook()
        self.conditions = ConditionBook()
        self._texts = TextHolder()
        self._settling = SettlingBook()
        self._listener = listener
        self._vault = vault or SecretVault(b"driven")
        self._ways = WayBook()
        self._wants = wants_of(writer.state)
        self._is_stale = True  # the ways were not looked at in this life yet
        self._waiting: dict[str, Way] = {}  # their kubeconfigs were not read in this life yet
        self._inbox: list[Observation] = []
        self._definitions = DefinitionBook()
        now = self._now
        self._clock = SteadyClock(writer.cursor.at, wall=host.wall or now, monotonic=now)
        self._shared = Shared(self._vault, host.guard, QuestionBoard())
        self._retry = (0, 0)  # when, and for the how manyth time, the store is tried again
        for each in (world, *self.others.values()):
            each.cluster.api.faults.wait = self._wait
        cluster, state = world.api.cluster, writer.state
        self._home = DrivenSession(world.api, cluster, self._shared, state, is_home=True)
        self._sessions = {cluster: self._home}

    @property
    def now(self) -> int:
        """The virtual instant of the clusters, UTC nanoseconds."""
        return self.world.cluster.now

    def _now(self) -> int:
        return self.world.cluster.now

    def advance(self, to_at: int) -> None:
        """Let time pass in all worlds."""
        for world in (self.world, *self.others.values()):
            world.cluster.advance(to_at)

    async def turn(self) -> bool:
        """Do the next thing; False when nothing can be done before time passes.

        One turn is one of: a batch into the log, one effect, one look-up, what is still there,
        what Events say, how Pods fare that no watch shows, one status.
        """
        self.advance(self.now)  # the others may lag behind this world
        await self._observe()
        if await self._write():
            return True
        for session in self._sessions.values():
            if session.effects:
                await self._act(session, session.effects.popleft())
                return True
        for session in self._sessions.values():
            effect = session.due_look_up(self.writer.state, self.now)
            if effect is not None:
                await self._look(session, effect)
                return True
        for session in self._sessions.values():
            if await self._question(session):
                return True
        # What the store has not taken yet is in the state, and must be in no status.
        return not self.writer.unsent_rows and await self._store()

    async def run(self, *, until_at: int | None = None, turns: int = 1_000_000) -> None:
        """Take turns and let time pass until nothing is left to do, or until an instant.

        RuntimeError after so many turns: a controller that never rests.
        """
        for _ in range(turns):
            if not await self.turn() and not self._let_pass(until_at):
                return
        msg = f"the controller did not come to rest within {turns} turns"
        raise RuntimeError(msg)

    def next_at(self) -> int | None:
        """Give the next instant at which anything can happen; None when all is at rest."""
        due = earliest(self._clusters_due(), self._controller_due())
        return None if due is None else max(due, self.now)

    def _let_pass(self, until_at: int | None) -> bool:
        """Let time pass until there may be something to do; False when nothing comes by then."""
        own = self._controller_due()
        for _ in range(QUIET_STEPS):
            due = earliest(own, self._clusters_due())
            if due is None or (until_at is not None and due > until_at):
                return False
            self.advance(due)
            if (own is not None and own <= self.now) or not self._is_quiet():
                break
        return True

    def _is_quiet(self) -> bool:
        """Say whether a turn would do nothing, unless the controller's own time has come."""
        return (
            self._clock() == self.now  # else its time comes at another instant than was foreseen
            and not self._definitions.are_due(self.now, replicas=self.writer.state.caching.replicas)
            and all(
                one.is_quiet(self._wants, self._definitions.known)
                for one in self._sessions.values()
            )
        )

    def _clusters_due(self) -> int | None:
        """Give when anything happens in the clusters next."""
        return earliest(*(each.cluster.next_at() for each in (self.world, *self.others.values())))

    def _controller_due(self) -> int | None:
        """Give when the controller does anything next, if it hears no news."""
        ahead = self.now - self._clock()  # deadlines are of the controller's clock
        return earliest(*self._times(), *(time and time + ahead for time in self._own_times()))

    def _times(self) -> Iterator[int | None]:
        for session in self._sessions.values():
            yield session.next_look_up(self.writer.state)
        if self.writer.unsent_rows:
            yield self._retry[0]

    def _own_times(self) -> Iterator[int | None]:
        state = self.writer.state
        if not self.writer.unsent_rows:
            yield next_deadline(state)
            yield self.book.next_due(state)
            yield self.conditions.next_due(state)
            yield self._texts.next_due()
        for cluster, session in self._sessions.items():
            yield session.asking.next_due(state)
            yield session.cache_asking.next_due(state)
            yield session.following.next_due(state)
            yield self._settling.next_due(cluster)

    async def _observe(self) -> None:
        replicas = bool(self.writer.state.caching.replicas)
        self._inbox += await self._definitions.look(self._home.api, self.now, replicas=replicas)
        for session in self._sessions.values():
            self._inbox += await session.observe(
                self.writer.state, self._wants, self._definitions.known
            )

    def _sifted(self, now: int) -> list[Observation]:
        """Take what came in since the last batch, and what is due now."""
        state, batch, self._inbox = self.writer.state, self._inbox, []
        for observation in batch:
            self.book.note(observation)
            self.conditions.note(observation)
        batch = self._settling.sift(state, batch, now)
        batch = self._texts.sift(state, batch, now)
        return [*batch, *due_deadlines(state, now)]

    async def _write(self) -> bool:
        """Fold a batch, or take up the one that the store could not take; say whether that was so.

        As in the live loop, what waits for the store is tried again and again, and no other batch
        is folded meanwhile.
        """
        if not self.writer.unsent_rows:
            now = self._clock()
            batch = self._sifted(now)
            if not batch:
                return False
            self.writer.fold_in(batch, now)
        elif self.now < self._retry[0]:
            return False
        try:
            rows = await self.writer.flush()
        except LogUnavailable:
            tries = self._retry[1]
            wait_seconds = STORE_RETRY_SECONDS[min(tries, len(STORE_RETRY_SECONDS) - 1)]
            self._retry = (self.now + int(wait_seconds * SECOND), tries + 1)
            return True
        self._retry = (0, 0)
        self._hand_out(rows)
        return True

    def _hand_out(self, rows: tuple[Event, ...]) -> None:
        """Have what is durable acted upon."""
        for row in rows:
            if WARMLOG.is_decision(row.type) and row.seq in self.writer.state.open:
                effect = effect_of(self.writer.state, row.seq)
                if effect.cluster in self._sessions:
                    self._sessions[effect.cluster].effects.append(effect)
        self._follow_clusters(rows)
        if rows and self._listener is not None:
            self._listener(rows, self.writer.state)

    def _follow_clusters(self, rows: Sequence[Event]) -> None:
        """End the sessions that are not wanted any more, and begin those that are."""
        if self._is_stale or moves_wants(self._wants, rows):
            self._is_stale = False
            self._wants = wants_of(self.writer.state)
            steps = self._ways.steps(self.writer.state, rows)
            for name in steps.ended:
                self._waiting.pop(name, None)
                self._sessions.pop(name, None)
                self._settling.forget(name)
                self._texts.forget(name)
            self._waiting |= {way.cluster: way for way in steps.begun}
        for way in list(self._waiting.values()):
            self._reach(way)

    def _reach(self, way: Way) -> None:
        secret = way.secret
        kubeconfig = self._vault.text_of(
            self._home.cluster, secret.namespace, secret.name, secret.key
        )
        if kubeconfig is None:
            return
        del self._waiting[way.cluster]
        try:
            server = server_of(kubeconfig, self.others)
        except NoSuchWorld as error:
            self._inbox.append(Reachability(way.cluster, reachable=False, words=str(error)))
            return
        self._sessions[way.cluster] = DrivenSession(
            server, way.cluster, self._shared, self.writer.state, is_home=False
        )

    async def _act(self, session: DrivenSession, effect: Effect) -> None:
        if not still_wanted(self.writer.state, effect.seq) or not is_as_intended(effect):
            self._inbox.append(Answered(effect.seq, Absent()))
            return
        performed = await perform(
            effect,
            session.api,
            timeout_seconds=TIMEOUT_SECONDS,
            tokens=self._vault.tokens(self._home.cluster),
        )
        self._answered(session, effect, performed)

    async def _look(self, session: DrivenSession, effect: Effect) -> None:
        found = await look_up(effect, session.api, timeout_seconds=TIMEOUT_SECONDS)
        self._answered(session, effect, found)

    def _answered(self, session: DrivenSession, effect: Effect, done: Performed) -> None:
        self._pass_time()
        self._inbox += [*done.observations, Answered(effect.seq, done.answer)]
        if isinstance(done.answer, Unknown):
            session.look_ups.append((self.now + LOOK_UP_AFTER, effect))

    def _pass_time(self) -> None:
        """Let the time pass that one request takes."""
        self.advance(self.now + LATENCY)

    def _wait(self, seconds: float) -> None:
        """Let the time pass that a request takes longer."""
        self.advance(self.now + int(seconds * SECOND))

    async def _question(self, session: DrivenSession) -> bool:
        return (
            await self._settle(session)
            or await self._ask(session)
            or await self._ask_for_caches(session)
            or await self._follow(session)
        )

    async def _settle(self, session: DrivenSession) -> bool:
        absences = self._settling.due(session.cluster, self._clock())
        for absence in absences:
            self._inbox += await settle(
                self._settling, absence, session.api, self._clock,
                timeout_seconds=TIMEOUT_SECONDS,
            )  # fmt: skip
            self._pass_time()
        return bool(absences)

    async def _follow(self, session: DrivenSession) -> bool:
        due = session.following.due(self.writer.state, self._clock())
        for namespace, jobs in due.items():
            self._inbox += await read_pods(
                session.api, namespace, jobs, timeout_seconds=TIMEOUT_SECONDS
            )
            self._pass_time()
        return bool(due)

    async def _ask(self, session: DrivenSession) -> bool:
        due, before = session.asking.due(self.writer.state, self._clock()), len(self._inbox)
        for namespace, questions in due.items():
            self._inbox += await read_events(
                session.api, namespace, questions, timeout_seconds=TIMEOUT_SECONDS
            )
            self._pass_time()
        return len(self._inbox) > before

    async def _ask_for_caches(self, session: DrivenSession) -> bool:
        due = session.cache_asking.due(self.writer.state, self._clock())
        for asked in due:
            answer = await asked.answer(session.api, timeout_seconds=TIMEOUT_SECONDS)
            self._inbox += () if answer is None else (answer,)
            self._pass_time()
        return bool(due)

    async def _store(self) -> bool:
        for due in self.book.due(self.writer.state, self._clock()):
            if not isinstance(due, StatusWrite):
                self._inbox.append(due)
                return True
            result = await due.store(self._home.api, timeout_seconds=TIMEOUT_SECONDS)
            self._pass_time()
            self._inbox += self.book.settle(due, result, self._clock())
            return True
        writes = self.conditions.due(self.writer.state, self._clock())
        for write in writes:
            result = await write.store(self._home.api, timeout_seconds=TIMEOUT_SECONDS)
            self._pass_time()
            self.conditions.settle(write, result, self._clock())
        return bool(writes)


async def start(
    world: World,
    log: EventLog,
    identity: Identity,
    listener: Listener | None = None,
    *,
    others: Mapping[str, World] | None = None,
    host: Host = CLOSE_BY,
) -> Driver:
    """Start the controller on a log, as after a crash or for the first time.

    Raises LogUnavailable when the store takes nothing: it is to be tried again.
    """
    vault = SecretVault(await log.secret_key())
    at = host.wall() if host.wall else world.cluster.now
    writer = await open_writer(log, identity, at, host.recall)
    return Driver(world, writer, listener, others=others, vault=vault, host=host)
