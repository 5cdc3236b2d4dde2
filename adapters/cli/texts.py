"""Texts for people, and what to type for `warmlog` here."""

import shlex
import shutil
import sys
from pathlib import Path

from adapters.texts import clock, counted, moment, names, one_line, safe, size, span

__all__ = ["clock", "command", "counted", "moment", "names", "one_line", "safe", "size", "span"]


def command() -> str:
    """Give what to type for `warmlog` here: where it is not on the PATH, how it was called."""
    called = Path(sys.argv[0])
    if called.name == "warmlog" and shutil.which("warmlog") is None:
        return shlex.quote(str(called))
    return "warmlog"
