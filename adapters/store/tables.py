"""The tables of a log, on every database.

The migrations, not `metadata.create_all`, make them; a test compares the two.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
)

FORMAT = 1
"""What this code writes into `log.format`; a higher number was written by a newer warmlog."""

REVISION = "0001"
"""The newest revision of the migrations, which this code works with; a test compares the two."""

VERSION_TABLE = "warmlog_schema"
"""Where Alembic keeps the revision: a name of our own tells a log from another's database."""

# On SQLite only INTEGER makes a primary key the table's own order instead of a second index.
_WIDE = BigInteger().with_variant(Integer(), "sqlite")

metadata = MetaData()

events = Table(
    "events",
    metadata,
    Column("seq", _WIDE, primary_key=True, autoincrement=False),
    Column("epoch", _WIDE, nullable=False),
    Column("at", _WIDE, nullable=False),
    Column("cluster", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("data", Text, nullable=False),
    Column("cause", _WIDE),
    Column("seen", _WIDE),
)
"""One row per event, its columns in the order of `engine.events.Event`."""

log = Table(
    "log",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("log_id", Text, nullable=False),
    Column("epoch", _WIDE, nullable=False),
    Column("secret_key", LargeBinary, nullable=False),
    Column("format", Integer, nullable=False),
)
"""One row, whose id is 1: locking it is what makes a writer the only one."""

snapshots = Table(
    "snapshots",
    metadata,
    Column("position", _WIDE, primary_key=True, autoincrement=False),
    Column("log_id", Text, nullable=False),
    Column("row_digest", Text, nullable=False),
    Column("code_digest", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
)
"""Caches of a folded state. Whoever loads one decides whether it can be used."""
