"""Crash at every position of every recording, and let all of them go on otherwise than they did.

    python -m property_tests.continuing [--seconds N] [--seed N]
    python -m property_tests.continuing 'demo 57 delayed 3 5'     plays one again

Prints what was done and how fast; ends with 1, and the lines that play it again, when a law broke.
"""

import argparse
import multiprocessing
import sys
from functools import partial

from rich.console import Console
from rich.table import Table

from property_tests.continuing.continuations import Continuation, judge
from property_tests.continuing.crashing import LANDED, LOST, Crash, crashes, ends, wrong
from property_tests.continuing.recordings import recording
from property_tests.continuing.reporting import all_explored
from tests.recordings import reading

SECONDS, SEED = 60.0, 1
WORKERS = 2  # processes, each with recordings and seconds of its own
SHOWN = 5  # failures of one recording that are printed


def main() -> int:
    """Do it, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m property_tests.continuing")
    parser.add_argument("line", nargs="?", help="play this one again")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="CPU time, of all together")
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args()
    console = Console()
    if asked.line:
        broken = again(asked.line)
        console.print("\n".join(broken) or "every law holds", markup=False)
        return 1 if broken else 0
    names = reading.names()
    parts = [names[first::WORKERS] for first in range(WORKERS)]
    work = partial(all_explored, seconds=asked.seconds / WORKERS, seed=asked.seed)
    table = Table("recording", "rows", "crashes", "continuations", "a second", "broken")
    failures: list[str] = []
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
        reports = {name: one for part in pool.map(work, parts) for name, one in part.items()}
    for name in names:
        report = reports[name]
        failures += report.failures[:SHOWN]
        figures = *report[:3], round(report.rate), len(report.failures)
        table.add_row(name, *map(str, figures))
    console.print(table)
    console.print("\n".join(failures), markup=False)
    return 1 if failures else 0


def again(line: str) -> list[str]:
    """Play a line again, and say which laws it breaks."""
    prepared = recording(line.split(maxsplit=1)[0])
    if not line.endswith((LANDED, LOST)):
        return judge(prepared, Continuation.parse(line), judged=True)
    asked = Crash.parse(line)
    [state] = [state for crash, state in crashes(prepared) if crash == asked]
    return wrong(prepared, asked, state, ends(prepared))


if __name__ == "__main__":
    sys.exit(main())
