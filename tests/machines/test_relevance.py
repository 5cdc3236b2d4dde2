"""Relevance: which ModelWarmups an event has anything to say to."""

from collections.abc import Sequence

from engine.events import Event
from machines.domain import WARMLOG
from machines.states import State
from tests.machines.builders import Scene, naming, selecting, spec_of


def touched(before: State, rows: Sequence[Event]) -> set[str]:
    """The ModelWarmups that the first of these rows has looked at anew."""
    WARMLOG.fold(before, rows[0])
    return {uid for uid, seq in before.dirty.items() if seq == rows[0].seq}


def test_a_label_touches_those_who_select_by_it() -> None:
    """Of a relabelled node only those hear whom it joins or leaves, whoever else runs [W59]"""
    scene = Scene()
    scene.node("n", marks={"zone": "a"})
    scene.node("m", marks={"zone": "a"})
    scene.warmup(spec_of(selecting(zone="a")), name="a")
    scene.warmup(spec_of(selecting(zone="b")), name="b")
    scene.warmup(spec_of(naming("n")), name="by-name")
    before = WARMLOG.copy(scene.state)
    assert touched(before, scene.node("n", marks={"zone": "a", "agent": "1"})) == set()
    before = WARMLOG.copy(scene.state)
    assert touched(before, scene.node("n", marks={"zone": "b", "agent": "1"})) == {"a-uid", "b-uid"}
    before = WARMLOG.copy(scene.state)
    assert touched(before, scene.node("x", marks={"zone": "c"})) == set()
