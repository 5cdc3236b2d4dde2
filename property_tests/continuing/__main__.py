"""Crash at every position of every recording, and let all of them go on otherwise than they did.

    python -m property_tests.continuing [--seconds N] [--seed N]
    python -m property_tests.continuing 'demo 57 delayed 3 5'     plays one again

Prints what was done and how fast; ends with 1, and the lines that play it again, when a law broke.
"""

import argparse
import sys
import time
from collections import Counter
from random import Random
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from property_tests.continuing.continuations import Continuation, drawn, judge
from property_tests.continuing.crashing import LANDED, LOST, Crash, crashes, ends, wrong
from property_tests.continuing.recordings import Recording, recording, recordings

SECONDS, SEED = 60.0, 1
SHOWN = 5  # failures of one recording that are printed


class Report(NamedTuple):
    """What came of one recording."""

    rows: int
    crashes: int
    continuations: int
    rate: float  # continuations a second of CPU time
    failures: list[str]  # each with the line that plays it again


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
    begun = time.process_time()
    table = Table("recording", "rows", "crashes", "continuations", "a second", "broken")
    failures: list[str] = []
    prepared = recordings()
    for left, one in zip(range(len(prepared), 0, -1), prepared, strict=True):
        seconds = (asked.seconds - (time.process_time() - begun)) / left
        report = explored(one, seconds, Random(asked.seed))
        failures += report.failures[:SHOWN]
        figures = *report[:3], round(report.rate), len(report.failures)
        table.add_row(one.name, *map(str, figures))
    console.print(table)
    console.print("\n".join(failures), markup=False)
    return 1 if failures else 0


def explored(recording: Recording, seconds: float, random: Random) -> Report:
    """Crash a recording everywhere, and let it go on otherwise until its time is over."""
    begun, failures, counts = time.process_time(), list[str](), Counter[str]()
    came_to = ends(recording)
    for crash, state in crashes(recording):
        counts["crashes"] += 1
        failures += (f"{crash}: {one}" for one in wrong(recording, crash, state, came_to))
    crashed = time.process_time()
    while counts["continuations"] < 1 or time.process_time() < begun + seconds:
        continuation = drawn(random, recording)
        counts["continuations"] += 1
        failures += (f"{continuation}: {one}" for one in judge(recording, continuation))
    rate = counts["continuations"] / (time.process_time() - crashed)
    done = counts["crashes"], counts["continuations"]
    return Report(len(recording.rows), *done, rate, failures)


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
