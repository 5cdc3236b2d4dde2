"""Errors of the drivers become errors of the port, each with what to do."""

import re
import sqlite3

import pytest
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from adapters.store.translating import translate, translated
from engine.errors import (
    EventMalformed,
    Fenced,
    LogFull,
    LogUnavailable,
    LogUnreachable,
    LogUnreadable,
    PositionTaken,
    WarmlogError,
)


class ServerError(Exception):
    """What a PostgreSQL driver raises: words and a code."""

    def __init__(self, words: str, sqlstate: str | None) -> None:
        super().__init__(words)
        self.sqlstate = sqlstate


def sqlite_error(code: int | None) -> OperationalError:
    """Give SQLite's error with an extended result code, as SQLAlchemy hands it on."""
    error = sqlite3.OperationalError("the driver's words")
    if code is not None:
        error.sqlite_errorcode = code
    return OperationalError("INSERT …", {}, error)


def postgres_error(code: str | None) -> DBAPIError:
    """Give PostgreSQL's error with an SQLSTATE, as SQLAlchemy hands it on."""
    return DBAPIError("INSERT …", {}, ServerError("the driver's words\nand details", code))


@pytest.mark.parametrize(
    ("code", "expected", "words"),
    [
        ("53100", LogFull, "has no space left: make room"),
        ("53200", LogUnavailable, "no resources left"),
        ("53300", LogUnavailable, "no resources left"),
        ("55P03", LogUnavailable, "locked by another writer"),
        ("57014", LogUnavailable, "took too long"),
        ("57P01", LogUnreachable, "shutting down or starting"),
        ("57P03", LogUnreachable, "shutting down or starting"),
        ("08006", LogUnreachable, "does not answer"),
        ("25006", LogUnavailable, "is no standby"),
        ("40001", LogUnavailable, "try again"),
        ("40P01", LogUnavailable, "try again"),
        ("28P01", LogUnreadable, "refused the password"),
        ("28000", LogUnreadable, "refused the user"),
        ("3D000", LogUnreadable, "createdb"),
        ("3F000", LogUnreadable, "create one"),
        ("42501", LogUnreadable, "grant it"),
        ("42P01", LogUnreadable, "lacks a table"),
        ("23505", PositionTaken, "already holds a row"),
        ("22021", EventMalformed, "cannot store a value"),
        ("XX000", LogUnavailable, "failed"),
        (None, LogUnavailable, "failed"),
    ],
)
def test_postgres(code: str | None, expected: type[WarmlogError], words: str) -> None:
    """Each SQLSTATE, or else its class, has its error and its advice, on one line."""
    error = translate(postgres_error(code), "db")
    assert type(error) is expected
    assert re.fullmatch(rf"The log db .*{words}.*\. \(the driver's words\)", str(error))


@pytest.mark.parametrize(
    ("code", "expected", "words"),
    [
        (sqlite3.SQLITE_FULL, LogFull, "has no space left: make room"),
        (sqlite3.SQLITE_IOERR_WRITE, LogFull, "make room"),
        (sqlite3.SQLITE_IOERR_SHMSIZE, LogFull, "make room"),
        (sqlite3.SQLITE_IOERR_FSYNC, LogUnavailable, "check the volume"),
        (sqlite3.SQLITE_BUSY, LogUnavailable, "locked by another process"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, LogUnavailable, "locked by another process"),
        (sqlite3.SQLITE_LOCKED, LogUnavailable, "locked by another process"),
        (sqlite3.SQLITE_READONLY_DBMOVED, LogUnavailable, "may not be written"),
        (sqlite3.SQLITE_CANTOPEN, LogUnavailable, "cannot be opened"),
        (sqlite3.SQLITE_PERM, LogUnavailable, "permissions"),
        (sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, PositionTaken, "already holds a row"),
        (sqlite3.SQLITE_CORRUPT, LogUnreadable, "is damaged: restore it"),
        (sqlite3.SQLITE_NOTADB, LogUnreadable, "is not a SQLite database"),
        (sqlite3.SQLITE_ERROR, LogUnreadable, "lacks a table"),
        (sqlite3.SQLITE_INTERNAL, LogUnavailable, "failed"),
        (None, LogUnavailable, "failed"),
    ],
)
def test_sqlite(code: int | None, expected: type[WarmlogError], words: str) -> None:
    """Each extended code, or else its primary code, has its error and its advice."""
    error = translate(sqlite_error(code), "a.db")
    assert type(error) is expected
    assert re.fullmatch(rf"The log a\.db .*{words}.*\. \(the driver's words\)", str(error))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ConnectionRefusedError(111, "refused"), LogUnreachable),
        (TimeoutError(), LogUnreachable),
        (OSError("no route"), LogUnreachable),
        (PoolTimeout("all in use"), LogUnavailable),
        (DBAPIError("SELECT", {}, Exception("gone"), connection_invalidated=True), LogUnreachable),
    ],
)
def test_no_answer(error: Exception, expected: type[WarmlogError]) -> None:
    """What is raised without a code of the database is an error of the port as well."""
    with pytest.raises(expected, match="The log db") as caught, translated("db"):
        raise error
    assert type(caught.value) is expected
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", [Fenced("newer"), TypeError("a mistake"), KeyError("x")])
def test_what_passes(error: Exception) -> None:
    """Errors of the port, and mistakes of the code, are not dressed up."""
    with pytest.raises(type(error)) as caught, translated("db"):
        raise error
    assert caught.value is error
