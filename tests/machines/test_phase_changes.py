"""What each row changes is what the statuses before and after it differ in."""

import asyncio
from collections.abc import Iterator

import pytest

from engine.events import Subject
from machines.domain import WARMLOG
from machines.phase_changes import GONE, PhaseChange, PhaseChanges, phases_of
from machines.states import State
from tests.recordings.reading import names, reader

Seen = dict[tuple[str, Subject, str], str]


def all_phases(state: State) -> Seen:
    """Every phase that any status of the state has, by object and part."""
    return {
        (one.cluster, one.subject, part): phase
        for one in WARMLOG.project(state)
        for part, phase in phases_of(one.subject.kind, one.status).items()
    }


def differences(before: Seen, after: Seen) -> Iterator[PhaseChange]:
    """What a look at everything finds."""
    for key in before.keys() | after.keys():
        old, new = before.get(key, ""), after.get(key, GONE)
        if old != new:
            yield PhaseChange(*key, old, new)


async def both(name: str) -> list[tuple[int, list[PhaseChange], list[PhaseChange]]]:
    """For each row its position, what is told of it, and what a look at everything finds."""
    source = reader(name)
    state = WARMLOG.initial((await source.identify()).log_id)
    changes, before, found = PhaseChanges(), Seen(), []
    async for batch in source.read():
        for event in batch:
            state = WARMLOG.fold(state, event)
            told = changes.note(event, state)
            WARMLOG.rest(state)
            after = all_phases(state)
            found.append((event.seq, sorted(told), sorted(differences(before, after))))
            before = after
    return found


@pytest.mark.parametrize("name", names())
def test_a_row_is_told_to_change_what_it_changes(name: str) -> None:
    """Neither a change is missed, nor one made up, at any row of any recording."""
    rows = asyncio.run(both(name))
    assert [row[:2] for row in rows] == [(row[0], row[2]) for row in rows]
    assert any(told for _, told, _ in rows)
