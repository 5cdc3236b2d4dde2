"""A writer in a process of its own: `python -m tests.store.writing LOCATION endless|race`.

It prints a line with the epoch and the position of each batch once that batch is acknowledged.
`endless` appends in one term until it is killed; `race` starts TERMS terms and appends in each
until it is fenced, or has appended BATCHES batches.
"""

import asyncio
import sys

from adapters.store.databases import SqlLog
from adapters.store.opening import open_log
from engine.errors import Fenced
from tests.store.rows import NOON, STARTED, rows

BATCH_ROWS = 50
BATCHES = 10
TERMS = 4
_ENDLESS = 10**9


async def append_batches(log: SqlLog, batches: int) -> None:
    """Start a term and append."""
    opened = await log.open_epoch(STARTED, NOON)
    position = opened.event.seq
    for _ in range(batches):
        await log.append(opened.epoch, position, rows(position, BATCH_ROWS, opened.epoch))
        position += BATCH_ROWS
        sys.stdout.write(f"{opened.epoch} {position}\n")
        sys.stdout.flush()


async def main(location: str, mode: str) -> None:
    """Append as `mode` says."""
    async with await open_log(location) as log:
        for _ in range(TERMS if mode == "race" else 1):
            try:
                await append_batches(log, BATCHES if mode == "race" else _ENDLESS)
            except Fenced:
                continue


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
