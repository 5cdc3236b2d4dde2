"""Cores: the real core in the midst of a search, and every state of it that was met, once.

What the core does with what it is told depends on its state alone, so each pair of the two is
folded and decided once, however many states of the world around it lead there. What must hold of
rows and decisions is checked on the way, what must hold of a state once for each that is met.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from engine.canonical_json import dumps
from engine.events import Draft, Event, Subject
from engine.instants import SECOND
from engine.stepping import Cursor, step
from machines.caches.settings import DEFAULT_SETTINGS, CachingSettings
from machines.deciding import effect_of, is_as_intended, still_wanted
from machines.domain import WARMLOG, Warmlog
from machines.ingesting import due_deadlines, ingest, next_deadline
from machines.intents import Intent
from machines.observations import Answer, Answered, Observation
from machines.states import State
from property_tests.exploring.renaming import Name, name_of
from property_tests.laws import Rule

BEGINNING = 1_767_225_600 * SECOND  # 2026-01-01T00:00:00Z
_SESSION = str(Subject("Session", "", "", ""))


class AnswerTo(NamedTuple):
    """What became of an open decision, by what it is: its position differs from log to log."""

    cluster: str
    intent: Intent
    answer: Answer


class Restart(NamedTuple):
    """The controller starts anew on its log."""


class TimePasses(NamedTuple):
    """The clock reaches the next deadline."""


Told = tuple[Observation | AnswerTo | Restart | TimePasses, ...]  # at once, and decided upon once


class Opened(NamedTuple):
    """A decision without an answer, as whoever carries it out has it."""

    cluster: str
    intent: Intent
    uncertain: bool  # it is looked up, not sent
    sendable: bool  # still wanted, and its body is as it was decided
    body: Any


class Heard(NamedTuple):
    """What the world around a core has to know of it."""

    opened: tuple[Opened, ...]
    waits: bool  # for a deadline, and time may pass
    view: Any  # whatever else that world looks at


class Laws(NamedTuple):
    """What must hold of a state, across a row, and of a decision (which gives what it breaks)."""

    always: Sequence[Callable[[State], bool]]
    between: Sequence[Callable[[State, Event, State], bool]]
    broken_by: Callable[[State, Event], Iterable[Rule]]


class Outcome(NamedTuple):
    """What came of telling a core something."""

    core: int
    broken: tuple[str, ...]  # sentences


class _Watched(Warmlog):
    """The domain, with what must hold of rows and decisions checked as they are folded."""

    def __init__(self, laws: Laws) -> None:
        self._laws = laws
        self.broken: list[str] = []

    def fold(self, state: State, event: Event) -> State:
        """Apply one event in place, and note what it breaks."""
        broken: list[Rule] = []
        if WARMLOG.is_decision(event.type):
            broken += self._laws.broken_by(state, event)
        before = WARMLOG.copy(state)
        state = WARMLOG.fold(state, event)
        broken += [holds for holds in self._laws.between if not holds(before, event, state)]
        self.broken += [f"{one.__doc__} ({event.type} {event.subject})" for one in broken]
        return state


class Telling:
    """One log in the making: tells a state something, and keeps the rows of that."""

    def __init__(self, laws: Laws, settings: CachingSettings = DEFAULT_SETTINGS) -> None:
        """Begin nowhere: each telling says from which state it goes on."""
        self._laws = laws
        self._domain = _Watched(laws)
        self._session = dumps({"caching": settings.to_json()})

    def broken_in(self, state: State) -> tuple[str, ...]:
        """Give the sentences that do not hold of a state."""
        return tuple(f"{one.__doc__}" for one in self._laws.always if not one(state))

    def tell(self, state: State, told: Told) -> tuple[State, tuple[Event, ...], tuple[str, ...]]:
        """Give the state, changed in place, the rows made, and the sentences broken."""
        self._domain.broken = []
        clock, drafts = self._drafts(state, told)
        cursor = Cursor(state.position, state.position, 1, state.now)
        state, made = step(self._domain, state, cursor, drafts, clock)
        return state, made.events, tuple(self._domain.broken)

    def _drafts(self, state: State, told: Told) -> tuple[int, Iterator[Draft]]:
        clock = max(state.now, BEGINNING)
        if told and isinstance(told[0], Restart):
            begun = Draft("", _SESSION, "SessionStarted", 1, self._session)
            return clock, chain([begun], ingest(state, _placed(state, told), clock))
        if told and isinstance(told[0], TimePasses):
            due = next_deadline(state) or clock
            return max(clock, due), ingest(state, due_deadlines(state, due), due)
        return clock, ingest(state, _placed(state, told), clock)


def _placed(state: State, told: Told) -> Iterator[Observation]:
    """Give what is told, each answer with the position of what it answers."""
    for one in told:
        if isinstance(one, AnswerTo):
            for seq, opened in state.open.items():
                if (opened.cluster, opened.intent) == (one.cluster, one.intent):
                    yield Answered(seq, one.answer)
                    break
        elif not isinstance(one, Restart | TimePasses):
            yield one


class Cores:
    """Every state of the core that a search has met, by number."""

    def __init__(self, telling: Telling, view: Callable[[State], Any], twice_each: int = 0) -> None:
        """Begin with the state of an empty log, which is number 0; `view` is the world's own.

        With `twice_each`, of so many states that have a name already one is kept beside the first,
        told all the same, and has to come to the same.
        """
        self._telling = telling
        self._twice_each = twice_each
        self._again: dict[int, State] = {}
        self._met = 0
        self._view = view
        self._states: list[State] = []
        self._heard: list[Heard] = []
        self._broken: list[tuple[str, ...]] = []
        self._numbers: dict[Name, int] = {}
        self._outcomes: dict[tuple[int, Told], Outcome] = {}
        self._number(WARMLOG.initial("explored"))

    def __len__(self) -> int:
        """Give how many states there are."""
        return len(self._states)

    def names(self) -> list[Name]:
        """Give the name of each, by number."""
        return list(self._numbers)

    def heard(self, core: int) -> Heard:
        """Give what the world around it knows of a core."""
        return self._heard[core]

    def told(self, core: int, told: Told) -> Outcome:
        """Give what comes of telling a core something."""
        key = core, told
        outcome = self._outcomes.get(key)
        if outcome is None:
            state = WARMLOG.copy(self._states[core])
            state, _, broken = self._telling.tell(state, told)
            again = self._again.get(core)
            if again is not None:
                twin, _, _ = self._telling.tell(WARMLOG.copy(again), told)
                if name_of(twin) != name_of(state):
                    broken = (*broken, "Two states of one name came to two.")
            number = self._number(state)
            outcome = self._outcomes[key] = Outcome(number, broken + self._broken[number])
        return outcome

    def _number(self, state: State) -> int:
        name = name_of(state)
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._states)
            self._states.append(state)
            self._heard.append(_heard(state, self._view))
            self._broken.append(self._telling.broken_in(state))
            return number
        self._met += 1
        if self._twice_each and not self._met % self._twice_each:
            self._again[number] = state
        return number


def _heard(state: State, view: Callable[[State], Any]) -> Heard:
    opened = tuple(_opened(state, seq) for seq in state.open)
    return Heard(opened, next_deadline(state) is not None, view(state))


def _opened(state: State, seq: int) -> Opened:
    opened, effect = state.open[seq], effect_of(state, seq)
    sendable = still_wanted(state, seq) and is_as_intended(effect)
    return Opened(opened.cluster, opened.intent, opened.uncertain, sendable, effect.body)
