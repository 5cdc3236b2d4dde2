"""A PostgreSQL schema for each test: they run in parallel in one database.

Each test gets a role and a schema of the same name, which is where PostgreSQL looks first. That
is ten times as quick as a database each.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import create_async_engine


@asynccontextmanager
async def fresh_database() -> AsyncIterator[str]:
    """Make an empty schema; give the URL of the role it belongs to; drop both afterwards."""
    server = make_url(os.environ["WARMLOG_TEST_POSTGRES"]).set(drivername="postgresql+asyncpg")
    name = f"warmlog_{uuid4().hex}"
    engine = create_async_engine(server)
    try:
        async with engine.begin() as connection:
            await connection.execute(text(f"CREATE ROLE {name} LOGIN PASSWORD '{name}'"))
            await connection.execute(text(f"CREATE SCHEMA AUTHORIZATION {name}"))
        yield server.set(username=name, password=name).render_as_string(hide_password=False)
        async with engine.begin() as connection:
            await connection.execute(text(f"DROP OWNED BY {name}"))
            await connection.execute(text(f"DROP ROLE {name}"))
    finally:
        await engine.dispose()
