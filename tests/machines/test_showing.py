"""Showing: whether an event changed what can be read in a status."""

from machines.node_jobs import NodeJobState
from machines.showing import SHOWN_TARGETS, details_changed
from machines.states import Target, Warmup, Words
from tests.machines.builders import Scene, selecting, spec_of

NAMES = [f"n{index:04}" for index in range(SHOWN_TARGETS + 44)]


def crowded() -> Warmup:
    """A warmup with 44 targets more than a status shows, all of them pending."""
    scene = Scene()
    scene.nodes(*NAMES)
    scene.warmup(spec_of(selecting(), parallelism=1))
    return scene.mw


def target(warmup: Warmup, index: int) -> Target:
    """The target at this place of the list."""
    return warmup.targets[warmup.listed[index][2]]


def changed(warmup: Warmup, **fields: Target | None) -> bool:
    """Say whether the details differ when targets were these before; `fields` are by place."""
    before = {}
    for place, old in fields.items():
        before[warmup.listed[int(place.removeprefix("at"))][2]] = old
    return details_changed(warmup, before)


def test_nothing_touched() -> None:
    """Where no target was touched no detail has changed."""
    assert not details_changed(crowded(), {})


def test_words_that_are_shown() -> None:
    """Other words of a target that is shown have changed the status; of others they have not."""
    warmup = crowded()
    shown, hidden = target(warmup, 255), target(warmup, 256)
    assert changed(warmup, at255=shown._replace(words=Words("R", "m")))
    assert not changed(warmup, at256=hidden._replace(words=Words("R", "m")))


def test_what_a_detail_does_not_hold() -> None:
    """A field that no detail shows changes nothing that can be read."""
    warmup = crowded()
    first = target(warmup, 0)
    assert not changed(warmup, at0=first._replace(salt=3, vanished=1, retry_at=5))
    assert not changed(warmup, at0=first)


def test_words_beyond_the_cut() -> None:
    """Words that differ only where they are cut look the same."""
    warmup = crowded()
    same = "x" * 5000
    key = warmup.listed[0][2]
    warmup.targets[key] = warmup.targets[key]._replace(words=Words("R", same))
    assert not changed(warmup, at0=warmup.targets[key]._replace(words=Words("R", same + "y")))


def test_who_changed_places_behind_the_curtain() -> None:
    """Who comes and goes beyond what is shown changes nothing; who comes into view does."""
    warmup = crowded()
    gone = NodeJobState.WITHDRAWN
    one, other = target(warmup, 290), target(warmup, 299)
    warmup.targets[other.key] = other._replace(state=gone)
    del warmup.listed[299]
    assert not details_changed(warmup, {one.key: one._replace(state=gone), other.key: other})
    first = target(warmup, 0)
    assert details_changed(warmup, {first.key: first._replace(state=gone), other.key: other})


def test_a_detail_that_another_one_replaced() -> None:
    """A machine that takes its namesake's place and says the same looks the same."""
    warmup = crowded()
    first = target(warmup, 0)
    twin = first._replace(key="twin")
    del warmup.targets[first.key]
    warmup.targets[twin.key] = twin
    warmup.listed[0] = (*warmup.listed[0][:2], twin.key)
    assert not details_changed(warmup, {first.key: first, twin.key: None})
    told = first._replace(words=Words("R", "m"))
    assert details_changed(warmup, {first.key: told, twin.key: None})
