"""Guarding: a write leaves only while the lease surely outlives its time-out.

Epochs fence the log, but nothing can call back a request in flight. So each one that changes
something waits here until this process would still be the holder when its time-out ends.
"""

from collections.abc import AsyncIterator
from typing import Any, Protocol

from adapters.kubernetes.timing import Timer
from adapters.ports import Api, Request, Response

LOOK_SECONDS = 0.1  # between two looks at a lease that does not outlive a request


class Guard(Protocol):
    """Says whether a request may still be sent."""

    def outlives(self, seconds: float) -> bool:
        """Say whether this process surely holds the lease for so long from now."""
        ...


class Unguarded:
    """The guard of a controller that was told to run without a lease."""

    def outlives(self, seconds: float) -> bool:
        """Always: nobody else is expected."""
        return seconds >= 0


class GuardedApi:
    """An API server whose writes wait for the guard; reads pass."""

    def __init__(self, api: Api, guard: Guard, timer: Timer) -> None:
        """Guard `api`."""
        self._api = api
        self._guard = guard
        self._timer = timer

    @property
    def cluster(self) -> str:
        """The name under which this cluster stands in the log."""
        return self._api.cluster

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Send, a write only when the guard allows. Raises ApiUnanswered."""
        while request.method != "GET" and not self._guard.outlives(timeout_seconds):
            await self._timer.sleep(LOOK_SECONDS)
        return await self._api.send(request, timeout_seconds=timeout_seconds)

    def watch(self, request: Request, *, idle_seconds: float) -> AsyncIterator[dict[str, Any]]:
        """Watch; it changes nothing."""
        return self._api.watch(request, idle_seconds=idle_seconds)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._api.close()
