"""Verify: whether today's code would have decided and shown the same.

The recording says where it decided: its decisions name the last fact folded before them (`seen`),
so the borders of its batches are in the log. There, and at the log's end, the code decides again
and the two lists are compared, row by row. Facts and outcomes are taken as recorded.

What rows say of statuses is compared as well: a `Judge` reads it, and says of which sessions the
decisions are compared. What another version decided is not, only what it says came of it.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from engine.events import Draft, Event
from engine.logs import EventReader
from engine.stepping import Domain

State = TypeVar("State")
Judged_contra = TypeVar("Judged_contra", contravariant=True)


class Claim(NamedTuple):
    """What a row says of an object's status, and what this code has of it instead."""

    cluster: str
    subject: str
    what: str  # as in "phase"
    recorded: str
    here: str


class Divergence(NamedTuple):
    """The first decision at one border that is not as recorded; None stands for no decision.

    Where it is not a decision that differs it is a status, with `claim`.
    """

    position: int  # seq of the recorded decision, or of the last row when there is none
    seen: int  # the last fact folded
    recorded: Event | None
    decided: Draft | None
    claim: Claim | None = None

    @property
    def about(self) -> tuple[str, str]:
        """Give the cluster and the subject of the object that it is about."""
        one = self.claim or self.recorded or self.decided
        return (one.cluster, one.subject) if one else ("", "")

    def __str__(self) -> str:
        """Say it in a sentence."""
        if self.claim is not None:
            _, subject, what, recorded, here = self.claim
            return (
                f"position {self.position}: the recording says of {subject} that its {what} is "
                f"{recorded}, this code has {here}"
            )
        recorded = f"{self.recorded.type} {self.recorded.data}" if self.recorded else "nothing"
        decided = f"{self.decided.type} {self.decided.data}" if self.decided else "nothing"
        return (
            f"position {self.position}: after fact {self.seen} the recording decided {recorded}, "
            f"this code decides {decided}"
        )


class Judge(Protocol[Judged_contra]):
    """Who reads what a recording says of itself, row by row; one of its own for each log."""

    def compares(self, event: Event) -> bool | None:
        """Say whether decisions from this row on are compared; None: as before."""
        ...

    def claims(self, state: Judged_contra, event: Event) -> Iterable[Claim]:
        """Give what this row says that is otherwise here. `state` is what it gives, folded."""
        ...


class Verification(Generic[State]):
    """A recording, folded row by row, with a decision made again wherever it decided.

    `state` is what the rows taken so far give, decisions included.
    """

    def __init__(
        self, domain: Domain[State], log_id: str, judge: Judge[State] | None = None
    ) -> None:
        """Begin before the first row."""
        self.state = domain.initial(log_id)
        self._domain = domain
        self._judge = judge
        self._compares = True
        self._decided: Sequence[Draft] | None = None  # at this border; None before a decision
        self._taken = 0  # decisions of this border
        self._differs = False  # at this border, which is told once
        self._last_fact = self._position = 0

    def take(self, event: Event) -> Divergence | None:
        """Fold the next row; give the difference that it shows, if it is the border's first."""
        decision = self._domain.is_decision(event.type)
        found = self._compare(event) if decision else self._leave_border(event)
        if self._judge is not None and not decision:
            compares = self._judge.compares(event)
            self._compares = self._compares if compares is None else compares
        self.state = self._domain.fold(self.state, event)
        self._position = event.seq
        for claim in self._judge.claims(self.state, event) if self._judge else ():
            found = found or Divergence(event.seq, self._last_fact, None, None, claim)
        return found

    def end(self) -> Divergence | None:
        """Give what this code would have decided beyond the last row."""
        if self._decided is None:
            self._decided = self._domain.decide(self.state)
        return self._missing(self._position)

    def _compare(self, event: Event) -> Divergence | None:
        if self._decided is None:
            self._decided = self._domain.decide(self.state) if self._compares else ()
            self._domain.rest(self.state)
        at, self._taken = self._taken, self._taken + 1
        draft = self._decided[at] if at < len(self._decided) else None
        same = draft is not None and _same(draft, event, self._last_fact)
        if self._differs or same or not self._compares:
            return None
        self._differs = True
        return Divergence(event.seq, self._last_fact, event, draft)

    def _leave_border(self, event: Event) -> Divergence | None:
        found = self._missing(self._position)
        self._decided, self._taken, self._differs = None, 0, False
        self._last_fact = event.seq
        return found

    def _missing(self, position: int) -> Divergence | None:
        over = self._decided is None or self._taken >= len(self._decided)
        if over or self._differs or not self._compares or self._decided is None:
            return None
        return Divergence(position, self._last_fact, None, self._decided[self._taken])


async def verify(
    domain: Domain[State], reader: EventReader, judge: Judge[State] | None = None
) -> AsyncIterator[Divergence]:
    """Give every border at which this code decides otherwise. Raises what the reader raises."""
    identity = await reader.identify()
    verification = Verification(domain, identity.log_id, judge)
    async for batch in reader.read():
        for event in batch:
            found = verification.take(event)
            if found is not None:
                yield found
    found = verification.end()
    if found is not None:
        yield found


def _same(draft: Draft, event: Event, last_fact: int) -> bool:
    return draft._replace(seen=last_fact) == Draft(*event[3:])
