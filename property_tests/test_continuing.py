"""Recorded logs go on otherwise than they did, and are crashed at every position."""

from random import Random

import pytest

from machines.domain import WARMLOG
from property_tests.continuing.continuations import Continuation, drawn, judge, play
from property_tests.continuing.crashing import crashes, ends, wrong
from property_tests.continuing.perturbing import PERTURBATIONS
from property_tests.continuing.recordings import recording
from tests.recordings import any_order, reading

NAMES = [name for name in reading.names() if name not in any_order.STORIES]
NO_NEWS = {"doubled", "stale"}
# All of them are for `make prove`, which takes each recording.
QUICK = [*NAMES[:1], *(pytest.param(name, marks=pytest.mark.prove) for name in NAMES[1:])]
EACH = 2  # continuations of each kind of perturbation, and recording


@pytest.mark.parametrize("name", NAMES)
def test_without_a_perturbation_the_very_rows_are_made_again(name: str) -> None:
    """From a rest on, the facts told on make the rows that were recorded, to a byte."""
    prepared = recording(name)
    for position in prepared.positions[::5]:
        run = play(prepared, Continuation(name, position, "nothing"))
        made = [(row.at, row.cluster, row.subject, row.type, row.data) for row in run.rows]
        told = [row.event for row in prepared.rows[position:]]
        assert made == [(row.at, row.cluster, row.subject, row.type, row.data) for row in told]


@pytest.mark.parametrize("name", QUICK)
def test_a_crash_at_any_position_changes_no_end(name: str) -> None:
    """Whatever was under way landed or did not: phases, outcomes and mounts are as recorded."""
    prepared = recording(name)
    came_to = ends(prepared)
    for crash, state in crashes(prepared):
        assert wrong(prepared, crash, state, came_to) == [], str(crash)


@pytest.mark.parametrize("name", NAMES)
def test_however_a_recording_goes_on_every_law_holds_at_its_end(name: str) -> None:
    """Each perturbation, at places drawn from a seed; a failure names the line that plays it."""
    prepared, random = recording(name), Random(name)
    for perturbation in list(PERTURBATIONS) * EACH:
        continuation = drawn(random, prepared)._replace(perturbation=perturbation)
        assert judge(prepared, continuation, judged=True) == [], str(continuation)


def test_a_line_plays_the_same_again() -> None:
    """A continuation reads back from its line, and makes the same rows each time."""
    prepared = recording("demo")
    continuation = drawn(Random(3), prepared)
    assert Continuation.parse(str(continuation)) == continuation
    assert play(prepared, continuation).rows == play(prepared, continuation).rows


@pytest.mark.parametrize("perturbation", PERTURBATIONS)
def test_each_perturbation_is_one(perturbation: str) -> None:
    """Each of them makes other rows somewhere; what was told already is often no news again."""
    prepared = recording("jobs_are_refused")
    told = [row.event.data for row in prepared.rows]
    random, differ = Random(1), 0
    for _ in range(20):
        continuation = drawn(random, prepared)._replace(perturbation=perturbation)
        rows = play(prepared, continuation).rows
        differ += [row.data for row in rows] != told[continuation.position :]
    assert differ == 0 if perturbation == "nothing" else differ > 0 or perturbation in NO_NEWS


def test_playing_changes_no_state_that_others_begin_with() -> None:
    """The state at a position is copied: what it was it stays, however often it is played on."""
    prepared = recording("demo_replicas")
    before = {position: WARMLOG.dump(state) for position, state in prepared.states.items()}
    random = Random(2)
    for _ in range(10):
        judge(prepared, drawn(random, prepared))
    assert {at: WARMLOG.dump(state) for at, state in prepared.states.items()} == before
