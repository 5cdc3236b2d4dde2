"""Fakes of the ports: a store that refuses, a server that is slow, and states to work on."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from adapters.ports import Api, Request, Response
from adapters.running.writing import Identity
from adapters.store.memory_logs import MemoryLog
from engine.events import Draft, Event
from engine.logs import LogIdentity, Opened

WRITER = Identity("0.0.1", "c0de" * 16, "5e77" * 16)


class StubbornLog:
    """An `EventLog` that raises what it is told to, and counts what it was asked."""

    def __init__(self, log: MemoryLog) -> None:
        """Keep rows in `log`."""
        self.log = log
        self.trouble: Exception | None = None  # raised by each append
        self.asked: list[tuple[Event, ...]] = []
        self.seconds = 0.0  # that each append takes

    @property
    def rows(self) -> list[Event]:
        """The rows that it has taken."""
        return self.log.rows

    async def identify(self) -> LogIdentity:
        """Say which log this is."""
        return await self.log.identify()

    def read(
        self, after: int = 0, until: int | None = None, *, batch_rows: int = 1000
    ) -> AsyncIterator[Sequence[Event]]:
        """Read."""
        return self.log.read(after, until, batch_rows=batch_rows)

    async def open_epoch(self, draft: Draft, at: int) -> Opened:
        """Open a term."""
        return await self.log.open_epoch(draft, at)

    async def append(self, epoch: int, expected_position: int, events: Sequence[Event]) -> None:
        """Append, or refuse."""
        self.asked.append(tuple(events))
        await asyncio.sleep(self.seconds)
        if self.trouble is not None:
            raise self.trouble
        await self.log.append(epoch, expected_position, events)

    def follow(self, after: int = 0) -> AsyncIterator[Sequence[Event]]:
        """Follow."""
        return self.log.follow(after)

    async def secret_key(self) -> bytes:
        """Give the log's key."""
        return await self.log.secret_key()

    async def close(self) -> None:
        """Nothing is held."""


class WatchedApi:
    """An `Api` that keeps the requests, and may take its time for some of them."""

    def __init__(self, api: Api) -> None:
        """Pass everything on to `api`."""
        self.requests: list[Request] = []
        self.writes: list[Request] = []
        self.seconds = 0.0  # that each request takes
        self.most_at_once = 0
        self._at_once = 0
        self._api = api

    @property
    def cluster(self) -> str:
        """The name of the cluster."""
        return self._api.cluster

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Answer, after a while."""
        self.requests.append(request)
        if request.method != "GET":
            self.writes.append(request)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            await asyncio.sleep(self.seconds)
            return await self._api.send(request, timeout_seconds=timeout_seconds)
        finally:
            self._at_once -= 1

    def watch(self, request: Request, *, idle_seconds: float) -> AsyncIterator[dict[str, Any]]:
        """Watch."""
        return self._api.watch(request, idle_seconds=idle_seconds)

    async def close(self) -> None:
        """Nothing is held."""
