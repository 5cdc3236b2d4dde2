"""How many simulated worlds a core plays in a minute, by what they are about.

    python -m benchmarks.bench_worlds [--worlds 20]

Each world is drawn from its seed, comes to at least 200 rows of its log, and is judged by all that
is promised. Figures are CPU time of one process; beside them stands what folding the same rows once
costs, which no simulator can save. Ends with 1 when the bar is missed over all sorts together.
"""

import argparse
import sys
import time
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from machines.domain import WARMLOG
from property_tests.playing.drawing import draw_and_play
from property_tests.playing.performing import Played
from property_tests.playing.quieting import be_quiet
from property_tests.playing.worlds import WORLDS

BAR = 1000  # worlds a minute and core
WORLDS_OF_EACH = 20
FIRST_SEED = 1


class Cost(NamedTuple):
    """What some worlds cost together, in seconds of CPU time."""

    worlds: int
    rows: int
    seconds: float
    folding_seconds: float

    @property
    def per_minute(self) -> float:
        """How many such worlds are played in a minute."""
        return 60 * self.worlds / self.seconds


def fold(played: Played) -> float:
    """Fold the logs of a world once; give the seconds."""
    begun = time.process_time()
    for log in played.world.all_logs:
        state = WARMLOG.initial("log")
        for row in log.rows:
            state = WARMLOG.fold(state, row)
    return time.process_time() - begun


def cost_of(sort: str, worlds: int) -> Cost:
    """Play so many worlds of a sort."""
    draw_and_play(0, world=sort)  # so that what is made once per process is made
    rows, seconds, folding = 0, 0.0, 0.0
    for seed in range(FIRST_SEED, FIRST_SEED + worlds):
        begun = time.process_time()
        played = draw_and_play(seed, world=sort)
        seconds += time.process_time() - begun
        folding += fold(played)
        rows += len(played.rows)
    return Cost(worlds, rows, seconds, folding)


def main() -> int:
    """Print the figures; give 1 when the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=WORLDS_OF_EACH, help="of each sort")
    asked, _ = parser.parse_known_args()
    be_quiet()
    costs = {sort: cost_of(sort, asked.worlds) for sort in WORLDS}
    together = Cost(*(sum(parts) for parts in zip(*costs.values(), strict=True)))
    table = Table("worlds", "rows each", "ms each", "a minute and core", "folding : all")
    for sort, cost in {**costs, "all": together}.items():
        table.add_row(
            sort,
            f"{cost.rows / cost.worlds:.0f}",
            f"{cost.seconds / cost.worlds * 1e3:.0f}",
            f"{cost.per_minute:.0f}",
            f"{cost.folding_seconds / cost.seconds:.2f}",
        )
    Console().print(table)
    return 0 if together.per_minute >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
