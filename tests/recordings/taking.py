"""Take a log that an end-to-end test left as a recording: `… -m tests.recordings.taking FILE NAME`.

One that was imported from what others recorded goes among the `foreign` ones: it holds facts alone.
Without arguments every log that was left is taken among the `cases`, by the name of its test.

`make e2e` leaves them in out/recordings. The real control plane's words and orders are in them, so
no story makes them again: they are read as they are for good.
"""

import asyncio
import json
import re
import sys
from pathlib import Path

from tests.cli.commands import printed
from tests.recordings.reading import (
    CASES,
    CASES_COURSES,
    COURSES,
    EXPECTED,
    FOLDER,
    FOREIGN,
    FOREIGN_COURSES,
    LARGEST_CASE,
    case_paths,
    foreign_paths,
    outcomes,
    write_expected,
)
from tests.repository import ROOT

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


def take_cases() -> list[Path]:
    """Copy what end-to-end tests left, but for what is too large, and write down its courses."""
    for source in sorted((ROOT / "out" / "recordings").glob("*.jsonl")):
        if source.stat().st_size <= LARGEST_CASE and not is_foreign(source):
            name = re.sub("_(working|waiting)$", "", source.stem)  # by whom it was run is no matter
            (CASES / f"{name}.jsonl").write_bytes(source.read_bytes())
    printed("verify", *case_paths(), "--write-expected", CASES_COURSES)
    return case_paths()


def is_foreign(source: Path) -> bool:
    """Say whether no controller recorded a log."""
    return '"recorder"' in source.read_text("ascii").splitlines()[1]


def main(arguments: list[str]) -> None:
    """Take one log under a name, or all."""
    if not arguments:
        taken = take_cases()
    else:
        source, name = Path(arguments[0]), arguments[1]
        taken = [(take_foreign if is_foreign(source) else take)(source, name)]
    sys.stderr.writelines(f"{path}\n" for path in taken)


if __name__ == "__main__":
    main(sys.argv[1:])
