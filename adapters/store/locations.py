"""Where a log lies, as a person writes it: a database URL, a file, or a controller's address."""

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from engine.errors import LogUnreadable

_POSTGRES = ("postgresql", "postgres")
_SQLITE = "sqlite"
_HTTP = ("http", "https")


class Kind(StrEnum):
    """What a log is stored in."""

    SQLITE = "sqlite"
    POSTGRES = "postgresql"
    JSON_LINES = "jsonl"
    CONTROLLER = "controller"


class Location(NamedTuple):
    """A log's place. `path` is set for files, `url` for a server of databases.

    `name` is safe to print, and the address of a running controller.
    """

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
    if location.partition("://")[0].lower() in _HTTP:
        return Location(Kind.CONTROLLER, _address(location))
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
        "file, a .jsonl file, or a controller's http:// address."
    )
    raise LogUnreadable(msg)


def _file(path: Path) -> Location:
    if path.suffix == ".jsonl":
        return Location(Kind.JSON_LINES, str(path), path=path)
    return Location(Kind.SQLITE, str(path), path=path)


def _address(location: str) -> str:
    """Give a controller's address without a slash at its end. What is wrong is not repeated."""
    try:
        parts = urlsplit(location)
        is_whole = bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole or location != location.strip():
        msg = "This address cannot be parsed: write a controller's as http://HOST:PORT."
        raise LogUnreadable(msg)
    if parts.username is not None or parts.query or parts.fragment:
        msg = (
            "A controller's address is http://HOST:PORT, without a user, ? or #: a token is given "
            "in a file, by --token-file or WARMLOG_TOKEN_FILE."
        )
        raise LogUnreadable(msg)
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")


def _sqlite(url: URL) -> Location:
    if not url.database or url.database == ":memory:":
        msg = "A log outlives its process: name its file, as in sqlite:///warmlog.db."
        raise LogUnreadable(msg)
    return Location(Kind.SQLITE, url.database, path=Path(url.database))
