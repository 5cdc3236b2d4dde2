"""Driven sessions: one cluster as the driver meets it, read and acted upon one turn at a time."""

from collections import deque
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from adapters.kubernetes.discretion import DiscreetApi
from adapters.kubernetes.kinds import Kind
from adapters.kubernetes.reflecting import ReadRefused, Reflector
from adapters.kubernetes.vaults import SecretVault
from adapters.kubernetes.watch_health import unread_of
from adapters.ports import Api, ApiUnanswered, Request, Response
from adapters.running.asking import AskingBook
from adapters.running.cache_asking import CacheAskingBook, QuestionBoard
from adapters.running.clocks import Now
from adapters.running.cluster_books import Definitions, KindBook, Wants
from adapters.running.following import FollowingBook
from adapters.running.guarding import Guard, GuardedApi, Unguarded
from adapters.running.sessions import may_look_up
from adapters.running.writing import Fold
from adapters.simulator.api_server import ApiServer
from adapters.simulator.halting import HaltingTimer
from adapters.simulator.watching import WatchCursor
from machines.deciding import effect_of
from machines.intents import Effect
from machines.observations import Observation, Reachability, RolledBack
from machines.states import State
from machines.versions import known_versions, newest_of

TIMEOUT_SECONDS = 10.0
TRIES = 3  # to list a kind in one turn; a later turn tries again


class Host(NamedTuple):
    """What a driven controller runs on, where that differs from the clusters it is about."""

    wall: Now | None = None  # the time of day; None: the clusters'
    guard: Guard = Unguarded()  # a write that it does not let out halts whoever sends it
    recall: Fold | None = None  # gives a state to go on from; None: the whole log is folded


CLOSE_BY = Host()


class Shared(NamedTuple):
    """What the sessions of one driver have in common."""

    vault: SecretVault
    guard: Guard
    board: QuestionBoard


