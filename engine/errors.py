"""What can go wrong with a log, each a sentence that names the object and what to do."""


class WarmlogError(Exception):
    """The base of every error that a caller of warmlog is meant to handle."""


class EventMalformed(WarmlogError):
    """A row that no version of warmlog can have written."""


class Fenced(WarmlogError):
    """Another writer holds a newer epoch: nothing was appended, and this writer must stop."""


class PositionTaken(WarmlogError):
    """The log does not end where the writer expected: nothing was appended."""


class LogUnavailable(WarmlogError):
    """The store cannot take rows now (locked, unreachable): nothing was appended; try again."""


class LogFull(LogUnavailable):
    """No space left for the log: nothing was appended and nothing acknowledged is lost."""


class LogUnreadable(WarmlogError):
    """The log given is missing, foreign, damaged, or of a version this code does not know."""


class LogForbidden(LogUnreadable):
    """Whoever asks may not read the log: somebody has to let them first."""


class LogUnreachable(LogUnavailable, LogUnreadable):
    """The server that holds the log does not answer: fatal to a reader, retried by a controller."""


class LogTruncated(LogUnreadable):
    """The log is cut in the middle of a row; the whole rows before the cut were given first."""
