"""Logs of scenes with a ModelCache, as files that commands read."""

from pathlib import Path

from adapters.store.json_lines import Header
from adapters.store.row_lines import event_line
from tests.caches.builders import CacheScene


def write(scene: CacheScene, path: Path) -> Path:
    """Write a scene's rows as JSON Lines; give the path."""
    rows = scene.rows
    header = Header("log", 0, rows[-1].seq, 1, rows[-1].at).line()
    path.write_bytes(header + b"".join(map(event_line, rows)))
    return path
