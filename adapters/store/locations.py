"""Where a log lies: a database URL, a SQLite file or a JSON Lines file, as a person writes it."""

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from engine.errors import LogUnreadable

_POSTGRES = ("postgresql", "postgres")
_SQLITE = "sqlite"


class Kind(StrEnum):
    """What a log is stored in."""

    SQLITE = "sqlite"
    POSTGRES = "postgresql"
    JSON_LINES = "jsonl"


class Location(NamedTuple):
    """A log's place. `path` is set for files, `url` for a server; `name` is safe to print."""

    kind: Kind
    name: str
    path: Path = Path()
    url: URL | None = None


def parse_location(location: str | Path) -> Location:
    """Tell what kind of log `location` means; nothing is opened.

    Raises LogUnreadable when it is a URL of something else or lacks its path.
    """
    if isinstance(location, Path) or "://" not in location:
        return _file(Path(location))
    try:
        url = make_url(location)
    except (ArgumentError, ValueError):
        # The text itself may hold a password, so it is not repeated.
        msg = (
            "This database URL cannot be parsed: write it as postgresql://USER@HOST/DATABASE "
            "or sqlite:///PATH."
        )
        raise LogUnreadable(msg) from None
    backend = url.drivername.partition("+")[0]
    if backend == _SQLITE:
        return _sqlite(url)
    if backend in _POSTGRES:
        return Location(Kind.POSTGRES, url.render_as_string(), url=url)
    msg = (
        f"warmlog keeps no log in {backend}: give a postgresql:// or sqlite:/// URL, a SQLite "
        "file, or a .jsonl file."
    )
    raise LogUnreadable(msg)


def _file(path: Path) -> Location:
    if path.suffix == ".jsonl":
        return Location(Kind.JSON_LINES, str(path), path=path)
    return Location(Kind.SQLITE, str(path), path=path)


def _sqlite(url: URL) -> Location:
    if not url.database or url.database == ":memory:":
        msg = "A log outlives its process: name its file, as in sqlite:///warmlog.db."
        raise LogUnreadable(msg)
    return Location(Kind.SQLITE, url.database, path=Path(url.database))
