"""How many perturbed continuations of a recorded log one core plays and judges in a second.

    python -m benchmarks.bench_continuing [RECORDING …]

Each copies the state at a position of a log of some 100 rows, tells the rest of it on otherwise
than it was, decides for itself, and checks every law at its end. All figures are CPU time of one
process, the best of several runs. The bar is a ratio in one run: a continuation plays half a log on
average, so with its copy, its gate and its laws it may cost no more than folding and deciding the
whole log, read already. Ends with 1 when that is missed; the aim is only shown.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from random import Random

from rich.console import Console
from rich.table import Table

from machines.domain import WARMLOG
from property_tests.continuing.continuations import drawn, judge
from property_tests.continuing.recordings import Recording, recording

RECORDINGS = ("demo", "jobs_are_refused", "demo_caches", "demo_replicas", "engines_are_refused")
CONTINUATIONS, RUNS = 150, 5
BAR = 1.0  # wholes of the log that a continuation may cost
AIM = 1000  # continuations a second


def best(run: Callable[[], object]) -> float:
    """Give the seconds of CPU time that the fastest of several runs took."""
    times = []
    for _ in range(RUNS):
        begun = time.process_time()
        run()
        times.append(time.process_time() - begun)
    return min(times)


def whole(one: Recording) -> None:
    """Fold a log that was read, and decide wherever it rested."""
    state = WARMLOG.initial(one.log_id)
    for row in one.rows:
        WARMLOG.fold_read(state, row.event, row.content)
        if row.event.seq in one.states:
            WARMLOG.decide(state)
            WARMLOG.rest(state)


def continuations(one: Recording) -> None:
    """Play and judge continuations, the same ones each time."""
    random = Random(1)
    for _ in range(CONTINUATIONS):
        continuation = drawn(random, one)
        broken = judge(one, continuation)
        if broken:
            msg = f"{continuation}: {broken}"
            raise AssertionError(msg)


def main(names: list[str]) -> int:
    """Print the figures; give 1 when a bar is missed."""
    table = Table("recording", "rows", "µs a row", "continuations/s", f"aim {AIM}", "wholes", "bar")
    missed = False
    for name in names or RECORDINGS:
        one = recording(name)
        log = best(partial(whole, one))
        each = best(partial(continuations, one)) / CONTINUATIONS
        row = log / len(one.rows) * 1e6
        missed |= each > BAR * log
        figures = f"{row:.0f}", f"{1 / each:.0f}", f"{1 / each / AIM:.2f}", f"{each / log:.2f}"
        table.add_row(name, str(len(one.rows)), *figures, f"{BAR}")
    Console().print(table)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
