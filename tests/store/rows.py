"""Builders of rows for the tests of the store, and ways to read a log whole."""

from collections.abc import Sequence

from engine.canonical_json import dumps
from engine.events import Draft, Event
from engine.logs import EventReader

NOON = 1_700_000_000_000_000_000
"""A moment in nanoseconds; the rows of the tests follow it one nanosecond apart."""

STARTED = Draft("", "", "SessionStarted", 1, "{}")


def row(seq: int, epoch: int = 1, data: str | None = None, *, cluster: str = "east") -> Event:
    """Give one row; its `data` names its place unless it is given."""
    return Event(
        seq=seq,
        epoch=epoch,
        at=NOON + seq,
        cluster=cluster,
        subject=f"Job/models/warm-{seq}/uid-{seq}",
        type="JobSeen" if seq % 3 else "JobWanted",
        version=1,
        data=dumps({"epoch": epoch, "seq": seq}) if data is None else data,
        cause=None if seq % 3 else seq - 1,
        seen=None if seq % 3 else seq - 1,
    )


def rows(after: int, count: int, epoch: int = 1) -> list[Event]:
    """Give `count` rows that follow the seq `after`."""
    return [row(seq, epoch) for seq in range(after + 1, after + count + 1)]


async def read_all(
    reader: EventReader, after: int = 0, until: int | None = None, *, batch_rows: int = 1000
) -> list[Event]:
    """Read a log whole."""
    return [
        event for each in await read_batches(reader, after, until, batch_rows) for event in each
    ]


async def read_batches(
    reader: EventReader, after: int = 0, until: int | None = None, batch_rows: int = 1000
) -> list[Sequence[Event]]:
    """Read a log in its batches."""
    return [batch async for batch in reader.read(after, until, batch_rows=batch_rows)]
