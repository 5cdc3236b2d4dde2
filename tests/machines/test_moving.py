"""Moving: a trigger that a target's machine does not take changes nothing, and is noted."""

import pytest

from engine.events import Event
from machines.domain import WARMLOG
from machines.moving import fire
from machines.node_jobs import NODE_JOBS, NodeJobState, NodeJobTrigger
from machines.states import Ignored
from tests.machines.builders import Scene, selecting, spec_of

EVENT = Event(900, 1, 900, "c", "Job/ns/j/u", "JobSeen", 1, "{}")
PAIRS = [(state, trigger) for state in NodeJobState for trigger in NodeJobTrigger]


@pytest.mark.parametrize(("state", "trigger"), PAIRS)
def test_every_trigger_in_every_state(state: NodeJobState, trigger: NodeJobTrigger) -> None:
    """A legal trigger gives the next state; an illegal one nothing but a note of itself."""
    scene = Scene()
    scene.node("a")
    warmup = scene.warmup(spec_of(selecting()))
    target = scene.target("a")._replace(state=state)
    before = WARMLOG.dump(scene.state)
    moved = fire(scene.state, warmup, target, trigger, EVENT)
    dest = NODE_JOBS.next(state, trigger)
    if dest is not None:
        assert moved == target._replace(state=dest)
        assert WARMLOG.dump(scene.state) == before
    else:
        assert moved is None
        assert warmup.ignored == (Ignored(900, 900, "a", trigger.value, state.value),)
        warmup.ignored = ()
        assert WARMLOG.dump(scene.state) == before


def test_what_is_ignored_again_is_noted_once() -> None:
    """The same trigger in the same state of the same node is one note, however often it comes."""
    scene = Scene()
    scene.node("a")
    warmup = scene.warmup(spec_of(selecting()))
    target = scene.target("a")._replace(state=NodeJobState.READY)
    for seq in (900, 901):
        event = EVENT._replace(seq=seq)
        fire(scene.state, warmup, target, NodeJobTrigger.JOB_FAILED, event)
    assert [note.seq for note in warmup.ignored] == [900]
