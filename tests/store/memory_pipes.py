"""Pipes in memory, for what answers questions about a log."""

import asyncio
from pathlib import Path

from engine.canonical_json import dumps


def asked(log: Path, after: int, *, is_gzip: bool = False) -> asyncio.StreamReader:
    """Ask one question about a log, and be there for more."""
    questions = asyncio.StreamReader()
    for line in ({"log": str(log)}, {"after": after, "gzip": is_gzip}):
        questions.feed_data(f"{dumps(line)}\n".encode())
    return questions


class Written:
    """Keeps what is written."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.text = b""

    def write(self, text: bytes) -> None:
        """Keep it."""
        self.text += text

    def flush(self) -> None:
        """Nothing waits."""
