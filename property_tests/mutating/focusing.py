"""Focusing: stories of chaos in which few kinds of things happen, many times and again.

Where anything may come next, hardly ever the same is read twice within a minute, and hardly ever
comes an answer to what nobody wants any more. Such a story goes on from another one with some kinds
of its actions, the newest of which come once more now and then. Of many seeds those are kept here
that brought about what no other trial did.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

LENGTH = 60  # of what comes after the story with which it begins
KINDS = 5  # at most so many of actions
AGAIN = 0.4  # of all actions; one of the newest
NEWEST = 4
SEEDS: dict[str, tuple[int, ...]] = {
    "test_core": (
        0, 1, 5, 6, 12, 18, 45, 50, 89, 100, 102, 130, 163, 311, 396, 433, 485, 505, 537, 552,
        690, 860, 1196, 1346, 1380, 1679, 1849, 2091, 2404, 2744, 3672,
    ),
    "test_caches": (
        0, 3, 4, 36, 41, 162, 173, 214, 276, 294, 344,
    ),
    "test_replicas": (
        0, 1, 4, 8, 27, 34, 38, 41, 118, 189, 231, 277, 455,
    ),
}  # fmt: skip


def focused(stories: Sequence[Sequence[Any]], seed: int) -> list[Any]:
    """Give the story of a seed, made of others."""
    random = Random(seed)
    pool = [action for story in stories for action in story]
    kinds = sorted({type(action) for action in pool}, key=lambda kind: kind.__name__)
    chosen = random.sample(kinds, random.randint(2, KINDS))
    pool = [action for action in pool if type(action) in chosen]
    made = list(random.choice(stories))
    newest: list[Any] = []
    for _ in range(LENGTH):
        is_again = bool(newest) and random.random() < AGAIN
        one = random.choice(newest if is_again else pool)
        newest = [*newest, one][-NEWEST:]
        made.append(one)
    return made
