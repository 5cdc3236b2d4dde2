"""Take a log that an end-to-end test left as a recording: `… -m tests.recordings.taking FILE NAME`.

One that was imported from what others recorded goes among the `foreign` ones: it holds facts alone.

`make e2e` leaves them in out/recordings. The real control plane's words and orders are in them, so
no story makes them again: they are read as they are for good.
"""

import asyncio
import json
import sys
from pathlib import Path

from tests.cli.commands import printed
from tests.recordings.reading import (
    COURSES,
    EXPECTED,
    FOLDER,
    FOREIGN,
    FOREIGN_COURSES,
    foreign_paths,
    outcomes,
    write_expected,
)

REAL = "real_"  # how the names of such recordings begin


def take(source: Path, name: str) -> Path:
    """Copy a log into the recordings, and write down what came of it."""
    taken = FOLDER / f"{REAL}{name}.jsonl"
    taken.write_bytes(source.read_bytes())
    expected = json.loads(EXPECTED.read_text())
    expected[taken.stem] = asyncio.run(outcomes(taken))
    write_expected(EXPECTED, expected)
    printed("verify", *sorted(FOLDER.glob("*.jsonl")), "--write-expected", COURSES)
    return taken


def take_foreign(source: Path, name: str) -> Path:
    """Copy a log that was imported into the foreign recordings, and write down its courses."""
    taken = FOREIGN / f"{name}.jsonl"
    taken.write_bytes(source.read_bytes())
    printed("verify", *foreign_paths(), "--write-expected", FOREIGN_COURSES)
    return taken


def is_foreign(source: Path) -> bool:
    """Say whether no controller recorded a log."""
    return '"recorder"' in source.read_text("ascii").splitlines()[1]


if __name__ == "__main__":
    given = Path(sys.argv[1])
    taker = take_foreign if is_foreign(given) else take
    sys.stderr.write(f"{taker(given, sys.argv[2])}\n")
