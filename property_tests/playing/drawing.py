"""Drawing: a story made up from a seed, played while it is made up.

The same seed gives the same story and the same bytes of the log, for as long as the code and the
declared deeds stay the same. Each story prefers some deeds and leaves out others, so that rare
ones come together now and then.
"""

from collections.abc import Collection, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any

from property_tests.playing.deeds import Deed
from property_tests.playing.performing import Performance, Played
from property_tests.playing.stories import Step, Story
from property_tests.playing.worlds import world_of_seed

LEAST_ROWS = 200
LEAST_DEEDS = 12
MOST_DEEDS = 400  # after which a world in which nothing moves any more is ended
CHAPTER = 25  # deeds after which a story of few rows changes its moods
PEACE = "peace"  # the deed by which a story in which little happens goes on
RIPE = 0.75  # of the rows that a story aims at: then comes peace, which brings many of the rest
MOODS = (0.0, 0.3, 1.0, 1.0, 3.0)  # how much a story likes a deed


def draw(world: str, seed: int, least_rows: int = LEAST_ROWS) -> Story:
    """Make up a story from a seed, that is as long as its log needs for so many rows."""
    return draw_and_play(seed, world=world, least_rows=least_rows).story


def draw_and_play(
    seed: int,
    *,
    world: str | None = None,
    least_rows: int = LEAST_ROWS,
    opening: Mapping[str, Any] = MappingProxyType({}),
    among: Collection[str] = (),
) -> Played:
    """Make up a story from a seed, and play it; also a broken one is given.

    It begins as `opening` says, where that says anything, and is made of the deeds that are named
    in `among`, if any are.
    """
    performance = Performance(world or world_of_seed(seed), seed)
    random = Random(f"{performance.sort} {seed}")
    try:
        performance.begin({**_arguments(performance.deeds["begin"], random), **opening})
        names = [name for name in performance.deeds if not among or name in among]
        _go_on(performance, random, least_rows, names)
        performance.end()
    except Exception:
        if performance.world.broken is None:
            raise  # not the world is broken, but what draws it
    return performance.played()


def _go_on(performance: Performance, random: Random, least_rows: int, names: Sequence[str]) -> None:
    rows, weights, is_calm = 0, list[float](), PEACE not in names
    for number in range(MOST_DEEDS):
        count = performance.row_count
        if number >= LEAST_DEEDS and count >= least_rows:
            return
        is_slow = number % CHAPTER == 0 and count < rows + CHAPTER
        rows = count if number % CHAPTER == 0 else rows
        if not weights or is_slow:
            weights = [_liking(performance.deeds[name], random) for name in names]
        (name,) = random.choices(names, weights)
        if PEACE in names and number and (is_slow or (count >= RIPE * least_rows and not is_calm)):
            name, is_calm = PEACE, True
        if performance.can(name):
            performance.do(Step(name, _arguments(performance.deeds[name], random)))


def _liking(deed: Deed, random: Random) -> float:
    """How much a story likes a deed; those that let time pass are always liked."""
    return deed.weight * (1.0 if deed.weight > 1 else random.choice(MOODS))


def _arguments(deed: Deed, random: Random) -> Mapping[str, Any]:
    return deed.plain({name: choice.pick(random) for name, choice in deed.choices.items()})
