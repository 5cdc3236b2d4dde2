"""One commit for all who append at the same time.

The controller's loop needs none of this: it takes all facts that are queued and appends them as
one batch. It is for several tasks that each want their own rows on disk before they go on (a
recorder with a task per watch): what they submit while a commit is in flight waits and goes into
the next one together. There is no timer: under no load a row is committed at once, and under
load the time of a commit is what fills the next batch.

Rows get their place here, because a place is only known when the batch before is done.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from adapters.store.checking import check_draft
from engine.events import Draft, Event
from engine.logs import EventLog, LogIdentity


class _Request(NamedTuple):
    drafts: Sequence[Draft]
    at: int
    done: asyncio.Future[list[Event]]


class GroupCommits:
    """Appends for many tasks as the one writer of an epoch.

    `identity` is the log's since the epoch was opened; nobody else may append in that epoch.
    """

    def __init__(self, log: EventLog, identity: LogIdentity) -> None:
        self._log = log
        self._epoch = identity.epoch
        self._position = identity.position
        self._last_at = identity.last_at
        self._waiting: list[_Request] = []
        self._committing: asyncio.Task[None] | None = None

    async def append(self, drafts: Sequence[Draft], at: int) -> Sequence[Event]:
        """Give `drafts` as rows, next to each other, when they are durable.

        `at` (UTC nanoseconds) is raised to that of the row before. Raises EventMalformed, which
        concerns nobody else, and what EventLog.append raises, which all hear whose rows were in
        that commit: none of them was appended. A caller that is cancelled may have appended.
        """
        for draft in drafts:
            check_draft(draft)
        done: asyncio.Future[list[Event]] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Request(drafts, at, done))
        if self._committing is None:
            self._committing = asyncio.create_task(self._commit())
        return await done

    async def _commit(self) -> None:
        while self._waiting:
            requests, self._waiting = self._waiting, []
            placed = self._place(requests)
            events = [event for rows in placed for event in rows]
            try:
                await self._log.append(self._epoch, self._position, events)
            except Exception as error:  # noqa: BLE001 -- whoever waits must hear of it
                _fail(requests, error)
                continue
            self._position += len(events)
            self._last_at = max([self._last_at, *(event.at for event in events)])
            for request, rows in zip(requests, placed, strict=True):
                if not request.done.done():
                    request.done.set_result(rows)
        self._committing = None

    def _place(self, requests: Sequence[_Request]) -> list[list[Event]]:
        position, at = self._position, self._last_at
        placed = []
        for request in requests:
            at = max(at, request.at)
            rows = [
                draft.placed(seq, self._epoch, at)
                for seq, draft in enumerate(request.drafts, position + 1)
            ]
            position += len(rows)
            placed.append(rows)
        return placed


def _fail(requests: Sequence[_Request], error: Exception) -> None:
    for request in requests:
        if not request.done.done():
            request.done.set_exception(error)
