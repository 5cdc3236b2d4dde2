"""Replay: fold a log again, up to a position or an instant. It folds, it never decides."""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from engine.events import Event
from engine.logs import EventReader
from engine.stepping import Cursor, Domain

State = TypeVar("State")


class Moment(NamedTuple):
    """Where to stop: after the row `position`, or before the first row later than `at`.

    None means no bound of that sort; both None means the end of the log.
    """

    position: int | None = None
    at: int | None = None  # UTC nanoseconds


class Replayed(NamedTuple, Generic[State]):
    """A state and the place in the log that it is of."""

    state: State
    cursor: Cursor
    events: int  # rows folded


END = Moment()


async def replay(
    domain: Domain[State],
    reader: EventReader,
    moment: Moment = END,
    *,
    start: Replayed[State] | None = None,
    look: Callable[[State, Event], bool] | None = None,
    batch_rows: int = 1000,
) -> Replayed[State]:
    """Fold the log from its beginning, or on from `start`, to `moment`.

    `look` is shown each row once it is folded, and ends the replay there when it gives true. The
    state of `start` is folded on in place. Raises what the reader raises.
    """
    if start is None:
        identity = await reader.identify()
        start = Replayed(domain.initial(identity.log_id), Cursor(0, 0, 0, 0), 0)
    state, cursor, count = start
    after = cursor.position
    async for batch in reader.read(after, moment.position, batch_rows=batch_rows):
        for event in batch:
            if moment.at is not None and event.at > moment.at:
                return Replayed(state, cursor, count)
            state = domain.fold(state, event)
            last_fact = cursor.last_fact if domain.is_decision(event.type) else event.seq
            cursor = Cursor(event.seq, last_fact, event.epoch, event.at)
            count += 1
            if look is not None and look(state, event):
                return Replayed(state, cursor, count)
    return Replayed(state, cursor, count)
