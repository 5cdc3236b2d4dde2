"""Shrinking: a broken story made as short and as plain as it can be while it breaks the same way.

Deeds are dropped, many at a time and then one by one; then each argument is made simpler, until
nothing more can go. The same story shrinks to the same one, whatever the machine does meanwhile.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from property_tests.playing.deeds import Deed, deeds_of
from property_tests.playing.performing import Played, try_out
from property_tests.playing.stories import Step, Story
from property_tests.playing.telling_worlds import Judge
from property_tests.playing.worlds import WORLDS

MOST_PLAYS = 600
Fails = Callable[[Story], bool]


class _Budget(Exception):
    """So many plays are enough."""


def shrink(story: Story, fails: Fails, most_plays: int = MOST_PLAYS) -> Story:
    """Give the smallest story found that still fails; AssertionError when `story` does not."""
    assert fails(story), "the story does not fail, so there is nothing to shrink"
    shrinker = _Shrinker(story, fails, most_plays)
    with suppress(_Budget):
        shrinker.run()
    assert fails(shrinker.best), "a story that failed does not fail again: it is not repeatable"
    return shrinker.best


def shrink_played(played: Played, *judges: Judge, most_plays: int = MOST_PLAYS) -> Played:
    """Give the smallest story that breaks in the way in which this one did, played."""
    breach = played.breach
    assert breach is not None, "a story that holds cannot be shrunk"

    def fails(story: Story) -> bool:
        again = try_out(story, *judges).breach
        return again is not None and again.kind == breach.kind

    return try_out(shrink(played.story, fails, most_plays), *judges)


class _Shrinker:
    def __init__(self, story: Story, fails: Fails, most_plays: int) -> None:
        self.best = story
        self._fails = fails
        self._left = most_plays
        self._tried: set[str] = set()
        self._deeds = deeds_of(WORLDS[story.world])

    def run(self) -> None:
        before = None
        while before != self.best:
            before = self.best
            self._drop_deeds()
            self._simplify()

    def _take(self, story: Story) -> bool:
        """Keep a story when it fails as well; one that was tried before did not."""
        mark = repr((story.opening, story.deeds))
        if mark in self._tried:
            return False
        self._tried.add(mark)
        if not self._left:
            raise _Budget
        self._left -= 1
        if not self._fails(story):
            return False
        self.best = story
        return True

    def _drop_deeds(self) -> None:
        size = max(len(self.best.deeds) // 2, 1)
        while size:
            end = len(self.best.deeds)
            while end > 0:  # from the end, so that what led there stays for longest
                deeds = self.best.deeds
                self._take(self.best.with_deeds(deeds[: max(end - size, 0)] + deeds[end:]))
                end = min(end - size, len(self.best.deeds))
            size //= 2

    def _simplify(self) -> None:
        while any(self._take(story) for story in self._simpler_openings()):
            pass
        for at in range(len(self.best.deeds)):
            while any(self._take(story) for story in self._simpler_steps(at)):
                pass

    def _simpler_openings(self) -> Iterator[Story]:
        for opening in _simpler(self._deeds["begin"], self.best.opening):
            yield self.best.with_opening(opening)

    def _simpler_steps(self, at: int) -> Iterator[Story]:
        deeds = self.best.deeds
        step = deeds[at]
        for arguments in _simpler(self._deeds[step.deed], step.arguments):
            changed = Step(step.deed, arguments)
            yield self.best.with_deeds((*deeds[:at], changed, *deeds[at + 1 :]))


def _simpler(deed: Deed, plain: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    values = deed.read(plain)
    for name, choice in deed.choices.items():
        for less in choice.simpler(values[name]):
            yield {**plain, name: choice.plain(less)}
