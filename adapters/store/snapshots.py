"""Keeping snapshots beside the rows they stand for. Whether one is usable is for the engine."""

from sqlalchemy import bindparam, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.store import tables
from adapters.store.databases import End, SqlLog, SqlReader
from engine.snapshots import Snapshot

KEPT = 2
"""How many snapshots a log keeps: the newest, and one to fall back on."""

_TABLE = tables.snapshots
_NEWEST = (
    select(
        _TABLE.c.log_id,
        _TABLE.c.position,
        _TABLE.c.row_digest,
        _TABLE.c.code_digest,
        _TABLE.c.data,
    )
    .where(_TABLE.c.position <= bindparam("until"))
    .order_by(_TABLE.c.position.desc())
    .limit(1)
)
_NO_END = 2**63 - 1


async def save_snapshot(log: SqlLog, snapshot: Snapshot) -> None:
    """Keep `snapshot` instead of one at the same position, and drop all but the KEPT newest.

    It is a cache: an older writer may save one too, and no epoch is checked. Raises
    LogUnavailable, LogFull; then the log holds the snapshots it held before.
    """
    row = snapshot._asdict() | {"data": snapshot.data.encode("utf-8", "surrogatepass")}
    kept = select(_TABLE.c.position).order_by(_TABLE.c.position.desc()).limit(KEPT)

    async def work(connection: AsyncConnection, _end: End) -> None:
        await connection.execute(delete(_TABLE).where(_TABLE.c.position == snapshot.position))
        await connection.execute(insert(_TABLE), [row])
        await connection.execute(delete(_TABLE).where(_TABLE.c.position.not_in(kept)))

    await log.transact(work)


async def load_snapshot(reader: SqlReader, until: int | None = None) -> Snapshot | None:
    """Give the newest snapshot at or before the seq `until`; None when there is none.

    Raises LogUnavailable, LogUnreadable.
    """
    end = _NO_END if until is None else until
    rows = await reader.rows(_NEWEST, {"until": end})
    if not rows:
        return None
    log_id, position, row_digest, code_digest, data = rows[0]
    text = bytes(data).decode("utf-8", "surrogatepass")
    return Snapshot(log_id, position, row_digest, code_digest, text)
