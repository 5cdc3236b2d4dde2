"""Snapshotting: a start that need not fold the whole log again.

A snapshot is a cache: one that does not fit is passed over, and that one could not be saved is
no more than a warning.
"""

import structlog

from adapters.store.databases import SqlLog
from adapters.store.snapshots import load_snapshot, save_snapshot
from engine.errors import LogUnavailable
from engine.events import Event
from engine.replaying import Replayed, replay
from engine.snapshots import is_usable, restored, snapshot_of
from machines.domain import WARMLOG
from machines.states import State

TAIL_ROWS = 5000  # a start that folds more than this saves a snapshot

_log = structlog.get_logger(__name__)


async def replay_quickly(log: SqlLog, code_digest: str) -> Replayed[State]:
    """Fold the log to its end, from the newest snapshot that is usable.

    Raises LogUnavailable, LogUnreadable, EventMalformed.
    """
    start = await _start(log, code_digest)
    replayed = await replay(WARMLOG, log, start=start)
    if replayed.events > TAIL_ROWS:
        await save(log, replayed, code_digest)
    return replayed


async def save(log: SqlLog, replayed: Replayed[State], code_digest: str) -> None:
    """Save a snapshot of a state that the log holds whole. Never raises for the store."""
    try:
        row = await _row(log, replayed.cursor.position)
        if row is None:
            return
        log_id = (await log.identify()).log_id
        made = snapshot_of(WARMLOG, replayed, row, log_id=log_id, code_digest=code_digest)
        await save_snapshot(log, made)
    except LogUnavailable as error:
        _log.warning("no snapshot was saved", words=str(error))


async def _start(log: SqlLog, code_digest: str) -> Replayed[State] | None:
    snapshot = await load_snapshot(log)
    if snapshot is None:
        return None
    log_id = (await log.identify()).log_id
    row = await _row(log, snapshot.position)
    if not is_usable(snapshot, log_id=log_id, row=row, code_digest=code_digest):
        return None
    try:
        start = restored(WARMLOG, snapshot)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        # Whatever its text is, the log holds all that it could say.
        _log.warning("a snapshot is passed over", words=repr(error))
        return None
    return start if start.cursor.position == snapshot.position else None


async def _row(log: SqlLog, seq: int) -> Event | None:
    async for batch in log.read(seq - 1, seq):
        return batch[0]
    return None
