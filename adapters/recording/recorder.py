"""The recorder: the loop of a controller that has nothing but eyes, and a file that may be turned.

What a row says is what a controller would have recorded of the same answers: watches, questions
and delays are the same code.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from adapters.ports import Api
from adapters.running.sessions import Means
from adapters.running.witnessing import Witness
from adapters.running.writing import Writer
from engine.events import Event
from machines.states import State

Tell = Callable[[State, Sequence[Event]], None]  # is shown rows once they are in the file
Turn = Callable[[Writer, int], Awaitable[Writer]]  # goes on in another file, or does not


class Recorder(Witness):
    """One session of a recording. `api` and what `means` connects to must be read-only."""

    def __init__(self, writer: Writer, api: Api, means: Means, tell: Tell, turn: Turn) -> None:
        """Prepare; `run` begins. The writer must not decide.

        `tell` is shown each batch that is in the file, `turn` may give another file after it.
        """
        super().__init__(writer, api, means, believes_unread_kinds=True)
        self._tell = tell
        self._turn = turn

    async def finish(self) -> None:
        """Write down, after `run`, what had come in by then. Raises LogUnavailable."""
        if not self.writer.unsent_rows:
            self._fold_batch()
        rows = await self.writer.flush()
        self._tell(self.writer.state, rows)

    async def _follow_up(self, rows: Sequence[Event]) -> None:
        self.keeper.follow(self.writer.state, rows)
        if rows:
            self._tell(self.writer.state, rows)
            await self._turn_page()

    async def _turn_page(self) -> None:
        """Go on in another file, if it is time to; a stop in between lets that come to its end.

        Else the newest file would be one that does not say what was known.
        """
        turning = asyncio.ensure_future(self._turn(self.writer, self._clock()))
        try:
            self.writer = await asyncio.shield(turning)
        except asyncio.CancelledError:
            self.writer = await turning
            raise
