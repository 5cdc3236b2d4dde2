"""The live loop: observations in, a batch into the log, and only then effects and statuses out.

`witnessing` has the loop itself; here is what a controller does with what has become durable.
"""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

from adapters.kubernetes.statuses import StatusResult
from adapters.ports import Api
from adapters.running.announcing_caches import is_farewell
from adapters.running.condition_books import ConditionBook, ConditionWrite
from adapters.running.sessions import Means
from adapters.running.status_books import StatusBook, StatusWrite
from adapters.running.status_sending import StatusSender, Write
from adapters.running.witnessing import FAR_AWAY, Witness
from adapters.running.writing import Writer
from engine.events import Event
from engine.instants import SECOND
from machines.deciding import effect_of
from machines.domain import WARMLOG
from machines.observations import Observation
from machines.states import State

Announce = Callable[[State], None]  # looks at a durable state for news
ANNOUNCE_INTERVAL = SECOND


class Controller(Witness):
    """One session of the controller, from one cluster over all that it stages models to."""

    def __init__(
        self,
        writer: Writer,
        api: Api,
        means: Means,
        announce: Announce | None = None,
    ) -> None:
        """Prepare; `run` begins. `announce` is shown the state about once a second."""
        super().__init__(writer, api, means)
        self.book = StatusBook()
        self.conditions = ConditionBook()
        self._announce = announce
        self._announced = (0, 0)  # position and instant of the last look for news
        self._sender = StatusSender(
            self.keeper.home.api, self._settled,
            timeout_seconds=means.limits.timeout_seconds, concurrency=means.limits.statuses,
        )  # fmt: skip

    def _more_work(self) -> Iterator[tuple[str, Callable[[], Coroutine[Any, Any, None]]]]:
        yield "statuses", self._sender.run

    def _note(self, observation: Observation) -> None:
        self.book.note(observation)
        self.conditions.note(observation)

    def _more_times(self, state: State) -> Iterator[int | None]:
        yield self.book.next_due(state)
        yield self.conditions.next_due(state)
        if self._announce is not None:
            yield self._news_due(self.writer.cursor.position)

    async def _follow_up(self, rows: Sequence[Event]) -> None:
        self._dispatch(rows)
        self.keeper.follow(self.writer.state, rows)
        self._send_statuses()
        self._look_for_news(rows)

    def _dispatch(self, rows: Sequence[Event]) -> None:
        """Hand on what was decided; what is of a cluster without a session waits for one."""
        state = self.writer.state
        for row in rows:
            if WARMLOG.is_decision(row.type) and row.seq in state.open:
                effect = effect_of(state, row.seq)
                session = self.keeper.session_of(effect.cluster)
                if session is not None:
                    session.perform(effect)

    def _look_for_news(self, rows: Sequence[Event]) -> None:
        """Announce what is new, once a second; at once before an object is let go."""
        now, position = self._clock(), self.writer.cursor.position
        is_due = now >= self._news_due(position) or any(map(is_farewell, rows))
        if self._announce is None or not is_due:
            return
        self._announced = (position, now)
        self._announce(self.writer.state)

    def _news_due(self, position: int) -> int:
        """Give when to look for news next; far away when the log has not grown."""
        told, at = self._announced
        return at + ANNOUNCE_INTERVAL if told != position else FAR_AWAY

    def _send_statuses(self) -> None:
        state, now = self.writer.state, self._clock()
        for due in (*self.book.due(state, now), *self.conditions.due(state, now)):
            if isinstance(due, StatusWrite | ConditionWrite):
                self._sender.send(due)
            else:
                self._inbox.append(due)

    def _settled(self, write: Write, result: StatusResult) -> None:
        if isinstance(write, StatusWrite):
            self._inbox += self.book.settle(write, result, self._clock())
        else:
            self.conditions.settle(write, result, self._clock())
        self._woken.set()
