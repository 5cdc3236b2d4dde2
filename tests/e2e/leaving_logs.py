"""Leaving logs: what a controller of these tests wrote is kept, and must verify.

Each log goes to out/recordings, named for the test at whose end its controller stopped; from there
`python -m tests.recordings.taking` makes a recording of it that every later version is tried with.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.repository import ROOT

FOLDER = ROOT / "out" / "recordings"
WARMLOG = Path(sys.executable).with_name("warmlog")
_MOST_SECONDS = 100


def leave(log: str, part: str = "", reference: str = "") -> None:
    """Keep a SQLite log as JSON Lines; AssertionError when this code would not decide the same.

    Where a test leaves several, each is a `part`; of an object that is referred to its story.
    """
    if not Path(log).is_file():
        return  # a server's, or none was begun
    FOLDER.mkdir(parents=True, exist_ok=True)
    name = name_of(os.environ.get("PYTEST_CURRENT_TEST", "some test"))
    kept = FOLDER / f"{'-'.join(filter(None, (name, part)))}.jsonl"
    only = ("--object", reference) if reference else ()
    for command in (("export", log, *only, "-o", kept), ("verify", kept)):
        done = subprocess.run(
            [WARMLOG, *command], capture_output=True, text=True, timeout=_MOST_SECONDS, check=False
        )
        assert done.returncode == 0, f"warmlog {command}: {done.stdout[:4000]}{done.stderr}"


def name_of(test: str) -> str:
    """Give the name of what a test leaves: tests/e2e/test_a.py::test_b (call) is a-b."""
    path, _, name = test.partition(" ")[0].rpartition("::")
    parts = (Path(path).stem, name)
    return "-".join(re.sub(r"\W+", "_", part.removeprefix("test_")) for part in parts if part)
