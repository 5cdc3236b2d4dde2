"""Searching: Hypothesis looks for a story that breaks a promise, and what it finds is saved.

Hypothesis plays the smallest story that it found last, so that is the one which stays in the files.
"""

from pathlib import Path
from typing import Any

from hypothesis import settings

from property_tests.playing.breaking import breach_of
from property_tests.playing.performing import told_story
from property_tests.playing.saving import FOLDER, save_story, words_of
from property_tests.playing.telling_worlds import TellingWorld
from property_tests.playing.worlds import WORLDS


def searched(
    sort: str, folder: Path = FOLDER, world: type[TellingWorld] | None = None
) -> type[TellingWorld]:
    """Give worlds of a sort for Hypothesis, which save how they broke."""
    base: Any = world or WORLDS[sort]

    class Searched(base):  # type: ignore[misc] # the class is only known when this runs
        def teardown(self) -> None:
            try:
                super().teardown()
            finally:
                if self.broken is not None:
                    story, log = told_story(sort, None, self), self.all_logs[-1]
                    saved = save_story(story, log, folder, f"{sort}-found-by-hypothesis")
                    self.say(words_of(story, breach_of(self.broken), saved))

    Searched.__name__ = Searched.__qualname__ = f"Searched{sort.capitalize()}"
    found: type[TellingWorld] = Searched
    return found


def case_of(world: type[TellingWorld], share: int) -> Any:
    """Give the test of such worlds; one costs as much as some dozens of other tests' examples."""
    case = world.TestCase
    case.settings = settings(max_examples=settings().max_examples // share)
    return case
