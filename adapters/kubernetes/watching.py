"""Watching a cluster: one task per kind lists, watches, and hands on what is observed.

Secrets come one by one: a kind that is `named` is one object, with a task of its own.

Whatever breaks is tried again with a growing, jittered delay. A failure tells nothing about any
object: it is said as a Reachability, an Unread or a WatchHealth, and what was known stays known.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple

import structlog

from adapters.kubernetes.kinds import PAGE_ROWS, WATCHED, Kind
from adapters.kubernetes.reflecting import WATCH_SECONDS, ReadRefused, Reflector
from adapters.kubernetes.timing import SystemTimer, Timer
from adapters.kubernetes.watch_health import (
    WatchHealth,
    is_spared,
    refused_words,
    unanswered_words,
    unread_of,
)
from adapters.ports import Api, ApiUnanswered
from machines.observations import Observation, Reachability, RolledBack
from machines.versions import KnownVersion, newest_of

Sink = Callable[[tuple[Observation, ...]], Awaitable[None]]

_log = structlog.get_logger(__name__)
_FIRST_DELAY, _LONGEST_DELAY = 0.5, 30.0  # seconds
_OFTEN = 3  # failures in a row after which any other refusal is said, too
_SHORT_WATCH = 10.0  # seconds; one that ends sooner and says nothing is no watch


class WatchSettings(NamedTuple):
    """How long to wait for what, in seconds, and how much to ask for at once."""

    request_seconds: float = 60.0  # for one page of a list
    # A bookmark comes about every minute; a connection without two of them is dead.
    idle_seconds: float = 130.0
    watch_seconds: int = WATCH_SECONDS
    page_rows: int = PAGE_ROWS


class ClusterWatch:
    """The kinds of one cluster, watched until cancelled; which ones may change on the way."""

    def __init__(
        self,
        api: Api,
        sink: Sink,
        *,
        kinds: Iterable[Kind] = WATCHED,
        known_objects: Mapping[str, Mapping[str, KnownVersion]] | None = None,
        settings: WatchSettings | None = None,
        timer: Timer | None = None,
    ) -> None:
        """Hand observations to `sink`, which the tasks of several kinds await in turn.

        `known_objects` are versions by uid, by kind, from an earlier session: a first list that
        is older, or shows an object as it was before, is doubted.
        """
        self._api = api
        self._sink = sink
        self._settings = settings or WatchSettings()
        self._timer = timer or SystemTimer()
        self._known: Mapping[str, Mapping[str, KnownVersion]] = known_objects or {}
        self._reachable = _Reachable(api.cluster, sink)
        self._watches: dict[str, _KindWatch] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._tasks: asyncio.TaskGroup | None = None
        self.follow(kinds)

    async def run(self) -> None:
        """Watch until cancelled. What the sink raises ends it, as an ExceptionGroup."""
        try:
            async with asyncio.TaskGroup() as self._tasks:
                for watch in self._watches.values():
                    self._begin(watch)
                await asyncio.Event().wait()  # with no kind at all it still goes on
        finally:
            self._tasks = None
            self._running.clear()

    def follow(
        self,
        kinds: Iterable[Kind],
        known_objects: Mapping[str, Mapping[str, KnownVersion]] | None = None,
        unread: Mapping[str, str] | None = None,
    ) -> None:
        """Watch these kinds and no others from now on; those watched already go on undisturbed.

        `known_objects` are versions by uid, by kind, as they are known by now, and `unread` is why
        a kind could not be listed, as far as that is still believed.
        """
        wanted = {kind.key: kind for kind in kinds}
        for key in [key for key in self._watches if key not in wanted]:
            del self._watches[key]
            self._reachable.dropped(key)
            if key in self._running:
                self._running.pop(key).cancel()
        known = self._known if known_objects is None else known_objects
        for key, kind in wanted.items():
            if key not in self._watches:
                watch = self._watches[key] = self._watch_of(kind, known.get(kind.name, {}))
                watch.unread = (unread or {}).get(key, "")
                self._begin(watch)

    @property
    def health(self) -> tuple[WatchHealth, ...]:
        """How each kind fares, in the order in which they were asked for."""
        return tuple(watch.health for watch in self._watches.values())

    def _watch_of(self, kind: Kind, known: Mapping[str, KnownVersion]) -> "_KindWatch":
        reflector = Reflector(
            self._api.cluster,
            kind,
            known_version=newest_of(known),
            known_objects=known,
            page_rows=self._settings.page_rows,
            watch_seconds=self._settings.watch_seconds,
        )
        return _KindWatch(
            self._api, reflector, self._deliver, self._reachable, self._settings, self._timer
        )

    def _begin(self, watch: "_KindWatch") -> None:
        if self._tasks is not None:
            key = watch.reflector.kind.key
            self._running[key] = self._tasks.create_task(watch.run(), name=f"watch {key}")

    async def _deliver(self, reflector: Reflector, observations: tuple[Observation, ...]) -> None:
        if any(isinstance(one, RolledBack) for one in observations):
            for watch in self._watches.values():
                if watch.reflector is not reflector:
                    self._begin_anew(watch)
        await self._sink(observations)

    def _begin_anew(self, watch: "_KindWatch") -> None:
        """Have a kind listed again, at once: nobody says when its watch will have an event."""
        is_watching = watch.reflector.watching
        watch.reflector.forget()
        task = self._running.get(watch.reflector.kind.key)
        if is_watching and task is not None:
            task.cancel()
            self._begin(watch)


class _Reachable:
    """Says each time that a cluster does not answer, and once that it does for every kind again.

    Whether why it does not is news depends on when that was told last, which the log knows.
    """

    def __init__(self, cluster: str, sink: Sink) -> None:
        self._cluster = cluster
        self._sink = sink
        self._failing: set[str] = set()
        self._said: bool | None = None

    async def answered(self, kind: str) -> None:
        self._failing.discard(kind)
        if not self._failing and self._said is not True:
            self._said = True
            await self._sink((Reachability(self._cluster, reachable=True),))

    def dropped(self, kind: str) -> None:
        """Wait no longer for a kind that is not watched any more."""
        self._failing.discard(kind)

    async def failed(self, kind: str, words: str) -> None:
        self._failing.add(kind)
        self._said = False
        await self._sink((Reachability(self._cluster, reachable=False, words=words),))


class _KindWatch:
    """One kind of one cluster."""

    def __init__(
        self,
        api: Api,
        reflector: Reflector,
        deliver: Callable[[Reflector, tuple[Observation, ...]], Awaitable[None]],
        reachable: _Reachable,
        settings: WatchSettings,
        timer: Timer,
    ) -> None:
        self.reflector = reflector
        self._api = api
        self._deliver = deliver
        self._reachable = reachable
        self._settings = settings
        self._timer = timer
        self._failures = 0  # in a row
        self._words = ""
        self._spared = False  # there is no such kind, and need not be
        self.unread = ""  # why it cannot be listed, as it was said last

    @property
    def health(self) -> WatchHealth:
        reflector = self.reflector
        kind, synced = reflector.kind.key, reflector.synced
        return WatchHealth(reflector.cluster, kind, synced, self._words, self._spared)

    async def run(self) -> None:
        kind = self.reflector.kind
        while True:
            listing = not self.reflector.watching
            try:
                well = await (self._list() if listing else self._watch())
            except ApiUnanswered as error:
                well = False
                self._say(unanswered_words(self._api.cluster, kind, str(error)))
            except ReadRefused as error:
                well = False
                await self._reachable.answered(kind.key)
                words = refused_words(self._api.cluster, kind, error)
                self._say(words, spared=is_spared(kind, error))
                if listing and self._is_lasting(error):
                    await self._tell_unread(error)
            if not well:
                self._failures += 1
                await self._timer.sleep(delay_seconds(self._api.cluster, kind, self._failures))

    async def _list(self) -> bool:
        """Ask for one page. That nobody answers is said of the cluster here, and only here."""
        reflector = self.reflector
        try:
            response = await self._api.send(
                reflector.next_request(), timeout_seconds=self._settings.request_seconds
            )
        except ApiUnanswered as error:
            await self._reachable.failed(reflector.kind.key, str(error))
            raise
        observations = reflector.feed_page(response)
        await self._answered(observations)
        return True

    async def _watch(self) -> bool:
        """Follow one watch to its end; say whether it went as a watch should.

        One that ends without an event, not even a bookmark, was perhaps asked for from a version
        that the server does not have (any more, or again): then a list is next.
        """
        reflector = self.reflector
        stream = self._api.watch(reflector.next_request(), idle_seconds=self._settings.idle_seconds)
        begun = self._timer.monotonic()
        events = 0
        try:
            async for event in stream:
                observations = reflector.feed_event(event)
                if not reflector.watching:  # its version has expired
                    return False
                events += 1
                self._failures = 0
                await self._answered(observations)
        finally:
            if not events:
                reflector.relist()
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()
        return events > 0 or self._timer.monotonic() - begun >= _SHORT_WATCH

    async def _answered(self, observations: tuple[Observation, ...]) -> None:
        self._say("")
        await self._reachable.answered(self.reflector.kind.key)
        await self._tell_unread(None)
        for words in self.reflector.skipped():
            _log.warning("skipped what cannot be read", cluster=self._api.cluster, words=words)
        if observations:
            await self._deliver(self.reflector, observations)

    def _is_lasting(self, error: ReadRefused) -> bool:
        """Say whether a refusal is more than a server's having no time just now."""
        return error.is_lasting or self._failures >= _OFTEN

    async def _tell_unread(self, error: ReadRefused | None) -> None:
        """Say why this cannot be listed, or that it can again, when that has changed."""
        unread = unread_of(self._api.cluster, self.reflector.kind, error)
        if unread.words != self.unread:
            self.unread = unread.words
            await self._deliver(self.reflector, (unread,))

    def _say(self, words: str, *, spared: bool = False) -> None:
        """Keep how it goes, and log it when that has changed."""
        if words == self._words:
            return
        self._words, self._spared = words, spared
        where = {"cluster": self._api.cluster, "kind": self.reflector.kind.key}
        if spared:
            _log.info(words, **where)
        elif words:
            _log.warning(words, **where)
        else:
            _log.info("read again", **where)


def delay_seconds(cluster: str, kind: Kind, failures: int) -> float:
    """Give how long to wait after so many failures in a row: doubling, jittered by name.

    The jitter is a hash, so that a run can be repeated; it keeps kinds and clusters apart.
    """
    longest = min(_LONGEST_DELAY, _FIRST_DELAY * 2.0 ** min(failures - 1, 16))
    digest = sha256(f"{cluster}/{kind.key}/{failures}".encode()).digest()
    return longest * (0.5 + digest[0] / 512)
