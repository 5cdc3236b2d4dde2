"""How many events a second are on disk: batches next to single commits, on both databases.

    python -m benchmarks.bench_appending [--seconds 3]

Every figure is of durable appends (fsync on) of the same rows in the same run, so the ratio to
single commits tells what batching gains whatever the disk. PostgreSQL is a server of its own
(tests/postgres.sh), or the one that WARMLOG_TEST_POSTGRES names; without one its part is left
out and a line says so. Ends with 1 when the largest batches miss the bar of the design.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from sqlalchemy import text

from adapters.store.databases import SqlLog
from adapters.store.group_commits import GroupCommits
from adapters.store.opening import open_log
from engine.canonical_json import dumps
from engine.events import Draft
from tests.store.databases import fresh_database

BARS = {"SQLite": 20_000, "PostgreSQL": 10_000}
BATCHES = (10, 100, 1000)
TASKS = 64
NO_SERVER = 69  # what tests/postgres.sh ends with where PostgreSQL is not installed
REPOSITORY = Path(__file__).parent.parent

DRAFT = Draft(
    cluster="east",
    subject="Job/models/warm-llama-3-8b-worker-0017/6f9d2f0e-3c0a-4a53-9a0b-0c2d6d0b8f11",
    type="JobSeen",
    version=1,
    data=dumps(
        {
            "active": 1,
            "conditions": {"Complete": None, "Failed": None, "Suspended": "False"},
            "node": "worker-0017",
            "owner": {"kind": "ModelWarmup", "name": "warm-llama-3-8b", "uid": "8c1f" * 9},
            "ready": 0,
            "resourceVersion": "1048576",
            "revision": "b1946ac92492d2347c6235b4d2611184",
            "succeeded": 0,
        }
    ),
    cause=1,
)
STARTED = Draft("", "", "SessionStarted", 1, "{}")


class Figure(NamedTuple):
    """One measurement."""

    way: str
    events: int
    seconds: float

    @property
    def rate(self) -> float:
        """Events a second."""
        return self.events / self.seconds


class Writer:
    """The one writer of a new term of a log."""

    def __init__(self, log: SqlLog, epoch: int, position: int) -> None:
        self._log = log
        self._epoch = epoch
        self._position = position

    async def append(self, count: int) -> int:
        """Append `count` rows in one commit; give `count`."""
        at = time.time_ns()
        batch = [DRAFT.placed(self._position + n, self._epoch, at) for n in range(1, count + 1)]
        await self._log.append(self._epoch, self._position, batch)
        self._position += count
        return count


async def measure(way: str, seconds: float, append: Callable[[], Awaitable[int]]) -> Figure:
    """Append again and again for `seconds`, after one append that warms caches."""
    await append()
    start, events = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        events += await append()
    return Figure(way, events, time.perf_counter() - start)


async def measure_log(location: str, seconds: float) -> list[Figure]:
    """Measure single commits, batches, and tasks that share commits, on a new log."""
    async with await open_log(location, create=True) as log:
        opened = await log.open_epoch(STARTED, time.time_ns())
        writer = Writer(log, opened.epoch, opened.event.seq)
        figures = [await measure("single commits", seconds, partial(writer.append, 1))]
        for rows in BATCHES:
            append = partial(writer.append, rows)
            figures.append(await measure(f"batches of {rows}", seconds, append))
        commits = GroupCommits(log, await log.identify())

        async def share() -> int:
            tasks = [commits.append([DRAFT], time.time_ns()) for _ in range(TASKS)]
            return sum(map(len, await asyncio.gather(*tasks)))

        figures.append(await measure(f"{TASKS} tasks, one row each", seconds, share))
    return figures


async def measure_reading(location: str) -> Figure:
    """Read the whole log."""
    async with await open_log(location) as log:
        start = time.perf_counter()
        events: int = sum([len(batch) async for batch in log.read()])
        return Figure("reading", events, time.perf_counter() - start)


@asynccontextmanager
async def sqlite() -> AsyncIterator[str]:
    """Give a place on the disk of the repository: a temporary folder may be in memory."""
    with tempfile.TemporaryDirectory(dir=REPOSITORY, prefix=".bench-") as folder:
        yield f"{folder}/log.db"


async def fsync_is_on(location: str) -> bool:
    """Ask a server whether its commits reach the disk."""
    async with await open_log(location, create=True) as log:
        rows = await log.rows(text("SHOW fsync"))
    return bool(rows[0][0] == "on")


async def run(seconds: float) -> bool:
    """Measure what is there and print it; tell whether every bar was reached."""
    places = {"SQLite": sqlite}
    if os.environ.get("WARMLOG_TEST_POSTGRES"):
        places["PostgreSQL"] = fresh_database
    table = Table("database", "way", "events/s", "× single commits", "bar")
    reached = True
    for name, place in places.items():
        async with place() as location:
            if name == "PostgreSQL" and not await fsync_is_on(location):
                table.caption = "PostgreSQL ran with fsync off: its figures are not durable"
            figures = await measure_log(location, seconds)
            reading = await measure_reading(location)
        single, largest = figures[0], figures[len(BATCHES)]
        reached &= largest.rate >= BARS[name]
        for each in figures:
            bar = f"{BARS[name]:,}" if each is largest else ""
            ratio = f"{each.rate / single.rate:.1f}"
            table.add_row(name, each.way, f"{each.rate:,.0f}", ratio, bar)
        table.add_row(name, reading.way, f"{reading.rate:,.0f}", "", "", end_section=True)
    Console().print(table)
    return reached


def main() -> int:
    """Run the benchmark, with a PostgreSQL server of its own where none is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="for each figure")
    seconds = parser.parse_args().seconds
    if not os.environ.get("WARMLOG_TEST_POSTGRES"):
        server = str(REPOSITORY / "tests" / "postgres.sh")
        done = subprocess.run(
            [server, sys.executable, "-m", __spec__.name, f"--seconds={seconds}"],
            env=os.environ | {"POSTGRES_FSYNC": "on"},
            cwd=REPOSITORY,
            check=False,
        )
        if done.returncode != NO_SERVER:
            return done.returncode
        sys.stdout.write("PostgreSQL is left out: there is no server here.\n")
    return 0 if asyncio.run(run(seconds)) else 1


if __name__ == "__main__":
    sys.exit(main())
