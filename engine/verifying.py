"""Verify: whether today's code would have decided the same.

The recording says where it decided: its decisions name the last fact folded before them (`seen`),
so the borders of its batches are in the log. There, and at the log's end, the code decides again
and the two lists are compared, row by row. Facts and outcomes are taken as recorded.
"""

from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple, TypeVar

from engine.events import Draft, Event
from engine.logs import EventReader
from engine.stepping import Domain

State = TypeVar("State")


class Divergence(NamedTuple):
    """The first decision at one border that is not as recorded; None stands for no decision."""

    position: int  # seq of the recorded decision, or of the last row when there is none
    seen: int  # the last fact folded
    recorded: Event | None
    decided: Draft | None

    def __str__(self) -> str:
        """Say it in a sentence."""
        recorded = f"{self.recorded.type} {self.recorded.data}" if self.recorded else "nothing"
        decided = f"{self.decided.type} {self.decided.data}" if self.decided else "nothing"
        return (
            f"position {self.position}: after fact {self.seen} the recording decided {recorded}, "
            f"this code decides {decided}"
        )


async def verify(domain: Domain[State], reader: EventReader) -> AsyncIterator[Divergence]:
    """Give every border at which this code decides otherwise. Raises what the reader raises."""
    identity = await reader.identify()
    state = domain.initial(identity.log_id)
    pending: list[Event] = []
    last_fact = position = 0
    async for batch in reader.read():
        for event in batch:
            if domain.is_decision(event.type):
                pending.append(event)
                continue
            state, found = _settle_border(domain, state, pending, last_fact)
            if found is not None:
                yield found
            pending.clear()
            state = domain.fold(state, event)
            last_fact = event.seq
        position = batch[-1].seq
    if not pending:
        found = _compare(domain.decide(state), (), last_fact, position)
    else:
        state, found = _settle_border(domain, state, pending, last_fact)
    if found is not None:
        yield found


def _settle_border(
    domain: Domain[State], state: State, recorded: Sequence[Event], last_fact: int
) -> tuple[State, Divergence | None]:
    """Compare one border, then fold what was recorded."""
    if not recorded:
        return state, None
    found = _compare(domain.decide(state), recorded, last_fact, recorded[0].seq)
    domain.rest(state)
    for event in recorded:
        state = domain.fold(state, event)
    return state, found


def _compare(
    decided: Sequence[Draft], recorded: Sequence[Event], last_fact: int, position: int
) -> Divergence | None:
    for index in range(max(len(decided), len(recorded))):
        draft = decided[index] if index < len(decided) else None
        event = recorded[index] if index < len(recorded) else None
        if draft is None or event is None or not _same(draft, event, last_fact):
            return Divergence(event.seq if event else position, last_fact, event, draft)
    return None


def _same(draft: Draft, event: Event, last_fact: int) -> bool:
    return draft._replace(seen=last_fact) == Draft(*event[3:])
