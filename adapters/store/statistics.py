"""What `warmlog db stats` shows: how many rows of which type, how large, from when to when."""

from typing import NamedTuple

from sqlalchemy import func, select, text

from adapters.store import tables
from adapters.store.databases import SqlReader
from adapters.store.locations import Kind
from engine.logs import LogIdentity

_EVENTS = tables.events
_BY_TYPE = (
    select(
        _EVENTS.c.type,
        func.count(),
        func.sum(func.length(_EVENTS.c.data)),
    )
    .group_by(_EVENTS.c.type)
    .order_by(func.count().desc(), _EVENTS.c.type)
)
_FIRST = select(_EVENTS.c.seq, _EVENTS.c.at).order_by(_EVENTS.c.seq).limit(1)

# Of SQLite the pages of the file, free ones and those still in the `-wal` included.
_SIZE = {
    Kind.SQLITE: text("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"),
    Kind.POSTGRES: text(
        "SELECT CAST(sum(pg_total_relation_size(oid)) AS bigint) FROM pg_class"
        " WHERE oid IN (to_regclass('events'), to_regclass('log'), to_regclass('snapshots'))"
    ),
}


class TypeCount(NamedTuple):
    """The rows of one type."""

    type: str
    rows: int
    data_bytes: int


class LogStatistics(NamedTuple):
    """A log in numbers. Times are UTC in nanoseconds, and None when the log is empty."""

    identity: LogIdentity
    rows: int
    size_bytes: int
    first_at: int | None
    last_at: int | None
    types: tuple[TypeCount, ...]


async def gather_statistics(reader: SqlReader) -> LogStatistics:
    """Count a log's rows; types with most rows come first. It reads the whole table.

    The numbers are of nearly one moment: a writer may append between the statements. Raises
    LogUnavailable, LogUnreadable.
    """
    rows = reader.rows
    identity = await reader.identify()
    types = tuple(TypeCount._make(row) for row in await rows(_BY_TYPE))
    first = await rows(_FIRST)
    size = await rows(_SIZE[reader.location.kind])
    return LogStatistics(
        identity=identity,
        rows=sum(each.rows for each in types),
        size_bytes=size[0][0],
        first_at=first[0].at if first else None,
        last_at=identity.last_at if identity.position else None,
        types=types,
    )
