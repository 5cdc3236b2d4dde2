"""Take a log that an end-to-end test left as a recording: `… -m tests.recordings.taking FILE NAME`.

`make e2e` leaves them in out/recordings. The real control plane's words and orders are in them, so
no story makes them again: they are read as they are for good.
"""

import asyncio
import json
import sys
from pathlib import Path

from tests.cli.commands import printed
from tests.recordings.reading import COURSES, EXPECTED, FOLDER, outcomes, write_expected

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


if __name__ == "__main__":
    sys.stderr.write(f"{take(Path(sys.argv[1]), sys.argv[2])}\n")
