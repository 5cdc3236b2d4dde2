"""The conformance suite on PostgreSQL."""

from collections.abc import AsyncIterator

import pytest

from tests.store.databases import fresh_database
from tests.store.suite import LogSuite


@pytest.mark.postgres
class TestPostgres(LogSuite):
    """A log in a PostgreSQL database."""

    @pytest.fixture
    async def location(self) -> AsyncIterator[str]:
        """Give the URL of an empty database."""
        async with fresh_database() as url:
            yield url

    @pytest.fixture
    async def other_location(self) -> AsyncIterator[str]:
        """Give that of another one."""
        async with fresh_database() as url:
            yield url
