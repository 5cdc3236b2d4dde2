"""Problems: what a user can cause, each one sentence with what to do, and an exit code."""

import sys

from adapters.cli.exit_codes import ExitCode
from adapters.explaining.errors import Misasked, NotHeld
from adapters.texts import one_line
from engine.errors import (
    Fenced,
    LogTruncated,
    LogUnavailable,
    PositionTaken,
    WarmlogError,
)


class Problem(Exception):
    """Ends a command with one sentence on stderr and an exit code."""

    def __init__(self, code: ExitCode, words: str) -> None:
        """Keep the sentence, which says what is wrong and what to do."""
        super().__init__(words)
        self.code = code


class Misuse(Problem):
    """The command line asks for something that cannot be."""

    def __init__(self, words: str) -> None:
        """Keep the sentence; the code is that of every wrong command line."""
        super().__init__(ExitCode.USAGE, words)


def complain(words: str) -> None:
    """Say one sentence on stderr."""
    said = one_line(words)
    end = "" if said.endswith((".", "`", "!", "?", ")")) else "."
    sys.stderr.write(f"warmlog: {said}{end}\n")
    sys.stderr.flush()


def code_of(error: WarmlogError) -> ExitCode:
    """Give the exit code of an error of the log or of the cluster."""
    if isinstance(error, Misasked):
        return ExitCode.USAGE
    if isinstance(error, NotHeld):
        return ExitCode.NOT_FOUND
    # A server that does not answer is unreadable to a reader too; trying again is the advice.
    if isinstance(error, LogUnavailable):
        return ExitCode.LOG_UNAVAILABLE
    if isinstance(error, LogTruncated):
        return ExitCode.LOG_CUT
    if isinstance(error, Fenced | PositionTaken):
        return ExitCode.SUPERSEDED
    return ExitCode.LOG_UNREADABLE
