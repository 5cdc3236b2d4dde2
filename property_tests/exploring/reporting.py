"""Reporting: what came of one world; a module of its own, so that a new process can find it."""

import time
from pathlib import Path
from typing import NamedTuple

from property_tests.exploring.cores import Cores, Telling
from property_tests.exploring.games import GAMES
from property_tests.exploring.searching import Explored, Search
from property_tests.exploring.storytelling import lines, rows_of, save

SAVED = Path("out")


class Report(NamedTuple):
    """What came of one world."""

    name: str
    sentence: str
    explored: Explored
    seconds: float  # of CPU time
    story: tuple[str, ...]  # of what is wrong


def explore(name: str) -> Report:
    """Explore one world to exhaustion."""
    game, laws, settings = GAMES[name]
    telling = Telling(laws, settings)
    begun = time.process_time()
    explored = Search(game, Cores(telling, game.view)).run()
    story: list[str] = []
    if explored.wrong is not None:
        path = SAVED / f"exploring-{name}.jsonl"
        save(rows_of(explored.wrong, game, telling), path)
        story = [*lines(explored.wrong), f"     its log: {path}"]
    # What is handed over is for printing: the moves hold whole worlds.
    seconds = time.process_time() - begun
    return Report(name, game.sentence, explored._replace(wrong=None), seconds, tuple(story))
