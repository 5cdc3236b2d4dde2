"""Finding out what lies at a location without changing it."""

from pathlib import Path
from typing import NamedTuple

from sqlalchemy import column, select, table, text

from adapters.store import tables
from adapters.store.dialects import reading_engine
from adapters.store.locations import Kind, Location
from adapters.store.mistaking import LOOKED_AT_BYTES, what_helps
from adapters.store.readings import EngineReadings, FileReadings, Readings
from engine.errors import LogUnreadable

_MAGIC = b"SQLite format 3\0"
_OURS = frozenset(tables.metadata.tables)

_TABLES = {
    Kind.SQLITE: text("SELECT name FROM sqlite_schema WHERE type = 'table'"),
    # What a statement of ours would meet under these names, in whatever schema it is.
    Kind.POSTGRES: text(
        "SELECT relname::text FROM pg_class WHERE pg_table_is_visible(oid)"
        " AND relkind IN ('r', 'p', 'v', 'm', 'f') AND relname::text ="
        " ANY(string_to_array(:names, ' '))"
    ),
}
_REVISION = select(table(tables.VERSION_TABLE, column("version_num")).c.version_num)


class Contents(NamedTuple):
    """What a database holds: its tables, the revision of ours, and the log's format."""

    tables: frozenset[str] = frozenset()
    revision: str | None = None
    format: int | None = None

    @property
    def ours(self) -> bool:
        """Tell whether migrations of ours ever ran here."""
        return tables.VERSION_TABLE in self.tables

    @property
    def foreign(self) -> bool:
        """Tell whether the tables are somebody else's; on a server only our names are looked at."""
        return not self.ours and bool(self.tables)


async def examine_at(location: Location) -> Contents:
    """Look into the database at `location`. Raises LogUnreadable, LogUnavailable."""
    readings = open_readings(location)
    try:
        return await examine(readings, location.kind)
    finally:
        await readings.close()


def open_readings(location: Location) -> Readings:
    """Give a way to read the database that leaves a file as it is.

    Raises LogUnreadable when there is no such file, or it is no database.
    """
    match location.kind:
        case Kind.SQLITE:
            _require_file(location.path)
            return FileReadings(location.path)
        case Kind.POSTGRES:
            return EngineReadings(reading_engine(location), location.name)
        case Kind.CONTROLLER:
            msg = f"{location.name} is a running controller and no database: name its log itself."
            raise LogUnreadable(msg)
        case Kind.JSON_LINES:
            msg = f"{location.name} is a JSON Lines file and no database: `import` makes it one."
            raise LogUnreadable(msg)


async def examine(readings: Readings, kind: Kind) -> Contents:
    """Look into a database. Raises LogUnreadable, LogUnavailable."""
    names = " ".join([*_OURS, tables.VERSION_TABLE])
    parameters = {"names": names} if kind is Kind.POSTGRES else None
    found = frozenset(row[0] for row in await readings.rows(_TABLES[kind], parameters))
    if tables.VERSION_TABLE not in found:
        return Contents(found)
    revisions = await readings.rows(_REVISION)
    formats = await readings.rows(select(tables.log.c.format)) if "log" in found else ()
    return Contents(
        found,
        revisions[0][0] if revisions else None,
        formats[0][0] if formats else None,
    )


def require_ours(found: Contents, location: Location) -> None:
    """Raise LogUnreadable when the database is somebody else's, or holds no log."""
    if found.foreign:
        msg = f"The database {location.name} is not a log of warmlog: check the location."
        raise LogUnreadable(msg)
    if not found.ours:
        raise LogUnreadable(no_log_yet(location))


def no_log_yet(location: Location) -> str:
    """Give the words for a database in which no log was ever started."""
    return (
        f"The database {location.name} holds no log yet: check the location; `warmlog run` and "
        "`warmlog import` start one."
    )


def _require_file(path: Path) -> None:
    if path.is_dir():
        msg = f"{path} is a folder: name the log's file in it."
        raise LogUnreadable(msg)
    if not path.exists():
        msg = f"There is no log at {path}: check the path."
        raise LogUnreadable(msg)
    # SQLite takes a file of a few bytes for an empty database, and would write into it.
    try:
        with path.open("rb") as file:
            head = file.read(LOOKED_AT_BYTES)
    except OSError as error:
        msg = f"The log {path} cannot be read: {error.strerror}. Check the path."
        raise LogUnreadable(msg) from error
    if head and not head.startswith(_MAGIC):
        helps = what_helps(path, head)
        msg = f"The file {path} is no SQLite database, nor named .jsonl: {helps}."
        raise LogUnreadable(msg)
