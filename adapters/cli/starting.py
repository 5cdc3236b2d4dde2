"""Starting: what `warmlog` is called by, which imports nothing before it minds a Ctrl-C.

Importing a command takes up to a second on a slow machine, and people change their minds in it.
"""

import sys

TYPE_CHECKING = False  # that of `typing`, which would be imported for it
if TYPE_CHECKING:
    from collections.abc import Callable

_INTERRUPTED = 130  # ExitCode.INTERRUPTED, whose module may be what was being imported


def _entered() -> "Callable[[], None]":
    from adapters.cli.entering import main as enter

    return enter


def main(load: "Callable[[], Callable[[], None]]" = _entered) -> None:
    """Run what `load` imports; end quietly where Ctrl-C comes before a command minds it itself."""
    try:
        load()()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
