"""A watch on the simulated API server: a cursor over the history of one kind."""

import asyncio
from collections.abc import Iterable
from typing import Any, NamedTuple

from adapters.ports import ApiUnanswered
from adapters.simulator.answers import expired
from adapters.simulator.resources import Resource
from adapters.simulator.selecting import Selector
from adapters.simulator.storage import ADDED, DELETED, MODIFIED, Change, Manifest, Storage

WatchEvent = dict[str, Any]


class Scope(NamedTuple):
    """What a watch or a list is about: a kind, in one namespace or in all, selected or whole."""

    resource: Resource
    namespace: str = ""
    selects: Selector | None = None
    since: int = 0  # only changes after this version, which may lie ahead


class WatchCursor:
    """One open watch. Whoever holds it takes what has happened since, when it likes.

    A real watch is a stream; here the events wait until they are taken, so that a test decides how
    far the reader lags behind, and in which order two watches are read.
    """

    def __init__(
        self,
        storage: Storage,
        scope: Scope,
        begin: int,
        first: Iterable[WatchEvent] = (),
    ) -> None:
        """Watch `scope` from the place `begin` in its kind's history, after the events `first`."""
        self.tidings = storage.tidings
        self._storage = storage
        self._resource = scope.resource
        self._prefix = f"{scope.namespace}/" if scope.namespace else ""
        self._selects = scope.selects
        self._since = scope.since
        self._position = begin
        self._waiting: list[WatchEvent] = list(first)
        self._held_at: int | None = None
        self._cut: str | None = None
        self._ended = False
        self._wake = asyncio.Event()

    @property
    def kind(self) -> str:
        """The kind that it is about."""
        return self._resource.kind

    @property
    def ended(self) -> bool:
        """Whether nothing more will come: the server closed it, or said ERROR."""
        return self._ended and not self._waiting

    @property
    def finished(self) -> bool:
        """Whether the connection is over, cut or ended."""
        return self._cut is not None or self.ended

    @property
    def has_news(self) -> bool:
        """Whether `take` may give anything, or raise."""
        if self._waiting or self._ended or self._cut is not None:
            return True
        kind = self._resource.kind
        if self._position == self._storage.position(kind):
            return False
        changes = self._storage.changes(kind, self._position)
        first = None if changes is None else next(changes, None)
        return first is None or self._held_at is None or first.version <= self._held_at

    def take(self, at_most: int | None = None) -> list[WatchEvent]:
        """Give the events that have not been taken yet, oldest first, at most so many.

        Raises ApiUnanswered when the connection was cut.
        """
        if self._cut is not None:
            raise ApiUnanswered(self._cut)
        if not self._ended:
            self._read()
        taken = self._waiting[:at_most]
        self._waiting = self._waiting[len(taken) :]
        return taken

    def bookmark(self) -> None:
        """Have the server say how far this watch has come."""
        if self._ended or self._cut is not None:
            return
        self._read()
        version = self._held_at if self._held_at is not None else self._storage.version
        body = {
            "kind": self._resource.kind,
            "apiVersion": self._resource.api_version,
            "metadata": {"resourceVersion": str(version)},
        }
        self._waiting.append({"type": "BOOKMARK", "object": body})
        self.stir()

    def hold(self) -> None:
        """Lag: what happens from now on is not delivered until `release`."""
        if self._held_at is None:
            self._held_at = self._storage.version

    def trickle(self, changes: int) -> None:
        """Deliver so many more of the cluster's changes, and lag on; nothing when it does not lag.

        So what happened comes bit by bit, and late.
        """
        if self._held_at is not None:
            self._held_at = min(self._held_at + changes, self._storage.version)
            self.stir()

    def repeat(self, changes: int) -> None:
        """Deliver the last so many changes of the kind once more, as they were then.

        Those that were before the watch began come as well, those that are forgotten cannot.
        """
        if self.finished or self._since > self._storage.version:
            return
        oldest = self._storage.position_after(self._resource.kind, 0)
        self._position = max(self._position - changes, oldest)
        self._since = 0
        self.stir()

    def release(self) -> None:
        """Catch up again."""
        self._held_at = None
        self.stir()

    def cut(self, words: str = "connection reset by peer") -> None:
        """Break the connection: what was not taken is lost."""
        self._cut = words
        self.stir()

    def close(self) -> None:
        """Close as the server does when the watch's time is over: what happened still comes."""
        if not self._ended:
            self._read()
        self._ended = True
        self.stir()

    def refuse(self, status: Manifest) -> None:
        """End with an ERROR event."""
        self._waiting.append({"type": "ERROR", "object": status})
        self._ended = True
        self.stir()

    def stir(self) -> None:
        """Say that something may have happened: to who waits in `wait`, and to who looks."""
        self.tidings.count += 1
        self._wake.set()

    async def wait(self) -> None:
        """Wait until something may have happened since the last `take`."""
        await self._wake.wait()
        self._wake.clear()

    def _read(self) -> None:
        """Turn the history since the last look into events."""
        changes = self._storage.changes(self._resource.kind, self._position)
        if changes is None:
            self.refuse(expired("The resourceVersion for the provided watch is too old.").body)
            return
        for change in changes:
            if self._held_at is not None and change.version > self._held_at:
                break
            self._position += 1
            event = self._event(change) if change.version > self._since else None
            if event is not None:
                self._waiting.append(event)

    def _event(self, change: Change) -> WatchEvent | None:
        """Give what the change means to this watch: leaving a selector is a DELETED."""
        if not change.key.startswith(self._prefix):
            return None
        if self._selects is None:
            return {"type": change.type, "object": change.object}
        was = change.previous is not None and self._selects(change.previous)
        now = change.type != DELETED and self._selects(change.object)
        if now:
            return {"type": MODIFIED if was else ADDED, "object": change.object}
        return {"type": DELETED, "object": _left(change)} if was else None


def _left(change: Change) -> Manifest:
    """Give the object as it was when it was last selected, under the version at which it left."""
    last = change.previous if change.previous is not None else change.object
    return {**last, "metadata": {**last["metadata"], "resourceVersion": str(change.version)}}
