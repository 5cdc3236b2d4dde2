"""Crowds: the targets that are not Ready, together by state and reason, kept row by row."""

from machines.crowds import Crowds, Sightings, in_trouble, words_of
from machines.node_jobs import OUTCOMES
from machines.states import Warmup
from tests.machines.builders import FORBIDDEN, Scene, naming, selecting, spec_of

Found = list[tuple[str, str, list[str]]]


def counted_anew(warmup: Warmup) -> Found:
    """The crowds of a warmup, found by a look at each target that it lists."""
    found: dict[tuple[str, str], list[str]] = {}
    for _, name, key in warmup.listed:
        target = warmup.targets[key]
        if target.state not in OUTCOMES:
            of = target.state.value, words_of(warmup, target).reason
            found.setdefault(of, []).append(name)
    return [(*of, names) for of, names in found.items()]


def troubled_anew(warmup: Warmup) -> list[str]:
    """The names of those that need somebody, found by a look at each target that is listed."""
    targets = [warmup.targets[key] for _, _, key in warmup.listed]
    return [one.node_name for one in targets if in_trouble(one.state, words_of(warmup, one))]


class Watched(Scene):
    """A scene whose crowds are compared after each thing that happens."""

    def watch(self) -> None:
        """Begin to compare."""
        self.sightings, self.crowds = Sightings(), Crowds()
        self.met: set[str] = set()
        self.look()

    def look(self) -> None:
        """What is kept is what a look at each target finds."""
        changes = self.sightings.changes(self.mw.targets)
        self.sightings.keep(changes)
        self.crowds.follow(self.mw, changes)
        found = [(one.state.value, one.reason, one.names) for one in self.crowds.waiting(100)]
        assert found == counted_anew(self.mw)
        assert self.sightings.known == self.mw.targets
        reasons = {reason for _, reason, _ in found}
        assert all(map(self.crowds.holds, reasons))
        self.met |= reasons
        troubled = troubled_anew(self.mw)
        assert self.crowds.troubled(1) == (troubled[:1], len(troubled))


def test_what_is_kept_is_what_a_look_at_each_target_finds() -> None:
    """Nodes come and leave, creates are asked for, refused and taken, Jobs run and end."""
    scene = Watched()
    scene.nodes(*(f"n{number}" for number in range(9)))
    scene.warmup(spec_of(selecting(), naming("away", "n3"), parallelism=3))
    scene.watch()
    scene.refuse(scene.creating()[0], FORBIDDEN)
    scene.look()
    for name in scene.creating():
        scene.accept(name)
        scene.look()
        scene.job(name, "Failed" if name == "n1" else "Complete", reason="BackoffLimitExceeded")
        scene.look()
    scene.node_gone("n7")
    scene.look()
    scene.node("away")
    scene.look()
    scene.restart()
    scene.look()
    scene.wait(100)
    scene.look()
    waited = {"JobBeingCreated", "WaitingForSlot", "NodeNotFound", "JobCreateRejected"}
    assert waited <= scene.met


def test_only_so_many_are_named() -> None:
    """The first by name, and how many there are."""
    scene = Scene()
    scene.nodes(*(f"n{number}" for number in range(9)))
    scene.warmup(spec_of(selecting(), parallelism=1))
    crowds = Crowds()
    crowds.follow(scene.mw, Sightings().changes(scene.mw.targets))
    named = [(one.names, one.size) for one in crowds.waiting(2)]
    assert named == [(["n0"], 1), (["n1", "n2"], 8)]
