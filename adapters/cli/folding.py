"""Folding a whole log for a look at each of its rows."""

from collections.abc import Callable

from engine.events import Event
from engine.logs import EventReader
from engine.replaying import Replayed, replay
from machines.domain import WARMLOG
from machines.states import State

Take = Callable[[State, Event], object]


async def fold_whole(source: EventReader, take: Take) -> Replayed[State]:
    """Fold a log to its end; `take` is shown each row before the state is at rest."""

    def look(state: State, event: Event) -> bool:
        take(state, event)
        WARMLOG.rest(state)
        return False

    return await replay(WARMLOG, source, look=look)
