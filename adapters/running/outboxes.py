"""The outbox of Kubernetes Events: sent one after the other, and dropped when too many wait.

An Event is a courtesy: what it tells is in the log, and in status.
"""

import asyncio

import structlog

from adapters.kubernetes.announcing import Announcement, announce
from adapters.ports import Api

WAITING = 1000  # announcements; more are dropped

_log = structlog.get_logger("warmlog")


class Outbox:
    """The announcements of one session."""

    def __init__(self, api: Api, *, instance: str, timeout_seconds: float) -> None:
        """Send to `api`; `instance` names this process."""
        self._api = api
        self._instance = instance
        self._timeout_seconds = timeout_seconds
        self._waiting: asyncio.Queue[Announcement] = asyncio.Queue(WAITING)

    def put(self, announcement: Announcement) -> None:
        """Have it sent, if there is room."""
        if not self._waiting.full():
            self._waiting.put_nowait(announcement)

    async def run(self) -> None:
        """Send until cancelled."""
        while True:
            one = await self._waiting.get()
            answer = await announce(
                self._api, one, instance=self._instance, timeout_seconds=self._timeout_seconds
            )
            words = type(answer).__name__
            _log.debug("announced", reason=one.reason, note=one.note, answer=words)
