"""Following: the timeline of a log that is folded once, and then row by row as it grows."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, NamedTuple

from adapters.store.tailing import Begun, Lost, News, Rested, Rows
from adapters.timeline.documents import Source, document
from engine.errors import LogUnavailable, WarmlogError
from engine.events import Event
from engine.logs import LogIdentity
from machines.charting import Chart
from machines.domain import WARMLOG
from machines.recorders import Recorders
from machines.states import State

OK, FAILED, UNAVAILABLE = 200, 500, 503
ROWS_AT_ONCE = 20  # folded before somebody may ask

IsFull = Callable[[], bool]


class Told(NamedTuple):
    """A code as HTTP has them, and the document; of an error a sentence."""

    code: int
    document: dict[str, Any]
    words: str = ""


class _Story:
    """One log so far."""

    def __init__(self, identity: LogIdentity) -> None:
        self.identity = identity
        self.state: State = WARMLOG.initial(identity.log_id)
        self.chart = Chart()
        self.recorders = Recorders()
        self.is_whole = False  # whether all that there was has been folded once

    def take(self, event: Event) -> None:
        self.recorders.note(event)
        self.state = WARMLOG.fold(self.state, event)
        self.chart.take(self.state, event)
        WARMLOG.rest(self.state)


class Follower:
    """Keeps the timeline of a log, and tells what came after a position."""

    def __init__(self, place: str, is_full: IsFull = lambda: False) -> None:
        """Follow the log that people call `place`, until `is_full`."""
        self.ready = asyncio.Event()  # once there is an answer, whatever it is
        self.has_ended = False  # what could not be read at all is tried again by another one
        self._place = place
        self._is_full = is_full
        self._story: _Story | None = None
        self._trouble = Told(UNAVAILABLE, {})

    async def follow(self, news: AsyncIterator[News]) -> None:
        """Take in what comes, for ever, or until there is no room for more."""
        try:
            async for each in news:
                await self._take(each)
                if self._is_full():
                    self._give_up()
                    return
        except WarmlogError as error:
            self.has_ended = True
            self._fail(UNAVAILABLE if isinstance(error, LogUnavailable) else FAILED, str(error))

    def answer(self, after: int) -> Told:
        """Give what came after a position."""
        story = self._story
        if self._trouble.words:
            return self._trouble
        if story is None or not story.is_whole:
            return Told(UNAVAILABLE, {}, self._progress(story))
        source = Source(story.identity.log_id, self._place, story.recorders.words)
        return Told(OK, document(story.chart, source, after=after))

    async def _take(self, news: News) -> None:
        match news:
            case Begun(identity):
                self._story = _Story(identity)
                self._trouble = Told(UNAVAILABLE, {})
                self.ready.clear()
            case Rows(events, identity) if self._story is not None:
                self._story.identity = identity
                await self._fold(self._story, events)
            case Rested() if self._story is not None:
                self._story.is_whole = True
                self._fail(UNAVAILABLE, "")
            case Lost(words):
                self._fail(UNAVAILABLE, f"The log cannot be read now, and is tried again: {words}")

    async def _fold(self, story: _Story, events: Sequence[Event]) -> None:
        for number, event in enumerate(events, 1):
            story.take(event)
            if number % ROWS_AT_ONCE == 0:
                await asyncio.sleep(0)

    def _fail(self, code: int, words: str) -> None:
        self._trouble = Told(code, {}, words)
        self.ready.set()

    def _progress(self, story: _Story | None) -> str:
        if story is None:
            return f"The log {self._place} is opened: ask again in a moment."
        known, end = story.state.position, story.identity.position
        return f"The log is still read, position {known} of {end} by now: ask again in a moment."

    def _give_up(self) -> None:
        position = self._story.state.position if self._story else 0
        self._story = None
        words = (
            f"The log is too long to be shown live: its timeline up to position {position} takes "
            "all the memory that it may. Write a part of the log with `warmlog export --since` or "
            "`--object`, and look at that with `warmlog timeline`."
        )
        self._fail(FAILED, words)
