"""Recorders: `warmlog record` as a process, with the rights of an account made for it."""

import asyncio
import json
import re
import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.e2e.controllers import WARMLOG, run_warmlog
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import PATIENCE_SECONDS

Row = dict[str, Any]

_COLUMNS = ("seq", "epoch", "cluster", "subject", "type", "data")


class Ended(NamedTuple):
    """How a life of a recorder ended, and what it said."""

    code: int
    told: str
    complaints: str


class Recording:
    """Lives of `warmlog record` into one file, and those that follow it."""

    def __init__(self, kubeconfig: Path, folder: Path, out: str = "rec.jsonl") -> None:
        """Record into a file in `folder`."""
        self.file = folder / out
        self._kubeconfig = kubeconfig

    @contextmanager
    def running(self, *options: str) -> Iterator[subprocess.Popen[str]]:
        """Run a recorder that never outlives the context."""
        arguments = ("record", "--out", str(self.file), "--kubeconfig", str(self._kubeconfig))
        pipe = subprocess.PIPE
        command = (str(WARMLOG), *arguments, *options)
        process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    @property
    def files(self) -> list[Path]:
        """The files of the recording, in the order in which they were begun."""
        name = re.compile(
            rf"{re.escape(self.file.stem)}(?:-([0-9]+))?{re.escape(self.file.suffix)}"
        )
        found = [(name.fullmatch(path.name), path) for path in self.file.parent.iterdir()]
        return [path for _, path in sorted((int(one[1] or 1), path) for one, path in found if one)]

    @property
    def rows(self) -> list[Row]:
        """The rows of all files that are whole by now."""
        return [row for path in self.files for row in rows_of(path)]

    async def until(self, kind: str, subject: str, words: str = "", *, cluster: str = "") -> None:
        """Wait until it holds a row of a type, about something, with certain words.

        It may be of any cluster where none is named.
        """
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not any(
                row["type"] == kind and row["subject"].startswith(subject)
                and words in json.dumps(row["data"]) and cluster in {"", row["cluster"]}
                for row in self.rows
            ):  # fmt: skip
                await asyncio.sleep(0.1)  # a file has no watch

    def assert_sound(self) -> None:
        """See to it that each file, by itself, is a log without a gap that lint finds sound."""
        for path in self.files:
            rows = rows_of(path)
            assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1)), path
            run_warmlog("lint", str(path))
            run_warmlog("replay", str(path), "-o", "json")


async def ended(process: subprocess.Popen[str], by: int) -> Ended:
    """Send a recorder a signal; give what has become of it."""
    process.send_signal(by)
    told, complaints = await asyncio.to_thread(process.communicate)
    return Ended(process.returncode, told, complaints)


def rows_of(path: Path) -> list[Row]:
    """Give the rows of a file that are whole, also while it is written."""
    if path.suffix == ".jsonl":
        whole, _, _ = path.read_text().rpartition("\n")
        return [json.loads(line) for line in whole.splitlines()[1:]]
    query = f"SELECT {', '.join(_COLUMNS)} FROM events ORDER BY seq"  # noqa: S608 - no input
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            found = [dict(zip(_COLUMNS, row, strict=True)) for row in database.execute(query)]
    except sqlite3.OperationalError:  # its tables are being made
        return []
    return [row | {"data": json.loads(row["data"])} for row in found]


def looker(control_plane: ControlPlane, name: str, roles: Sequence[str]) -> str:
    """Make an account with these cluster roles; give a token of it."""
    control_plane.kubectl("create", "serviceaccount", name)
    for role in roles:
        grant(control_plane, name, role)
    return control_plane.kubectl("create", "token", name, "--duration=2h").strip()


def grant(control_plane: ControlPlane, name: str, role: str, namespace: str = "") -> None:
    """Give an account a cluster role, everywhere or in one namespace."""
    kind = ("rolebinding", "-n", namespace) if namespace else ("clusterrolebinding",)
    subject = (f"--clusterrole={role}", f"--serviceaccount=default:{name}")
    control_plane.kubectl("create", *kind, f"{name}-{role}", *subject)
