"""Explore small worlds to exhaustion, each in a process of its own, and print what was found.

    python -m property_tests.exploring [WORLD…]

Ends with 1 when anything is wrong: then the shortest story that leads there is printed, and its log
is saved as `out/exploring-WORLD.jsonl`.
"""

import argparse
import multiprocessing
import sys

from rich.console import Console
from rich.table import Table

from property_tests.exploring.games import GAMES, USUAL
from property_tests.exploring.reporting import explore


def main() -> int:
    """Do it, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m property_tests.exploring")
    parser.add_argument("worlds", nargs="*", metavar="WORLD", help=", ".join(GAMES))
    asked = parser.parse_args().worlds or list(USUAL)
    unknown = set(asked) - GAMES.keys()
    if unknown:
        parser.error(f"no such world: {', '.join(sorted(unknown))}; there are {', '.join(GAMES)}")
    console = Console()
    # As narrow as a pipe is taken to be: a name that is cut says nothing.
    table = Table("world", "states", "transitions", "resting", "CPU s", "invariants")
    wrong = False
    with multiprocessing.get_context("spawn").Pool(min(len(asked), 2)) as pool:
        for report in pool.imap_unordered(explore, asked, chunksize=1):
            found = report.explored
            wrong = wrong or bool(report.story)
            figures = found.states, found.transitions, found.resting
            said = "BROKEN" if report.story else "hold"
            table.add_row(report.name, *map(str, figures), f"{report.seconds:.0f}", said)
            console.print(f"{report.name}: {report.sentence}", highlight=False)
            console.print("\n".join(report.story), markup=False, highlight=False)
    console.print(table)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
