"""Crashing: after any row of a recording, and between any two decisions, to go on from the log.

The state is folded from the log alone, another session begins, what is open is looked up, and all
that was listed is listed again. Whether a request had landed is what nobody knows: both are tried.
"""

from collections.abc import Iterator
from typing import NamedTuple, Self

from engine.events import Event
from engine.instants import SECOND
from machines.domain import WARMLOG
from machines.intents import Create, CreateJob, Intent, ObjectIntent, Resolve
from machines.observations import Absent, Answer, Done
from machines.states import State
from property_tests.continuing.judging import begun, broken, decided_wrongly
from property_tests.continuing.perturbing import restart, wait
from property_tests.continuing.recordings import ANSWERS, Recording, Row
from property_tests.continuing.telling import Run, answer_in
from tests.recordings.reading import Ends, ends_of

LANDED, LOST = "crash-landed", "crash-lost"
SOON = 5 * SECOND  # within which what did not happen is asked for again


class Crash(NamedTuple):
    """A crash right after a row, and whether what was under way had landed by then."""

    recording: str
    position: int
    landed: bool

    def __str__(self) -> str:
        """Give the line that plays it again."""
        return f"{self.recording} {self.position} {LANDED if self.landed else LOST}"

    @classmethod
    def parse(cls, line: str) -> Self:
        """Read such a line."""
        name, position, how = line.split()
        return cls(name, int(position), how == LANDED)


def crashes(recording: Recording) -> Iterator[tuple[Crash, State]]:
    """Give every crash of a recording, with the state that the log before it gives."""
    state = WARMLOG.initial(recording.log_id)
    for row in recording.rows:
        state = WARMLOG.fold_read(state, row.event, row.content)
        for landed in (True, False) if state.open else (True,):
            crash = Crash(recording.name, row.event.seq, landed)
            yield crash, WARMLOG.copy(state)


def resumed(recording: Recording, crash: Crash, state: State) -> Run:
    """Go on after a crash, to the end of what was recorded."""
    run = Run(recording, crash.position, state)
    run.judge = decided_wrongly
    restart(run)
    undone = []
    for seq, row in _answers(recording, crash.position).items():
        if seq in run.state.open:
            answer = _looked_up(recording, crash, run.state, seq, row)
            undone += [row] if answer == Absent() else []
            run.answer(row, answer)
    run.rest()
    if not all(row.key in run.opened for row in undone):
        wait(run, SOON)  # what did not happen is asked for again, and only then can be seen
        run.rest()
    run.tell_on(recording.facts(crash.position))
    run.rest()
    return run


def wrong(recording: Recording, crash: Crash, state: State, ends: Ends) -> list[str]:
    """Say what is wrong at the end: laws that are broken, and what came out otherwise."""
    before = begun(state)
    run = resumed(recording, crash, state)
    now = ends_of(run.state)
    other = [] if now == ends else [f"it came to {now}, and had come to {ends}"]
    return [*run.broken, *other, *broken(run.state, before)]


def ends(recording: Recording) -> Ends:
    """Give what a recording came to."""
    return ends_of(recording.states[len(recording.rows)])


def _answers(recording: Recording, position: int) -> dict[int, Row]:
    """Give the last answer that each decision before a position had, or had later."""
    found: dict[int, Row] = {}
    for row in recording.rows[position:]:
        if row.event.type in ANSWERS and row.event.cause is not None:
            found[row.event.cause] = row
    return {seq: row for seq, row in found.items() if seq <= position}


def _looked_up(recording: Recording, crash: Crash, state: State, seq: int, row: Row) -> Answer:
    answer, intent = answer_in(row), state.open[seq].intent
    if not isinstance(answer, Done):
        return Absent()  # what was refused, or never done, cannot be there
    if not (crash.landed or _is_seen(recording.rows[seq : crash.position], intent)):
        return Absent()
    found = isinstance(intent, CreateJob | Create)
    return answer._replace(found=True) if found else answer


def _is_seen(since: tuple[Row, ...], intent: Intent) -> bool:
    """Say whether the object was seen since: then it is there, as the request left it."""
    if isinstance(intent, Resolve):
        return False
    name = intent.name if isinstance(intent, ObjectIntent) else intent.job_name
    return any(_is_of(row.event, name) for row in since if row.key is None)


def _is_of(event: Event, name: str) -> bool:
    return event.subject.split("/")[2] == name
