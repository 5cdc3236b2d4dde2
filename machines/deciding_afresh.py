"""Deciding afresh: what warmlog would have decided over a recording in which nobody decided.

The step is taken at each border, which is after all the facts of one instant: fold, then decide.
Deadlines that pass on the way are facts then, as they are in a running controller.

Nobody carried out what is decided here, so nobody knows what would have become of it. It is folded
all the same, or it would be decided again at every border, and its outcome is what the recorded
facts show, whoever brought it about: a create is done when the object is there (a Job by the node
that it warms, everything else by its name), a deletion when the object is gone, a TTL when the Job
bears one. A last look at Nodes is answered at once, as the recording is all that there is to look
at. What is not wanted any more, as others did it or its object went, did not happen. All else stays
open until the end, and what depends on it is not decided.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from engine.events import Draft, Event, Subject
from engine.stepping import Cursor, step
from machines.deciding import still_wanted
from machines.domain import WARMLOG
from machines.ingesting import due_deadlines, ingest
from machines.intents import (
    Apply,
    Create,
    CreateJob,
    Delete,
    DeleteJob,
    Intent,
    Resolve,
    StampTtl,
)
from machines.levels import JobLevel
from machines.observations import Absent, Answer, Answered, DeadlinePassed, Done
from machines.states import OpenIntent, State

_MOST_TURNS = 100  # of one border: what is answered at once may lead to another decision


class Decided(NamedTuple):
    """A decision, and after which row of the recording it is made."""

    number: int  # counted from 1
    position: int
    event: Event  # its `cause` and `seq` are not those of the recording


class Outcome(NamedTuple):
    """What a row of the recording, or the end of the wish, says of a decision."""

    number: int
    position: int
    answer: Answer


class Afresh:
    """A recording without decisions, folded and decided upon instant by instant."""

    def __init__(self, log_id: str) -> None:
        """Begin before the first row."""
        self.state: State = WARMLOG.initial(log_id)
        self._cursor = Cursor(0, 0, 0, 0)
        self._border: list[Event] = []
        self._inserted: list[int] = []  # seqs here that are no rows of the recording, in order
        self._numbers: dict[int, int] = {}  # of open decisions, by their seq here
        self._count = 0

    @property
    def open_numbers(self) -> list[int]:
        """The decisions of which the recording shows no outcome."""
        return [self._numbers[seq] for seq in self.state.open]

    def take(self, event: Event) -> Iterator[Decided | Outcome]:
        """Take in the next row; give what the border before it leads to, if it ends there."""
        if self._border and event.at != self._border[0].at:
            yield from self.close_border()
        self._border.append(event)

    def close_border(self) -> Iterator[Decided | Outcome]:
        """Fold what was taken in since the last border, and decide, until that is at rest."""
        rows, self._border = self._border, []
        if not rows:
            return
        at, position = rows[0].at, rows[-1].seq
        drafts = chain((Draft(*row[3:]) for row in rows), ingest(self.state, self._due(at), at))
        yield from self._step(drafts, at, position, recorded=len(rows))
        for _ in range(_MOST_TURNS):
            found = list(self._answered(rows))
            if not found:
                return
            for answered in found:
                number = self._numbers[answered.intent_seq]
                yield Outcome(number, position, answered.answer)
            yield from self._step(ingest(self.state, found, at), at, position)
            for answered in found:
                if answered.intent_seq not in self.state.open:
                    self._numbers.pop(answered.intent_seq, None)

    def recorded_position(self, seq: int) -> int:
        """Give the row of the recording that a position in the state stands for."""
        return seq - bisect_left(self._inserted, seq + 1)

    def _due(self, at: int) -> Iterator[DeadlinePassed]:
        yield from due_deadlines(self.state, at)

    def _step(
        self, drafts: Iterator[Draft], at: int, position: int, *, recorded: int = 0
    ) -> Iterator[Decided]:
        self.state, made = step(WARMLOG, self.state, self._cursor, drafts, at)
        self._cursor = made.cursor
        for event in made.events[recorded:]:
            self._inserted.append(event.seq)
            if WARMLOG.is_decision(event.type):
                self._count += 1
                self._numbers[event.seq] = self._count
                yield Decided(self._count, position, event)

    def _answered(self, rows: Sequence[Event]) -> Iterator[Answered]:
        """Give what these rows, and the state after them, say of what is open."""
        subjects = [(row, Subject.parse(row.subject)) for row in rows]
        for seq, opened in self.state.open.items():
            answer = self._outcome(opened, subjects)
            if answer is None and not still_wanted(self.state, seq):
                answer = Absent()
            if answer is not None:
                yield Answered(seq, answer)

    def _outcome(self, opened: OpenIntent, rows: Sequence[tuple[Event, Subject]]) -> Answer | None:
        intent = opened.intent
        if isinstance(intent, Resolve):
            return Done()
        if isinstance(intent, CreateJob):
            return self._created_job(intent)
        for row, subject in rows:
            here = row.cluster == opened.cluster
            if here and _shows(self.state, intent, row, subject):
                return Done(subject.uid, found=isinstance(intent, Create))
        return None

    def _created_job(self, intent: CreateJob) -> Answer | None:
        """Say whether there is a Job for the node: only looked at while its create is open."""
        warmup = self.state.warmups[intent.warmup_uid]
        for uid in warmup.jobs.get(intent.node_uid, ()):
            if self.state.jobs[uid].exists:
                return Done(uid, found=True)
        return None


def _shows(state: State, intent: Intent, row: Event, subject: Subject) -> bool:
    """Say whether a row shows that something was done as it was decided."""
    gone, seen = row.type == "Gone", row.type == f"{subject.kind}Seen"
    match intent:
        case DeleteJob():
            return gone and subject.uid == intent.job_uid
        case StampTtl():
            known = state.known(row.cluster, "Job", intent.job_uid)
            level = known.level if known and seen and subject.uid == intent.job_uid else None
            return isinstance(level, JobLevel) and level.ttl_seconds is not None
        case Create() | Apply():
            named = (intent.kind, intent.namespace, intent.name)
            return seen and subject[:3] == named
        case Delete():
            return gone and subject.uid == intent.uid
    return False
