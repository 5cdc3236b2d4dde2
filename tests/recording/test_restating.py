"""A log that begins with what another one knows says of everything the same."""

from collections.abc import Iterator, Sequence

import pytest

from adapters.recording.restating import restated
from adapters.recording.witnesses import WITNESSING
from engine.events import Draft, Event
from engine.stepping import Cursor, step
from machines.domain import WARMLOG
from machines.ingesting import ingest
from machines.states import State
from tests.recording.witnessed import folded, phases, scene, statuses, witness


@pytest.fixture(scope="module", params=["warmups", "caches", "replicas"])
def rows(request: pytest.FixtureRequest) -> Sequence[Event]:
    """What was recorded of a story."""
    return witness(scene(request.param)).rows


def anew(session: Event, state: State, at: int) -> State:
    """Give the state of a log that begins with a session and with what `state` knows."""
    draft = Draft("", session.subject, session.type, session.version, session.data)
    other, made = step(WITNESSING, WARMLOG.initial("anew"), Cursor(0, 0, 1, 0), [draft], at)
    drafts = ingest(other, tuple(restated(state)), at)
    return step(WITNESSING, other, made.cursor, drafts, at)[0]


def moments(rows: Sequence[Event]) -> Iterator[tuple[State, int]]:
    """Give the state after each row, and its instant."""
    state = WARMLOG.initial("recording")
    for row in rows:
        state = WARMLOG.fold(state, row)
        yield state, row.at


def test_it_says_the_same_wherever_the_first_log_is_cut(rows: Sequence[Event]) -> None:
    """Phases, reasons, nodes and counts are the same after every row of every demo."""
    told = [(phases(state), phases(anew(rows[0], state, at))) for state, at in moments(rows)]
    assert len(told) > 50
    assert [number for number, (before, after) in enumerate(told) if before != after] == []


def test_it_ends_with_the_same_statuses(rows: Sequence[Event]) -> None:
    """At a story's end words and mounts are the same as well; only times begin anew."""
    state = folded(rows)
    times = ("warmlog", "startTime", "completionTime", "conditions", "targets")
    again = anew(rows[0], state, rows[-1].at)
    assert statuses(again, without=times) == statuses(state, without=times)


def test_what_is_told_anew_can_be_told_anew(rows: Sequence[Event]) -> None:
    """A third log that begins with what the second one knows says the same."""
    state = folded(rows)
    second = anew(rows[0], state, rows[-1].at)
    assert phases(anew(rows[0], second, rows[-1].at)) == phases(state)
