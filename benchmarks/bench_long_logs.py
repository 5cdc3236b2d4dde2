"""What commands take on a log of a million rows: time, rows a second, memory.

    python -m benchmarks.bench_long_logs [--rows 1000000] [--fresh]

The log is played once and kept in `out/long-logs`, as SQLite and as JSON Lines; `--fresh` plays it
anew. Every figure of a command is of a process of its own, from its start to its end, its modules
compiled as they are where warmlog is installed; of one object's it is the quickest of three.
Beside them stand what others do in the same run: SQLAlchemy's rows decoded and counted, and an
aggregate of the `eventsourcing` library made anew. Ends with 1 when a bar is missed.
"""

import argparse
import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from adapters.code_digests import code_digest
from adapters.running.snapshotting import replay_quickly, save
from adapters.store.copying import export_file
from adapters.store.opening import open_log
from benchmarks.long_logs import long_log
from benchmarks.rebuilding import rebuilt_in
from engine.events import Draft
from engine.replaying import replay
from machines.domain import WARMLOG

REPOSITORY = Path(__file__).parent.parent
FOLDER = REPOSITORY / "out" / "long-logs"
LIBRARY, LIBRARY_ROWS = "eventsourcing", 100_000
ONE_SECONDS, COLD_SECONDS, MOST_MIB = 2.0, 3.0, 300
ROWS_A_SECOND, TIMES_LIBRARY = 100_000, 2.0


class Run(NamedTuple):
    """What a process took."""

    what: str
    wall_seconds: float
    cpu_seconds: float
    rss_mib: float


def measure(what: str, *arguments: str) -> Run:
    """Run a Python module to its end. Raises CalledProcessError when it fails."""
    begun = time.perf_counter()
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments],
        stdout=subprocess.DEVNULL,
        cwd=REPOSITORY,
        env=environment,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, arguments)
    cpu = usage.ru_utime + usage.ru_stime
    return Run(what, time.perf_counter() - begun, cpu, usage.ru_maxrss / 1024)


async def make(rows: int) -> None:
    """Play the log, and write it in both shapes."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    database, lines = places(rows)
    for each in (database, lines):
        each.unlink(missing_ok=True)
    async with await open_log(str(database), create=True, log_id="long") as log:
        for piece in long_log(rows):
            first = piece[0]
            if first.seq == 1:
                await log.open_epoch(Draft(*first[3:]), first.at)
            await log.append(1, max(first.seq - 1, 1), [row for row in piece if row.seq > 1])
    async with await open_log(str(database), read_only=True) as reader:
        await export_file(reader, lines)


def places(rows: int) -> tuple[Path, Path]:
    """Give where the log is kept, as SQLite and as JSON Lines."""
    return FOLDER / f"{rows}.db", FOLDER / f"{rows}.jsonl"


async def decode_rows(location: str) -> None:
    """Read SQLAlchemy's rows, decode what they say, and count it: the least a replay does."""
    counts: dict[str, int] = {}
    async with await open_log(location, read_only=True) as reader:
        async for batch in reader.read():
            for row in batch:
                counts[row.type] = counts.get(row.type, 0) + len(json.loads(row.data))


async def keep_snapshot(location: str) -> None:
    """Fold the whole log, and keep what it gives beside it, as a controller does."""
    async with await open_log(location) as log:
        await save(log, await replay(WARMLOG, log), code_digest())


async def start_cold(location: str) -> None:
    """Come to the end of the log as a controller does that starts."""
    async with await open_log(location) as log:
        await replay_quickly(log, code_digest())


PARTS: dict[str, Callable[[str], Coroutine[Any, Any, None]]] = {
    "decode": decode_rows,
    "snapshot": keep_snapshot,
    "start": start_cold,
}


def newest(location: Path) -> list[str]:
    """Name the newest object of each kind, as a command takes it."""
    with sqlite3.connect(f"file:{location}?mode=ro", uri=True) as connection:
        named = (
            "SELECT subject FROM events WHERE type = ? GROUP BY subject "
            "ORDER BY min(seq) DESC LIMIT 1"
        )
        kinds = ("ModelWarmup", "ModelCache", "ModelReplica")
        found = [connection.execute(named, [f"{kind}Seen"]).fetchone()[0] for kind in kinds]
    return ["/".join(subject.split("/")[:3]) for subject in found]


def runs_of(rows: int) -> Iterator[Run]:
    """Run everything, one after the other."""
    database, lines = map(str, places(rows))
    command, part = "adapters.cli.entering", "benchmarks.bench_long_logs"
    warmup, cache, replica = newest(places(rows)[0])
    yield measure("rows decoded and counted", part, "--part", "decode", database)
    for name in (warmup, cache, replica):
        asked = f"replay --object {name}", command, "replay", database, "--object", name
        yield min((measure(*asked) for _ in range(3)), key=lambda run: run.wall_seconds)
    yield measure(f"explain {warmup}", command, "explain", warmup, "--log", database)
    yield measure("replay, SQLite", command, "replay", database)
    name = f"JSON Lines: replay --object {warmup}"
    yield measure(name, command, "replay", lines, "--object", warmup)
    yield measure("replay, JSON Lines", command, "replay", lines)
    yield measure("verify", command, "verify", database)
    measure("", part, "--part", "snapshot", database)
    yield measure("start, with a snapshot", part, "--part", "start", database)


def missed(run: Run, rows: int, library: float) -> list[str]:
    """Give the bars that a run misses."""
    rate = rows / run.cpu_seconds
    found = [f"{MOST_MIB} MiB"] if run.rss_mib > MOST_MIB else []
    if run.what.startswith("replay --object") and run.wall_seconds > ONE_SECONDS:
        found.append(f"{ONE_SECONDS} s")
    if run.what.startswith("start") and run.wall_seconds > COLD_SECONDS:
        found.append(f"{COLD_SECONDS} s")
    if run.what == "replay, SQLite":
        found += [f"{ROWS_A_SECOND:,} rows/s"] if rate < ROWS_A_SECOND else []
        found += [f"{TIMES_LIBRARY} × {LIBRARY}"] if rate < TIMES_LIBRARY * library else []
    return found


def main() -> int:
    """Print the figures; give 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--fresh", action="store_true", help="play the log anew")
    parser.add_argument("--part", nargs=2, metavar=("PART", "LOG"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.part:
        asyncio.run(PARTS[asked.part[0]](asked.part[1]))
        return 0
    if asked.fresh or not places(asked.rows)[1].exists():
        asyncio.run(make(asked.rows))
    # A process begins with what its parent holds: the library is run here once all are measured.
    runs = list(runs_of(asked.rows))
    library = LIBRARY_ROWS / rebuilt_in(LIBRARY_ROWS)
    table = Table("what", "s", "s of CPU", "rows/s of CPU", "MiB", "of decoding", "missed")
    least, failed = 0.0, False
    for run in runs:
        least = least or run.cpu_seconds
        bars = missed(run, asked.rows, library)
        failed |= bool(bars)
        figures = (f"{run.wall_seconds:.1f}", f"{run.cpu_seconds:.1f}")
        rate, ratio = f"{asked.rows / run.cpu_seconds:,.0f}", f"{run.cpu_seconds / least:.1f}"
        table.add_row(run.what, *figures, rate, f"{run.rss_mib:.0f}", ratio, ", ".join(bars))
    table.add_row(f"{LIBRARY}'s rebuild", "", "", f"{library:,.0f}", "", "", "")
    Console().print(table)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
