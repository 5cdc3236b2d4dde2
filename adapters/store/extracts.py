"""Extracts: some rows of a log, or each put another way, as a log of its own.

They are read through the reader of the whole.
"""

from array import array
from bisect import bisect_right
from collections.abc import AsyncGenerator, Callable, Sequence

from engine.canonical_json import dumps, loads
from engine.events import Event
from engine.logs import EventReader, LogIdentity

Rewrite = Callable[[Event], Event]


class Rewritten:
    """A log whose rows are each put another way (engine.logs.EventReader)."""

    def __init__(self, whole: EventReader, log_id: str, rewrite: Rewrite) -> None:
        """Give the rows of `whole` as `rewrite` gives them, as a log of the name `log_id`."""
        self._whole = whole
        self._log_id = log_id
        self._rewrite = rewrite

    async def identify(self) -> LogIdentity:
        """Say which log this is."""
        return (await self._whole.identify())._replace(log_id=self._log_id)

    async def read(
        self, after: int = 0, until: int | None = None, *, batch_rows: int = 1000
    ) -> AsyncGenerator[Sequence[Event], None]:
        """Give the rows with after < seq ≤ until, in order, in batches of at most `batch_rows`."""
        async for batch in self._whole.read(after, until, batch_rows=batch_rows):
            yield [self._rewrite(event) for event in batch]


class Extract:
    """The kept rows (engine.logs.EventReader), numbered anew and without a gap.

    What names a row by its position names the same row, or, where that was left out, the last
    fact before it that was kept.
    """

    def __init__(
        self, whole: EventReader, log_id: str, kept: Sequence[int], facts: Sequence[int]
    ) -> None:
        """Keep the rows at the positions `kept` of `whole`, in order; `facts` are among them.

        `log_id` is the name of this log: it is another one.
        """
        self._whole = whole
        self._log_id = log_id
        self.kept = array("q", kept)
        self._facts = array("q", facts)

    async def identify(self) -> LogIdentity:
        """Say which log this is."""
        epoch = at = 0
        if self.kept:
            last = self.kept[-1]
            async for batch in self._whole.read(last - 1, last):
                epoch, at = batch[-1].epoch, batch[-1].at
        return LogIdentity(self._log_id, len(self.kept), epoch, at)

    async def read(
        self, after: int = 0, until: int | None = None, *, batch_rows: int = 1000
    ) -> AsyncGenerator[Sequence[Event], None]:
        """Give the rows with after < seq ≤ until, in order, in batches of at most `batch_rows`."""
        until = len(self.kept) if until is None else min(until, len(self.kept))
        if after >= until:
            return
        first, last = self.kept[after], self.kept[until - 1]
        at = after
        async for batch in self._whole.read(first - 1, last, batch_rows=batch_rows):
            found = []
            for event in batch:
                if event.seq == self.kept[at]:
                    at += 1
                    found.append(self._placed(event, at))
                    if at == until:
                        break
            if found:
                yield found

    def _placed(self, event: Event, seq: int) -> Event:
        data = event.data
        if event.type == "StatusStored":
            told = loads(data)
            data = dumps({**told, "position": self._position(told["position"])})
        return event._replace(
            seq=seq,
            data=data,
            cause=None if event.cause is None else self._position(event.cause) or None,
            seen=None if event.seen is None else self._position(event.seen),
        )

    def _position(self, old: int) -> int:
        """Give the new position of a row; 0 when nothing before it was kept."""
        new = bisect_right(self.kept, old)
        if new and self.kept[new - 1] == old:
            return new
        fact = bisect_right(self._facts, old)
        return bisect_right(self.kept, self._facts[fact - 1]) if fact else 0
