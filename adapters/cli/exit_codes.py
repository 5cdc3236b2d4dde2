"""Exit codes of `warmlog`: an interface, listed in docs/command-line.md."""

from enum import IntEnum
from typing import Self


class ExitCode(IntEnum):
    """How a command ended, `meaning` in one line."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> Self:
        """Make a code of a number and its meaning."""
        code = int.__new__(cls, value)
        code._value_ = value
        code.meaning = meaning
        return code

    OK = 0, "all is well"
    DIFFERENT = 1, "what is checked or compared is not as it should be, or differs"
    USAGE = 2, "the command line is wrong: an unknown option, a bad `--at`, a bad reference"
    SUPERSEDED = 3, "another controller took over the log"
    LOG_UNREADABLE = 4, "the log is missing, foreign, damaged, forbidden, or of an unknown version"
    LOG_CUT = 5, "the JSON Lines file is cut: what stands before the cut was used"
    LOG_UNAVAILABLE = 6, "the log is locked, full, or its server does not answer: try again"
    NOT_FOUND = 7, "there is no such object: in the log at that moment, the cluster, or the files"
    OUTPUT_FAILED = 8, "the output cannot be written"
    EXISTS = 9, "something is there already and is not replaced"
    CLUSTER_UNUSABLE = 10, "the cluster does not answer, or there is no usable kubeconfig for it"
    NOTHING = 11, "`retry` has nothing to print: no node failed, or the object has not ended"
    STILL_RUNNING = 12, "a controller may still run, so `uninstall --yes` changed nothing"
    INCOMPLETE = 13, "`record` ended well, but could not read everything: stderr says what"
    INTERRUPTED = 130, "stopped by Ctrl-C"
    PIPE_CLOSED = 141, "whoever read the output stopped reading"
