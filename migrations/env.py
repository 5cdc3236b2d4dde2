"""What Alembic runs for every command: it works on the connection it is given, in its transaction.

`adapters.store.migrating` gives the connection, so that no configuration file and no second set
of connection settings is needed, on an asynchronous driver as well.
"""

from alembic import context

from adapters.store import tables

connection = context.config.attributes.get("connection")
if connection is None:
    msg = "Migrations run through `warmlog db upgrade LOG`, which connects as a log must be."
    raise SystemExit(msg)
context.configure(
    connection=connection,
    target_metadata=tables.metadata,
    version_table=tables.VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
