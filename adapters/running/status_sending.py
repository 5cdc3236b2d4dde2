"""Status sending: puts statuses on the wire, a few at a time, never in the way of the loop."""

import asyncio
from collections.abc import Callable

from adapters.kubernetes.statuses import StatusResult
from adapters.ports import Api
from adapters.running.condition_books import ConditionWrite
from adapters.running.status_books import StatusWrite

Write = StatusWrite | ConditionWrite
Settled = Callable[[Write, StatusResult], None]


class StatusSender:
    """Sends the statuses of one cluster."""

    def __init__(
        self,
        api: Api,
        settled: Settled,
        *,
        timeout_seconds: float,
        concurrency: int,
    ) -> None:
        """Tell `settled` what became of each write."""
        self._api = api
        self._settled = settled
        self._timeout_seconds = timeout_seconds
        self._concurrency = concurrency
        self._queue: asyncio.Queue[Write] = asyncio.Queue()

    def send(self, write: Write) -> None:
        """Send `write` when its turn comes."""
        self._queue.put_nowait(write)

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as workers:
            for _ in range(self._concurrency):
                workers.create_task(self._work())

    async def _work(self) -> None:
        while True:
            write = await self._queue.get()
            result = await write.store(self._api, timeout_seconds=self._timeout_seconds)
            self._settled(write, result)
