"""From a database's error codes to the errors of the log port, each a sentence with what to do."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from engine.errors import (
    EventMalformed,
    LogFull,
    LogUnavailable,
    LogUnreachable,
    LogUnreadable,
    PositionTaken,
    WarmlogError,
)

Refusal = tuple[type[WarmlogError], str]

# https://www.sqlite.org/rescode.html; the low byte of an extended code is its primary code.
_SQLITE: dict[int, Refusal] = {
    sqlite3.SQLITE_IOERR_WRITE: (
        LogFull,
        "cannot be written further (volume, quota or file size limit): make room",
    ),
    sqlite3.SQLITE_IOERR_SHMSIZE: (LogFull, "has no space left: make room on its volume"),
    sqlite3.SQLITE_FULL: (LogFull, "has no space left: make room on its volume"),
    sqlite3.SQLITE_BUSY: (LogUnavailable, "is locked by another process: stop it or wait"),
    sqlite3.SQLITE_LOCKED: (LogUnavailable, "is locked by another process: stop it or wait"),
    sqlite3.SQLITE_READONLY: (LogUnavailable, "may not be written: allow it, or open it to read"),
    sqlite3.SQLITE_CANTOPEN: (
        LogUnavailable,
        "cannot be opened: check that the file and its folder exist and may be written",
    ),
    sqlite3.SQLITE_PERM: (LogUnavailable, "may not be opened: check the file's permissions"),
    sqlite3.SQLITE_IOERR: (LogUnavailable, "cannot be reached on its volume: check the volume"),
    sqlite3.SQLITE_CONSTRAINT: (PositionTaken, "already holds a row at this position"),
    sqlite3.SQLITE_CORRUPT: (LogUnreadable, "is damaged: restore it, or import an export of it"),
    sqlite3.SQLITE_NOTADB: (LogUnreadable, "is not a SQLite database: check the path"),
    sqlite3.SQLITE_ERROR: (
        LogUnreadable,
        "lacks a table or column of ours: check that it is a log",
    ),
}

# https://www.postgresql.org/docs/current/errcodes-appendix.html; a whole code, else its class.
_POSTGRES: dict[str, Refusal] = {
    "53100": (LogFull, "has no space left: make room on the server's volume"),
    "55P03": (LogUnavailable, "is locked by another writer: stop it or wait"),
    "57014": (LogUnavailable, "took too long to answer: look at the server's load"),
    "28P01": (LogUnreadable, "refused the password: check the user and password of the URL"),
    "28000": (LogUnreadable, "refused the user: check the URL and the server's pg_hba.conf"),
    "3D000": (LogUnreadable, "does not exist on the server: create it with `createdb`"),
    "42501": (LogUnreadable, "may not be used by this user: grant it the schema and tables"),
    "3F000": (LogUnreadable, "has no schema for its tables: create one for this user"),
    "42P01": (LogUnreadable, "lacks a table or column of ours: check that it is a log"),
    "23505": (PositionTaken, "already holds a row at this position"),
    "22": (EventMalformed, "cannot store a value of this row"),
    "08": (LogUnreachable, "does not answer: check that the server runs and can be reached"),
    "57": (LogUnreachable, "is shutting down or starting: wait for the server"),
    "53": (LogUnavailable, "has no resources left: look at the server's limits"),
    "25": (LogUnavailable, "takes no writes now: check that the server is no standby"),
    "40": (LogUnavailable, "rolled the transaction back: try again"),
}

_UNREACHABLE: Refusal = (
    LogUnreachable,
    "does not answer: check that the server runs and can be reached",
)
_UNKNOWN: Refusal = (LogUnavailable, "failed")


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Turn what the drivers raise inside into errors of the port; `place` names the log.

    Errors of the port pass through; what is no database's fault (a TypeError) does too.
    """
    try:
        yield
    except (DBAPIError, sqlite3.Error, OSError, TimeoutError, PoolTimeout) as error:
        raise translate(error, place) from error


def translate(error: BaseException, place: str) -> WarmlogError:
    """Give the port's error for a driver's `error` on the log that `place` names."""
    kind, words = _classify(error)
    return kind(f"The log {place} {words}. ({_first_line(error)})")


def _classify(error: BaseException) -> Refusal:
    original = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(original, sqlite3.Error):
        code = getattr(original, "sqlite_errorcode", -1)
        return _SQLITE.get(code) or _SQLITE.get(max(code, 0) & 0xFF) or _UNKNOWN
    state = getattr(original, "sqlstate", None)
    if isinstance(state, str):
        return _POSTGRES.get(state) or _POSTGRES.get(state[:2]) or _UNKNOWN
    if isinstance(original, OSError | TimeoutError):
        return _UNREACHABLE
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return _UNREACHABLE
    return _UNKNOWN


def _first_line(error: BaseException) -> str:
    original = error.orig if isinstance(error, DBAPIError) else error
    return (str(original) or type(original).__name__).splitlines()[0]
