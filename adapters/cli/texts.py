"""Texts that depend on how `warmlog` was called."""

import shlex
import shutil
import sys
from pathlib import Path


def command() -> str:
    """Give what to type for `warmlog` here: where it is not on the PATH, how it was called."""
    called = Path(sys.argv[0])
    if called.name == "warmlog" and shutil.which("warmlog") is None:
        return shlex.quote(str(called))
    return "warmlog"
