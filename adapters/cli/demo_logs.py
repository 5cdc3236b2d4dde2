"""Where the log of a demo goes."""

import re
import tempfile
from pathlib import Path

from adapters.cli.exit_codes import ExitCode
from adapters.cli.problems import Misuse, Problem
from adapters.cli.recordings import run
from adapters.store.locations import Kind, parse_location
from adapters.store.opening import open_log
from engine.errors import WarmlogError

LOG_PREFIX = "demo-"  # of the log's id: what --force may replace


def place_of(path: Path | None, *, force: bool) -> Path:
    """Give where the log goes: nothing is there, or no longer. Raises Problem, Misuse."""
    if path is None:
        return Path(tempfile.mkdtemp(prefix="warmlog-demo-")) / "demo.db"
    if re.match(r"[a-z][a-z0-9+]+:/", str(path)):  # Path makes one slash of two
        raise Misuse("--log: a demo writes a SQLite file, and takes its path, not a database URL.")
    if parse_location(path).kind is not Kind.SQLITE:
        raise Misuse(f"--log {path}: a demo writes a SQLite file; `warmlog export` makes .jsonl.")
    if not path.parent.is_dir():
        raise Problem(
            ExitCode.OUTPUT_FAILED, f"There is no folder {path.parent}: make it, or name another."
        )
    if path.exists():
        _make_room(path, force=force)
    return path


def _make_room(path: Path, *, force: bool) -> None:
    """Remove the log of an earlier demo, and nothing else, when that was asked for."""
    if not force:
        raise Problem(ExitCode.EXISTS, f"{path} exists already: name another file, or say --force.")
    try:
        found = run(_log_id(path))
    except WarmlogError as error:
        words = f"{path} is not the log of a demo, so --force leaves it alone: {error}"
        raise Problem(ExitCode.EXISTS, words) from error
    if not found.startswith(LOG_PREFIX):
        raise Problem(
            ExitCode.EXISTS,
            f"{path} is the log {found} and not a demo's, so --force leaves it alone: "
            "name another file.",
        )
    for end in ("", "-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)


async def _log_id(path: Path) -> str:
    reader = await open_log(path, read_only=True)
    try:
        return (await reader.identify()).log_id
    finally:
        await reader.close()
