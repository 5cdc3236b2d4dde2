"""A PostgreSQL schema for each test: they run in parallel in one database.

Each test gets a role and a schema of the same name, which is where PostgreSQL looks first. That
is ten times as quick as a database each.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

from sqlalchemy import URL, make_url, text
from sqlalchemy.ext.asyncio import create_async_engine


@asynccontextmanager
async def fresh_database() -> AsyncIterator[str]:
    """Make an empty schema; give the URL of the role it belongs to; drop both afterwards."""
    name = f"warmlog_{uuid4().hex}"
    await as_superuser(
        f"CREATE ROLE {name} LOGIN PASSWORD '{name}'", f"CREATE SCHEMA AUTHORIZATION {name}"
    )
    try:
        url = _server().set(username=name, password=name)
        yield url.render_as_string(hide_password=False)
    finally:
        await as_superuser(f"DROP OWNED BY {name} CASCADE", f"DROP ROLE {name}")


async def as_superuser(*statements: str) -> None:
    """Run statements in one transaction, as the user of WARMLOG_TEST_POSTGRES."""
    engine = create_async_engine(_server())
    try:
        async with engine.begin() as connection:
            for statement in statements:
                await connection.execute(text(statement))
    finally:
        await engine.dispose()


def _server() -> URL:
    server = make_url(os.environ["WARMLOG_TEST_POSTGRES"])
    return server.set(drivername="postgresql+asyncpg")
