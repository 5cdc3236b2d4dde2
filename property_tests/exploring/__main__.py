"""Explore small worlds to exhaustion, each in a process of its own, and print what was found.

    python -m property_tests.exploring [WORLD…]

Ends with 1 when anything is wrong: then the shortest story that leads there is printed, and its log
is saved as `out/exploring-WORLD.jsonl`.
"""

import argparse
import multiprocessing
import sys
import time
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from property_tests.exploring.cores import Cores, Telling
from property_tests.exploring.games import GAMES, USUAL
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


def main() -> int:
    """Do it, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m property_tests.exploring")
    parser.add_argument("worlds", nargs="*", metavar="WORLD", help=", ".join(GAMES))
    asked = parser.parse_args().worlds or list(USUAL)
    unknown = set(asked) - GAMES.keys()
    if unknown:
        parser.error(f"no such world: {', '.join(sorted(unknown))}; there are {', '.join(GAMES)}")
    console = Console()
    table = Table("world", "states", "transitions", "depth", "of the core", "resting", "CPU s", "")
    wrong = False
    with multiprocessing.get_context("spawn").Pool(min(len(asked), 2)) as pool:
        for report in pool.imap_unordered(explore, asked, chunksize=1):
            found = report.explored
            wrong = wrong or bool(report.story)
            figures = found.states, found.transitions, found.depth, found.cores, found.resting
            said = "BROKEN" if report.story else "no invariant broken"
            table.add_row(report.name, *map(str, figures), f"{report.seconds:.0f}", said)
            console.print(f"{report.name}: {report.sentence}", highlight=False)
            console.print("\n".join(report.story), markup=False, highlight=False)
    console.print(table)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
