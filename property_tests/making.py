"""A log in the making: what is told becomes rows, and the rows a state."""

from collections.abc import Iterable, Sequence

from engine.events import Draft, Event, Subject
from engine.instants import SECOND
from engine.stepping import Cursor, step
from machines.domain import WARMLOG
from machines.ingesting import ingest
from machines.observations import Observation
from machines.states import State


class LogInTheMaking:
    """A log in the making, and the state that its rows give."""

    def __init__(self) -> None:
        """Begin with an empty log."""
        self.state: State = WARMLOG.initial("chaos")
        self.rows: list[Event] = []
        self.clock = 1_767_225_600 * SECOND
        self.last: list[Observation] = []
        self._cursor = Cursor(0, 0, 1, 0)
        self._version = 100

    def restart(self) -> tuple[Event, ...]:
        """Begin another session."""
        session = str(Subject("Session", "", "", ""))
        return self._step([Draft("", session, "SessionStarted", 1, "{}")])

    def tell(self, observations: Sequence[Observation]) -> tuple[Event, ...]:
        """Tell the core what was observed."""
        return self._step(ingest(self.state, observations, self.clock))

    def _step(self, drafts: Iterable[Draft]) -> tuple[Event, ...]:
        self.state, made = step(WARMLOG, self.state, self._cursor, drafts, self.clock)
        self._cursor = made.cursor
        self.rows += made.events
        return made.events
