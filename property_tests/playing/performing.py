"""Performing: a story played in its world, from the beginning to what is checked at the end."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.events import Event
from property_tests.playing.breaking import Breach, breach_of
from property_tests.playing.coverage import Coverage
from property_tests.playing.deeds import deeds_of
from property_tests.playing.stories import Step, Story
from property_tests.playing.telling_worlds import Judge, TellingWorld
from property_tests.playing.worlds import WORLDS


@dataclass(frozen=True)
class Played:
    """What became of a story."""

    story: Story
    world: TellingWorld
    coverage: Coverage
    simulated_nanoseconds: int
    breach: Breach | None  # how it broke; None when it held

    @property
    def rows(self) -> list[Event]:
        """The rows of all logs that the world had."""
        return [row for log in self.world.all_logs for row in log.rows]


class Performance:
    """A world that is being played."""

    def __init__(self, sort: str, seed: int | None, *judges: Judge) -> None:
        """Have a world of this sort, that has not begun; `judges` look at it in the end, too."""
        self.sort, self.seed = sort, seed
        self.world = WORLDS[sort]()
        self.deeds = deeds_of(type(self.world))
        self.coverage = Coverage()
        self.world.listeners.append(self.coverage.note)
        self.world.judges += judges
        self._began = 0

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return sum(len(log.rows) for log in self.world.all_logs)

    def begin(self, plain: Mapping[str, Any]) -> None:
        """Begin the world."""
        self._do("begin", plain)
        self._began = self.world.now

    def can(self, name: str) -> bool:
        """Say whether a deed can happen now."""
        when = self.deeds[name].when
        return when is None or when(self.world)

    def do(self, step: Step) -> None:
        """Do a deed, where it can happen."""
        if self.can(step.deed):
            self._do(step.deed, step.arguments)

    def end(self) -> None:
        """Let the world come to rest, and check what was promised."""
        self.world.teardown()

    def played(self) -> Played:
        """Give what became of it."""
        error = self.world.broken
        return Played(
            told_story(self.sort, self.seed, self.world),
            self.world,
            self.coverage,
            self.world.now - self._began if self._began else 0,
            None if error is None else breach_of(error),
        )

    def _do(self, name: str, plain: Mapping[str, Any]) -> None:
        getattr(self.world, name)(**self.deeds[name].read(plain))
        self.world.after_each()


def told_story(sort: str, seed: int | None, world: TellingWorld) -> Story:
    """Give what happened in a world of this sort."""
    (_, opening), *deeds = world.told_deeds
    return Story(sort, seed, opening, tuple(Step(*one) for one in deeds))


def play(story: Story, *judges: Judge) -> Played:
    """Play a story; raises AssertionError, or what else broke, with the broken sentence."""
    played = try_out(story, *judges)
    if played.world.broken is not None:
        raise played.world.broken
    return played


def try_out(story: Story, *judges: Judge) -> Played:
    """Play a story, and give what became of it also when it broke."""
    performance = Performance(story.world, story.seed, *judges)
    try:
        performance.begin(story.opening)
        for step in story.deeds:
            performance.do(step)
        performance.end()
    except Exception:
        if performance.world.broken is None:
            raise  # the story itself is wrong: no deed of that name, or no such argument
    return performance.played()
