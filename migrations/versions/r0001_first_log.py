"""The first shape of a log: events, the log's own row, and snapshots.

A migration says what the tables were at its time, so it does not import today's tables.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    wide = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "events",
        sa.Column("seq", wide, primary_key=True, autoincrement=False),
        sa.Column("epoch", wide, nullable=False),
        sa.Column("at", wide, nullable=False),
        sa.Column("cluster", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("cause", wide),
        sa.Column("seen", wide),
    )
    op.create_table(
        "log",
        sa.Column("id", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("log_id", sa.Text, nullable=False),
        sa.Column("epoch", wide, nullable=False),
        sa.Column("secret_key", sa.LargeBinary, nullable=False),
        sa.Column("format", sa.Integer, nullable=False),
    )
    op.create_table(
        "snapshots",
        sa.Column("position", wide, primary_key=True, autoincrement=False),
        sa.Column("log_id", sa.Text, nullable=False),
        sa.Column("row_digest", sa.Text, nullable=False),
        sa.Column("code_digest", sa.Text, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables, and the log with them."""
    op.drop_table("snapshots")
    op.drop_table("log")
    op.drop_table("events")
