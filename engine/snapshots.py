"""Snapshots: a cached state, used only when it can be proved to be of this log and this code.

Four things must match: the log's id, a row at the snapshot's position, that row's digest, and the
digest of the code that folded. Then fold(snapshot + tail) equals fold(all); else it is ignored.
"""

import hashlib
from typing import NamedTuple, TypeVar

from engine.canonical_json import dumps, loads
from engine.events import Event
from engine.replaying import Replayed
from engine.stepping import Cursor, Domain

State = TypeVar("State")


class Snapshot(NamedTuple):
    """A dumped state and its identity."""

    log_id: str
    position: int
    row_digest: str  # sha256 hex of the row at `position`
    code_digest: str
    data: str


def row_digest(event: Event) -> str:
    """Give the sha256 hex of one row, all columns included."""
    return hashlib.sha256(dumps(list(event)).encode("ascii")).hexdigest()


def is_usable(snapshot: Snapshot, *, log_id: str, row: Event | None, code_digest: str) -> bool:
    """Say whether the snapshot stands for this log, folded by this code, up to that row."""
    return (
        row is not None
        and snapshot.log_id == log_id
        and snapshot.position == row.seq
        and snapshot.code_digest == code_digest
        and snapshot.row_digest == row_digest(row)
    )


def snapshot_of(
    domain: Domain[State], replayed: Replayed[State], row: Event, *, log_id: str, code_digest: str
) -> Snapshot:
    """Give the snapshot of a state that was folded up to and including `row`."""
    data = dumps([list(replayed.cursor), domain.dump(replayed.state)])
    return Snapshot(log_id, row.seq, row_digest(row), code_digest, data)


def restored(domain: Domain[State], snapshot: Snapshot) -> Replayed[State]:
    """Give the state of a usable snapshot, to be folded on. ValueError when it is damaged."""
    cursor, text = loads(snapshot.data)
    try:
        return Replayed(domain.load(text), Cursor(*cursor), 0)
    except (KeyError, TypeError, IndexError) as error:
        msg = f"the snapshot at {snapshot.position} is damaged: {error!r}"
        raise ValueError(msg) from error