class Line:
    """A way to an API server on which one watch is read: what it holds now, and no more."""

    def __init__(self, server: ApiServer, cluster: str) -> None:
        """Speak to `server`, which the log knows as `cluster`."""
        self.cluster = cluster
        self._server = server
        self._cursor: WatchCursor | None = None

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Send one request. Raises ApiUnanswered."""
        return await self._server.send(request, timeout_seconds=timeout_seconds)

    async def watch(
        self, request: Request, *, idle_seconds: float
    ) -> AsyncIterator[dict[str, Any]]:
        """Give what the watch has had since it was last read. Raises ApiUnanswered."""
        del idle_seconds
        if self._cursor is None or self._cursor.finished:
            self._cursor = self._server.open_watch(request)
        for event in self._cursor.take():
            yield event

    async def close(self) -> None:
        """Let go of the watch: the next one begins anew."""
        self._cursor = None

    @property
    def has_news(self) -> bool:
        """Whether reading the watch may give anything, or fail."""
        return self._cursor is None or self._cursor.has_news

    @property
    def is_open(self) -> bool:
        """Whether there is a watch, and it goes on."""
        return self._cursor is not None and not self._cursor.finished


class _Watch:
    """One kind of the cluster."""

    def __init__(self, reflector: Reflector, line: Line, vault: SecretVault) -> None:
        self.reflector = reflector
        self.unread = ""  # why it cannot be listed, as it was said last
        self.line = line
        self._api = DiscreetApi(line, vault)

    @property
    def is_quiet(self) -> bool:
        """Whether there is nothing to read, and nothing to say of the last time."""
        return self.reflector.watching and not self.unread and not self.line.has_news

    @property
    def is_connected(self) -> bool:
        """Whether a watch goes on: to read it takes no new request."""
        return self.reflector.watching and self.line.is_open

    async def read(self) -> list[Observation]:
        """Give what is new. Raises ApiUnanswered, ReadRefused."""
        found: list[Observation] = []
        reflector = self.reflector
        while not reflector.watching:
            await self.line.close()
            request = reflector.next_request()
            page = await self._api.send(request, timeout_seconds=TIMEOUT_SECONDS)
            found += reflector.feed_page(page)
        async for event in self._api.watch(reflector.next_request(), idle_seconds=0):
            found += reflector.feed_event(event)
        return found

    async def break_off(self) -> None:
        """Begin a new connection next."""
        await self.line.close()


class _ReadUpTo(NamedTuple):
    """A moment at which every watch was read to its end."""

    wants: Wants
    defined: Definitions
    heard: int | None  # how many tidings there were; None: no watch is there to bring any
    unreachable: str  # why no request got through then, if none did


class DrivenSession:
    """One cluster, for as long as one way into it holds."""

    def __init__(
        self,
        server: ApiServer,
        cluster: str,
        shared: Shared,
        state: State,
        *,
        is_home: bool,
    ) -> None:
        """Begin; what is open for the cluster has to be looked up first."""
        self.cluster = cluster
        line = GuardedApi(Line(server, cluster), shared.guard, HaltingTimer())
        self.api: Api = DiscreetApi(line, shared.vault)
        self.asking = AskingBook(cluster)
        self.cache_asking = CacheAskingBook(cluster, shared.board)
        self.following = FollowingBook(cluster)
        self.effects: deque[Effect] = deque()
        self.look_ups: deque[tuple[int, Effect]] = deque()  # (not before, effect)
        self._server = server
        self._faults = server.faults
        self._tidings = server.tidings
        self._vault = shared.vault
        self._kinds = KindBook(cluster, is_home=is_home)
        self._versions = known_versions(state, cluster)
        self._watches: dict[str, _Watch] = {}
        self._answers: bool | None = None  # what was last said of it
        self._read_up_to: _ReadUpTo | None = None
        self.look_ups += [
            (0, effect_of(state, seq)) for seq, one in state.open.items() if one.cluster == cluster
        ]

    def due_look_up(self, state: State, now: int) -> Effect | None:
        """Take the next look-up whose time has come."""
        due = self.next_look_up(state)
        return self.look_ups.popleft()[1] if due is not None and due <= now else None

    def next_look_up(self, state: State) -> int | None:
        """Give when the next look-up may be made; None when there is none to be made."""
        while self.look_ups and self.look_ups[0][1].seq not in state.open:
            self.look_ups.popleft()
        if not self.look_ups or not may_look_up(state, self.look_ups[0][1].seq):
            return None
        return self.look_ups[0][0]

    def is_quiet(self, wants: Wants, defined: Definitions) -> bool:
        """Say whether there is nothing to observe."""
        before = self._read_up_to
        return (
            before is not None
            and before.heard in {None, self._tidings.count}
            and before.unreachable == self._faults.unreachable
            and before.wants is wants
            and before.defined == defined
        )

    async def observe(self, state: State, wants: Wants, defined: Definitions) -> list[Observation]:
        """Read every kind that is wanted, as far as there is news, and as anybody answers."""
        if self.is_quiet(wants, defined):
            return []
        self._follow(self._kinds.kinds(wants, defined), state)
        found: list[Observation] = []
        failing, unreachable = "", self._faults.unreachable
        for watch in list(self._watches.values()):
            if unreachable and not watch.is_connected:
                failing = unreachable  # no request would get through
            elif not watch.is_quiet:
                news, words = await self._read(watch)
                found += news
                failing = failing or words
        self._read_up_to = self._moment(wants, defined)
        answers = not failing
        if answers is self._answers:
            return found
        self._answers = answers
        reach = Reachability(self.cluster, answers, failing)
        return [*found, reach] if failing else [reach, *found]

    def _moment(self, wants: Wants, defined: Definitions) -> _ReadUpTo | None:
        """Note how far everything was read; None when some of it has to be read again at once."""
        unreachable = self._faults.unreachable
        connected = [one for one in self._watches.values() if one.is_connected]
        if not unreachable and len(connected) < len(self._watches):
            return None
        if not all(watch.is_quiet for watch in connected):
            return None
        heard = self._tidings.count if connected else None
        return _ReadUpTo(wants, defined, heard, unreachable)

    async def _read(self, watch: _Watch) -> tuple[list[Observation], str]:
        """Give what is new of a kind, and why nobody answers for it, if nobody does."""
        found: list[Observation] = []
        words = ""
        for _ in range(TRIES):
            listing = not watch.reflector.watching
            try:
                news = await watch.read()
            except ReadRefused as error:
                words = ""
                if listing and error.is_lasting:
                    found += self._unread(watch, error)
                if not listing:
                    watch.reflector.relist()  # as the live loop does after a watch without events
                await watch.break_off()
            except ApiUnanswered as error:
                words = str(error)
                await watch.break_off()
            else:
                words = ""
                found += [*self._unread(watch, None), *news]
                self._forget_versions(watch, news)
                if watch.reflector.watching:
                    break  # else what the watch was to go on from is forgotten, or too new
        return found, words

    def _unread(self, watch: _Watch, error: ReadRefused | None) -> list[Observation]:
        """Say why a kind cannot be listed, or that it can again, when that has changed."""
        unread = unread_of(self.cluster, watch.reflector.kind, error)
        if unread.words == watch.unread:
            return []
        watch.unread = unread.words
        return [unread]

    def _forget_versions(self, watch: _Watch, news: list[Observation]) -> None:
        if any(isinstance(one, RolledBack) for one in news):
            for other in self._watches.values():
                if other is not watch:
                    other.reflector.forget()

    def _follow(self, kinds: tuple[Kind, ...], state: State) -> None:
        wanted = {kind.key: kind for kind in kinds}
        for key in self._watches.keys() - wanted.keys():
            kind = self._watches.pop(key).reflector.kind
            self._vault.forget(self.cluster, *kind.scope)
        for key, kind in wanted.items():
            if key not in self._watches:
                watch = self._watches[key] = self._watch(kind)
                known = state.clusters.get(self.cluster)
                watch.unread = known.unread.get(key, "") if known else ""

    def _watch(self, kind: Kind) -> _Watch:
        """Begin to reflect a kind, knowing the versions that an earlier life has seen."""
        versions = self._versions.get(kind.name, {}) if not kind.named else {}
        newest = newest_of(versions)
        reflector = Reflector(self.cluster, kind, known_version=newest, known_objects=versions)
        return _Watch(reflector, Line(self._server, self.cluster), self._vault)
